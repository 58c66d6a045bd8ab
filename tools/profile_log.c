/* SPDX-License-Identifier: Apache-2.0
 *
 * The verbose log of a session: the list "Node placements", and what the QNN provider says of each node that it is
 * asked for.
 */
#include "profile.h"

#include <stdlib.h>
#include <string.h>

struct log {
    struct profile *profile;
    char provider[128];    /* of the list that goes on; "" : none does */
    unsigned long pending; /* nodes of a QDQ node unit that the provider's sentence is about */
    bool is_passed, has_placements;
    struct placed_node *asked; /* the last that it was about, for its reason */
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
    uint32_t provider = profile_provider(log->profile, log->provider);
    if (all) {
        log->profile->all_on_provider = provider;
        log->profile->all_count = (uint32_t)strtoul(count + strlen("Number of nodes: "), NULL, 10);
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
    struct placed_node *node = profile_node(log->profile, name, op, log->provider, -1);
    if (node)
        node->is_placed = true;
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
    log->asked = NULL;
    log->profile->was_asked = true;
    return true;
}

/* "	Operator type: Conv Node name: conv1 Node index: 0", and "	REASON : ..." */
static void take_asked(struct log *log, const char *line)
{
    static const char is_op[] = "Operator type: ", is_name[] = " Node name: ", is_index[] = " Node index: ";
    const char *op = strstr(line, is_op), *name = op ? strstr(op, is_name) : NULL, *next, *end = NULL;
    const char *reason = strstr(line, "\tREASON : ");
    char op_text[256], name_text[4096];
    if (reason && log->asked && !log->is_passed && !log->asked->reason) {
        size_t length = strcspn(reason + 10, "\r\n");
        log->asked->reason = malloc(length + 1);
        if (log->asked->reason)
            copy_text(log->asked->reason, length + 1, reason + 10, length);
    }
    for (next = name ? strstr(name, is_index) : NULL; next; next = strstr(next + 1, is_index))
        end = next; /* the last one: a name may hold the words */
    if (!end || log->pending == 0)
        return;
    log->pending--;
    copy_text(op_text, sizeof op_text, op + sizeof is_op - 1, (size_t)(name - op) - (sizeof is_op - 1));
    copy_text(name_text, sizeof name_text, name + sizeof is_name - 1, (size_t)(end - name) - (sizeof is_name - 1));
    const char *provider = log->is_passed ? "QNNExecutionProvider" : "CPUExecutionProvider";
    log->asked = profile_node(log->profile, name_text, op_text, provider, -1);
}

bool read_log(struct profile *profile, FILE *file)
{
    struct log log = {.profile = profile};
    struct lines lines = {.number = 0};
    char *line = malloc(MOST_LOG_LINE);
    profile->kind = PROFILE_LOG;
    if (!line)
        return profile_fail(profile, "out of memory");
    bool is_first = true;
    for (bool is_begin = true; fgets(line, MOST_LOG_LINE, file) && !*profile->problem;) {
        if (is_first && is_qnn_profile(line)) {
            bool is_read = read_qnn_profile(profile, file, line, MOST_LOG_LINE);
            free(line);
            return is_read;
        }
        is_first = false;
        bool is_next_begin = strchr(line, '\n') != NULL;
        if (is_begin && !take_heading(&log, line) && !take_placed(&log, line) && !take_sentence(&log, line)) {
            take_asked(&log, line);
            (void)take_vendor_line(profile, &lines, line);
        }
        is_begin = is_next_begin;
    }
    free(line);
    if (!log.has_placements && has_vendor_lines(&lines))
        (void)finish_vendor_lines(profile, &lines);
    else if (!log.has_placements)
        profile_fail(profile, "neither JSON, nor QNN's profile, nor a compiler's log, nor one with "
                              "\"Node placements\" (log_severity_level 0)");
    return !*profile->problem;
}
