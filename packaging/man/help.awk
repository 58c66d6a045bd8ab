# SPDX-License-Identifier: Apache-2.0
# usage: TOOL --help, headings marked | awk -f common.awk -f help.awk                      all options
#        TOOL COMMAND --help, the same | awk -v command=NAME -v general=FILE ...    a command, with the options that FILE, the
#                                                                         tool's own help, lacks
function end_text() {
    if (text != "") { print ".PP"; paragraph(inline(text)) }
    text = ""
    if (is_code) end_code()
    is_code = 0
}
BEGIN {
    while (general != "" && (getline line < general) > 0)
        if (match(line, /--[a-z-]+/))
            known[substr(line, RSTART, RLENGTH)] = line ~ /^  (-.,|   ) --/
    stage = "usage"
}
/^usage: / {
    if (command) {
        print ".SS " escape(command)
        paragraph(toupper(substr(summary, 1, 1)) substr(summary, 2))
        usage = $0
        sub(/^usage: /, "", usage)
        print ".PP\n\\fB" escape(usage) "\\fR"
    }
    stage = "text"
    next
}
command && NR == 1 { summary = $0; sub(/^[^:]*: /, "", summary); next }
/^Exit status: / {
    end_text()
    if (command && match($0, /; 1 [^;]*;/) && (difference = substr($0, RSTART + 4, RLENGTH - 5)) != "a threshold is not met")
        if (difference != "not used")
            print ".PP\nExit status 1: " plain(difference) "."
    exit
}
/^Commands/ { exit }
# A heading, which make.sh marks: it counts when an option comes that is told.
/^\001/ { end_text(); stage = "options"; heading = substr($0, 2); next }
/^$/ { is_blank = 1; next }
stage == "text" && command {
    if (is_blank) end_text()
    is_blank = 0
    if ($0 ~ /^  /) {
        if (text != "") { print ".PP"; paragraph(inline(text)); text = "" }
        if (!is_code) begin_code()
        is_code = 1
        code(substr($0, 3))
    } else {
        if (is_code) end_text()
        text = text (text == "" ? "" : " ") $0
    }
    next
}
/^  (-.,|   ) --/ {
    is_blank = 0
    # Two blanks, a letter or blanks, 28 columns of the option and its value, or more where these are longer.
    letter = substr($0, 3, 2)
    left = substr($0, 7, 28)
    help = substr($0, 36)
    if (substr($0, 35, 1) != " ") {
        match(substr($0, 7), /^[^ ]+ [^ ]+/)
        left = substr($0, 7, RLENGTH)
        help = substr($0, 7 + RLENGTH + 1)
    }
    sub(/ +$/, "", left)
    name = value = left
    sub(/ .*/, "", name)
    sub(/^[^ ]+ ?/, "", value)
    is_told = !(name in known)
    if (!is_told)
        next
    if (heading != "")
        print (command ? ".PP\n" plain(heading) ":" : ".SS " escape(heading))
    heading = ""
    print ".TP"
    print (letter ~ /-/ ? "\\fB" escape(letter) "\\fR, " : "") "\\fB" escape(name) "\\fR" (value != "" ? " \\fI" escape(value) "\\fR" : "")
    paragraph(inline(help))
    next
}
/^                              / {
    if (!is_told) next
    word = $1
    help = $0
    sub(/^ *[^ ]+ +/, "", help)
    print ".RS\n.TP\n\\fB" escape(word) "\\fR"
    paragraph(inline(help))
    print ".RE"
}
