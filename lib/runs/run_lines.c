/* SPDX-License-Identifier: Apache-2.0
 *
 * What vendors' tools print of a model, line by line, as runs/run_lines.def has it. A log has one form, which the first
 * line that fits decides.
 */
#include <stdio.h>
#include <stdlib.h>

#include "runs/runs.h"

#define CPU "CPUExecutionProvider"
#define FIELD_BYTES 1024u
#define MOST_COLUMNS 64u

enum says {
    SAYS_NPU, SAYS_CPU, SAYS_NPU_LIST, SAYS_CPU_LIST, SAYS_ON_NPU, SAYS_ON_CPU, SAYS_OFFLOADED, SAYS_NAME,
    SAYS_REFUSED, SAYS_PARTS, SAYS_SHARE, SAYS_CPU_OPS, SAYS_TOTAL, SAYS_SOFTWARE, SAYS_HARDWARE, SAYS_ALL,
    SAYS_CPU_COUNT, SAYS_NPU_COUNT
};
enum form {
#define FORM(name, word, provider) FORM_##name,
#include "runs/run_lines.def"
};
static const struct {
    const char *word, *provider;
} forms[] = {
#define FORM(name, word, provider) {word, provider},
#include "runs/run_lines.def"
};
static const struct {
    enum form form;
    const char *heading;
} tables[] = {
#define TABLE(form, heading) {FORM_##form, heading},
#include "runs/run_lines.def"
};
static const struct {
    enum form form;
    enum says says;
    const char *pattern;
} patterns[] = {
#define LINE(form, says, pattern) {FORM_##form, says, pattern},
#include "runs/run_lines.def"
};

struct fields {
    char op[FIELD_BYTES], name[FIELD_BYTES], number[FIELD_BYTES], passed[FIELD_BYTES];
    char *list; /* in the line */
};

/* Blanks become one, and none is at an end. */
static void squeeze(char *line)
{
    char *out = line;
    for (const char *at = line; *at; at++)
        if (!strchr(" \t\r\n", *at))
            *out++ = *at;
        else if (out > line && out[-1] != ' ')
            *out++ = ' ';
    if (out > line && out[-1] == ' ')
        out--;
    *out = '\0';
}

static char *field_of(struct fields *fields, char letter)
{
    return letter == 'o' ? fields->op : letter == 'n' ? fields->name : letter == 'c' ? fields->number : fields->passed;
}

/* Fields end where the text after them begins; the last one at the end of the line. What ends a pattern ends a word. */
static bool fits(char *line, const char *pattern, struct fields *fields)
{
    char text[128], *at = line;
    const char *from = pattern;
    char *field = NULL;
    while (*from || field) {
        size_t length = strcspn(from, "%");
        (void)snprintf(text, sizeof text, "%.*s", (int)length, from);
        char *found = length || !field ? strstr(at, text) : at + strlen(at);
        if (!found)
            return false;
        if (field)
            (void)snprintf(field, FIELD_BYTES, "%.*s", (int)(found - at), at);
        at = found + length;
        from += length;
        if (strncmp(from, "%l", 2) == 0) {
            fields->list = at;
            return true;
        }
        field = *from == '%' ? field_of(fields, from[1]) : NULL;
        from += *from == '%' ? 2 : 0;
    }
    return *at == '\0' || !strchr("/_", *at);
}

/* ---- tables ---------------------------------------------------------------------------------------------------- */

/* Splits in place: at commas, or at blanks. */
static uint32_t split(char *line, char separator, char **columns)
{
    uint32_t count = 0;
    columns[count++] = line;
    for (char *at = strchr(line, separator); at && count < MOST_COLUMNS; at = strchr(columns[count - 1], separator)) {
        *at = '\0';
        columns[count++] = at + 1;
    }
    return count;
}

static bool refuse(npart_run *run, const struct npart__run_lines *lines, const char *what)
{
    char text[200];
    (void)snprintf(text, sizeof text, "line %u: %s", lines->number, what);
    return npart__run_fail(run, text);
}

