/* SPDX-License-Identifier: Apache-2.0
 *
 * Counting of models, by target, cause and advice.
 */
#include <stdlib.h>

#include "many/many.h"

const char *const npart__many_verdicts[NPART__MANY_VERDICTS] = {"whole", "edge",  "split", "none",
                                                                "fails", "empty", "other"};

/* ---- members of documents ----------------------------------------------------------------------------------- */

static uint64_t count_at(const struct npart__tree *object, const char *key)
{
    int64_t value = npart__tree_integer(npart__tree_get(object, key));
    return value > 0 ? (uint64_t)value : 0;
}

/* Cut; what is no text is "". */
static size_t copy_text(char *out, size_t bytes, const char *text)
{
    size_t length = text ? strlen(text) : 0;
    if (length >= bytes)
        length = bytes - 1;
    if (length)
        memcpy(out, text, length);
    out[length] = '\0';
    return length;
}

static uint32_t intern_text(struct npart__numbers *texts, const char *text)
{
    char cut[NPART__MANY_TEXT_BYTES];
    return npart__number_of(texts, cut, copy_text(cut, sizeof cut, text));
}

static enum npart__many_verdict verdict_at(const struct npart__tree *object)
{
    const char *word = npart__tree_text(object, "verdict");
    size_t i = 0;
    while (i < NPART__MANY_OTHER && (!word || strcmp(npart__many_verdicts[i], word) != 0))
        i++;
    return (enum npart__many_verdict)i;
}

static bool is_done(enum npart__many_verdict verdict)
{
    return verdict == NPART__MANY_WHOLE || verdict == NPART__MANY_EDGE || verdict == NPART__MANY_EMPTY;
}

/* ---- advice ------------------------------------------------------------------------------------------------- */

/* An advice without names and figures of the model, so that it is the same in many: node names end it (": `conv1` and 3
 * more"), or what the host runs (its nodes and bytes); dims are its subject. */
static void general_text(const struct npart__tree *action, char *out, size_t bytes)
{
    const char *kind = npart__tree_text(action, "action"), *text = npart__tree_text(action, "text");
    if (kind && strcmp(kind, "dims") == 0)
        text = "Fix the dynamic dimensions of the inputs";
    copy_text(out, bytes, text);
    static const char *const own_ends[] = {": `", "; the host runs "};
    for (size_t i = 0; i < sizeof own_ends / sizeof own_ends[0]; i++) {
        char *own = strstr(out, own_ends[i]);
        if (own)
            *own = '\0';
    }
    char *to = out;
    bool is_name = false;
    for (const char *at = out; *at; at++) {
        bool is_quote = *at == '`';
        if (is_quote && !is_name && strchr(at + 1, '`')) {
            is_name = true;
            *to++ = 'X'; /* fits: the quotes are left out */
        } else if (is_quote && is_name) {
            is_name = false;
        } else if (!is_name) {
            *to++ = *at;
        }
    }
    *to = '\0';
}

/* Causes of a target's roots, whose ids run from 0: by cause the place of the first step that has it. */
struct steps {
    uint32_t *places, count;
};

/* NULL: it is none of these causes. */
static uint32_t *place_of(const struct steps *steps, const struct npart__tree *cause)
{
    int64_t id = npart__is_integer(cause) ? npart__tree_integer(cause) : -1;
    return id >= 0 && id < steps->count ? &steps->places[id] : NULL;
}

static bool find_steps(struct steps *steps, const struct npart__tree *roots, const struct npart__tree *advice,
                       struct npart__arena *scratch)
{
    const struct npart__tree *item, *cause;
    *steps = (struct steps){0};
    for (uint32_t i = 0; (item = npart__tree_at(roots, i)) != NULL; i++)
        steps->count += npart__tree_count(npart__tree_get(item, "causes"));
    steps->places = npart__arena_zeroed(scratch, steps->count + (size_t)1, sizeof *steps->places);
    if (!steps->places)
        return false;
    for (uint32_t i = 0; i < steps->count; i++)
        steps->places[i] = NPART_NONE;
    for (uint32_t i = 0; (item = npart__tree_at(advice, i)) != NULL; i++)
        for (uint32_t k = 0; (cause = npart__tree_at(npart__tree_get(item, "causes"), k)) != NULL; k++) {
            uint32_t *place = place_of(steps, cause);
            if (place && *place == NPART_NONE)
                *place = i;
        }
    return true;
}

