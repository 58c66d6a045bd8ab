/* SPDX-License-Identifier: Apache-2.0
 *
 * Which output of one model is which input of another. Names tell it, as exporters give them
 * (names.def); where they do not, a type and shape that one output alone has; else the caller.
 * Inputs are looked up by name, so the time is linear in inputs and outputs.
 */
#include <stdio.h>

#include "place/place.h"

/* Pairs of an input and an output that are compared by shape; beyond it none are. */
#define NPART__LIMIT_COMPARED_SHAPES (UINT64_C(1) << 22)

/* Rows in the order in which they are sure: `rank` of a link is the row. A row of kind NONE bars its input's name for
 * this output in all rows after it, and "*" bars every name. */
static const struct naming {
    const char *output, *input;
    enum npart_link_kind kind;
} namings[] = {
#define NAMES(output, input, kind, source) {output, input, NPART_LINK_##kind},
#include "place/names.def"
};

/* An input or output of a model. */
struct end {
    uint32_t model, value; /* its place in the set; `value` is of that model's graph */
    const char *name;
    uint32_t next; /* input of the same name; NPART_NONE: the last */
    bool is_linked;
};

struct finder {
    struct npart__set *set;
    struct npart__strings names;
    struct NPART__ARRAY(struct end) inputs, outputs;
    struct NPART__ARRAY(uint32_t) first_of; /* input by interned name */
    struct npart__model_links found;        /* candidates, by output; until they are settled, of ends in these lists */
};

/* ---- ends --------------------------------------------------------------------------------------------------- */

/* Inputs of one name are chained through `next`, newest first; an initializer that is an input, too, is no input that
 * somebody has to give. `first_of` grows to the newest name's id. A name of two inputs is one entry in the table,
 * however many models have it. */
static bool add_ends(struct finder *finder, uint32_t model)
{
    const npart_inference *inference = finder->set->models[model];
    struct npart_graph graph = {.size = sizeof graph};
    struct npart_value value = {.size = sizeof value};
    struct npart__arena *arena = finder->set->arena;
    bool ok = npart_model_graph(npart_inference_model(inference), 0, &graph);
    for (uint32_t i = 0; ok && i < graph.output_count; i++)
        if (npart_inference_value(inference, graph.outputs[i], &value))
            ok = NPART__PUSH(arena, &finder->outputs,
                             ((struct end){.model = model, .value = graph.outputs[i], .name = value.name}));
    for (uint32_t i = 0; ok && i < graph.input_count; i++) {
        if (!npart_inference_value(inference, graph.inputs[i], &value) || value.source != NPART_SOURCE_INPUT)
            continue;
        uint32_t id = npart__intern(&finder->names, value.name, strlen(value.name), false);
        while (ok && id != NPART_NONE && finder->first_of.count <= id)
            ok = NPART__PUSH(arena, &finder->first_of, NPART_NONE);
        if (!ok || id == NPART_NONE)
            return false;
        struct end end = {model, graph.inputs[i], value.name, finder->first_of.items[id], false};
        ok = NPART__PUSH(arena, &finder->inputs, end);
        if (ok)
            finder->first_of.items[id] = finder->inputs.count - 1;
    }
    return ok;
}

/* How two tensors differ. */
struct difference {
    bool is_other_type; /* element type or rank */
    uint32_t axes;      /* with different sizes */
    uint32_t same;      /* axes with the same size above 1 */
    bool is_alike;      /* known by the same axes */
    bool is_open;       /* an axis but the first is dynamic */
};

/* As the models are before any size is fixed: axes that are dynamic on both sides are alike. A dim below 0 is
 * dynamic. Two symbols of different models are not compared by name: `batch` here need not be `batch` there. */
static struct difference compare(const struct finder *finder, const struct end *a, const struct end *b)
{
    const npart_inference *from = finder->set->models[a->model], *to = finder->set->models[b->model];
    struct npart_value left = {.size = sizeof left}, right = {.size = sizeof right};
    struct difference out = {.is_alike = true};
    if (!npart_inference_value(from, a->value, &left) || !npart_inference_value(to, b->value, &right) ||
        !left.has_rank || !right.has_rank)
        return (struct difference){0}; /* nothing is known: neither alike nor different */
    out.is_other_type = left.rank != right.rank ||
                        (left.element_type && right.element_type && left.element_type != right.element_type);
    for (uint32_t i = 0; !out.is_other_type && i < left.rank; i++) {
        int64_t l = npart_inference_dim(from, a->value, i), r = npart_inference_dim(to, b->value, i);
        out.axes += l >= 0 && r >= 0 && l != r;
        out.same += l == r && l > 1;
        out.is_alike &= l == r;
        out.is_open |= i > 0 && (l < 0 || r < 0);
    }
    return out;
}

