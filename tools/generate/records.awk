# SPDX-License-Identifier: Apache-2.0
# usage: awk -f records.awk -v part=PART include/records.table
# PART: words      the words of each set, NULL after the last, and npart_*_text
#       fields     the members of each record that is a struct, as lib/base/fields.c writes them
#       writers    what declares the two, and for each record the function that writes it
#       csv        the columns of CSV
#       columns    the statements that make the tables of results in SQLite, and that take a report, ?1, apart into them
#       reader     what reads a summary from a report

function trim(text) { gsub(/^ +| +$/, "", text); return text }
function end_block() {
    if (set && part == "words")
        printf "    NULL\n};\nconst char *npart_%s_text(enum npart_%s value)\n{\n    return (size_t)value < sizeof " \
            "npart__%s_words / sizeof(char *) ? npart__%s_words[value] : NULL;\n}\n\n", set, set, set, set
    if (places && part == (csv ? "csv" : "fields"))
        printf "    {NULL, 0, NPART__FIELD_END, sizeof(struct %s), 0, NULL},\n};\n\n", struct
    if (places && part == "writers" && !csv)
        end_record()
    if (table)
        end_table()
    set = record = table = csv = places = last = declarations = ""
    has_own = has_index = 0
}
function end_record() {
    if (struct ~ /^npart__/)
        printf "struct %s {\n%s};\n", struct, declarations
    printf "enum {%s};\nextern const struct npart__field npart__%s_fields[];\n", places, record
    printf has_own ? "static inline struct npart__object npart__open_%s" : "static inline void npart__put_%s", record
    printf "(struct npart__buffer *out, const char *key, const struct %s *at%s)\n{\n    ", struct, has_index ? ", uint32_t index" : ""
    printf "%s(out, key, npart__%s_fields, at, %s);\n}\n\n", has_own ? "return npart__object_open" : "npart__put_fields", \
        record, has_index ? "index" : 0
}
# A report's JSON down from `from` by names and places with / between them.
function extract(from, place, words, count, path, i) {
    count = split(place, words, "/")
    for (i = 1; i <= count; i++)
        path = path (words[i] ~ /^[0-9]/ ? "[" words[i] "]" : ".\\\"" words[i] "\\\"")
    return "json_extract(" from ", '$" path "')"
}
function column(place) {
    return place == "@path" ? "json_extract(?1, '$.model.path')" : \
        place == "@target" || (table == "targets" && place == "name") ? "t.name" : \
        place == "@place" ? "i.key" : \
        place == "@advice" ? "json_extract(i.value, '$.id')" : \
        place == "@root" ? "r.root" : \
        place == "@invalid" ? "EXISTS (SELECT 1 FROM json_each(?1, '$.findings') WHERE json_extract(value, '$.code') = 'invalid')" : \
        extract(table == "models" ? "?1" : table == "targets" ? "t.value" : "i.value", place)
}
# A target that is asked for twice has one row. Targets that differ in their toolchain alone are named with it; a cause
# of an action is its first root. Models stay in the order of the scan.
function end_table(list, refers, rows) {
    list = "json_each(t.value, '$." (table == "advice_roots" ? "advice" : table) "') i"
    rows = table == "models" ? "" : table == "targets" ? " FROM t" : " FROM t, " list
    refers = table == "targets" ? ", FOREIGN KEY (path) REFERENCES models (path)" : \
        table == "advice_roots" ? ", FOREIGN KEY (path, target, advice) REFERENCES advice" \
                                  ", FOREIGN KEY (path, target, root) REFERENCES roots" : \
        table != "models" ? ", FOREIGN KEY (path, target) REFERENCES targets" : ""
    if (table == "advice_roots")
        rows = rows ", json_each(i.value, '$.causes') c, r WHERE r.target = t.name AND r.cause = c.value"
    tables = tables "    {\"" table "\",\n     \"CREATE TABLE " table " (" created "PRIMARY KEY (" table_key ")" refers ")" \
        (table == "models" ? "" : " WITHOUT ROWID") "\",\n     \"" (table == "models" ? "" : named) "INSERT " \
        (table == "models" ? "" : "OR IGNORE ") "INTO " table " SELECT " taken rows "\"},\n"
    created = taken = ""
    table_count++
}
BEGIN {
    named = "WITH named (value, name, toolchain) AS (SELECT value, json_extract(value, '$.name')," \
        " json_extract(value, '$.toolchain') FROM json_each(?1, '$.targets'))," \
        " t (value, name) AS (SELECT value, CASE WHEN EXISTS (SELECT 1 FROM named o WHERE o.name = named.name AND" \
        " o.toolchain <> named.toolchain) THEN name || '@' || toolchain ELSE name END FROM named)," \
        " r (target, cause, root) AS (SELECT t.name, c.value, min(i.key) FROM t, json_each(t.value, '$.roots') i," \
        " json_each(i.value, '$.causes') c GROUP BY 1, 2) "
}
function offset(member) { sub(/^\./, "", member); return "offsetof(struct " struct ", " member ")" }

