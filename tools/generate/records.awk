# SPDX-License-Identifier: Apache-2.0
# usage: awk -f records.awk include/records.table > record_words.h   The words of each set, and npart_*_text.

function trim(text) { gsub(/^ +| +$/, "", text); return text }
function end_set() {
    if (!name)
        return
    print "    };\n    return (size_t)value < sizeof words / sizeof *words ? words[value] : NULL;\n}\n"
    name = ""
}
/^#/ || /^$/ || /^ / { next }
/^set / {
    end_set()
    name = $2
    prefix = $3
    printf "const char *npart_%s_text(enum npart_%s value)\n{\n    static const char *const words[] = {\n", name, name
    next
}
/^record / { end_set(); exit }
name {
    split($0, cells, "|")
    word = trim(cells[1])
    printf "        [NPART_%s_%s] = \"%s\",\n", prefix, trim(cells[2]), word == "\"\"" ? "" : word
}
END { end_set() }