/* The first step for one of the causes; NULL: there is none. */
static const struct npart__tree *step_for(const struct npart__tree *advice, const struct steps *steps,
                                          const struct npart__tree *causes)
{
    uint32_t first = NPART_NONE;
    const struct npart__tree *cause;
    for (uint32_t i = 0; (cause = npart__tree_at(causes, i)) != NULL; i++) {
        const uint32_t *place = place_of(steps, cause);
        first = place && *place < first ? *place : first;
    }
    return npart__tree_at(advice, first);
}

static bool add_advice(npart_many *many, struct npart__many_target *target, uint32_t root,
                       const struct npart__tree *action,                       uint64_t partitions)
{
    char text[NPART__MANY_TEXT_BYTES];
    if (!action)
        return true;
    general_text(action, text, sizeof text);
    uint32_t key[2] = {root, intern_text(&many->texts, text)};
    if (key[1] == NPART__NO_NUMBER)
        return false;
    uint32_t number = npart__number_of(&target->advice, key, sizeof key);
    if (number == NPART__NO_NUMBER)
        return target->advice.count >= NPART__MANY_ADVICE;
    struct npart__many_advice *at = npart__numbered_item(&target->advice, number);
    const struct npart__tree *after = npart__tree_get(action, "after");
    at->root = root;
    at->text = key[1];
    at->models++;
    at->whole += is_done(verdict_at(after));
    at->partitions_before += partitions;
    at->partitions_after += count_at(after, "partitions");
    return true;
}

/* ---- roots -------------------------------------------------------------------------------------------------- */

/* The number of a root; NPART__NO_NUMBER when out of memory, or past NPART__MANY_ROOTS. */
static uint32_t find_root(npart_many *many, struct npart__many_target *target, const struct npart__tree *root)
{
    static const char *const members[] = {"kind", "rule", "op"};
    char key[3 * NPART__MANY_TEXT_BYTES];
    size_t length = 0;
    for (size_t i = 0; i < sizeof members / sizeof members[0]; i++)
        length += copy_text(key + length, NPART__MANY_TEXT_BYTES, npart__tree_text(root, members[i])) + 1;
    uint32_t number = npart__number_of(&target->roots, key, length);
    uint32_t text = number == NPART__NO_NUMBER ? number : intern_text(&many->texts, npart__tree_text(root, "text"));
    struct npart__many_root *at = number == NPART__NO_NUMBER ? NULL : npart__numbered_item(&target->roots, number);
    if (at)
        at->text = text == NPART__NO_NUMBER ? 0 : text;
    return number;
}

static bool add_set(struct npart__many_target *target, uint32_t *set, size_t count)
{
    qsort(set, count, sizeof *set, npart__compare_uint32);
    uint32_t number = npart__number_of(&target->sets, set, count * sizeof *set);
    if (number != NPART__NO_NUMBER)
        ++*(uint64_t *)npart__numbered_item(&target->sets, number);
    return number != NPART__NO_NUMBER;
}

/* Of a model that is not whole. It is taken to be whole once all its roots are fixed where planning again says so of a
 * step, or where a root has no step, as then it is the target that would be mended: a root may hide others, as dynamic
 * sizes do. */
