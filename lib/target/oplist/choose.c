/* SPDX-License-Identifier: Apache-2.0
 *
 * ":VARIANT:VARIANT+SWITCH-SWITCH@TOOLCHAIN", the part of a target's text after its name, and what
 * follows from the choice: which lines count, which partitioner and runtime, which parameters
 * and limits. Later stages ask a target and not the list.
 */
#include "oplist/parse.h"

/* Without a text the list's default is meant. What is there is read by npart__target_choose, which refuses what begins
 * neither a variant, a switch nor a toolchain. */
const char *npart__target_rest(const struct npart__oplist *oplist, const char *target, struct npart_error *error)
{
    size_t length = strlen(oplist->name);
    if (!target)
        return "";
    if (strncmp(target, oplist->name, length) == 0)
        return target + length;
    (void)npart__fail(error, NPART_ERROR_ARGUMENT, "", "\"%s\" is not a target of the list %s", target, oplist->name);
    return NULL;
}

/* Characters that begin the next part. How many bytes stand before one, or before the end. */
static size_t word_end(const char *text)
{
    return strcspn(text, ":+-@");
}

/* Fails with ARGUMENT, as a user's mistake and not the list's, and the nearest variants or switches as a hint: "did you
 * mean v73?". `text` is not terminated at `length`; the message takes only so much of it. */
static npart_status lack(const struct npart__oplist *oplist, const char *what, const char *text, size_t length,
                         struct npart_error *error)
{
    struct npart__nearest nearest;
    char hint[NPART__HINT_BYTES];
    bool is_variant = *what == 'v';
    uint32_t count = is_variant ? oplist->variants.count : oplist->switches.count;
    npart__nearest_init(&nearest, text, length);
    for (uint32_t i = 0; i < count; i++)
        npart__nearest_offer(&nearest, is_variant ? oplist->variants.items[i].name : oplist->switches.items[i]);
    const char *end = count ? npart__nearest_hint(&nearest, hint, sizeof hint) : "; it has none";
    return npart__fail(error, NPART_ERROR_ARGUMENT, "", "%s has no %s \"%.*s\"%s", oplist->name, what, (int)length,
                       text, end);
}

/* *length is changed to what the variant's name
 * takes, where that goes past a hyphen. */
static npart_status choose_variant(const struct npart__oplist *oplist, const char *text, size_t *length,
                                   struct npart__target *out, struct npart_error *error)
{
    /* A name may hold hyphens, which switches begin with too: the longest that there is. */
    /* `:a-b-c`: a-b-c is tried, then a-b, and in the end a with the switches -b and -c. Quadratic in a text that the
     * user writes. */
    for (size_t longest = strcspn(text, ":+@"); longest > *length; longest--) {
        bool may_end = text[longest] == '-' || text[longest] == '\0' || strchr(":+@", text[longest]);
        out->variant = may_end ? npart__find_variant(oplist, text, longest) : NPART_NONE;
        if (out->variant != NPART_NONE) {
            *length = longest;
            return NPART_OK;
        }
    }
    out->variant = npart__find_variant(oplist, text, *length);
    return out->variant == NPART_NONE ? lack(oplist, "variant", text, *length, error) : NPART_OK;
}

uint32_t npart__target_like(const struct npart__target *target)
{
    if (target->variant == NPART_NONE)
        return NPART_NONE;
    return target->like != NPART_NONE ? target->like : target->oplist->variants.items[target->variant].like;
}

/* `:a16:ios18`, a chip and a system, in either order: the one that is like another in the list is like the other named.
 * Its own parameters stay, and what it had from the list's it has from this one. Where neither is like another, or both
 * are, the two exclude each other, and what stands after the first is left for the caller to complain of. */
static npart_status choose_like(const struct npart__oplist *oplist, const char **text, struct npart__target *out,
                                struct npart_error *error)
{
    const char *second = *text + 1;
    const struct npart__variant *variants = oplist->variants.items;
    size_t length = word_end(second);
    struct npart__target of_second = *out;
    npart_status status = choose_variant(oplist, second, &length, &of_second, error);
    if (status != NPART_OK)
        return status;
    bool is_first_like = variants[out->variant].like != out->variant;
    bool is_second_like = variants[of_second.variant].like != of_second.variant;
    if (is_first_like == is_second_like)
        return NPART_OK;
    out->like = is_first_like ? of_second.variant : out->variant;
    out->variant = is_first_like ? out->variant : of_second.variant;
    *text = second + length;
    return NPART_OK;
}

