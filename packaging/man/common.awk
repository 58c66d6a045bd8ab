# SPDX-License-Identifier: Apache-2.0
# What all makers of man pages share: text as roff takes it.

function escape(text) {
    gsub(/\\/, "\\e", text)
    gsub(/-/, "\\-", text)
    gsub(/~/, "\\(ti", text)
    gsub(/\^/, "\\(ha", text)
    gsub(/`/, "\\(ga", text)
    gsub(/'/, "\\(aq", text)
    return text
}
# A line that begins like a request is none.
function guard(line) {
    return line ~ /^[.']/ ? "\\&" line : line
}
# `code` is bold and *this* italic in a text of ours; [a link](place) is its words.
function inline(text,    out, at, end) {
    while (match(text, /\[[^]]*\]\([^)]*\)/)) {
        at = RSTART
        end = RSTART + RLENGTH
        out = substr(text, at, end - at)
        sub(/^\[/, "", out)
        sub(/\]\(.*/, "", out)
        text = substr(text, 1, at - 1) out substr(text, end)
    }
    out = ""
    while (match(text, /`[^`]+`|\*\*[^*]+\*\*|\*[^* ][^*]*\*/)) {
        end = substr(text, RSTART, RLENGTH)
        out = out plain(substr(text, 1, RSTART - 1))
        text = substr(text, RSTART + RLENGTH)
        if (end ~ /^`/)
            out = out "\\fB" escape(substr(end, 2, length(end) - 2)) "\\fR"
        else if (end ~ /^\*\*/)
            out = out "\\fB" plain(substr(end, 3, length(end) - 4)) "\\fR"
        else
            out = out "\\fI" plain(substr(end, 2, length(end) - 2)) "\\fR"
    }
    return out plain(text)
}
# Hyphens of words stay; the dashes of options are minus signs.
function plain(text) {
    gsub(/\\/, "\\e", text)
    gsub(/ --/, " \\-\\-", text)
    gsub(/\(--/, "(\\-\\-", text)
    return text
}
# A paragraph in lines of a usual length: sentences are not broken in the middle of a macro, so anywhere will do.
function paragraph(text,    words, count, i, line) {
    sub(/^ +/, "", text)
    count = split(text, words, / +/)
    line = ""
    for (i = 1; i <= count; i++) {
        if (line != "" && length(line) + 1 + length(words[i]) > 78) {
            print guard(line)
            line = ""
        }
        line = line (line == "" ? "" : " ") words[i]
    }
    if (line != "")
        print guard(line)
}
# Lines as they are.
function begin_code() {
    print ".PP\n.RS 4\n.EX"
}
function code(line) {
    print line == "" ? "" : guard(escape(line))
}
function end_code() {
    print ".EE\n.RE"
}
