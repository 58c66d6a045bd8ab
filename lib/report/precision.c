/* SPDX-License-Identifier: Apache-2.0
 *
 * Formats of the model's weights that the target does not compute natively, and what happens to them.
 */
#include "report/page.h"

static void put_happening(struct npart__buffer *line, const struct npart_precision *at)
{
    static const char *const words[] = {[NPART_HAPPENS_NATIVE] = "native",
                                        [NPART_HAPPENS_DEQUANTIZED] = "dequantized on the way",
                                        [NPART_HAPPENS_VECTOR] = "on the vector unit",
                                        [NPART_HAPPENS_CPU] = "on the CPU",
                                        [NPART_HAPPENS_FAILS] = "fails to compile",
                                        [NPART_HAPPENS_UNKNOWN] = "not known"};
    const char *word = at->happens < NPART__COUNT(words) ? words[at->happens] : NULL;
    npart__append_text(line, word ? word : "");
    if (at->share > 0) {
        npart__append_text(line, " at ");
        npart__append_fixed(line, 100 * at->share, 1);
        npart__append_text(line, " % of the matrix unit's rate");
    }
}

/* Who asked for a precision is told first what becomes of it where it is not computed as it is: "fp8-tensor, 14 nodes:
 * fails to compile: 8-bit floats must ...; native on intel-npu:5010". NULL: it is. Weights in blocks have a line of
 * their own in a report. */
const char *npart__precision_told(struct npart__page *page)
{
    struct npart_precision at = {.size = sizeof at};
    struct npart__buffer line = {.arena = page->arena};
    for (uint32_t i = 0; npart_plan_precision(page->plan, i, &at); i++) {
        bool is_fine = at.happens == NPART_HAPPENS_NATIVE || at.happens == NPART_HAPPENS_UNKNOWN;
        if (is_fine || strcmp(at.format, "float32") == 0 || line.size)
            continue;
        npart__append_format(&line, "%s, %u node%s: ", at.format, at.node_count, at.node_count == 1 ? "" : "s");
        put_happening(&line, &at);
        npart__append_format(&line, ": %s", at.text);
        if (*at.variant)
            npart__append_format(&line, "; native on %s:%s", page->oplist.name, at.variant);
        else if (*at.instead)
            npart__append_format(&line, "; native here: %s", at.instead);
    }
    return line.size ? npart__buffer_text(&line) : NULL;
}

bool npart__changes_nothing(const struct npart__page *page)
{
    struct npart_model_info now = {.size = sizeof now}, before = {.size = sizeof before};
    const npart_model *model = npart_inference_model(npart_plan_inference(page->plan));
    return page->info.as && npart_model_info(model, &now) &&
           npart_model_info(npart_model_origin(model), &before) && now.node_count == before.node_count &&
           now.weight_bytes == before.weight_bytes && !npart_model_kept(model, 0);
}

void npart__put_asked_precision(struct npart__page *page)
{
    const char *told = npart__changes_nothing(page) ? "nothing of the model is quantized"
                       : page->info.as              ? npart__precision_told(page)
                                                    : NULL;
    if (told && !strstr(told, "-block"))
        npart__put_field(page, "Precision", NULL, told, 0);
}

/* "w8-channel: 24 nodes (93.1 % of MACs), dequantized on the way: ..." What follows the colon is the list's
 * sentence, and a format or variant that would be native, if there is one: "native on hexagon:v79" where another
 * variant of the same target takes the format, else "native here: w8a8-channel". A share of arithmetic is told only
 * where both sums are known. */
static void put_precision(struct npart__page *page, const struct npart_precision *at)
{
    struct npart__buffer line = {.arena = page->arena};
    npart__append_format(&line, "%s: %u node%s", at->format, at->node_count, at->node_count == 1 ? "" : "s");
    if (at->has_macs && page->summary.has_macs && page->summary.macs) {
        npart__append_text(&line, " (");
        npart__append_fixed(&line, 100 * (double)at->macs / (double)page->summary.macs, 1);
        npart__append_text(&line, " % of MACs)");
    }
    npart__append_text(&line, ", ");
    put_happening(&line, at);
    npart__append_format(&line, ": %s%s%s%s", at->text, *at->because ? " because " : "", at->because,
                         at->is_assumed ? " (assumed)" : "");
    if (*at->variant)
        npart__append_format(&line, "; native on %s:%s", page->oplist.name, at->variant);
    else if (*at->instead)
        npart__append_format(&line, "; native here: %s", at->instead);
    npart__put(page, "     ");
    npart__wrapped(page, npart__buffer_text(&line), 5, 7);
    npart__put(page, "\n");
    npart__buffer_release(&line);
}

/* A format that is native needs no line, and of one that nothing is known of there is nothing to tell; --verbose
 * has them. The heading comes with the first line. */
void npart__put_precisions(struct npart__page *page)
{
    struct npart_precision at = {.size = sizeof at};
    bool has_head = false;
    for (uint32_t i = 0; npart_plan_precision(page->plan, i, &at); i++) {
        bool is_fine = at.happens == NPART_HAPPENS_NATIVE || at.happens == NPART_HAPPENS_UNKNOWN;
        if (is_fine && !page->options->is_verbose)
            continue;
        if (!has_head)
            npart__painted(page, NPART__BOLD, "  Precision\n");
        has_head = true;
        put_precision(page, &at);
    }
}

/* ---- what to export instead --------------------------------------------------------------------------------- */

/* "w4a16-channel: symmetric weights with one scale a channel, 16-bit activations". What is native instead has its zero
 * points in the middle. */
static void append_export(struct npart__buffer *line, const char *instead)
{
    static const char *const words[][2] = {{"-tensor", ": symmetric weights with one scale a tensor"},
                                           {"-channel", ": symmetric weights with one scale a channel"},
                                           {"-block", ": symmetric weights with one scale a block"},
                                           {"a16", ", 16-bit activations"},
                                           {"a8", ", 8-bit activations"}};
    npart__append_format(line, " Export %s", instead);
    for (size_t i = 0; i < NPART__COUNT(words); i++)
        if (strstr(instead, words[i][0]))
            npart__append_text(line, words[i][1]);
}

/* Of weights that share scales in blocks, and of such that leave a share of the rate alone. What is said of them
 * otherwise stands among the details; the file is what a user can change, so it has a line of its own. */
void npart__put_block_weights(struct npart__page *page)
{
    struct npart_precision at = {.size = sizeof at};
    bool has_label = false;
    for (uint32_t i = 0; npart_plan_precision(page->plan, i, &at); i++) {
        bool is_taken_as_it_is = at.happens == NPART_HAPPENS_NATIVE || at.happens == NPART_HAPPENS_UNKNOWN;
        struct npart__buffer line = {.arena = page->arena};
        if (is_taken_as_it_is || !*at.instead || (!strstr(at.format, "-block") && at.share <= 0))
            continue;
        npart__append_format(&line, "%u node%s, %s: %s%s%s.", at.node_count, at.node_count == 1 ? "" : "s", at.format,
                             at.text, *at.because ? "; " : "", at.because);
        append_export(&line, at.instead);
        npart__append_text(&line, " (what that loses is not known here: npu-partition weights)");
        npart__put_made_field(page, has_label ? "" : "Weights", &line, 0);
        has_label = true;
    }
}
