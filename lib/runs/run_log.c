/* SPDX-License-Identifier: Apache-2.0
 *
 * The verbose log of a session: the list "Node placements", and what the QNN provider says of each node that it is
 * asked for.
 */
#include "runs/runs.h"

#include <stdlib.h>

struct log {
    npart_run *run;
    char provider[128];    /* of the list that goes on; "" : none does */
    unsigned long pending; /* nodes of a QDQ node unit that the provider's sentence is about */
    bool is_passed, has_placements;
    uint32_t asked; /* the last node that it was about, for its reason; NPART_NONE: there is none */
};

static void copy_text(char *out, size_t bytes, const char *text, size_t length)
{
    size_t count = length < bytes ? length : bytes - 1;
    memcpy(out, text, count);
    out[count] = '\0';
}

/* "placed on [NAME]. Number of nodes: 4" */
static bool take_heading(struct log *log, const char *line)
{
    const char *all = strstr(line, "All nodes placed on ["), *heading = all ? all : strstr(line, "Node(s) placed on [");
    const char *start = heading ? strchr(heading, '[') + 1 : NULL;
    const char *end = start ? strchr(start, ']') : NULL;
    const char *count = end ? strstr(end, "Number of nodes: ") : NULL;
    if (!count)
        return false;
    copy_text(log->provider, sizeof log->provider, start, (size_t)(end - start));
    log->has_placements = true;
    uint32_t provider = npart__run_provider(log->run, log->provider);
    if (all) {
        log->run->all_on_provider = provider;
        log->run->all_count = (uint32_t)strtoul(count + strlen("Number of nodes: "), NULL, 10);
        log->provider[0] = '\0';
    }
    return true;
}

/* "   Conv (name)", after the place in the runtime's source. */
static bool take_placed(struct log *log, const char *line)
{
    const char *text = strstr(line, "VerifyEachNodeIsAssignedToAnEp]");
    const char *open = text ? strstr(text, " (") : NULL, *close = open ? strrchr(open, ')') : NULL;
    char op[256], name[4096];
    if (!*log->provider || !close)
        return false;
    text = strchr(text, ']') + 1;
    text += strspn(text, " ");
    if (text >= open)
        return false;
    copy_text(op, sizeof op, text, (size_t)(open - text));
    copy_text(name, sizeof name, open + 2, (size_t)(close - open - 2));
    (void)npart__run_placed(log->run, name, op, log->provider);
    return true;
}

/* "Validation PASSED for 3 nodes in OrtNodeUnit (Conv) :" */
static bool take_sentence(struct log *log, const char *line)
{
    const char *text = strstr(line, "Validation ");
    if (!text || !strstr(text, "in OrtNodeUnit"))
        return false;
    log->is_passed = strncmp(text, "Validation PASSED for ", 22) == 0;
    log->pending = strtoul(text + 22, NULL, 10);
    log->asked = NPART_NONE;
    log->run->was_asked = true;
    return true;
}

/* "	Operator type: Conv Node name: conv1 Node index: 0", and "	REASON : ..." */
static void take_asked(struct log *log, const char *line)
{
    static const char is_op[] = "Operator type: ", is_name[] = " Node name: ", is_index[] = " Node index: ";
    const char *op = strstr(line, is_op), *name = op ? strstr(op, is_name) : NULL, *next, *end = NULL;
    const char *reason = strstr(line, "\tREASON : ");
    char op_text[256], name_text[4096];
    if (reason && log->asked != NPART_NONE && !log->is_passed)
        npart__run_give_reason(log->run, &log->run->nodes.items[log->asked], reason + 10,
                               strcspn(reason + 10, "\r\n"));
    for (next = name ? strstr(name, is_index) : NULL; next; next = strstr(next + 1, is_index))
        end = next; /* the last one: a name may hold the words */
    if (!end || log->pending == 0)
        return;
    log->pending--;
    copy_text(op_text, sizeof op_text, op + sizeof is_op - 1, (size_t)(name - op) - (sizeof is_op - 1));
    copy_text(name_text, sizeof name_text, name + sizeof is_name - 1, (size_t)(end - name) - (sizeof is_name - 1));
    const char *provider = log->is_passed ? "QNNExecutionProvider" : "CPUExecutionProvider";
    const struct npart__ran *node = npart__run_node(log->run, name_text, op_text, provider, -1);
    log->asked = node ? (uint32_t)(node - log->run->nodes.items) : NPART_NONE;
}

bool npart__read_run_log(npart_run *run, struct npart__stream *input)
{
    struct log log = {.run = run, .asked = NPART_NONE};
    struct npart__run_lines lines = {.number = 0};
    char *line = npart__arena_allocate(&run->life->arena, NPART_MOST_RUN_LOG_LINE);
    run->kind = "log";
    if (!line)
        return npart__run_fail(run, "out of memory");
    bool is_first = true;
    for (bool is_begin = true; npart__stream_line(input, line, NPART_MOST_RUN_LOG_LINE) && !*run->problem;) {
        if (is_first && npart__is_qnn_profile(line))
            return npart__read_qnn_profile(run, input, line, NPART_MOST_RUN_LOG_LINE);
        is_first = false;
        bool is_next_begin = strchr(line, '\n') != NULL;
        if (is_begin && !take_heading(&log, line) && !take_placed(&log, line) && !take_sentence(&log, line)) {
            take_asked(&log, line);
            (void)npart__take_vendor_line(run, &lines, line);
        }
        is_begin = is_next_begin;
    }
    npart__arena_release(&run->life->arena, line);
    if (!log.has_placements && lines.is_known)
        (void)npart__finish_vendor_lines(run, &lines);
    else if (!log.has_placements)
        npart__run_fail(run, "neither JSON, nor QNN's profile, nor a compiler's log, nor one with "
                              "\"Node placements\" (log_severity_level 0)");
    return !*run->problem;
}
