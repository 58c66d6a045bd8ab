/* SPDX-License-Identifier: Apache-2.0 */
#include "tool.h"

#define MOST_NAMES 1000u /* of one process: files that were left over */

static struct output_file *last; /* that was opened and still is */

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
    for (unsigned i = 0; i < MOST_NAMES; i++) {
        out->beside = text_as("%s.%lu-%u.part", out->place, npart__process_number(), i);
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
            out->before = last;
            last = out;
            return true;
        }
        out->beside = NULL;
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
    last = out->beside ? out->before : last; /* what was opened later is ended earlier */
    *out = (struct output_file){.stream = NULL};
    errno = problem;
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

bool save_file(const char *path, const void *bytes, size_t count)
{
    struct output_file file;
    return finish_output_file(&file, path, begin_output_file(&file, path) &&
                                               fwrite(bytes, 1, count, file.stream) == count &&
                                               fflush(file.stream) == 0);
}

void drop_output(void)
{
    while (last)
        (void)end_output_file(last, false);
}
