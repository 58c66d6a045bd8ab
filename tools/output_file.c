/* SPDX-License-Identifier: Apache-2.0 */
#include "tool.h"

#define MOST_NAMES 1000u /* of one process: files that were left over */

static void forget(struct output_file *out)
{
    int problem = errno;
    free(out->beside);
    free(out->place);
    *out = (struct output_file){.stream = NULL};
    errno = problem;
}

/* Of what is not to be replaced but written to: the file that is there must be one that may be written. */
static bool may_be_written(const char *path)
{
    FILE *file = npart__stream_open(path, "ab");
    return file && fclose(file) == 0;
}

/* "report.json.4711-0.part" of process 4711, or with the next number that is free; catch_end knows such names. False
 * where no file can be added to the folder. */
static bool open_beside(struct output_file *out)
{
    size_t room = strlen(out->place) + sizeof ".18446744073709551615-4294967295.part";
    out->beside = malloc(room);
    for (unsigned i = 0; out->beside && i < MOST_NAMES; i++) {
        (void)snprintf(out->beside, room, "%s.%lu-%u.part", out->place, npart__process_number(), i);
        out->stream = npart__stream_open(out->beside, "wbx");
        if (out->stream || errno != EEXIST)
            break;
    }
    return out->stream != NULL;
}

bool begin_output_file(struct output_file *out, const char *path)
{
    enum npart__path_kind kind = npart__path_kind(path, true);
    bool is_link = kind == NPART__PATH_NOTHING && npart__path_kind(path, false) != NPART__PATH_NOTHING;
    *out = (struct output_file){.stream = NULL};
    if (kind == NPART__PATH_FILE && !may_be_written(path))
        return false;
    if (kind == NPART__PATH_FILE || (kind == NPART__PATH_NOTHING && !is_link)) {
        out->place = kind == NPART__PATH_FILE ? real_path(path) : find_place(path);
        if (out->place && open_beside(out)) {
            if (kind == NPART__PATH_FILE)
                keep_permissions(out->place, out->stream);
            return true;
        }
        forget(out);
    }
    out->stream = npart__stream_open(path, "wb");
    return out->stream != NULL;
}

bool end_output_file(struct output_file *out, bool is_whole)
{
    if (!out->stream)
        return true;
    int held = out->beside ? hold_file(out->stream) : -1; /* as long as it is called so */
    bool is_closed = fclose(out->stream) == 0;
    is_closed = is_closed && (!is_whole || !out->beside || npart__path_rename(out->beside, out->place));
    int problem = errno;
    if (out->beside && !(is_whole && is_closed))
        (void)npart__path_remove(out->beside);
    let_go_of_file(held);
    errno = problem;
    forget(out);
    return is_closed;
}

bool finish_output_file(struct output_file *out, const char *path, bool is_written)
{
    int problem = errno;
    if (!end_output_file(out, is_written) && is_written) {
        is_written = false;
        problem = errno;
    }
    if (!is_written)
        say("%s: cannot write: %s", path, strerror(problem));
    return is_written;
}