/* ---- names --------------------------------------------------------------------------------------------------- */

/* The input's name that a row gives an output; NULL: the row is not about it. One star in a row takes the numbers
 * of layers and the like over: "present.*" to "past_key_values.*" gives "present.11.key" the name
 * "past_key_values.11.key". The star stands for one character at least. A name that does not fit in `room` links
 * nothing. */
static const char *wanted_name(const struct naming *row, const char *name, char *room, size_t bytes)
{
    const char *star = strchr(row->output, '*'), *hole = strchr(row->input, '*');
    size_t before = star ? (size_t)(star - row->output) : 0, length = strlen(name);
    size_t after = star ? strlen(star + 1) : 0;
    if (!star)
        return strcmp(row->output, name) == 0 ? row->input : NULL;
    if (length <= before + after || memcmp(name, row->output, before) != 0 ||
        strcmp(name + length - after, star + 1) != 0)
        return NULL;
    int written = snprintf(room, bytes, "%.*s%.*s%s", (int)(hole - row->input), row->input,
                           (int)(length - before - after), name + before, hole + 1);
    return written >= 0 && (size_t)written < bytes ? room : NULL;
}

/* Whether a pair of that row makes sense; names that are the same by chance are told from others by their types. A
 * cache grows by a run, so its dynamic axis may differ, or one where none is dynamic; it goes to its own part, or to
 * one that comes later. A row with a star has to fit exactly, as the same pattern names a hundred tensors; a row
 * with a full name is sure enough that a difference is taken for a conversion. A cache `present` [1,12,past+1,64]
 * may go to `past` [1,12,past,64], as both axes are dynamic; of fixed sizes 17 and 16 one axis may differ. */
static bool is_link(struct finder *finder, const struct end *output, const struct end *input, uint32_t row,
                    enum npart_link_kind *kind)
{
    struct difference difference = compare(finder, output, input);
    bool is_same_model = output->model == input->model, is_other = difference.is_other_type || difference.axes;
    *kind = namings[row].kind;
    if (*kind == NPART_LINK_CACHE)
        return output->model <= input->model && !difference.is_other_type &&
               difference.axes <= (difference.is_open ? 0 : 1);
    if (*kind == NPART_LINK_APPLICATION)
        return !is_other;
    if (is_same_model || (is_other && strchr(namings[row].output, '*')))
        return false;
    if (is_other)
        *kind = NPART_LINK_APPLICATION; /* that converts it; told when sizes are known */
    return true;
}

/* An output may go to several models, and to several inputs of one only by the same row: `served` has the models that
 * an earlier, surer row has found, and `before` is what it was when the row began. Time is in proportion to rows
 * and to the inputs of the names that they give. The name of a bar has a buffer of its own, since it is asked for
 * in all rows after it. */
static bool name_output(struct finder *finder, uint32_t at)
{
    const struct end *output = &finder->outputs.items[at];
    uint64_t served = 0; /* models */
    const char *barred = NULL;
    char room[512] = "", barred_room[512] = "";
    for (uint32_t r = 0; r < NPART__COUNT(namings); r++) {
        bool is_bar = namings[r].kind == NPART_LINK_NONE;
        const char *wanted = wanted_name(&namings[r], output->name, is_bar ? barred_room : room, sizeof room);
        if (!wanted)
            continue;
        if (is_bar)
            barred = wanted;
        if (barred && (strcmp(barred, "*") == 0 || strcmp(barred, wanted) == 0))
            continue;
        uint32_t id = npart__strings_find_text(&finder->names, wanted);
        uint64_t before = served;
        for (uint32_t i = id < finder->first_of.count ? finder->first_of.items[id] : NPART_NONE; i != NPART_NONE;
             i = finder->inputs.items[i].next) {
            const struct end *input = &finder->inputs.items[i];
            struct npart__model_link link = {output->model, input->model, at, i, NPART_LINK_TENSOR, NPART_FROM_NAME, r};
            if ((before >> input->model & 1) || !is_link(finder, output, input, r, &link.kind))
                continue;
            served |= UINT64_C(1) << input->model;
            if (!NPART__PUSH(finder->set->arena, &finder->found, link))
                return false;
        }
    }
    return true;
}

