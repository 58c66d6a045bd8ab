# SPDX-License-Identifier: Apache-2.0
# Files that name an operator: usage: awk -f operators.awk operators.def FILES...
# By a text that is a list of operators and nothing else ("Add", "Erf com.microsoft:Gelu"), or by a word of an enum of its
# own that is one in capitals (GATHER, REDUCE_SUM), outside of comments.

function without_comments(line,    out) {
    while (line != "") {
        if (in_comment) {
            if (!match(line, /\*\//))
                return out
            line = substr(line, RSTART + 2)
            in_comment = 0
        } else if (match(line, /\/\*/)) {
            out = out substr(line, 1, RSTART - 1)
            line = substr(line, RSTART + 2)
            in_comment = 1
        } else
            return out line
    }
    return out
}
function names_operators(text,    words, count, i) {
    count = split(text, words, " ")
    for (i = 1; i <= count; i++) {
        sub(/^[a-z.]+:/, "", words[i])
        if (!(words[i] in is_operator))
            return 0
    }
    return count > 0
}
function add_operator(name,    word, i, letter, is_small, was_small) {
    is_operator[name] = is_word[toupper(name)] = 1
    for (i = 1; i <= length(name); i++) {
        letter = substr(name, i, 1)
        is_small = letter ~ /[a-z0-9]/
        word = word (was_small && !is_small ? "_" : "") toupper(letter)
        was_small = is_small
    }
    is_word[word] = 1
}
function tell(how) {
    if (!(FILENAME in told))
        print FILENAME (how ? " (" how ")" : "")
    told[FILENAME] = 1
}
# The words of an enum, whose line or lines these are; what has a prefix is not of the file alone.
function read_enum(line,    words, count, i) {
    if (line ~ /(^|[^a-z_])enum[ a-z_]*{/) {
        in_enum = 1
        sub(/.*enum[ a-z_]*{/, "", line)
    }
    if (!in_enum)
        return
    in_enum = line !~ /}/
    sub(/}.*/, "", line)
    gsub(/ *= *[^,]*/, "", line)
    count = split(line, words, /[ ,]+/)
    for (i = 1; i <= count; i++)
        if (words[i] in is_word)
            tell("enum")
}
FNR == 1 { in_comment = in_enum = 0 }
FNR == NR {
    if (split($0, parts, "\"") > 3 && /^OPERATOR/)
        add_operator(parts[4])
    next
}
FILENAME in told { next }
{
    line = without_comments($0)
    read_enum(line)
    while (match(line, /"([^"\\]|\\.)*"/)) {
        text = substr(line, RSTART + 1, RLENGTH - 2)
        line = substr(line, RSTART + RLENGTH)
        if (names_operators(text))
            tell("")
    }
}
