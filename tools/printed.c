/* SPDX-License-Identifier: Apache-2.0
 *
 * What is printed where a CI system reads it. Some take commands out of a job's log, and names in a log are a
 * stranger's. So while such a system runs the tool, no text that it would take for a command is printed, but those that
 * the tool means:
 *   - "##[" anywhere in a line, and "::" where a line begins: GitHub, Gitea and Forgejo (GITHUB_ACTIONS);
 *   - "##vso[": Azure Pipelines (TF_BUILD); "##teamcity[": TeamCity (TEAMCITY_VERSION).
 * All that goes to standard output and standard error is printed by these functions, and so are reports for --output,
 * as a job may print them later. What is not printed that way: models, baselines, images.
 *
 * The two forms of a command are those of GitHub's runner (src/Runner.Common/ActionCommand.cs of actions/runner): the
 * older one is looked for anywhere in a line, the newer one after the blanks that it begins with, those of Unicode too.
 */
#include "tool.h"

/* Of what was written to a stream last. */
struct state {
    bool is_inside;  /* a line has more than blanks */
    bool is_colon;   /* ... and the first of two colons */
    unsigned sharps; /* that "##vso[" can begin with: 0, 1, or 2 with letters after them */
};

/* Of the two streams of a process; a report for --output shares that of standard output. Of a thread, as each tells
 * whole lines. */
static _Thread_local struct state states[2];
static enum printed_form report_form;

static bool is_read_by_ci(void)
{
    static const char *const names[] = {"GITHUB_ACTIONS", "TF_BUILD", "TEAMCITY_VERSION"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *value = getenv(names[i]);
        if (value && *value)
            return true;
    }
    return false;
}

/* Whether the character would make a command of what stands before it. Of bytes beyond ASCII, any may be a blank. */
static bool completes_command(struct state *state, char byte, bool are_meant)
{
    bool is_letter = (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z');
    bool is_blank = byte == ' ' || byte == '\t' || (unsigned char)byte >= 0x80;
    bool is_old = byte == '[' && state->sharps == 2;
    bool is_new = byte == ':' && state->is_colon && !are_meant;
    if (byte == '#')
        state->sharps = state->sharps ? 2 : 1;
    else if (!is_letter || state->sharps < 2)
        state->sharps = 0;
    state->is_colon = byte == ':' && !state->is_inside && !state->is_colon;
    state->is_inside = byte != '\n' && byte != '\r' && (state->is_inside || !is_blank) && !state->is_colon;
    return is_old || is_new;
}

static bool put(FILE *stream, const char *text, size_t bytes)
{
    return !bytes || fwrite(text, 1, bytes, stream) == bytes; /* the text may be NULL then */
}

static bool put_escape(FILE *stream, char byte, enum printed_form form)
{
    static const char *const formats[] = {[PRINTED_TEXT] = "\\x%02x", [PRINTED_COMMANDS] = "\\x%02x",
                                          [PRINTED_JSON] = "\\u%04x", [PRINTED_MARKUP] = "&#%u;"};
    char shown[12];
    int length = snprintf(shown, sizeof shown, formats[form], (unsigned)(unsigned char)byte);
    return put(stream, shown, (size_t)length);
}

void begin_printing(enum printed_form form)
{
    report_form = form;
}

bool print_bytes(FILE *stream, const char *text, size_t bytes)
{
    bool is_error = stream == stderr, is_written = true;
    enum printed_form form = is_error ? PRINTED_TEXT : report_form;
    struct state *state = &states[is_error];
    size_t done = 0;
    if (form == PRINTED_BYTES || !is_read_by_ci())
        return put(stream, text, bytes);
    for (size_t i = 0; is_written && i < bytes; i++) {
        if (!completes_command(state, text[i], form == PRINTED_COMMANDS))
            continue;
        is_written = put(stream, text + done, i - done) && put_escape(stream, text[i], form);
        done = i + 1;
    }
    return is_written && put(stream, text + done, bytes - done);
}

void print_format(FILE *stream, const char *format, ...)
{
    char text[MESSAGE_BYTES];
    va_list list;
    va_start(list, format);
    (void)vsnprintf(text, sizeof text, format, list);
    va_end(list);
    (void)print_bytes(stream, text, strlen(text));
}

void print_waiting(void)
{
    if (!is_read_by_ci() || report_form == PRINTED_BYTES)
        return;
    (void)fflush(stdout); /* what cannot be written is told when the output is closed */
    states[0] = (struct state){0};
}