/* ---- what the caller says ------------------------------------------------------------------------------------ */

bool npart__is_called(const struct npart__set *set, uint32_t model, const char *text, size_t length)
{
    struct npart_model_info info = {.size = sizeof info};
    const char *name = npart__last_component(set, model);
    (void)npart_model_info(npart_inference_model(set->models[model]), &info);
    return npart__is_text(name, text, length) || npart__is_text(info.name, text, length);
}

/* "PART:TENSOR"; names may hold any character, so every place to split is tried. NPART_NONE: there is none. Linear
 * for each link that the caller gives, of which there are few. */
static uint32_t find_end(const struct finder *finder, const char *text, size_t length, bool is_output)
{
    const struct end *ends = is_output ? finder->outputs.items : finder->inputs.items;
    uint32_t count = is_output ? finder->outputs.count : finder->inputs.count;
    for (uint32_t i = 0; i < count; i++) {
        size_t tail = strlen(ends[i].name);
        if (tail < length && memcmp(text + length - tail, ends[i].name, tail) == 0 && text[length - tail - 1] == ':' &&
            npart__is_called(finder->set, ends[i].model, text, length - tail - 1))
            return i;
    }
    return NPART_NONE;
}

/* Which end is wrong is told by the end that can be found, and the nearest name is offered. All ends are formatted
 * to offer them, which an error can afford. */
static npart_status refuse_link(const struct finder *finder, const char *text, struct npart_error *error)
{
    struct npart__nearest nearest;
    char hint[NPART__HINT_BYTES];
    const char *equals = strrchr(text, '=');
    if (!equals)
        return npart__fail(error, NPART_ERROR_ARGUMENT, "", "link %s: expected PART:OUTPUT=PART:INPUT", text);
    bool has_output = find_end(finder, text, (size_t)(equals - text), true) != NPART_NONE;
    const char *wrong = has_output ? equals + 1 : text;
    size_t length = has_output ? strlen(wrong) : (size_t)(equals - text);
    npart__nearest_init(&nearest, wrong, length);
    for (uint32_t i = 0; i < (has_output ? finder->inputs.count : finder->outputs.count); i++) {
        const struct end *end = has_output ? &finder->inputs.items[i] : &finder->outputs.items[i];
        const char *full = npart__arena_format(finder->set->arena, "%s:%s",
                                               npart__short_name(finder->set, end->model), end->name);
        if (full)
            npart__nearest_offer(&nearest, full);
    }
    return npart__fail(error, NPART_ERROR_ARGUMENT, "", "link %s: no model of the set has the %s %.*s%s", text,
                       has_output ? "input" : "output", (int)(length > 100 ? 100 : length), wrong,
                       npart__nearest_hint(&nearest, hint, sizeof hint));
}

/* What the caller says comes before all else. */
static npart_status add_link(struct finder *finder, const char *text, struct npart_error *error)
{
    /* A name may have a '=', so every one is tried as the place between the ends. */
    for (const char *equals = strchr(text, '='); equals; equals = strchr(equals + 1, '=')) {
        uint32_t from = find_end(finder, text, (size_t)(equals - text), true);
        uint32_t to = find_end(finder, equals + 1, strlen(equals + 1), false);
        if (from == NPART_NONE || to == NPART_NONE)
            continue;
        uint32_t maker = finder->outputs.items[from].model, taker = finder->inputs.items[to].model;
        /* A part that feeds itself is a cache, whatever its tensors are called. */
        struct npart__model_link link = {maker, taker, from, to, maker == taker ? NPART_LINK_CACHE : NPART_LINK_TENSOR,
                                         NPART_FROM_USER, 0};
        return NPART__PUSH(finder->set->arena, &finder->found, link) ? NPART_OK : npart__fail_memory(error);
    }
    return refuse_link(finder, text, error);
}

/* ---- which of several ---------------------------------------------------------------------------------------- */

/* No link at all is taken then: a wrong one would count a transfer that there is not, or leave out one that there
 * is. */