# Its key, what it is, where the member lies, where another does that it depends on, and what it refers to.
function add(key, kind, at, other, more) {
    if (!places && part == (csv ? "csv" : "fields"))
        printf csv ? "static const struct npart__field %s_columns[] = {\n" : \
            "const struct npart__field npart__%s_fields[] = {\n", record
    places = places (places ? ", " : "") "npart__in_" record "_" key
    if (part == (csv ? "csv" : "fields"))
        printf "    {\",\\\"%s\\\":\", %d, NPART__FIELD_%s, %s, %s, %s},\n", key, length(key) + 4, kind, at, other, more
}
# Of an object by hand, whose members are rows, the first stands for all.
function add_row(key, what,    words, kind, of, member, null) {
    split(what, words, " ")
    split(words[1], of, ":")
    kind = toupper(of[1])
    null = sub(/\?0$/, "", kind) ? "_OR_0" : sub(/\?$/, "", kind) ? "_OR_NULL" : ""
    sub(/=.*/, "", key)
    sub(/[^A-Za-z0-9_].*/, "", key)
    if (key == last)
        return
    if (part == "reader" && record == "summary")
        read_row(key, kind null, words[2] ? words[2] : key, words[3], of[2])
    last = key
    if (!csv)
        rows[record, key] = what
    member = words[2] ? words[2] : key
    if (kind in types && member !~ /^\./)
        declarations = declarations "    " types[kind] member ";\n" (kind == "IDS" ? "    uint32_t " words[3] ";\n" : "")
    if (kind == "WORD" || (kind == "RECORD" && member !~ /^\./))
        declarations = declarations "    " (kind == "WORD" ? "enum npart_" of[2] : "struct " structs[of[2]]) " " member ";\n"
    if (kind == "OWN" || (kind == "PART" && own[of[2]]) || (kind == "RECORD" && member ~ /^\./)) {
        own[record] = has_own = 1
        add(key, "OWN", 0, 0, "NULL")
    } else if (kind == "PART")
        add(key, "PART", 0, 0, "npart__" of[2] "_fields")
    else if (kind == "RECORD")
        add(key, "PART", offset(member), 0, "npart__" of[2] "_fields")
    else if (kind ~ /^(REF|LIST|REFS|MAP)$/)
        add(key, kind, offset(member), words[3] ? offset(words[3]) : 0, "npart__" of[2] "_fields")
    else if (kind == "WORD")
        add(key, kind null, offset(member), 0, "npart__" of[2] "_words")
    else if (kind == "INDEX") {
        add(key, kind, 0, 0, "NULL")
        has_index = 1
    } else if (kind == "TEXT")
        add(key, kind (null ? "_OR_NULL" : ""), offset(member), 0, "NULL")
    else
        add(key, kind null, offset(member), words[3] ? offset(words[3]) : 0, "NULL")
}