static bool add_roots(npart_many *many, struct npart__many_target *target, const struct npart__tree *found,
                      uint64_t partitions, struct npart__arena *scratch)
{
    const struct npart__tree *roots = npart__tree_get(found, "roots"), *root;
    const struct npart__tree *advice = npart__tree_get(found, "advice");
    struct steps steps;
    uint32_t i, count = npart__tree_count(roots);
    uint32_t set[NPART__MANY_ROWS];
    bool is_fine = true, is_told = count > 0 && count <= NPART__MANY_ROWS, becomes_whole = false;
    if (!find_steps(&steps, roots, advice, scratch))
        return false;
    for (i = 0; (root = npart__tree_at(roots, i)) != NULL; i++) {
        const struct npart__tree *step = step_for(advice, &steps, npart__tree_get(root, "causes"));
        uint32_t number = find_root(many, target, root);
        becomes_whole = becomes_whole || !step || is_done(verdict_at(npart__tree_get(step, "after")));
        if (number == NPART__NO_NUMBER) {
            is_fine = is_fine && target->roots.count >= NPART__MANY_ROOTS;
            target->left_out++;
            is_told = false;
            continue;
        }
        struct npart__many_root *at = npart__numbered_item(&target->roots, number);
        at->models++;
        at->nodes += count_at(root, "nodes");
        at->affected += count_at(root, "victims");
        at->alone += count == 1 && becomes_whole;
        if (is_told)
            set[i] = number;
        is_fine = add_advice(many, target, number, step, partitions) && is_fine;
    }
    target->hiding += count > 0 && !becomes_whole;
    return (!is_told || !becomes_whole || add_set(target, set, count)) && is_fine;
}

/* ---- models ------------------------------------------------------------------------------------------------- */

/* Whether another target of the list has its name and is of another toolchain. */
static bool has_other_toolchain(const struct npart__tree *targets, const char *name, const char *toolchain)
{
    const struct npart__tree *other;
    for (uint32_t i = 0; (other = npart__tree_at(targets, i)) != NULL; i++) {
        const char *text = npart__tree_text(other, "name"), *tools = npart__tree_text(other, "toolchain");
        if (text && tools && strcmp(name, text) == 0 && strcmp(toolchain, tools) != 0)
            return true;
    }
    return false;
}

/* By its name; with the toolchain of targets that differ in it alone: "intel-npu:4000@openvino 2026.4.1". */
static struct npart__many_target *find_target(npart_many *many, const struct npart__tree *targets,
                                              const struct npart__tree *found, struct npart__arena *scratch)
{
    char cut[NPART__MANY_TEXT_BYTES];
    const char *name = npart__tree_text(found, "name"), *toolchain = npart__tree_text(found, "toolchain");
    if (name && toolchain && has_other_toolchain(targets, name, toolchain))
        name = npart__arena_format(scratch, "%s@%s", name, toolchain);
    if (scratch->failed)
        return NULL;
    uint32_t number = npart__number_of(&many->targets, cut, copy_text(cut, sizeof cut, name));
    if (number == NPART__NO_NUMBER)
        return NULL;
    struct npart__many_target *target = npart__numbered_item(&many->targets, number);
    struct npart__arena *arena = &many->life->arena;
    target->roots.arena = target->advice.arena = target->sets.arena = arena;
    target->roots.most = NPART__MANY_ROOTS;
    target->roots.item_bytes = sizeof(struct npart__many_root);
    target->advice.most = NPART__MANY_ADVICE;
    target->advice.item_bytes = sizeof(struct npart__many_advice);
    target->sets.item_bytes = sizeof(uint64_t);
    return target;
}

static bool add_target(npart_many *many, const struct npart__tree *targets, const struct npart__tree *found,
                       bool has_invalid, struct npart__arena *scratch)
{
    struct npart__many_target *target = find_target(many, targets, found, scratch);
    const struct npart__tree *summary = npart__tree_get(found, "summary");
    enum npart__many_verdict verdict = verdict_at(summary);
    if (!target)
        return many->targets.count >= NPART__MANY_TARGETS;
    target->models++;
    target->verdicts[verdict]++;
    target->live += count_at(summary, "live");
    target->accepted += count_at(summary, "accepted");
    if (is_done(verdict))
        return true;
    target->invalid += has_invalid;
    return has_invalid || add_roots(many, target, found, count_at(summary, "partitions"), scratch);
}

static bool add_failure(npart_many *many, const struct npart__tree *error)
{
    const char *code = npart__tree_text(error, "code");
    uint32_t number = intern_text(&many->codes, code ? code : "other");
    many->failures++;
    if (number != NPART__NO_NUMBER)
        ++*(uint64_t *)npart__numbered_item(&many->codes, number);
    return number != NPART__NO_NUMBER;
}

