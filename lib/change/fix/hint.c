/* SPDX-License-Identifier: Apache-2.0
 *
 * What would mend a model where a search has found nothing: with sizes for what is dynamic, or with rewrites of a class
 * that was not allowed.
 */
#include <stdio.h>

#include "fix/handle.h"

#define MOST_SIZES 64u /* dims of one line to paste */

/* The same search anew. */
struct search {
    const char *path;
    const npart_oplist *const *oplists;
    const char *const *targets;
    uint32_t target_count;
    struct npart_fix_options options;
    struct npart_fix_hint *hint;
};

bool npart_fix_is_done(const npart_fix *fix)
{
    struct npart_fix_info info = {.size = sizeof info};
    bool is_left = false;
    if (!npart_fix_info(fix, &info))
        return true;
    for (uint32_t i = 0; i < info.target_count; i++)
        is_left |= info.after[i].verdict != NPART_PLAN_WHOLE;
    return !is_left || info.step_count > 0;
}

/* A search that may fail without a word: then it is no hint. Told is the first target that gains. */
static npart_fix *try_search(const struct search *search)
{
    struct npart_fix_info info = {.size = sizeof info};
    npart_fix *fix = NULL;
    npart_status status = npart_fix_make(&fix, search->path, search->oplists, search->targets, search->target_count,
                                         &search->options, NULL);
    if (status != NPART_OK || !npart_fix_info(fix, &info) || info.harm)
        info.target_count = 0;
    for (uint32_t i = 0; i < info.target_count; i++) {
        const struct npart_summary *before = &info.before[i], *after = &info.after[i];
        uint32_t left = after->live - after->accepted;
        struct npart_plan_info plan = {.size = sizeof plan};
        bool is_better = after->failed < before->failed || left < before->live - before->accepted ||
                         (after->accepted && after->partitions < before->partitions);
        if (!is_better || !npart_plan_info(npart_fix_plan(fix, i), &plan))
            continue;
        (void)snprintf(search->hint->text, sizeof search->hint->text,
                       "%.80s: %u partition%s, %u of %u nodes on the CPU", plan.target, after->partitions,
                       after->partitions == 1 ? "" : "s", left, after->live);
        return fix;
    }
    npart_fix_free(fix);
    return NULL;
}

/* The sizes that advice proposes for what is dynamic: "--dim batch=1 --dim sequence=128". */
static npart_fix *try_sizes(struct search *search, const npart_fix *found)
{
    npart_inference *fixed = NULL;
    npart_fix *fix = NULL;
    struct npart_dim_binding dims[MOST_SIZES];
    struct npart_inference_options sizes = NPART_INFERENCE_OPTIONS_INIT;
    char *words = search->hint->words;
    size_t room = sizeof search->hint->words;
    uint32_t count = 0;
    if (search->options.sizes)
        sizes = *search->options.sizes;
    if (sizes.dim_count || sizes.input_count ||
        npart_inference_make_fixed(&fixed, npart_plan_inference(npart_fix_plan(found, 0)), NULL) != NPART_OK || !fixed)
        return NULL;
    for (; count < MOST_SIZES && npart_inference_binding(fixed, count, &dims[count]); count++) {
        size_t length = strlen(words);
        char pair[256], word[512];
        int bytes = snprintf(pair, sizeof pair, "%s=%lld", dims[count].name, (long long)dims[count].size);
        if (bytes < 0 || (size_t)bytes >= sizeof pair || npart_shell_word(pair, word, sizeof word) >= sizeof word)
            break;
        (void)snprintf(words + length, room - length, "%s--dim %s", count ? " " : "", word);
    }
    sizes.dims = dims;
    sizes.dim_count = count;
    search->options.sizes = &sizes;
    if (count && strlen(words) < room - 1)
        fix = try_search(search);
    npart_inference_free(fixed);
    return fix;
}

/* The first class, from the strictest on, that with those before it mends something. */
static npart_fix *try_classes(struct search *search)
{
    npart_fix *fix = NULL;
    char *words = search->hint->words;
    uint32_t allowed = search->options.allowed | 1u << NPART_EQUAL_BITS;
    (void)snprintf(words, sizeof search->hint->words, "--allow ");
    for (int i = NPART_EQUAL_BITS_IF; i <= NPART_EQUAL_APPROX && !fix; i++) {
        bool is_new = !(allowed >> i & 1);
        size_t length = strlen(words);
        (void)snprintf(words + length, sizeof search->hint->words - length, "%s%s", i == NPART_EQUAL_BITS_IF ? "" : ",",
                       npart_equality_text((enum npart_equality)i));
        search->options.allowed = allowed |= 1u << i;
        fix = is_new ? try_search(search) : NULL;
    }
    return fix;
}

npart_status npart_fix_find_hint(npart_fix **out, struct npart_fix_hint *hint, const npart_fix *found, const char *path,
                                 const npart_oplist *const *oplists, const char *const *targets, uint32_t target_count,
                                 const struct npart_fix_options *options, bool with_sizes, struct npart_error *error)
{
    if (!out || !found || !path || !options)
        return npart__fail_null(!out ? "out" : !found ? "found" : !path ? "path" : "options", error);
    if (!NPART__HAS_ROOM(hint))
        return npart__fail(error, NPART_ERROR_ARGUMENT, "", "hint has a size that is not known");
    *hint = (struct npart_fix_hint){.size = sizeof *hint};
    struct search search = {path, oplists, targets, target_count, *options, hint};
    *out = with_sizes ? try_sizes(&search, found) : try_classes(&search);
    return NPART_OK;
}