void npart__target_take_toolchain(struct npart__target *target, uint32_t toolchain)
{
    target->toolchain = toolchain;
    target->toolchain_text = target->oplist->toolchains.items[toolchain];
    target->standing = NPART_RELEASE_LISTED;
}

/* By its whole text, or by what follows the last blank of it: "onnxruntime-qnn 2.7.0" or
 * "2.7.0". The number of a release without a line is compared with theirs. */
static npart_status choose_toolchain(const struct npart__oplist *oplist, const char *text, struct npart__arena *arena,
                                     struct npart__target *out, struct npart_error *error)
{
    for (uint32_t i = 0; i < oplist->toolchains.count; i++) {
        const char *whole = oplist->toolchains.items[i];
        if (strcmp(whole, text) == 0 || strcmp(npart__after_last(whole, ' '), text) == 0) {
            npart__target_take_toolchain(out, i);
            return NPART_OK;
        }
    }
    if (npart__find_release(oplist, text, arena, out))
        return out->toolchain_text ? NPART_OK : npart__fail_memory(error);
    return npart__lack_toolchain(oplist, text, error);
}

/* Reads the choices from left to right: variant, switches, toolchain. What is not chosen is the
 * list's default, and a variant brings switches of its own, which the user's signs then change. The result borrows
 * the list, which must outlive it, and of the text only a copy of the variant's name. */
npart_status npart__target_choose(const struct npart__oplist *oplist, const char *text, struct npart__arena *arena,
                                  struct npart__target *out, struct npart_error *error)
{
    *out = (struct npart__target){.oplist = oplist, .variant = oplist->default_variant, .like = NPART_NONE,
                                   .variant_text = ""};
    if (oplist->is_rewrites)
        return npart__fail(error, NPART_ERROR_ARGUMENT, "", "%s holds rewrites, and no target", oplist->path);
    /* All stages at first; those whose switch is against them are taken out below, once switches
     * are known. */
    out->stages = oplist->stage_count >= 32 ? UINT32_MAX : (UINT32_C(1) << oplist->stage_count) - 1;
    /* The newest is the default. */
    out->toolchain_text = "";
    if (oplist->toolchains.count)
        npart__target_take_toolchain(out, oplist->toolchains.count - 1);
    if (*text == ':') {
        /* The name may be empty, which no variant's is. */
        const char *begin = ++text;
        size_t length = word_end(text);
        npart_status status = choose_variant(oplist, text, &length, out, error);
        text += length;
        if (status == NPART_OK && *text == ':')
            status = choose_like(oplist, &text, out, error);
        if (status != NPART_OK)
            return status;
        out->variant_text = npart__arena_copy_text(arena, begin, (size_t)(text - begin));
    } else if (out->variant != NPART_NONE) {
        out->variant_text = oplist->variants.items[out->variant].name;
    }
    if (!out->variant_text)
        return npart__fail_memory(error);
    if (out->variant != NPART_NONE)
        out->switches = oplist->variants.items[out->variant].switches;
    while (*text == '+' || *text == '-') {
        char sign = *text++;
        size_t length = word_end(text);
        uint32_t bit = npart__find_switch(oplist, text, length);
        if (bit == NPART_NONE)
            return lack(oplist, "switch", text, length, error);
        if (sign == '+')
            out->switches |= UINT32_C(1) << bit | oplist->brought[bit];
        else
            out->switches &= ~(UINT32_C(1) << bit);
        text += length;
    }
    /* Stages hang on switches alone: their lines have no `since`. */
    for (uint32_t i = 0; i < oplist->stage_count; i++)
        if (!npart__target_has(out, oplist->stages[i].when))
            out->stages &= ~(UINT32_C(1) << i);
    if (*text == '@') {
        npart_status status = choose_toolchain(oplist, text + 1, arena, out, error);
        if (status != NPART_OK)
            return status;
        text += strlen(text);
    }
    if (*text)
        return npart__fail(error, NPART_ERROR_ARGUMENT, "",
                           "cannot read \"%s\": a target is NAME[:VARIANT][+SWITCH|-SWITCH]...[@TOOLCHAIN]", text);
    return NPART_OK;
}

/* Whether a line's WHEN holds for the target: each part that is there must. `before` a toolchain means up to the
 * one before it. The bits and places are those of the list that the line is from. */
