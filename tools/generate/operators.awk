# SPDX-License-Identifier: Apache-2.0
# usage: awk -f operators.awk -v part=PART lib/target/schema/operators.table
# PART: rows       how each operator is inferred, and what is counted of it
#       traits     what stages ask of operators by npart__operator_traits
#       roles      the operators of each role
#       weights    the operands of those that compute with weights
#       channels   how the channels of their weights lie
#       static     what a quantizer does with them
#       shapes     what is refused of their ranks, axes and sizes
#       changes    what their versions mean otherwise
#       open       the answers that nobody has given, for `make check-operators`

BEGIN {
    count = split("turns dequantizes quantizes quantized commutes reorders_axes reshapes keeps_quantization clamps " \
        "between_transposes measured_by_operand never_measured casts not_negative from_0_to_1 from_minus_1_to_1 " \
        "stays_float recurrent of_normalization begins_attention attends masks compiled constant hands_on adds_int32 " \
        "quantized_parameters", roles, " ")
    for (i = 1; i <= count; i++)
        is_role[roles[i]] = 1
    # What an operator computes that stages ask for, by its SHAPE.
    computes["binary each_add"] = "ADD"
    computes["binary each_subtract"] = "SUBTRACT"
    computes["binary each_multiply"] = "MULTIPLY"
    computes["binary each_divide"] = "DIVIDE"
    computes["reduce reduce_mean"] = "MEAN"
    computes["matmul operands_plain"] = "MATMUL"
    computes["binary each_equal"] = "EQUAL"
    computes["binary each_less"] = computes["binary each_less_or_equal"] = "ORDER"
    computes["binary each_greater"] = computes["binary each_greater_or_equal"] = "ORDER"
    computes["variadic each_maximum"] = computes["reduce reduce_maximum"] = "MAXIMUM"
    computes["variadic each_minimum"] = computes["reduce reduce_minimum"] = "MINIMUM"
    computes["clip"] = "LIMITS"
    computes["where"] = "CHOICE"
    split("elements buffer turns branch", questions, " ")
    print "/* Generated from lib/target/schema/operators.table by tools/generate/operators.awk. */"
    if (part == "rows")
        print "#ifndef ROW\n#define ROW(...)\n#endif\n#ifndef PATTERN\n#define PATTERN(...)\n#endif\n#ifndef LATER\n" \
            "#define LATER(...)\n#endif\n#ifndef UNINFERRED\n#define UNINFERRED(...)\n#endif"
    if (part == "shapes")
        for (i = split("AXIS AXES WINDOW RANK STRICT", macros, " "); i > 0; i--)
            print "#ifndef " macros[i] "\n#define " macros[i] "(...)\n#endif"
    if (part == "changes")
        print "#ifndef CHANGED\n#define CHANGED(...)\n#endif\n#ifndef MOVED\n#define MOVED(...)\n#endif"
}
function trim(text) { gsub(/^ +| +$/, "", text); return text }
function complain(what) {
    printf "%s:%d: %s: %s\n", FILENAME, NR, name, what > "/dev/stderr"
    failed = 1
}

# The tables of inference and work. A word of a parameter is a constant of lib/analysis/infer/families.h.
function add_row(shape, work,    words, last, text, key) {
    key = "\"" domain "\", \"" name "\""
    last = split(work == "none" ? "none nothing 0" : work, words, " ")
    text = toupper(words[1] ", " words[2]) ", " (last == 5 ? words[3] ", " words[4] : "0, 0") ", " words[last]
    if (shape == "-")
        printf "UNINFERRED(%s, %s)\n", key, text
    else if (shape ~ /->/) {
        gsub(/ or /, " | ", shape)
        printf "PATTERN(%s, %d, \"%s\", %s)\n", key, since, shape, text
    } else {
        last = match(shape, / /) ? substr(shape, RSTART + 1) : "0"
        sub(/ .*/, "", shape)
        if (sub(/^inputs /, "", last)) {
            gsub(/ /, " | 1 << ", last)
            last = "1 << " last
        }
        printf "%s(%s, %d, %s, %s%s)\n", work ? "ROW" : "LATER", key, since, shape, \
            last ~ /^[a-z]/ ? "NPART__" toupper(last) : last, work ? ", " text : ""
    }
}