/* Whether the report says that ONNX Runtime does not load its model. */
static bool is_invalid_model(const struct npart__tree *report)
{
    const struct npart__tree *finding, *findings = npart__tree_get(report, "findings");
    for (uint32_t i = 0; (finding = npart__tree_at(findings, i)) != NULL; i++) {
        const char *code = npart__tree_text(finding, "code");
        if (code && strcmp(code, "invalid") == 0)
            return true;
    }
    return false;
}

static bool add_report(npart_many *many, const struct npart__tree *report, struct npart__arena *scratch)
{
    const struct npart__tree *error = npart__tree_get(report, "error"), *targets = npart__tree_get(report, "targets");
    const struct npart__tree *found;
    many->models++;
    bool is_fine = !npart__is_object(error) || add_failure(many, error), has_invalid = is_invalid_model(report);
    for (uint32_t i = 0; (found = npart__tree_at(targets, i)) != NULL; i++)
        is_fine = add_target(many, targets, found, has_invalid, scratch) && is_fine;
    return is_fine;
}

/* ---- the handle --------------------------------------------------------------------------------------------- */

npart_status npart_many_make(npart_many **out, const struct npart_allocator *allocator, struct npart_error *error)
{
    if (!out)
        return npart__fail_null("out", error);
    npart_many *many = npart__handle_new(sizeof *many, allocator);
    if (!many)
        return npart__fail_memory(error);
    npart__arena_init(&many->last, &many->life->arena.allocator);
    many->texts.arena = many->codes.arena = many->targets.arena = &many->life->arena;
    many->codes.item_bytes = sizeof(uint64_t);
    many->targets.item_bytes = sizeof(struct npart__many_target);
    many->targets.most = NPART__MANY_TARGETS;
    /* the text of what has none */
    npart_status status = intern_text(&many->texts, "") == 0 ? NPART_OK : npart__fail_memory(error);
    return NPART__HAND_OVER(out, many, status, error);
}

void npart_many_free(npart_many *many)
{
    if (!many)
        return;
    npart__arena_clear(&many->last);
    npart__life_end(many->life);
}

npart_status npart_many_add(npart_many *many, const char *json, size_t bytes, struct npart_error *error)
{
    char problem[200];
    struct npart__text_stream from = {json, bytes};
    if (!many || !json)
        return npart__fail_null(!many ? "many" : "json", error);
    npart__arena_clear(&many->last);
    npart__arena_init(&many->last, &many->life->arena.allocator);
    struct npart__stream *input = npart__arena_allocate(&many->last, sizeof *input);
    many->report = NULL;
    if (input) {
        npart__stream_init(input, npart__read_text, &from);
        many->report = npart__tree_read(input, &many->last, 0, SIZE_MAX, problem, sizeof problem);
    }
    npart_status status = NPART_OK;
    if (!many->report && !many->last.failed)
        status = npart__fail(error, NPART_ERROR_MALFORMED, "", "%s", problem);
    else if (!many->report || !add_report(many, many->report, &many->last))
        status = npart__fail_memory(error);
    return npart__settle_for(many->life, status, error);
}

bool npart_many_line(const npart_many *many, struct npart_many_line *out)
{
    if (!many || !many->report || !NPART__HAS_ROOM(out))
        return false;
    const struct npart__tree *tool = npart__tree_get(many->report, "tool");
    *out = (struct npart_many_line){.size = sizeof *out,
                                    .path = npart__tree_text(npart__tree_get(many->report, "model"), "path"),
                                    .version = npart__tree_text(tool, "version"),
                                    .options = npart__tree_text(tool, "options"),
                                    .error = npart__tree_text(npart__tree_get(many->report, "error"), "code")};
    return true;
}

bool npart_many_info(const npart_many *many, struct npart_many_info *out)
{
    if (!many || !NPART__HAS_ROOM(out))
        return false;
    *out = (struct npart_many_info){sizeof *out, many->models, many->failures, many->targets.count};
    return true;
}

bool npart_many_failure(const npart_many *many, uint32_t index, struct npart_many_failure *out)
{
    if (!many || index >= many->codes.count || !NPART__HAS_ROOM(out))
        return false;
    *out = (struct npart_many_failure){sizeof *out, npart__numbered_key(&many->codes, index, NULL),
                                       *(const uint64_t *)npart__numbered_item(&many->codes, index)};
    return true;
}
