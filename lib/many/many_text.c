/* SPDX-License-Identifier: Apache-2.0
 *
 * The table over many models: models by verdict, then for each target the roots that keep models from being whole.
 * Roots are chosen one after the other: the one that makes most models whole with those above it fixed.
 */
#include <stdio.h>
#include <stdlib.h>

#include "many/many.h"

#define DEFAULT_COLUMNS 100u
#define LEAST_COLUMNS 60u
#define MOST_COLUMNS 120u
#define NUMBER_COLUMNS ((size_t)8) /* of a number with the blank before it */
#define NUMBERS 4u

struct table {
    const npart_many *many;
    const struct npart_report_options *look;
    struct npart__arena arena;
    struct npart__buffer *out;
    size_t columns;
};

static size_t columns_of(const char *text)
{
    return npart__columns_of(text, strlen(text));
}

/* ---- pieces ------------------------------------------------------------------------------------------------- */

static void put(struct table *table, const char *text)
{
    npart__append_text(table->out, text);
}

static void put_colored(struct table *table, const char *color, const char *text)
{
    if (table->look->use_color && *color) {
        put(table, "\033[");
        put(table, color);
        put(table, "m");
    }
    put(table, text);
    if (table->look->use_color && *color)
        put(table, "\033[0m");
}

/* A text from outside, in plain characters and no more than so many columns: its beginning. With `is_padded` in
 * exactly as many. */
static void put_text(struct table *table, const char *color, const char *text, size_t columns, bool is_padded)
{
    char plain[8 * NPART__MANY_TEXT_BYTES];
    (void)npart_plain_text(text, plain, sizeof plain);
    npart__cut_columns(plain, columns);
    put_colored(table, color, plain);
    for (size_t i = columns_of(plain); is_padded && i < columns; i++)
        put(table, " ");
}

static void put_number(struct table *table, const char *color, uint64_t number)
{
    char text[32];
    (void)snprintf(text, sizeof text, "%*llu", (int)NUMBER_COLUMNS, (unsigned long long)number);
    put_colored(table, number ? color : "2", text);
}

static void put_count(struct table *table, uint64_t count, const char *what)
{
    char text[64];
    (void)snprintf(text, sizeof text, "%llu %s%s", (unsigned long long)count, what, count == 1 ? "" : "s");
    put(table, text);
}

/* ---- orders, which do not depend on the order of documents --------------------------------------------------- */

/* What qsort compares: numbers of an interner with its keys. */
struct named {
    const char *name;
    uint64_t weight;
    uint32_t number;
};

/* The heaviest first, then by name. */
static int compare_named(const void *left, const void *right)
{
    const struct named *a = left, *b = right;
    if (a->weight != b->weight)
        return a->weight < b->weight ? 1 : -1;
    return strcmp(a->name, b->name);
}

/* All of an interner of texts; NULL when out of memory. `weighs`: by the counts that are its items. */
static struct named *sorted(struct npart__arena *arena, const struct npart__numbers *interner, bool weighs)
{
    struct named *list = npart__arena_zeroed(arena, interner->count + (size_t)1, sizeof *list);
    for (uint32_t i = 0; list && i < interner->count; i++) {
        uint64_t weight = weighs ? *(const uint64_t *)npart__numbered_item(interner, i) : 0;
        list[i] = (struct named){npart__numbered_key(interner, i, NULL), weight, i};
    }
    if (list && interner->count)
        qsort(list, interner->count, sizeof *list, compare_named);
    return list;
}

/* Keys of roots have a NUL between their parts, and all have as many parts. */
static int compare_keys(const struct npart__numbers *interner, uint32_t a, uint32_t b)
{
    size_t x, y;
    const char *left = npart__numbered_key(interner, a, &x), *right = npart__numbered_key(interner, b, &y);
    int order = memcmp(left, right, x < y ? x : y);
    return order ? order : (x > y) - (x < y);
}

/* ---- which roots to fix ------------------------------------------------------------------------------------- */

struct choice {
    uint64_t *gain;  /* by root: the models that it makes whole now */
    bool *is_chosen; /* by root */
};

