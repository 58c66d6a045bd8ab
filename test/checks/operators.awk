# SPDX-License-Identifier: Apache-2.0
# Files that name an operator: usage: awk -f operators.awk operators.def FILES...
# By a text that is a list of operators and nothing else ("Add", "Erf com.microsoft:Gelu"), outside of comments.

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
FNR == 1 { in_comment = 0 }
FNR == NR {
    if (split($0, parts, "\"") > 3 && /^OPERATOR/)
        is_operator[parts[4]] = 1
    next
}
FILENAME in told { next }
{
    line = without_comments($0)
    while (match(line, /"([^"\\]|\\.)*"/)) {
        text = substr(line, RSTART + 1, RLENGTH - 2)
        line = substr(line, RSTART + RLENGTH)
        if (names_operators(text) && !(FILENAME in told)) {
            told[FILENAME] = 1
            print FILENAME
        }
    }
}