static bool take_number(npart_run *run, const struct npart__run_lines *lines, const char *text, uint32_t *out)
{
    char *end;
    unsigned long number = strtoul(text, &end, 10);
    if (end == text || (*end && *end != ' ' && *end != ',') || number > 1000000)
        return refuse(run, lines, "a count is no number");
    *out = (uint32_t)number;
    return true;
}

static bool place(npart_run *run, const struct npart__run_lines *lines, const char *name, const char *op, bool is_npu)
{
    name += *name == ' ';
    return !*name || npart__run_placed(run, name, op, is_npu ? forms[lines->form].provider : CPU) != NULL;
}

/* Of "D RKNN: [10:30:00.000] 12 Conv INT8 NPU", the number's place, before which logs and quotations have their own;
 * `count` where there is none. */
static uint32_t row_start(char **columns, uint32_t count)
{
    static const char *const before[] = {"RKNN:", "|", ">", "#"};
    uint32_t first = 0;
    while (first < count && (!*columns[first] || strspn(columns[first], "0123456789") != strlen(columns[first])))
        first++;
    if (first == 0 || first == count || strchr(columns[first - 1], ']'))
        return first;
    for (size_t i = 0; i < NPART__COUNT(before); i++)
        if (strcmp(columns[first - 1], before[i]) == 0)
            return first;
    return count;
}

/* "CONV_2D 3 Mapped to Edge TPU", by operators of TFLite, whose names have no small letters; the rest of the line says
 * why not. Elsewhere it is no row. */