/* Of each set whose roots are all chosen but one, that one gains the models. */
static void count_gains(const struct npart__many_target *target, struct choice *choice)
{
    memset(choice->gain, 0, target->roots.count * sizeof *choice->gain);
    for (uint32_t s = 0; s < target->sets.count; s++) {
        size_t bytes, left = 0;
        const char *set = npart__numbered_key(&target->sets, s, &bytes);
        uint32_t last = 0, root;
        for (size_t i = 0; i < bytes && left < 2; i += sizeof root) {
            memcpy(&root, set + i, sizeof root);
            if (choice->is_chosen[root])
                continue;
            last = root;
            left++;
        }
        if (left == 1)
            choice->gain[last] += *(const uint64_t *)npart__numbered_item(&target->sets, s);
    }
}

/* Whether `a` is to be told before `b`. */
static bool is_before(const struct npart__many_target *target, const struct choice *choice, uint32_t a, uint32_t b)
{
    const struct npart__many_root *x = npart__numbered_item(&target->roots, a);
    const struct npart__many_root *y = npart__numbered_item(&target->roots, b);
    if (choice->gain[a] != choice->gain[b])
        return choice->gain[a] > choice->gain[b];
    if (x->models != y->models)
        return x->models > y->models;
    if (x->affected != y->affected)
        return x->affected > y->affected;
    return compare_keys(&target->roots, a, b) < 0;
}

/* Chooses the next; NPART__NO_NUMBER where none is left. */
static uint32_t choose(const struct npart__many_target *target, struct choice *choice)
{
    uint32_t best = NPART__NO_NUMBER;
    count_gains(target, choice);
    for (uint32_t i = 0; i < target->roots.count; i++)
        if (!choice->is_chosen[i] && (best == NPART__NO_NUMBER || is_before(target, choice, i, best)))
            best = i;
    if (best != NPART__NO_NUMBER)
        choice->is_chosen[best] = true;
    return best;
}

/* The advice that most models have for the root; NULL: there is none. */
static const struct npart__many_advice *usual_advice(struct table *table, const struct npart__many_target *target,
                                                      uint32_t root)
{
    const struct npart__many_advice *best = NULL;
    for (uint32_t i = 0; i < target->advice.count; i++) {
        const struct npart__many_advice *at = npart__numbered_item(&target->advice, i);
        if (at->root != root)
            continue;
        bool is_better = !best || at->models > best->models ||
                         (at->models == best->models && compare_keys(&table->many->texts, at->text, best->text) < 0);
        best = is_better ? at : best;
    }
    return best;
}

/* ---- roots of a target -------------------------------------------------------------------------------------- */

/* " [54: 30 whole, 783 to 440 partitions]" */
static void put_advice(struct table *table, const struct npart__many_advice *advice)
{
    char effect[128];
    bool is_idle = advice->whole == 0 && advice->partitions_before == advice->partitions_after;
    int length = is_idle ? snprintf(effect, sizeof effect, " [%llu: no change]", (unsigned long long)advice->models)
                         : snprintf(effect, sizeof effect, " [%llu: %llu whole, %llu to %llu partitions]",
                                    (unsigned long long)advice->models, (unsigned long long)advice->whole,
                                    (unsigned long long)advice->partitions_before,
                                    (unsigned long long)advice->partitions_after);
    size_t left = table->columns - 4 > (size_t)length + 20 ? table->columns - 4 - (size_t)length : 20;
    put(table, "    ");
    put_text(table, "", npart__numbered_key(&table->many->texts, advice->text, NULL), left, false);
    put_colored(table, "2", effect);
    put(table, "\n");
}

static void put_root(struct table *table, const struct npart__many_target *target, uint32_t number, uint64_t gain)
{
    const struct npart__many_root *root = npart__numbered_item(&target->roots, number);
    const struct npart__many_advice *advice = usual_advice(table, target, number);
    put(table, "  ");
    put_text(table, "", npart__numbered_key(&table->many->texts, root->text, NULL),
             table->columns - 2 - NUMBERS * NUMBER_COLUMNS, true);
    put_number(table, "", root->models);
    put_number(table, "", root->affected);
    put_number(table, "", root->alone);
    put_number(table, "32", gain);
    put(table, "\n");
    if (advice)
        put_advice(table, advice);
}

