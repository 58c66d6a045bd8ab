/* SPDX-License-Identifier: Apache-2.0
 *
 * Which cache: a line for each number of slots and of new tokens, with what a run takes, as text and as JSON.
 */
#include "report/page.h"

#define SCHEMA 2

/* ---- text -------------------------------------------------------------------------------------------------------- */

/* To the right in so many columns, after a blank. */
static void put_cell(struct npart__page *page, struct npart__buffer *text, uint32_t columns)
{
    const char *made = npart__made_text(text);
    page->out->failed |= !made;
    npart__append_format(page->out, " %*s", (int)columns, made ? made : "");
}

static void put_time(struct npart__page *page, double ms, uint32_t columns)
{
    struct npart__buffer text;
    npart__buffer_init(&text, page->arena);
    if (ms < 0)
        npart__append_text(&text, "-");
    else
        npart__append_estimate(&text, ms);
    put_cell(page, &text, columns);
}

static void put_size(struct npart__page *page, struct npart_bytes bytes, uint32_t columns)
{
    struct npart__buffer text;
    npart__buffer_init(&text, page->arena);
    if (bytes.is_partial)
        npart__append_text(&text, "-");
    else
        npart__append_rough_bytes(&text, bytes.bytes);
    put_cell(page, &text, columns);
}

static void put_row(struct npart__page *page, const struct npart_cache_try *at, uint32_t target, uint32_t prompt)
{
    struct npart_decode_info info = {.size = sizeof info};
    struct npart__buffer rate;
    npart__append_format(page->out, "%8u %5u", at->slots, at->tokens);
    if (!at->fix || !npart_fix_decode(at->fix, target, prompt, &info)) {
        npart__put(page, "  ");
        npart__wrapped(page, at->why ? at->why : "not known", 16, 16);
        npart__put(page, "\n");
        return;
    }
    npart__buffer_init(&rate, page->arena);
    npart__append_rate(&rate, info.tokens_per_s);
    npart__append_format(page->out, " %6u", info.left);
    put_time(page, info.run_ms.typical_ms, 8);
    put_cell(page, &rate, 9);
    put_time(page, info.prompt_ms, 8);
    put_size(page, (struct npart_bytes){info.bytes_in, false}, 8);
    put_size(page, (struct npart_bytes){info.bytes_out, false}, 7);
    put_size(page, info.peak_bytes, 7);
    npart__put(page, "\n");
}

static uint32_t prompt_of(const struct npart_subject *subject)
{
    struct npart_decode_info info = {.size = sizeof info};
    uint32_t prompt = subject->prompt_tokens;
    /* The same for all rows: of the smallest cache. */
    for (size_t i = 0; !subject->prompt_tokens && i < subject->count; i++)
        if (npart_fix_decode(subject->tries[i].fix, 0, 0, &info) && (!prompt || info.prompt_tokens < prompt))
            prompt = info.prompt_tokens;
    return prompt;
}

static void put_table(struct npart__page *page, const struct npart_subject *subject, uint32_t target, uint32_t prompt)
{
    npart__put_target(page);
    struct npart_decode_info info = {.size = sizeof info};
    npart__put(page, "    ");
    for (size_t i = 0; i < subject->count; i++)
        if (npart_fix_decode(subject->tries[i].fix, target, prompt, &info))
            break;
    npart__append_rough_bytes(page->out, info.weight_bytes);
    npart__append_format(page->out, " of weights, a prompt of %u tokens\n\n", prompt);
    npart__put(page, "   slots   new on CPU    a run  tokens/s   prompt       in     out    peak\n");
    for (size_t i = 0; i < subject->count; i++)
        put_row(page, &subject->tries[i], target, prompt);
}

/* One of them can be had at least (check_tries). */
void npart__tries_text(struct npart__report *report)
{
    struct npart__page turned, *page = npart__page_open(&turned, report);
    struct npart_fix_info info = {.size = sizeof info};
    const struct npart_subject *subject = report->subject;
    const npart_fix *fix = NULL;
    for (size_t i = 0; i < subject->count && !fix; i++)
        fix = subject->tries[i].fix;
    (void)npart_fix_info(fix, &info);
    npart__put_text(page, info.path);
    npart__put(page, "\n");
    for (uint32_t i = 0; i < info.target_count; i++) {
        npart__put(page, i ? "\n" : "");
        npart__page_turn(page, npart_fix_plan(fix, i));
        put_table(page, subject, i, prompt_of(subject));
    }
    npart__put(page, "\n  ");
    npart__wrapped(page,
                   "slots: of the cache, new tokens included. new: tokens in a run. on CPU: nodes. tokens/s: of new "
                   "tokens, read or generated. in, out: bytes of a run. peak: of activations on the NPU. ~ estimated, "
                   "not measured.", 2, 2);
    npart__put(page, "\n");
}