static bool tell_ambiguous(struct finder *finder, const struct end *input, const struct npart__model_link *a,
                           const struct npart__model_link *b)
{
    const struct end *ends = finder->outputs.items;
    const char *text = npart__arena_format(
        finder->set->arena, "%s: input `%s` may come from `%s` of %s or from `%s` of %s; say which (--link)",
        npart__short_name(finder->set, input->model), input->name, ends[a->output].name,
        npart__short_name(finder->set, a->from), ends[b->output].name, npart__short_name(finder->set, b->from));
    return npart__note(finder->set, text);
}

/* Whether `a` is surer than `b`. The caller first; then a cache, as its tensors come from the part's own last run;
 * then the row that stands first. */
static bool is_surer(const struct npart__model_link *a, const struct npart__model_link *b)
{
    bool by_user = a->origin == NPART_FROM_USER, is_cache = a->kind == NPART_LINK_CACHE;
    if (by_user != (b->origin == NPART_FROM_USER))
        return by_user;
    return is_cache != (b->kind == NPART_LINK_CACHE) ? is_cache : a->rank < b->rank;
}

/* Of an input's candidates (`first` to `end` in `links`) those that count: the caller's; else those of a cache, which
 * comes from the part itself and from one before it; else the best row's, if that is one. A decoder's `past.0` may
 * come from its own `present.0` and from that of the model which reads the prompt; both links are kept, as both are
 * true. */
static bool settle(struct finder *finder, uint32_t at, struct npart__model_link *links, uint32_t count,
                   struct npart__model_links *out)
{
    const struct npart__model_link *best = NULL, *other = NULL;
    struct end *input = &finder->inputs.items[at];
    for (uint32_t i = 0; i < count; i++) {
        if (!best || is_surer(&links[i], best)) {
            best = &links[i];
            other = NULL;
        } else if (!is_surer(best, &links[i])) {
            other = &links[i];
        }
    }
    if (!best)
        return true;
    input->is_linked = true; /* also where it stays ambiguous: shapes would not tell more */
    if (other && best->kind != NPART_LINK_CACHE)
        return tell_ambiguous(finder, input, best, other);
    for (uint32_t i = 0; i < count; i++) {
        struct npart__model_link link = links[i];
        bool is_kept = &links[i] == best || (link.kind == NPART_LINK_CACHE && best->kind == NPART_LINK_CACHE &&
                                             (link.from == link.to || best->origin != NPART_FROM_USER));
        if (!is_kept)
            continue;
        struct end *output = &finder->outputs.items[link.output];
        output->is_linked = true;
        link.output = output->value;
        link.input = input->value;
        if (!NPART__PUSH(finder->set->arena, out, link))
            return false;
    }
    return true;
}

/* Candidates in the order of inputs, by counting. A counting sort keeps the candidates of an input in the order of
 * outputs, so that notes and links come out the same each time. */
static bool settle_all(struct finder *finder, struct npart__model_links *out)
{
    struct npart__arena *arena = finder->set->arena;
    uint32_t *starts = npart__arena_zeroed(arena, finder->inputs.count + (size_t)2, sizeof *starts);
    struct npart__model_link *sorted = npart__arena_zeroed(arena, finder->found.count + (size_t)1, sizeof *sorted);
    bool ok = starts && sorted;
    for (uint32_t i = 0; ok && i < finder->found.count; i++)
        starts[finder->found.items[i].input + 2]++;
    for (uint32_t i = 0; ok && i < finder->inputs.count; i++)
        starts[i + 1] += starts[i];
    for (uint32_t i = 0; ok && i < finder->found.count; i++)
        sorted[starts[finder->found.items[i].input + 1]++] = finder->found.items[i];
    for (uint32_t i = 0; ok && i < finder->inputs.count; i++)
        ok = settle(finder, i, sorted + starts[i], starts[i + 1] - starts[i], out);
    return ok;
}

/* ---- shapes -------------------------------------------------------------------------------------------------- */

/* An activation of three axes or more, which ids, masks and lengths are not. */
static bool is_activation(const struct finder *finder, const struct end *end)
{
    struct npart_value value = {.size = sizeof value};
    return npart_inference_value(finder->set->models[end->model], end->value, &value) && value.rank >= 3 &&
           npart__type_is_float(value.element_type);
}

/* `from` by input: an output of its type and shape; `uses` by output: how many inputs it may be. Both directions
 * have to be without a choice: an input with two outputs to take from, or an output that fits two inputs, makes a
 * note. */
