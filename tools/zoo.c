/* SPDX-License-Identifier: Apache-2.0 */
#include "zoo.h"

#include <stdlib.h>
#include <string.h>

#include "json_memory.h"
#include "zoo_counts.h"

const char *const zoo_verdicts[ZOO_VERDICTS] = {"whole", "edge", "split", "none", "fails", "empty", "other"};

/* ---- members of documents ----------------------------------------------------------------------------------- */

static uint64_t count_at(const json_t *object, const char *key)
{
    json_int_t value = json_integer_value(json_object_get(object, key));
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

static uint32_t intern_text(struct interner *texts, const char *text)
{
    char cut[ZOO_TEXT_BYTES];
    return intern(texts, cut, copy_text(cut, sizeof cut, text));
}

struct zoo *zoo_make(void)
{
    struct zoo *zoo = calloc(1, sizeof *zoo);
    if (!zoo)
        return NULL;
    zoo->codes.item_bytes = sizeof(uint64_t);
    zoo->targets.item_bytes = sizeof(struct zoo_target);
    zoo->targets.most = ZOO_TARGETS;
    if (intern_text(&zoo->texts, "") == 0) /* the text of what has none */
        return zoo;
    zoo_free(zoo);
    return NULL;
}

void zoo_free(struct zoo *zoo)
{
    if (!zoo)
        return;
    for (uint32_t i = 0; i < zoo->targets.count; i++) {
        struct zoo_target *target = interned_item(&zoo->targets, i);
        interner_free(&target->roots);
        interner_free(&target->advice);
        interner_free(&target->sets);
    }
    interner_free(&zoo->texts);
    interner_free(&zoo->codes);
    interner_free(&zoo->targets);
    free(zoo);
}

static enum zoo_verdict verdict_at(const json_t *object)
{
    const char *word = json_text(object, "verdict");
    size_t i = 0;
    while (i < ZOO_OTHER && (!word || strcmp(zoo_verdicts[i], word) != 0))
        i++;
    return (enum zoo_verdict)i;
}

static bool is_done(enum zoo_verdict verdict)
{
    return verdict == ZOO_WHOLE || verdict == ZOO_EDGE || verdict == ZOO_EMPTY;
}

/* ---- advice ------------------------------------------------------------------------------------------------- */

/* An advice without names and figures of the model, so that it is the same in many: node names end it (": `conv1` and 3
 * more"), or what the host runs (its nodes and bytes); dims are its subject. */
static void general_text(const json_t *action, char *out, size_t bytes)
{
    const char *kind = json_text(action, "action"), *text = json_text(action, "text");
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

/* The first step for one of the causes; NULL: there is none. */
static const json_t *step_for(const json_t *advice, const struct by_cause *steps, const json_t *causes)
{
    size_t i, first = SIZE_MAX;
    const json_t *cause;
    json_array_foreach(causes, i, cause) {
        size_t place = place_of_cause(steps, cause);
        first = place < first ? place : first;
    }
    return json_array_get(advice, first);
}

static bool add_advice(struct zoo *zoo, struct zoo_target *target, uint32_t root, const json_t *action,
                       uint64_t partitions)
{
    char text[ZOO_TEXT_BYTES];
    if (!action)
        return true;
    general_text(action, text, sizeof text);
    uint32_t key[2] = {root, intern_text(&zoo->texts, text)};
    if (key[1] == NO_NUMBER)
        return false;
    uint32_t number = intern(&target->advice, key, sizeof key);
    if (number == NO_NUMBER)
        return target->advice.count >= ZOO_ADVICE;
    struct zoo_advice *at = interned_item(&target->advice, number);
    const json_t *after = json_object_get(action, "after");
    at->root = root;
    at->text = key[1];
    at->models++;
    at->whole += is_done(verdict_at(after));
    at->partitions_before += partitions;
    at->partitions_after += count_at(after, "partitions");
    return true;
}

/* ---- roots -------------------------------------------------------------------------------------------------- */

/* The number of a root; NO_NUMBER when out of memory, or past ZOO_ROOTS. */
static uint32_t find_root(struct zoo *zoo, struct zoo_target *target, const json_t *root)
{
    static const char *const members[] = {"kind", "rule", "op"};
    char key[3 * ZOO_TEXT_BYTES];
    size_t length = 0;
    for (size_t i = 0; i < sizeof members / sizeof members[0]; i++)
        length += copy_text(key + length, ZOO_TEXT_BYTES, json_text(root, members[i])) + 1;
    uint32_t number = intern(&target->roots, key, length);
    uint32_t text = number == NO_NUMBER ? NO_NUMBER : intern_text(&zoo->texts, json_text(root, "text"));
    if (number != NO_NUMBER)
        ((struct zoo_root *)interned_item(&target->roots, number))->text = text == NO_NUMBER ? 0 : text;
    return number;
}

static int compare_numbers(const void *left, const void *right)
{
    const uint32_t *a = left, *b = right;
    return (*a > *b) - (*a < *b);
}

static bool add_set(struct zoo_target *target, uint32_t *set, size_t count)
{
    qsort(set, count, sizeof *set, compare_numbers);
    uint32_t number = intern(&target->sets, set, count * sizeof *set);
    if (number != NO_NUMBER)
        ++*(uint64_t *)interned_item(&target->sets, number);
    return number != NO_NUMBER;
}

/* Of a model that is not whole. It is taken to be whole once all its roots are fixed where planning again says so of a
 * step, or where a root has no step, as then it is the target that would be mended: a root may hide others, as dynamic
 * sizes do. */
static bool add_roots(struct zoo *zoo, struct zoo_target *target, const json_t *found, uint64_t partitions)
{
    const json_t *roots = json_object_get(found, "roots"), *advice = json_object_get(found, "advice"), *root;
    struct by_cause steps = find_by_cause(roots, advice);
    size_t i, count = json_array_size(roots);
    uint32_t set[ZOO_ROWS];
    bool is_fine = true, is_told = count > 0 && count <= ZOO_ROWS, becomes_whole = false;
    if (!steps.places)
        return false;
    json_array_foreach(roots, i, root) {
        const json_t *step = step_for(advice, &steps, json_object_get(root, "causes"));
        uint32_t number = find_root(zoo, target, root);
        becomes_whole = becomes_whole || !step || is_done(verdict_at(json_object_get(step, "after")));
        if (number == NO_NUMBER) {
            is_fine = is_fine && target->roots.count >= ZOO_ROOTS;
            target->left_out++;
            is_told = false;
            continue;
        }
        struct zoo_root *at = interned_item(&target->roots, number);
        at->models++;
        at->nodes += count_at(root, "nodes");
        at->affected += count_at(root, "victims");
        at->alone += count == 1 && becomes_whole;
        if (is_told)
            set[i] = number;
        is_fine = add_advice(zoo, target, number, step, partitions) && is_fine;
    }
    free(steps.places);
    target->hiding += count > 0 && !becomes_whole;
    return (!is_told || !becomes_whole || add_set(target, set, count)) && is_fine;
}

/* ---- models ------------------------------------------------------------------------------------------------- */

static struct zoo_target *find_target(struct zoo *zoo, const json_t *found)
{
    char name[ZOO_TEXT_BYTES];
    uint32_t number = intern(&zoo->targets, name, copy_text(name, sizeof name, json_text(found, "name")));
    if (number == NO_NUMBER)
        return NULL;
    struct zoo_target *target = interned_item(&zoo->targets, number);
    target->roots.most = ZOO_ROOTS;
    target->roots.item_bytes = sizeof(struct zoo_root);
    target->advice.most = ZOO_ADVICE;
    target->advice.item_bytes = sizeof(struct zoo_advice);
    target->sets.item_bytes = sizeof(uint64_t);
    return target;
}

static bool add_target(struct zoo *zoo, const json_t *found, bool has_invalid)
{
    struct zoo_target *target = find_target(zoo, found);
    const json_t *summary = json_object_get(found, "summary");
    enum zoo_verdict verdict = verdict_at(summary);
    if (!target)
        return zoo->targets.count >= ZOO_TARGETS;
    target->models++;
    target->verdicts[verdict]++;
    target->live += count_at(summary, "live");
    target->accepted += count_at(summary, "accepted");
    if (is_done(verdict))
        return true;
    target->invalid += has_invalid;
    return has_invalid || add_roots(zoo, target, found, count_at(summary, "partitions"));
}

static bool add_failure(struct zoo *zoo, const json_t *error)
{
    const char *code = json_text(error, "code");
    uint32_t number = intern_text(&zoo->codes, code ? code : "other");
    zoo->failures++;
    if (number != NO_NUMBER)
        ++*(uint64_t *)interned_item(&zoo->codes, number);
    return number != NO_NUMBER;
}

bool zoo_add(struct zoo *zoo, const json_t *document)
{
    const json_t *error = json_object_get(document, "error"), *targets = json_object_get(document, "targets"), *found;
    size_t i;
    zoo->models++;
    bool is_fine = !json_is_object(error) || add_failure(zoo, error), has_invalid = is_invalid_model(document);
    json_array_foreach(targets, i, found)
        is_fine = add_target(zoo, found, has_invalid) && is_fine;
    return is_fine;
}