/* ---- a line of a fix --------------------------------------------------------------------------------------------- */

/* Of the subject's fix: in a set the prompt is read by the file that does so soonest. */
static bool decode_of(const struct npart_subject *subject, uint32_t target, struct npart_decode_info *out)
{
    struct npart_decode_info at = {.size = sizeof at};
    if (!npart_fix_decode(subject->fix, target, subject->prompt_tokens, out))
        return false;
    for (size_t i = 0; i < subject->count; i++)
        if (npart_fix_decode(subject->tries[i].fix, target, out->prompt_tokens, &at) && at.prompt_ms >= 0 &&
            (out->prompt_ms < 0 || at.prompt_ms < out->prompt_ms)) {
            out->prompt_ms = at.prompt_ms;
            out->prompt_run = at.prompt_run;
        }
    return true;
}

/* A file that takes one token promises no time for a prompt unless it was asked for: another of a set is to read it. */
void npart__put_decode_line(struct npart__page *page, const struct npart_subject *subject)
{
    struct npart_decode_info at = {.size = sizeof at};
    for (uint32_t i = 0; decode_of(subject, i, &at); i++) {
        struct npart__buffer line;
        npart__buffer_init(&line, page->arena);
        if (at.run_ms.typical_ms > 0) {
            npart__append_estimate_range(&line, at.run_ms.low_ms, at.run_ms.typical_ms, at.run_ms.high_ms);
            npart__append_text(&line, at.tokens == 1 ? " a token, " : " a run, ");
            npart__append_rate(&line, at.tokens_per_s);
            npart__append_text(&line, " tokens a second; ");
        }
        if (at.prompt_ms >= 0 && (at.prompt_run > 1 || subject->prompt_tokens)) {
            npart__append_first_token(&line, at.prompt_ms, at.prompt_tokens, at.prompt_run);
            npart__append_text(&line, "; ");
        }
        npart__append_rough_bytes(&line, at.bytes_in);
        npart__append_text(&line, " in and ");
        npart__append_rough_bytes(&line, at.bytes_out);
        npart__append_text(&line, " out a run, ");
        npart__append_rough_bytes(&line, at.cache_bytes);
        npart__append_text(&line, " of cache");
        npart__page_turn(page, npart_fix_plan(subject->fix, i));
        npart__put(page, "  ");
        npart__put_target(page);
        npart__put(page, ": ");
        npart__wrapped(page, npart__buffer_text(&line), (uint32_t)npart__target_columns(page) + 4, 4);
        npart__put(page, "\n");
    }
}

/* ---- JSON -------------------------------------------------------------------------------------------------------- */

void npart__add_json_decode(struct npart__buffer *out, const char *key, const struct npart_subject *subject)
{
    struct npart_decode_info at = {.size = sizeof at};
    NPART__JSON_LIST(out, key, i, decode_of(subject, i, &at))
        npart__put_decode(out, NULL, &at);
}

void npart__tries_json(struct npart__report *report)
{
    const struct npart_subject *subject = report->subject;
    struct npart__buffer *out = &report->out;
    struct npart_fix_info info = {.size = sizeof info};
    uint32_t prompt = prompt_of(subject);
    for (size_t i = 0; i < subject->count && !info.path; i++)
        (void)npart_fix_info(subject->tries[i].fix, &info);
    npart__json_begin(out, SCHEMA, NULL);
    npart__json_text(out, "model", info.path);
    NPART__JSON_LIST(out, "tries", i, i < subject->count) {
        struct npart__object object = npart__open_cache_try(out, NULL, &subject->tries[i]);
        struct npart_subject alone = {.fix = subject->tries[i].fix, .prompt_tokens = prompt};
        npart__add_json_decode(out, npart__own(&object, "decode"), &alone);
        npart__object_close(&object);
    }
    npart__json_close(out, '}');
    npart__append_text(out, "\n");
}