static bool add_matches(struct finder *finder, const uint32_t *from, const uint32_t *uses,
                        struct npart__model_links *out)
{
    struct npart__arena *arena = finder->set->arena;
    bool ok = true;
    for (uint32_t i = 0; ok && i < finder->inputs.count; i++) {
        const struct end *input = &finder->inputs.items[i];
        if (from[i] == NPART_NONE)
            continue;
        const struct end *output = &finder->outputs.items[from[i]];
        if (uses[from[i]] == 1)
            ok = NPART__PUSH(arena, out,
                             ((struct npart__model_link){output->model, input->model, output->value, input->value,
                                                         NPART_LINK_TENSOR, NPART_FROM_SHAPE, 0}));
        else
            ok = npart__note(finder->set,
                             npart__arena_format(arena, "%s: input `%s` may come from `%s` of %s, and others have the "
                                                 "same type and shape; say which (--link)",
                                                 npart__short_name(finder->set, input->model), input->name,
                                                 output->name, npart__short_name(finder->set, output->model)));
    }
    return ok;
}

/* The outputs that may be some input's by their shape, in the order of models: activations that no link has. NULL when
 * out of memory. */
static uint32_t *list_open(const struct finder *finder, uint32_t *count)
{
    uint32_t *open = npart__arena_zeroed(finder->set->arena, finder->outputs.count + (size_t)1, sizeof *open);
    *count = 0;
    for (uint32_t o = 0; open && o < finder->outputs.count; o++)
        if (!finder->outputs.items[o].is_linked && is_activation(finder, &finder->outputs.items[o]))
            open[(*count)++] = o;
    return open;
}

/* Inputs that no name tells of, from the outputs of earlier models that no input takes. Earlier ones only: without
 * a name nothing tells a circle from a chain, and a caller lists a pipeline in its order. Every pair of such an input
 * and such an output is compared, hence NPART__LIMIT_COMPARED_SHAPES. */
static bool match_shapes(struct finder *finder, struct npart__model_links *out)
{
    uint32_t *from = npart__arena_zeroed(finder->set->arena, finder->inputs.count + (size_t)1, sizeof *from);
    uint32_t *uses = npart__arena_zeroed(finder->set->arena, finder->outputs.count + (size_t)1, sizeof *uses);
    uint32_t count = 0, *open = list_open(finder, &count);
    bool ok = from && uses && open;
    uint64_t pairs = (uint64_t)finder->inputs.count * count;
    if (ok && pairs > NPART__LIMIT_COMPARED_SHAPES)
        return npart__note(finder->set, "too many inputs and outputs to compare shapes: links are by names alone");
    for (uint32_t i = 0; ok && i < finder->inputs.count; i++) {
        const struct end *input = &finder->inputs.items[i];
        bool is_asked = !input->is_linked && is_activation(finder, input);
        from[i] = NPART_NONE;
        for (uint32_t k = 0; is_asked && k < count; k++) {
            const struct end *output = &finder->outputs.items[open[k]];
            if (output->model >= input->model)
                break;
            struct difference difference = compare(finder, output, input);
            if (!difference.is_alike || difference.is_other_type || !difference.same)
                continue; /* sizes above 1 have to agree somewhere: [1, 1, ?] fits too much */
            uses[open[k]] += from[i] == NPART_NONE ? 1 : 2; /* of an input with a choice none is sure */
            from[i] = open[k];
        }
    }
    return ok && add_matches(finder, from, uses, out);
}

/* ---- the whole ------------------------------------------------------------------------------------------------ */

/* The caller's links come first into `found`, so that nothing found later is before them; sizes are not fixed yet,
 * since which sizes come with a tensor is known by the links only. */
npart_status npart__find_links(struct npart__set *set, const char *const *links, uint32_t count,
                               struct npart__model_links *out, struct npart_error *error)
{
    struct finder finder = {.set = set};
    npart_status status = NPART_OK;
    bool ok = npart__strings_init(&finder.names, set->arena);
    for (uint32_t m = 0; ok && m < set->count; m++)
        ok = add_ends(&finder, m);
    for (uint32_t i = 0; ok && status == NPART_OK && i < count; i++)
        status = add_link(&finder, links[i], error);
    for (uint32_t i = 0; ok && status == NPART_OK && i < finder.outputs.count; i++)
        ok = name_output(&finder, i);
    if (status == NPART_OK)
        ok = ok && settle_all(&finder, out) && match_shapes(&finder, out);
    return ok ? status : npart__fail_memory(error);
}