static bool take_operators(npart_run *run, struct npart__run_lines *lines, const char *line)
{
    static const char mapped[] = "Mapped to Edge TPU";
    size_t length = strspn(line, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");
    uint32_t count = 0;
    if (!length || (line[length] && line[length] != ' '))
        return true;
    const char *number = line[length] ? line + length + 1 : "", *status = strchr(number, ' ');
    if (!status)
        return refuse(run, lines, "a row of the table is cut");
    if (!take_number(run, lines, number, &count))
        return false;
    lines->rows++;
    lines->epochs += count;
    lines->others += strncmp(status + 1, mapped, sizeof mapped - 1) == 0 ? 0 : count;
    return true;
}

/* "12 Conv INT8 NPU (1,3,8,8),... Conv:/model.0/conv/Conv", or a row of CSV. Rows of inputs and outputs are no nodes,
 * and those without a name say nothing. What has no number is no row. */
static bool take_row(npart_run *run, struct npart__run_lines *lines, char *line)
{
    char *columns[MOST_COLUMNS];
    const char *heading = tables[lines->table].heading;
    bool is_csv = strchr(heading, ',') != NULL, has_target = strstr(heading, "Target") != NULL;
    uint32_t count = split(line, is_csv ? ',' : ' ', columns), first = is_csv ? 0 : row_start(columns, count);
    uint32_t target = !is_csv ? first + 3 : has_target ? 2 : 1;
    if (first == count || !*columns[0])
        return true;
    if (target + 1 >= count || (is_csv && count < lines->columns))
        return refuse(run, lines, "a row of the table is cut");
    bool is_npu = !has_target || strcmp(columns[target], "NPU") == 0;
    if (!is_npu && strcmp(columns[target], "CPU") != 0 && strcmp(columns[target], "GPU") != 0 &&
        strcmp(columns[target], "N/A") != 0)
        return refuse(run, lines, "Target is neither NPU nor CPU");
    char *name = columns[count - 1], *op = columns[is_csv ? 0 : first + 1], *colon = is_csv ? NULL : strchr(name, ':');
    lines->rows++;
    if (!is_csv && (!colon || strstr(op, "putOperator")))
        return colon || strspn(name, "0123456789.%/") == strlen(name) ||
               refuse(run, lines, "a row of the table has no FullName");
    if (colon)
        *colon = '\0';
    return strcmp(columns[target], "N/A") == 0 ||
           place(run, lines, colon ? colon + 1 : name, colon ? name : op, is_npu);
}

/* ---- lists of layers --------------------------------------------------------------------------------------------- */

/* Without what the builder writes around a name: blanks, its own type of layer, "PWN(PWN(a), b)". */
static bool place_layer(npart_run *run, struct npart__run_lines *lines, char *text, bool is_npu)
{
    static const char point_wise[] = "PWN(";
    while (*text == ' ' || strncmp(text, point_wise, sizeof point_wise - 1) == 0)
        text += *text == ' ' ? 1 : sizeof point_wise - 1;
    size_t kind = strspn(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_"), length = strlen(text);
    if (kind && strncmp(text + kind, ": ", 2) == 0) {
        text += kind + 2;
        length -= kind + 2;
    }
    while (length && (text[length - 1] == ' ' || (text[length - 1] == ')' && !strchr(text, '('))))
        text[--length] = '\0';
    bool is_own = strncmp(text, "(Unnamed Layer", 14) == 0 || strncmp(text, "Reformatting ", 13) == 0;
    return is_own || place(run, lines, text, "", is_npu);
}

/* "{ForeignNode[first...last]}", of which the layers between are not named; "{a,b}, {c}," before TensorRT 8; and
 * "SHUFFLE: a + b". Each brace is a partition. */
static bool take_list(npart_run *run, struct npart__run_lines *lines, char *text, bool is_npu)
{
    static const char *const ends[] = {" + ", ",", "...", "{", "]}", "}", "ForeignNode["};
    uint32_t opened = 0, closed = 0;
    bool is_empty = strspn(text, " ") == strlen(text);
    for (char *at = text; *text;) {
        size_t length = 0;
        for (size_t i = 0; i < NPART__COUNT(ends) && !length; i++)
            if (strncmp(at, ends[i], strlen(ends[i])) == 0)
                length = strlen(ends[i]);
        if (*at && !length) {
            at++;
            continue;
        }
        opened += *at == '{';
        closed += length && at[length - 1] == '}';
        char *next = at + length;
        *at = '\0';
        if (!place_layer(run, lines, text, is_npu))
            return false;
        at = text = next;
    }
    if (is_npu ? !opened || opened != closed : is_empty)
        return refuse(run, lines, "a list of layers is cut");
    lines->parts += is_npu ? opened : 0;
    return true;
}

/* What is between the brackets of a node that was offloaded. A build may list its layers, too. */
static bool take_offloaded(npart_run *run, struct npart__run_lines *lines, const char *name)
{
    char text[FIELD_BYTES + 2];
    uint32_t parts = lines->parts;
    (void)snprintf(text, sizeof text, "{%s}", name);
    bool is_taken = take_list(run, lines, text, true);
    lines->parts = parts;
    lines->epochs++;
    lines->has_parts = true;
    return is_taken;
}

/* The line after a heading of TensorRT 7: "INFO: [TRT]: {a,b}, {c},", or nothing. */
static bool take_listed(npart_run *run, struct npart__run_lines *lines, char *line, char listed)
{
    char *text = strstr(line, "[TRT]");
    text = text ? text + 5 + strspn(text + 5, ": ") : NULL;
    bool is_list = text && (listed == 'n' ? *text == '{' : strchr("[{", *text) == NULL && strchr(text, ','));
    return !is_list || take_list(run, lines, text, listed == 'n');
}

/* ---- lines ----------------------------------------------------------------------------------------------------- */

/* Of a sub-graph the number of its nodes, which `rows` counts down, and their places. */
static bool take_place(npart_run *run, struct npart__run_lines *lines, const char *line)
{
    uint32_t number = 0;
    if (!*line || !take_number(run, lines, line, &number))
        return !*line;
    if (lines->rows)
        return lines->rows-- && npart__run_node(run, "", "", forms[FORM_NODES].provider, number);
    lines->rows = number;
    lines->epochs++;
    return true;
}

/* "6 nodes of 7" */
static bool take_share(npart_run *run, struct npart__run_lines *lines, const struct fields *fields)
{
    uint32_t taken = 0, all = 0;
    if (!take_number(run, lines, fields->op, &taken) || !take_number(run, lines, fields->name, &all))
        return false;
    lines->is_whole = taken > 0 && taken == all;
    return taken <= all || refuse(run, lines, "more nodes are offloaded than there are");
}

static bool take_line(npart_run *run, struct npart__run_lines *lines, enum says says, const struct fields *fields)
{
    uint32_t number = 0;
    switch (says) {
    case SAYS_NPU:
    case SAYS_CPU:
        return place(run, lines, fields->name, fields->op, says == SAYS_NPU);
    case SAYS_NPU_LIST:
    case SAYS_CPU_LIST:
        lines->has_parts |= says == SAYS_NPU_LIST;
        return take_list(run, lines, fields->list, says == SAYS_NPU_LIST);
    case SAYS_ON_NPU:
    case SAYS_ON_CPU:
        lines->has_parts = true;
        lines->listed = says == SAYS_ON_NPU ? 'n' : 'c';
        return true;
    case SAYS_NAME:
        (void)snprintf(lines->name, sizeof lines->name, "%s", fields->name);
        return true;
    case SAYS_REFUSED:
        return *lines->name ? place(run, lines, lines->name, fields->op, false)
                            : refuse(run, lines, "a layer that is not supported has no name before it");
    case SAYS_PARTS:
        lines->has_parts = true;
        return take_number(run, lines, fields->number, &lines->parts);
    case SAYS_SHARE:
        lines->has_parts = true;
        return take_number(run, lines, fields->number, &lines->parts) && take_share(run, lines, fields);
    case SAYS_CPU_OPS:
        if (!take_number(run, lines, fields->number, &lines->total))
            return false;
        lines->is_whole = lines->total == 0;
        lines->parts = 1;
        lines->total = 0;
        return true;
    case SAYS_TOTAL:
        return take_number(run, lines, fields->number, &lines->total);
    case SAYS_ALL:
        lines->is_counted = true;
        return take_number(run, lines, fields->number, &lines->told);
    case SAYS_CPU_COUNT:
    case SAYS_NPU_COUNT:
        lines->has_cpu_count |= says == SAYS_CPU_COUNT;
        lines->counts++;
        if (!take_number(run, lines, fields->number, &number))
            return false;
        lines->on_cpu += says == SAYS_CPU_COUNT ? number : 0;
        lines->counted += number;
        return true;
    case SAYS_OFFLOADED:
        return take_offloaded(run, lines, fields->name);
    case SAYS_HARDWARE:
    case SAYS_SOFTWARE:
        lines->parts += says == SAYS_HARDWARE && !lines->is_hardware;
        lines->is_hardware = says == SAYS_HARDWARE;
        lines->is_ranged |= strstr(fields->passed, "->") != NULL;
        lines->others += says == SAYS_SOFTWARE;
        lines->epochs++;
        lines->has_parts = true;
        return true;
    }
    return true;
}

/* False where the file is damaged. A table ends where another one of the vendor's begins. */
bool npart__take_vendor_line(npart_run *run, struct npart__run_lines *lines, char *line)
{
    struct fields fields;
    char listed = lines->listed;
    lines->listed = 0;
    lines->number++;
    squeeze(line);
    if (lines->is_known && lines->form == FORM_NODES)
        return take_place(run, lines, line);
    if (lines->number == 1 && *line && strspn(line, "0123456789") == strlen(line)) {
        lines->form = FORM_NODES;
        lines->is_known = lines->has_parts = true;
        return take_number(run, lines, line, &lines->parts);
    }
    for (size_t i = 0; i < NPART__COUNT(tables); i++)
        if (strstr(line, tables[i].heading) && (!lines->is_known || tables[i].form == lines->form)) {
            lines->form = tables[i].form;
            lines->table = (uint32_t)i;
            lines->columns = 1;
            for (const char *at = strchr(line, ','); at; at = strchr(at + 1, ','))
                lines->columns++;
            lines->is_known = lines->is_table = lines->is_open = true;
            return true;
        }
    lines->is_open &= strstr(line, "DataType") == NULL;
    for (size_t i = 0; i < NPART__COUNT(patterns); i++) {
        memset(&fields, 0, sizeof fields);
        if ((lines->is_known && patterns[i].form != lines->form) || !fits(line, patterns[i].pattern, &fields))
            continue;
        lines->form = patterns[i].form;
        lines->is_known = true;
        return take_line(run, lines, patterns[i].says, &fields);
    }
    if (listed)
        return take_listed(run, lines, line, listed);
    return !lines->is_open || (lines->form == FORM_EDGETPU ? take_operators(run, lines, line)
                                                           : take_row(run, lines, line));
}

/* edgetpu_compiler: all operations are on the NPU where none is counted for the CPU, or a table of all says so. Rows
 * may be left out of what is quoted. */
static bool finish_operations(struct npart__run_lines *lines)
{
    bool has_all = lines->rows && (!lines->is_counted || lines->epochs == lines->told);
    lines->is_whole = (lines->has_cpu_count && !lines->on_cpu) || (has_all && !lines->others);
    lines->parts += lines->is_whole && !lines->has_parts;
    return !lines->is_counted ||
           (lines->epochs <= lines->told && (lines->counts < 2 || lines->counted == lines->told));
}

/* TensorRT 10's builder: what was offloaded, where it lists no layers. */
static bool finish_offloaded(struct npart__run_lines *lines)
{
    lines->has_parts |= lines->is_counted;
    if (!lines->parts)
        lines->parts = lines->is_counted ? lines->told : lines->epochs;
    return !lines->is_counted || !lines->epochs || lines->epochs == lines->told;
}

/* ST Edge AI 4: how many epochs are in software, with a table of them or without. "epochs 1 -> 53" is a row, too. */
static bool finish_epochs(struct npart__run_lines *lines)
{
    bool has_rows = lines->epochs && !lines->is_ranged, is_all_cpu = lines->on_cpu == lines->told;
    if (!lines->is_counted || !lines->has_cpu_count)
        return !lines->is_counted || !has_rows || lines->epochs == lines->told;
    lines->is_whole = lines->told && !lines->on_cpu;
    lines->has_parts |= lines->is_whole || is_all_cpu;
    if (!lines->epochs)
        lines->parts = !is_all_cpu;
    return (lines->counts < 3 || lines->counted == lines->told) &&
           (!has_rows || (lines->epochs == lines->told && lines->others == lines->on_cpu));
}

/* A log of warnings alone names what is not on the NPU: of the others nothing is concluded. */
bool npart__finish_vendor_lines(npart_run *run, struct npart__run_lines *lines)
{
    if (!(lines->form == FORM_EDGETPU ? finish_operations(lines)
          : lines->form == FORM_DLA   ? finish_offloaded(lines)
                                      : lines->form != FORM_ST || finish_epochs(lines)))
        return refuse(run, lines, "it has other parts than it counts");
    run->kind = forms[lines->form].word;
    run->was_asked = true;
    run->is_npu_named = lines->form == FORM_NODES;
    run->is_partial = !run->is_npu_named;
    run->has_partitions = lines->has_parts;
    run->partitions = lines->parts;
    if (lines->is_whole) {
        run->is_partial = false;
        run->all_on_provider = npart__run_provider(run, forms[lines->form].provider);
        run->all_count = lines->parts;
    }
    if (lines->is_table && lines->rows == 0)
        return refuse(run, lines, "the table of layers has no row");
    if (lines->form == FORM_NODES && (lines->rows || lines->epochs != lines->parts))
        return refuse(run, lines, "the list of nodes has other sub-graphs than it counts");
    if (lines->total && lines->total != lines->epochs)
        return refuse(run, lines, "the report has other epochs than it counts");
    return npart__run_provider(run, forms[lines->form].provider) != UINT32_MAX;
}