# What is no number where one is known is 0, as with getters.
function read_row(key, kind, member, other, set) {
    if (kind == "COUNT")
        printf "    out->%s = count_at(at, \"%s\");\n", member, key
    else if (kind == "PAIR")
        printf "    out->%s = id_of(npart__tree_at(npart__tree_get(at, \"%s\"), 0));\n    out->%s = " \
            "id_of(npart__tree_at(npart__tree_get(at, \"%s\"), 1));\n", member, key, other, key
    else if (kind == "SIZE_OR_NULL") {
        if (!(other in read))
            printf "    out->%s = npart__is_integer(npart__tree_get(at, \"%s\"));\n", other, key
        read[other] = 1
        printf "    out->%s = (uint64_t)npart__tree_integer(npart__tree_get(at, \"%s\"));\n", member, key
    } else if (kind == "FIT")
        printf "    out->%s = fit_of(npart__tree_get(at, \"%s\"));\n", member, key
    else if (kind == "REAL" || kind == "SHARE")
        printf "    out->%s = number_or(npart__tree_get(at, \"%s\"), 0);\n", member, key
    else
        printf "    out->%s = %s_of(text_at(at, \"%s\"));\n", member, set, key
}

/^#/ || /^$/ || /^ / { next }
BEGIN {
    types["COUNT"] = types["ID"] = "uint32_t "
    types["SIZE"] = "uint64_t "
    types["REAL"] = "double "
    types["FLAG"] = "bool "
    types["TEXT"] = "const char *"
    types["IDS"] = "const uint32_t *"
    if (part == "reader")
        print "static void read_summary(const struct npart__tree *at, struct npart_summary *out)\n{\n    out->size = sizeof *out;"
}
/^set / && !/[|]/ {
    end_block()
    set = $2
    prefix = $3
    if (part == "words")
        printf "const char *const npart__%s_words[] = {\n", set
    else if (part == "writers")
        printf "extern const char *const npart__%s_words[];\n", set
    next
}
/^record / {
    end_block()
    struct = $4
    record = struct == "-" ? "" : $2
    structs[$2] = struct
    next
}
/^csv / && !/[|]/ {
    end_block()
    csv = record = $2
    struct = "row"
    next
}
/^table / && part == "columns" {
    end_block()
    table = $2
    sub(/^table [a-z_]* /, "")
    gsub(/ /, ", ")
    table_key = $0
    next
}
/^table / { end_block(); exit }
table {
    created = created $1 " " ($3 == "BOOLEAN" ? "INTEGER" : $3) ", "
    taken = taken (taken ? ", " : "") column($4)
}
set && part == "words" {
    split($0, cells, "|")
    word = trim(cells[1])
    member = trim(cells[2])
    printf "    [%s] = \"%s\",\n", member ~ /^NPART_/ ? member : "NPART_" prefix "_" member, word == "\"\"" ? "" : word
}
csv && $3 == "of" { # the member of the record, where the row has it
    key = $5 ? $5 : $1
    split(rows[$4, key], words, " ")
    sub(/^\./, "", words[2])
    $0 = $1 " | " words[1] " " $4 "." (words[2] ? words[2] : key) (words[3] ? " " $4 "." words[3] : "")
}
record && /^-/ {
    split($0, cells, "|")
    declarations = declarations "    " trim(cells[2]) ";\n"
}
record && $0 !~ /^[-@]/ {
    split($0, cells, "|")
    add_row(trim(cells[1]), trim(cells[2]))
}
END {
    end_block()
    if (part == "reader")
        print "}"
    if (part == "columns")
        printf "#define TABLES %d\nstatic const struct {\n    const char *name, *create, *insert;\n} tables[TABLES] = {\n%s};\n", \
            table_count, tables
}