bool npart__target_has(const struct npart__target *target, struct npart__line_condition when)
{
    bool is_applied =
        when.stage == NPART_NONE || (target->stages >> target->oplist->line_stages.items[when.stage].stage & 1);
    return is_applied && (when.with == NPART_NONE || (target->switches >> when.with & 1)) &&
           (when.without == NPART_NONE || !(target->switches >> when.without & 1)) &&
           (when.since == NPART_NONE || target->toolchain >= when.since) &&
           (when.before == NPART_NONE || target->toolchain < when.before);
}

/* The last that counts, so that a special case stands below the general one. What ONNX Runtime's own utility forms
 * is the default, as most providers use it. That the name means a partitioner is checked by lib/plan/partition, which
 * knows them. */
const char *npart__target_partitioner(const struct npart__target *target)
{
    const struct npart__oplist *oplist = target->oplist;
    for (uint32_t i = oplist->partitioners.count; i-- > 0;)
        if (npart__target_has(target, oplist->partitioners.items[i].when))
            return oplist->partitioners.items[i].name;
    return "waves";
}

/* Of the last line that counts, as of partitioners; NULL: none does. */
static const struct npart__runtime *last_of(const struct npart__target *target,
                                            const struct npart__runtime_choice *lines, uint32_t count)
{
    while (count-- > 0)
        if (npart__target_has(target, lines[count].when))
            return lines[count].runtime;
    return NULL;
}

/* NULL: rules ask of all that inference knows. */
const struct npart__runtime *npart__target_runtime(const struct npart__target *target)
{
    return last_of(target, target->oplist->runtimes.items, target->oplist->runtimes.count);
}

static const struct npart__runtime *rewriting_runtime(const struct npart__target *target)
{
    return last_of(target, target->oplist->rewritings.items, target->oplist->rewritings.count);
}

/* A `rewriting` line goes before the `runtime` line, whose sessions rewrite as well. */
enum npart__release npart__target_release(const struct npart__target *target)
{
    const struct npart__runtime *rewriting = rewriting_runtime(target), *runtime = npart__target_runtime(target);
    return rewriting ? rewriting->release : runtime ? runtime->release : NPART__RELEASE_OWN;
}

/* A provider of a `runtime` line is a plug-in, which newer releases load, too; that of a `rewriting` line is built into
 * the release. */
bool npart__target_loads(const struct npart__target *target, struct npart__loads *out)
{
    const struct npart__runtime *rewriting = rewriting_runtime(target);
    *out = npart__loads_of(rewriting ? rewriting->version : NULL);
    return rewriting || npart__target_runtime(target);
}

/* A stage that is not applied folds nothing. */
bool npart__target_folds(const struct npart__target *target)
{
    for (uint32_t i = 0; i < target->oplist->stage_count; i++)
        if (target->oplist->stages[i].folds && (target->stages >> i & 1))
            return true;
    return false;
}

/* How well something for `variant` fits: 3 this very variant, 2 the one it is like, 1 any, 0 not
 * at all. So a list may give a parameter for all, another for a family, and one for a chip, in
 * any order. `like` is the end of its chain already (npart__line_variant), so one step is enough. */
static int fit_of(const struct npart__target *target, uint32_t variant)
{
    return variant == NPART_NONE ? 1 : variant == target->variant ? 3 : variant == npart__target_like(target) ? 2 : 0;
}

/* What is said of float16 holds for float32 too, since NPUs compute it so. So a list need not repeat each rate,
 * and one that measured float32 by itself may say so. 3 this very arithmetic, 2 that of float16, 1 any, 0 not at
 * all. */
static int fit_of_arithmetic(uint8_t has, enum npart__arithmetic wanted)
{
    if (has == NPART__ARITHMETICS)
        return 1;
    bool is_near = wanted == NPART__ARITHMETIC_FLOAT32 && has == NPART__ARITHMETIC_FLOAT16;
    return has == (uint8_t)wanted ? 3 : is_near ? 2 : 0;
}

/* Every parameter once, by name; NULL where the list says nothing of it. A layer (cost files laid over each other)
 * decides before everything, then the runtime, then the chip, then the precision. Linear in the list's parameters. */