# What is true of few: words, and KEY=VALUE.
function read_more(text,    words, last, i, key, value, parts, count_parts, k) {
    last = split(text, words, " ")
    for (i = 1; i <= last; i++) {
        key = value = words[i]
        sub(/=.*/, "", key)
        sub(/^[^=]*=?/, "", value)
        if (key in is_role)
            add_role(key)
        else if (key ~ /^(jumps|keeps_type|causal|comes_apart)$/)
            more = more ", ." key " = true"
        else if (key == "sizes") {
            split(value "-" value, parts, "-")
            for (value = parts[1]; value <= parts[2]; value++)
                sizes = sizes " | 1u << " value
        } else if (key == "writes")
            more = more ", .writes = true, .writes_axis = " value
        else if (key == "scratch")
            more = more ", .scratch = NPART__SCRATCH_" toupper(value)
        else if (key == "fits")
            more = more ", .fits = \"" value "\""
        else if (key == "cache")
            more = more ", .cache = {" value "}"
        else if (key == "reads" || key == "rounds") {
            split(value "::", parts, ":")
            more = more ", ." key " = {true, " parts[1] ", " (parts[2] ? "\"" parts[2] "\"" : "NULL") \
                (key == "rounds" ? ", " (parts[3] ? parts[3] : 0) : "") "}"
        } else if (key == "weights")
            add_weights(value)
        else if (key == "channels") {
            count_parts = split(value, parts, /[:,]/)
            for (k = 1; part == key && k < count_parts; k += 2)
                printf "CHANNELS(\"%s\", %d, %s)\n", name, parts[k], toupper(parts[k + 1])
        } else if (key == "static") {
            split(value ":0", parts, ":")
            if (part == key)
                printf "STATIC(\"%s\", %s, %d)\n", name, toupper(parts[1]), parts[2]
        } else if (key ~ /^(axis|axes|window|ranks|strict)$/) {
            if (part == "shapes")
                add_shapes(key, value)
        } else if (key == "changed" && part == "changes") {
            split(value ":", parts, ":")
            printf "CHANGED(\"%s\", %d, %s)\n", name, parts[1], parts[2] ? "\"" parts[2] "\"" : "NULL"
        } else if (key == "moved" && part == "changes") {
            split(value, parts, ":")
            printf "MOVED(\"%s\", %d, \"%s\", %s, %s)\n", name, parts[1], parts[2], \
                parts[3] == "-" ? "NPART_NONE" : parts[3], toupper(parts[4])
        } else if (key != "changed" && key != "moved")
            complain("no word of MORE: " words[i])
    }
}
# Versions are SINCE-UNTIL; edges are words with + between, bits of lib/runtime/onnxruntime/valid_shapes.c.
function edges_of(text) {
    gsub(/\+/, " | ", text)
    return text ? toupper(text) : 0
}
function versions_of(text,    ends) {
    return split(text, ends, "-") > 1 ? ends[1] ", " ends[2] : text ", 255"
}
function add_shapes(key, value,    items, count, parts, ends, since, i) {
    if (key == "ranks") {
        since = value
        sub(/:.*/, "", since)
        sub(/^[0-9]+:/, "", value)
    }
    count = split(value, items, ",")
    for (i = 1; i <= count; i++) {
        split(items[i] "::", parts, ":")
        if (key == "axis")
            printf "AXIS(\"%s\", \"%s\", %s, %s)\n", name, parts[1], versions_of(parts[2]), edges_of(parts[3])
        else if (key == "axes")
            printf "AXES(\"%s\", %d, %d, %s)\n", name, parts[1], parts[2], edges_of(parts[3])
        else if (key == "window")
            printf "WINDOW(\"%s\", %d, %s)\n", name, parts[1], parts[2] ? "true" : "false"
        else if (key == "strict")
            printf "STRICT(\"%s\", %s)\n", name, versions_of(value)
        else
            printf "RANK(\"%s\", \"%s\", %d, %d, %d, %d)\n", domain, name, parts[1], parts[2], \
                split(parts[2], ends, "-") < 2 ? parts[2] : ends[2] ? ends[2] : 255, since
    }
}
function add_role(role) {
    if (index(", " players[role] ",", ", \"" name "\","))
        return
    players[role] = players[role] (players[role] ? ", " : "") "\"" name "\""
}
function add_weights(value,    how, places) {
    how = places = value
    sub(/:.*/, "", how)
    sub(/.*:/, "", places)
    gsub(/-/, "-1", places)
    gsub(/,/, ", ", places)
    if (!(name in weights))
        weighted[++weighted_count] = name
    weights[name] = places ", " toupper(how)
}

