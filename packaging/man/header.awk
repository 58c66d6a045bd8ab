# SPDX-License-Identifier: Apache-2.0
# usage: awk -f common.awk -f header.awk HEADER...   The body of the library's man page: its opening comment, then
# every declaration with what is said above it, by sections.

# A comment's lines: text, and code where they are indented.
function tell(    i, line, text, is_code) {
    for (i = 1; i <= lines; i++) {
        line = comment[i]
        if (line ~ /^    /) {
            if (text != "") { paragraph(inline(text)); text = "" }
            if (!is_code) begin_code()
            is_code = 1
            code(substr(line, 5))
            continue
        }
        if (line == "" && is_code && comment[i + 1] ~ /^    /) { print ""; continue }
        if (is_code) { end_code(); is_code = 0; if (line == "") print ".PP" }
        if (line == "" && text != "") { paragraph(inline(text)); text = ""; print ".PP" }
        else if (line != "") text = text (text == "" ? "" : " ") line
    }
    if (is_code) end_code()
    if (text != "") paragraph(inline(text))
    lines = 0
}
function declare(    i) {
    if (declared) {
        print ".PP\n.EX"
        is_function = declaration[1] ~ /^NPART_API /
        for (i = 1; i <= declared; i++) {
            if (is_function)
                sub(i == 1 ? /^NPART_API / : /^          /, "", declaration[i])
            sub(/ +\\$/, " \\", declaration[i])
            code(declaration[i])
        }
        print ".EE"
        if (lines) { print ".RS 4\n.PP"; tell(); print ".RE" }
    }
    declared = lines = depth = 0
}
/^#(if|ifdef|ifndef|else|endif|include|undef)/ || /^extern "C"/ || /^}$/ { if (!declared) next }
/^\/\* ---- / {
    heading = $0
    gsub(/^\/\* -+ | -+ \*\/$/, "", heading)
    print ".SH " escape(toupper(heading))
    next
}
/^\/\*/ && !declared { in_comment = 1; lines = 0 }
in_comment {
    line = $0
    is_end = line ~ /\*\/$/
    sub(/ *\*\/$/, "", line)
    sub(/^\/\* ?/, "", line)
    sub(/^ \* ?/, "", line)
    if (line !~ /SPDX/ && (line != "" || lines) && !(is_end && line == ""))
        comment[++lines] = line
    if (is_end) {
        in_comment = 0
        if (!is_opened++) {
            sub(/^npu-partition: which/, "The library says which", comment[1])
            print ".SH DESCRIPTION"
            tell()
        }
    }
    next
}
/^$/ && !declared { lines = 0; next }
/^#define (NPU_PARTITION_[A-Z_]*H|NPART_API)/ { next }
{
    declaration[++declared] = $0
    bare = $0
    gsub(/\/\*[^*]*\*\//, "", bare)
    depth += gsub(/[{(]/, "", bare) - gsub(/[})]/, "", bare)
    if ($0 ~ /^#define/ ? $0 !~ /\\$/ : depth <= 0 && (bare ~ /; *$/ || declaration[1] ~ /^#define/ && $0 !~ /\\$/))
        declare()
}