/* Fewer where there are many targets. */
static size_t rows_of(struct table *table)
{
    size_t targets = table->many->targets.count;
    return table->look->is_verbose ? NPART__MANY_ROWS : targets <= 1 ? 10 : targets <= 4 ? 5 : 3;
}

static void put_roots(struct table *table, const struct npart__many_target *target)
{
    size_t count = target->roots.count + (size_t)1;
    struct choice choice = {.gain = npart__arena_zeroed(&table->arena, count, sizeof *choice.gain),
                            .is_chosen = npart__arena_zeroed(&table->arena, count, sizeof *choice.is_chosen)};
    uint64_t whole = 0;
    size_t rows = 0, most = rows_of(table);
    for (; choice.gain && choice.is_chosen && rows < most; rows++) {
        uint32_t root = choose(target, &choice);
        if (root == NPART__NO_NUMBER)
            break;
        whole += choice.gain[root];
        put_root(table, target, root, choice.gain[root]);
    }
    put(table, "  all these fixed: ");
    put_count(table, whole, "more model");
    put(table, whole == 1 ? " is whole" : " are whole");
    if (target->roots.count > rows) {
        put(table, "; ");
        put_count(table, target->roots.count - rows, "other root");
    }
    if (target->hiding) {
        put(table, "; ");
        put_count(table, target->hiding, "model");
        put(table, target->hiding == 1 ? " hides further ones" : " hide further ones");
    }
    if (target->left_out) {
        put(table, "; left out, as they are too many: ");
        put_count(table, target->left_out, "root");
    }
    put(table, "\n");
}

/* False where there is nothing to tell. */
static bool put_target(struct table *table, const struct named *name)
{
    static const char *const heads[NUMBERS] = {"models", "nodes", "alone", "in turn"};
    const struct npart__many_target *target = npart__numbered_item(&table->many->targets, name->number);
    const uint64_t *verdicts = target->verdicts;
    uint64_t done = verdicts[NPART__MANY_WHOLE] + verdicts[NPART__MANY_EDGE] + verdicts[NPART__MANY_EMPTY];
    if (target->roots.count == 0 && !target->invalid)
        return false;
    size_t left = table->columns - NUMBERS * NUMBER_COLUMNS;
    char text[NPART__MANY_TEXT_BYTES + 64];
    put(table, "\n");
    (void)snprintf(text, sizeof text, "%s: roots of %llu models", name->name,
                   (unsigned long long)(target->models - done));
    put_text(table, "1", text, left, true);
    for (size_t i = 0; i < NUMBERS; i++) {
        (void)snprintf(text, sizeof text, "%*s", (int)NUMBER_COLUMNS, heads[i]);
        put_colored(table, "2", text);
    }
    put(table, "\n");
    if (target->roots.count)
        put_roots(table, target);
    if (target->invalid) {
        put(table, "  ");
        put_count(table, target->invalid, "model");
        put(table, target->invalid == 1 ? " is" : " are");
        put(table, " invalid: ONNX Runtime does not load it\n");
    }
    return true;
}

/* What the columns are. */
static void put_legend(struct table *table)
{
    static const char *const lines[] = {
        "models, nodes: that a root affects. Models that become whole (or edge) when it is fixed: alone;",
        "in turn, with all roots above it; not those where planning again finds further roots.",
        "[models with this advice: what planning again says of them]",
    };
    put(table, "\n");
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        put_colored(table, "2", lines[i]);
        put(table, "\n");
    }
}

/* ---- verdicts ----------------------------------------------------------------------------------------------- */