function read_row(line,    columns, last, answers, branch, from, i) {
    last = split(line, columns, "|")
    for (i = 1; i <= 5; i++)
        columns[i] = trim(columns[i])
    name = columns[1]
    since = 1
    if (match(name, /-[0-9]+$/)) {
        since = substr(name, RSTART + 1)
        name = substr(name, 1, RSTART - 1)
    }
    if (last < 4 || last > 5)
        complain("a row has four or five columns")
    if (part == "rows")
        add_row(columns[4], columns[3])
    if (!columns[2])
        return
    if (split(columns[2], answers, " ") != 4)
        complain("ELEMENTS BUFFER TURNS BRANCH")
    for (i = 1; i <= 4; i++)
        if (answers[i] == "?") {
            open[i] = open[i] " " name
            open_count[i]++
        }
    total++
    more = ""
    sizes = "0"
    if (answers[3] == "yes")
        add_role("turns")
    read_more(columns[5])
    if (part != "traits")
        return
    branch = answers[4]
    from = "NPART_NONE"
    if (sub(/:.*/, "", branch))
        from = substr(answers[4], length(branch) + 2)
    printf "TRAITS(\"%s\", \"%s\", %s, %s, %s, %s, %s, .sizes = %s%s)\n", domain, name, \
        answers[1] == "-" ? "OTHER" : answers[1] == "?" ? "UNKNOWN" : toupper(answers[1]), \
        answers[2] == "?" ? "OWN" : toupper(answers[2]), branch == "?" ? "NO" : toupper(branch), \
        columns[4] in computes ? computes[columns[4]] : "OTHER", from, sizes, more
}

function finish_domain(    i) {
    for (i = 1; part == "open" && total && i <= 4; i++)
        if (open_count[i])
            printf "%s, %s: %d of %d\n  %s\n", domain ? domain : "ai.onnx", questions[i], open_count[i], total, open[i]
    total = 0
    split("", open)
    split("", open_count)
}
function finish_row() {
    if (row)
        read_row(row)
    row = ""
}
/^#/ { next }
/^ / { row = row " " trim($0); next }
{ finish_row() }
$1 == "domain" {
    finish_domain()
    domain = $2 == "ai.onnx" ? "" : $2
    next
}
NF { row = $0 }
END {
    finish_row()
    finish_domain()
    for (i = 1; part == "roles" && i <= count; i++)
        printf "ROLE(%s, %s)\n", toupper(roles[i]), players[roles[i]]
    for (i = 1; part == "weights" && i <= weighted_count; i++)
        printf "WEIGHTED(\"%s\", %s)\n", weighted[i], weights[weighted[i]]
    if (part == "rows")
        print "#undef ROW\n#undef PATTERN\n#undef LATER\n#undef UNINFERRED"
    if (part == "changes")
        print "#undef CHANGED\n#undef MOVED"
    for (i = 1; part == "shapes" && i in macros; i++)
        print "#undef " macros[i]
    if (part ~ /^(roles|weights|traits|channels|static)$/)
        print "#undef " (part == "roles" ? "ROLE" : part == "weights" ? "WEIGHTED" : toupper(part))
    exit failed
}