void npart__target_parameters(const struct npart__target *target, enum npart__arithmetic arithmetic,
                              enum npart__invoker invoker, const struct npart__parameter *out[NPART__PARAMETERS])
{
    int best[NPART__PARAMETERS] = {0};
    memset(out, 0, NPART__PARAMETERS * sizeof *out);
    for (uint32_t i = 0; i < target->oplist->parameters.count; i++) {
        const struct npart__parameter *at = &target->oplist->parameters.items[i];
        int by_variant = fit_of(target, at->variant), by_type = fit_of_arithmetic(at->arithmetic, arithmetic);
        bool is_for_any = at->invoker == NPART__INVOKERS;
        if (by_variant == 0 || by_type == 0 || !(is_for_any || at->invoker == (uint8_t)invoker) ||
            at->name >= NPART__PARAMETERS)
            continue;
        /* As digits of one number: each factor is above what stands to its right. */
        int fit = ((at->layer * 2 + !is_for_any) * 4 + by_variant) * 4 + by_type;
        if (fit < best[at->name]) /* the last of equals counts */
            continue;
        best[at->name] = fit;
        out[at->name] = at;
    }
}

/* The one that fits best: for this variant, for the one that it is like, for all. Of two that fit alike the later
 * one, as of parameters. NULL where the limit is declared for other variants alone: what a rule compares with is
 * then unknown. */
const struct npart__limit *npart__target_limit(const struct npart__target *target, const char *name)
{
    const struct npart__limit *best = NULL;
    int best_fit = 1;
    for (uint32_t i = 0; i < target->oplist->limits.count; i++) {
        const struct npart__limit *limit = &target->oplist->limits.items[i];
        int fit = fit_of(target, limit->variant);
        if (fit >= best_fit && strcmp(limit->name, name) == 0) {
            best = limit;
            best_fit = fit;
        }
    }
    return best;
}

const struct npart__pool *npart__target_pool(const struct npart__target *target, uint32_t index)
{
    const struct npart__oplist *oplist = target->oplist;
    for (uint32_t i = 0; i < oplist->pools.count; i++)
        if (fit_of(target, oplist->pools.items[i].variant) > 0 && index-- == 0)
            return &oplist->pools.items[i];
    return NULL;
}

/* The last that counts, as of partitioners. */
const struct npart__provider *npart__target_provider(const struct npart__target *target)
{
    const struct npart__oplist *oplist = target->oplist;
    for (uint32_t i = oplist->providers.count; i-- > 0;)
        if (npart__target_has(target, oplist->providers.items[i].when))
            return &oplist->providers.items[i];
    return NULL;
}

/* Of the names of the variant the one that is a number; NULL: none is. */
static const char *variant_number(const struct npart__target *target)
{
    if (target->variant == NPART_NONE)
        return NULL;
    const struct npart__variant *variant = &target->oplist->variants.items[target->variant];
    for (uint32_t i = 0; i < variant->alias_count; i++)
        if (strspn(variant->aliases[i], "0123456789") == strlen(variant->aliases[i]))
            return variant->aliases[i];
    return NULL;
}

const char *npart__option_value(const struct npart__target *target, const struct npart__provider_option *option)
{
    return strcmp(option->value, NPART__NUMBER_OF_VARIANT) == 0 ? variant_number(target) : option->value;
}

static int fit_of_option(const struct npart__target *target, const struct npart__provider_option *option)
{
    bool is_there = npart__target_has(target, option->when) && (!option->is_numbered || variant_number(target));
    return is_there ? fit_of(target, option->variant) : 0;
}

/* Whether no other line for the same option fits better, or as well and stands below. */
static bool is_chosen(const struct npart__target *target, uint32_t at)
{
    const struct npart__provider_option *options = target->oplist->options.items, *option = &options[at];
    int fit = fit_of_option(target, option);
    for (uint32_t i = 0; fit && i < target->oplist->options.count; i++) {
        bool is_same = options[i].is_session == option->is_session && strcmp(options[i].name, option->name) == 0;
        if (is_same && fit_of_option(target, &options[i]) >= fit + (i <= at))
            return false;
    }
    return fit > 0;
}

const struct npart__provider_option *npart__target_option(const struct npart__target *target, uint32_t index)
{
    for (uint32_t i = 0; i < target->oplist->options.count; i++)
        if (is_chosen(target, i) && index-- == 0)
            return &target->oplist->options.items[i];
    return NULL;
}

/* A target is its list and what was chosen of it, so another variant is a copy with that one chosen. */
const struct npart__limit *npart__variant_limit(const struct npart__target *target, const char *variant,
                                                const char *name)
{
    struct npart__target other = *target;
    other.variant = npart__find_variant(target->oplist, variant, strlen(variant));
    other.like = NPART_NONE;
    return other.variant == NPART_NONE ? NULL : npart__target_limit(&other, name);
}
