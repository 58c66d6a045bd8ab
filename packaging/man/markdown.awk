# SPDX-License-Identifier: Apache-2.0
# usage: awk -f common.awk -f markdown.awk PAGE.md   The body of a man page from a page of docs/: headings, paragraphs,
# lists, code, and tables whose first column becomes the tag. The first heading is the template's.

function flush_text() {
    if (text != "") {
        print item ? item : ".PP"
        paragraph(inline(text))
    }
    text = item = ""
}
function leave_code() {
    if (is_code)
        end_code()
    is_code = blanks = 0
}
/^```/ {
    flush_text()
    is_fenced = !is_fenced
    if (is_fenced)
        begin_code()
    else
        end_code()
    next
}
is_fenced { code($0); next }
/^    / && text == "" {
    if (!is_code)
        begin_code()
    for (; blanks > 0; blanks--)
        print ""
    is_code = 1
    code(substr($0, 5))
    next
}
is_code && /^$/ { blanks++; next }
{ leave_code() }
/^#+ / {
    flush_text()
    level = index($0, " ") - 1
    heading = substr($0, level + 2)
    gsub(/`/, "", heading)
    if (level == 2)
        print ".SH " escape(toupper(heading))
    else if (level > 2)
        print ".SS " escape(heading)
    next
}
/^\|/ {
    flush_text()
    line = $0
    gsub(/\\\|/, "\001", line)
    count = split(line, cells, "|")
    for (i = 2; i < count; i++) {
        gsub(/\001/, "|", cells[i])
        gsub(/^ +| +$/, "", cells[i])
    }
    if (++row == 1) {
        for (i = 2; i < count; i++)
            titles[i] = cells[i]
        next
    }
    if (row == 2)
        next
    print ".TP\n" guard(inline(cells[2]))
    for (i = 3; i < count; i++)
        paragraph((count > 4 ? plain(titles[i]) ": " : "") inline(cells[i]) (i + 1 < count ? ";" : ""))
    next
}
{ row = 0 }
/^$/ { flush_text(); next }
/^ *([-*]|[0-9]+\.) / {
    flush_text()
    item = ".IP \\(bu 2"
    text = $0
    if (text ~ /^ *[0-9]/) {
        item = text
        sub(/^ */, "", item)
        sub(/ .*/, "", item)
        item = ".IP " item " 4"
    }
    sub(/^ *([-*]|[0-9]+\.) /, "", text)
    next
}
/^<!--/ { next }
{ text = text (text == "" ? "" : " ") $0 }
END { flush_text(); leave_code() }