/* "225 models; not analyzed: limit 2, malformed 1" */
static void put_models(struct table *table)
{
    const npart_many *many = table->many;
    struct named *codes = sorted(&table->arena, &many->codes, true);
    char text[32];
    put_count(table, many->models, "model");
    for (size_t i = 0; codes && i < many->codes.count; i++) {
        put(table, i == 0 ? "; not analyzed: " : ", ");
        put_text(table, "", codes[i].name, 20, false);
        (void)snprintf(text, sizeof text, " %llu", (unsigned long long)codes[i].weight);
        put(table, text);
    }
    put(table, "\n");
}

/* The columns of names, which leave room for those of numbers. */
static size_t name_columns(struct table *table, const struct named *names, size_t number_columns)
{
    size_t width = 8, left = table->columns > number_columns + width ? table->columns - number_columns : width;
    for (uint32_t i = 0; i < table->many->targets.count; i++) {
        size_t columns = columns_of(names[i].name) + 2;
        width = columns > width ? columns : width;
    }
    return width > left ? left : width;
}

/* A line a target, and columns of the verdicts that there are. */
static void put_verdicts(struct table *table, const struct named *names)
{
    static const char *const colors[NPART__MANY_VERDICTS] = {"32", "32", "33", "31", "31", "", ""};
    const struct npart__numbers *targets = &table->many->targets;
    uint64_t totals[NPART__MANY_VERDICTS] = {0};
    size_t shown = 1; /* the share of nodes */
    char text[64];
    for (uint32_t i = 0; i < targets->count; i++) {
        const struct npart__many_target *target = npart__numbered_item(targets, i);
        for (size_t v = 0; v < NPART__MANY_VERDICTS; v++)
            totals[v] += target->verdicts[v];
    }
    for (size_t v = 0; v < NPART__MANY_VERDICTS; v++)
        shown += totals[v] || v < NPART__MANY_EMPTY;
    size_t width = name_columns(table, names, shown * NUMBER_COLUMNS);
    put(table, "\n");
    put_text(table, "2", "target", width, true);
    for (size_t v = 0; v < NPART__MANY_VERDICTS; v++) {
        (void)snprintf(text, sizeof text, "%*s", (int)NUMBER_COLUMNS, npart__many_verdicts[v]);
        if (totals[v] || v < NPART__MANY_EMPTY)
            put_colored(table, "2", text);
    }
    put_colored(table, "2", " % nodes");
    put(table, "\n");
    for (uint32_t i = 0; i < targets->count; i++) {
        const struct npart__many_target *target = npart__numbered_item(targets, names[i].number);
        put_text(table, "1", names[i].name, width, true);
        for (size_t v = 0; v < NPART__MANY_VERDICTS; v++)
            if (totals[v] || v < NPART__MANY_EMPTY)
                put_number(table, colors[v], target->verdicts[v]);
        double share = target->live ? (double)target->accepted / (double)target->live : 1;
        (void)snprintf(text, sizeof text, "%*.1f\n", (int)NUMBER_COLUMNS, share * 100);
        put(table, text);
    }
}

npart_status npart_many_text(const npart_many *many, const struct npart_report_options *look,
                             npart_write_callback write, void *payload, struct npart_error *error)
{
    const struct npart_report_options plain = NPART_REPORT_OPTIONS_INIT;
    if (!many || !write)
        return npart__fail_null(!many ? "many" : "write", error);
    look = look ? look : &plain;
    struct table table = {.many = many, .look = look, .columns = look->width ? look->width : DEFAULT_COLUMNS};
    struct npart__buffer out;
    table.columns = table.columns < LEAST_COLUMNS ? LEAST_COLUMNS : table.columns;
    table.columns = table.columns > MOST_COLUMNS ? MOST_COLUMNS : table.columns;
    npart__buffer_open(&out, &table.arena, &many->life->arena.allocator, write, payload);
    table.out = &out;
    struct named *names = sorted(&table.arena, &many->targets, false);
    put_models(&table);
    if (names && many->targets.count)
        put_verdicts(&table, names);
    bool has_roots = false;
    for (size_t i = 0; names && i < many->targets.count; i++)
        has_roots = put_target(&table, &names[i]) || has_roots;
    if (has_roots)
        put_legend(&table);
    return npart__buffer_end(&out, write, payload, NPART_OK, error);
}
