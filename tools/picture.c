/* SPDX-License-Identifier: Apache-2.0
 *
 * --format png: what --format dot writes, as Graphviz' dot draws it. That is the only program that the tool ever
 * starts, and only for this format: with fixed arguments, without a shell.
 */
#include "tool.h"

static npart_status fail(struct npart_error *error, npart_status status, const char *why)
{
    error->status = status;
    *error->place = '\0';
    (void)snprintf(error->message, sizeof error->message, "--format png: %s", why);
    return status;
}

npart_status picture_open(struct run *run, struct npart_error *error)
{
    char why[200];
    if (is_terminal(run))
        return fail(error, NPART_ERROR_ARGUMENT, "an image is nothing for a terminal; give a file: --output FILE");
    if (open_program(&run->drawer))
        return NPART_OK;
    if (errno == ENOTSUP)
        return fail(error, NPART_ERROR_WRITE, "not supported on this system; use --format svg or dot");
    (void)snprintf(why, sizeof why, "cannot make a temporary file: %s", strerror(errno));
    return fail(error, NPART_ERROR_WRITE, why);
}

bool picture_write(void *payload, const char *text, size_t bytes)
{
    struct run *run = payload;
    return fwrite(text, 1, bytes, run->drawer.input) == bytes;
}

static void copy_image(struct run *run)
{
    static const char signature[] = "\x89PNG\r\n\x1a\n";
    char bytes[16384];
    size_t count = fread(bytes, 1, sizeof bytes, run->drawer.output);
    if (count < sizeof signature - 1 || memcmp(bytes, signature, sizeof signature - 1) != 0) {
        (void)refuse(run, EXIT_OTHER, "--format png: Graphviz' dot wrote no PNG image; use --format svg, which needs "
                     "no other program");
        return;
    }
    while (count > 0 && write_output(run, bytes, count))
        count = fread(bytes, 1, sizeof bytes, run->drawer.output);
    if (ferror(run->drawer.output))
        (void)refuse(run, EXIT_OTHER, "--format png: the image cannot be read: %s", strerror(errno));
}

static void draw(struct run *run)
{
    static const char *const words[] = {"dot", "-Tpng", NULL};
    int status = 0;
    if (run_program(&run->drawer, words, &status) && status == 0) {
        copy_image(run);
        return;
    }
    if (status != 0)
        say("--format png: Graphviz' dot failed with exit status %d; use --format svg, which needs no other program",
            status);
    else if (errno == ENOENT)
        say("--format png needs Graphviz: its program dot is not in the PATH; use --format svg, which needs no other "
            "program");
    else
        say("--format png: Graphviz' dot cannot be started: %s", strerror(errno));
    worsen(run, EXIT_OTHER);
}

void picture_close(struct run *run, bool is_whole)
{
    if (!run->drawer.input)
        return;
    if (fflush(run->drawer.input) != 0 || ferror(run->drawer.input))
        (void)refuse(run, EXIT_OTHER, "--format png: a temporary file cannot be written: %s", strerror(errno));
    else if (is_whole && !run->is_over)
        draw(run);
    close_program(&run->drawer);
}
