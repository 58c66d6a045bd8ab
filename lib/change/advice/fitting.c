/* SPDX-License-Identifier: Apache-2.0
 *
 * Cuts by which each part fits, where there is no room for all weights at once.
 *
 * The nodes of the main graph are divided in order into as few parts as fit, and of all such divisions into that
 * between whose parts the fewest bytes pass: a shortest path over the places between two nodes. What fits ends at each
 * place no earlier than at the one before it, so two ends move over the nodes once, and the best beginnings wait in a
 * queue. A cut is at the tensors that cross its place and that nothing before it uses; others go on beside it. What
 * comes of it is planned again, as a user's own cuts are.
 */
#include "advice/way.h"
#include "fix/fix.h"
#include "memory/memory.h"

#define MOST_PARTS 64u
/* Parts that turn out too large are made smaller so often. */
#define MOST_TRIES 4u

/* What a place between two nodes costs as a cut. */
struct place {
    uint64_t bytes;        /* that cross it */
    uint32_t unsized;      /* tensors without a size that do */
    uint32_t tensors;      /* of these such as nothing before it uses */
    uint32_t parts, from;  /* of the best way to it: how many; where its last one begins. NPART_NONE: there is none */
    uint64_t passed;       /* bytes of that way's cuts */
};

/* Arrays by position among the nodes of the main graph. */
struct division {
    const struct npart__plan *plan;
    struct npart__memory_request request; /* for sizes of values */
    struct npart__arena *scratch;
    uint32_t count;
    uint32_t *position_of;  /* by node; of a body its holder's; NPART_NONE: it does not run */
    uint32_t *first_use, *last_use; /* by value: positions of the nodes that use it */
    uint32_t *first_weight; /* by position: the weights of its nodes begin there, in `weights` */
    uint32_t *weights;      /* values */
    uint32_t *held;         /* by value: how many nodes of the part at hand use it */
    struct place *places;   /* one more than nodes: before each, and after the last */
    uint32_t *queue;        /* places, the best first */
};

/* ---- what there is ----------------------------------------------------------------------------------------------- */

static struct npart_bytes bytes_of(const struct division *at, uint32_t value)
{
    return npart__value_bytes(&at->request, value, at->plan->memory.float32_bytes);
}

static void find_positions(struct division *at)
{
    const struct npart__graph *graph = at->plan->session.graph;
    memset(at->position_of, 0xff, graph->nodes.count * sizeof *at->position_of);
    for (uint32_t i = 0; i < graph->order_count; i++) { /* the main graph comes first, so holders before bodies */
        uint32_t id = graph->order[i], region = npart__node_region(graph, id);
        if (!npart__is_live(&at->plan->session, id))
            continue;
        at->position_of[id] = region == 0 ? at->count++ : at->position_of[npart__holder_of(graph, id)];
    }
}

static void note_uses(struct division *at, uint32_t id)
{
    const struct npart__graph *graph = at->plan->session.graph;
    const struct npart__node *node = npart__node_at(graph, id);
    uint32_t position = at->position_of[id];
    for (uint32_t k = 0; k < node->input_count + node->capture_count; k++) {
        uint32_t value = npart__live_operand(&at->plan->session, node, k);
        if (value == NPART_NONE)
            continue;
        if (at->first_use[value] == NPART_NONE || position < at->first_use[value])
            at->first_use[value] = position;
        if (at->last_use[value] == NPART_NONE || position > at->last_use[value])
            at->last_use[value] = position;
    }
}

/* Counted in places at which it begins to cross and at which it does no more; summed up afterwards. */
static void cross_places(struct division *at, uint32_t id)
{
    const struct npart__graph *graph = at->plan->session.graph;
    const struct npart__node *node = npart__node_at(graph, id);
    for (uint32_t k = 0; k < node->output_count; k++) {
        uint32_t value = npart__node_output(graph, node, k), from = at->position_of[id] + 1;
        if (value == NPART_NONE || at->last_use[value] == NPART_NONE || at->last_use[value] < from)
            continue;
        struct npart_bytes bytes = bytes_of(at, value);
        struct place *to = &at->places[at->last_use[value] + 1];
        at->places[from].bytes += bytes.bytes;
        at->places[from].unsized += bytes.is_partial;
        to->bytes -= bytes.bytes; /* wraps until it is summed up */
        to->unsized -= bytes.is_partial;
        at->places[from].tensors++;
        at->places[at->first_use[value] + 1].tensors--;
    }
}

static void find_places(struct division *at)
{
    const struct npart__graph *graph = at->plan->session.graph;
    memset(at->first_use, 0xff, graph->values.count * sizeof *at->first_use);
    memset(at->last_use, 0xff, graph->values.count * sizeof *at->last_use);
    for (uint32_t i = 0; i < graph->nodes.count; i++)
        if (at->position_of[i] != NPART_NONE)
            note_uses(at, i);
    for (uint32_t i = 0; i < graph->nodes.count; i++)
        if (at->position_of[i] != NPART_NONE && npart__node_region(graph, i) == 0)
            cross_places(at, i);
    for (uint32_t i = 1; i <= at->count; i++) {
        at->places[i].bytes += at->places[i - 1].bytes;
        at->places[i].unsized += at->places[i - 1].unsized;
        at->places[i].tensors += at->places[i - 1].tensors;
    }
}

/* The constants of a node and of what is fused into it, of nodes that the NPU takes. With `is_counted` they are
 * counted, a place further on; else kept. */
static void add_weights(struct division *at, const struct npart__graph *graph, uint32_t id, bool is_counted)
{
    const struct npart__session *session = &at->plan->session;
    const struct npart__node *node = npart__node_at(graph, id);
    uint32_t into = npart__is_live(session, id) ? id : npart__fused_into(session, id);
    if (into == NPART_NONE || at->position_of[into] == NPART_NONE ||
        at->plan->partitioning.partition_of[into] == NPART_NONE)
        return;
    for (uint32_t k = 0; k < node->input_count + node->capture_count; k++) {
        uint32_t value = npart__node_use(graph, node, k);
        if (value == NPART_NONE || !session->is_constant[value])
            continue;
        if (is_counted)
            at->first_weight[at->position_of[into] + 1]++;
        else
            at->weights[at->first_weight[at->position_of[into]]++] = value;
    }
}

/* What is fused has operands in the file's graph alone. */
static void add_all_weights(struct division *at, bool is_counted)
{
    const struct npart__session *session = &at->plan->session;
    for (uint32_t i = 0; i < session->graph->nodes.count; i++) {
        bool is_live = npart__is_live(session, i);
        if (is_live || !npart__is_copy(session->graph, i))
            add_weights(at, is_live ? session->graph : session->file, i, is_counted);
    }
}

/* Filling moves each beginning to the next one's place. False when out of memory. */
static bool find_weights(struct division *at)
{
    at->first_weight = npart__arena_zeroed(at->scratch, at->count + (size_t)2, sizeof *at->first_weight);
    if (!at->first_weight)
        return false;
    add_all_weights(at, true);
    for (uint32_t i = 1; i <= at->count; i++)
        at->first_weight[i] += at->first_weight[i - 1];
    at->weights = npart__arena_allocate(at->scratch, (at->first_weight[at->count] + (size_t)1) * sizeof *at->weights);
    if (!at->weights)
        return false;
    add_all_weights(at, false);
    memmove(at->first_weight + 1, at->first_weight, at->count * sizeof *at->first_weight);
    at->first_weight[0] = 0;
    return true;
}

static bool open_division(struct division *at, const struct npart__plan *plan, struct npart__arena *scratch)
{
    const struct npart__graph *graph = plan->session.graph;
    size_t nodes = graph->nodes.count + (size_t)2, values = graph->values.count + (size_t)1;
    *at = (struct division){.plan = plan, .scratch = scratch, .request = {.session = &plan->session}};
    at->position_of = npart__arena_allocate(scratch, nodes * sizeof *at->position_of);
    at->first_use = npart__arena_allocate(scratch, values * sizeof *at->first_use);
    at->last_use = npart__arena_allocate(scratch, values * sizeof *at->last_use);
    at->held = npart__arena_zeroed(scratch, values, sizeof *at->held);
    at->places = npart__arena_zeroed(scratch, nodes, sizeof *at->places);
    at->queue = npart__arena_allocate(scratch, nodes * sizeof *at->queue);
    if (!at->position_of || !at->first_use || !at->last_use || !at->held || !at->places || !at->queue)
        return false;
    find_positions(at);
    find_places(at);
    return find_weights(at);
}

/* ---- the shortest path ------------------------------------------------------------------------------------------- */

/* The part gets a node more, or loses its first; what weights it then has. */
static uint64_t grow(struct division *at, uint32_t position, uint64_t bytes)
{
    for (uint32_t i = at->first_weight[position]; i < at->first_weight[position + 1]; i++)
        bytes += at->held[at->weights[i]]++ == 0 ? bytes_of(at, at->weights[i]).bytes : 0;
    return bytes;
}

static uint64_t shrink(struct division *at, uint32_t position, uint64_t bytes)
{
    for (uint32_t i = at->first_weight[position]; i < at->first_weight[position + 1]; i++)
        bytes -= --at->held[at->weights[i]] == 0 ? bytes_of(at, at->weights[i]).bytes : 0;
    return bytes;
}

/* Names of tensors are told, so there is a limit to how many. */
static bool can_begin(const struct division *at, uint32_t place)
{
    const struct place *is = &at->places[place];
    return is->parts != NPART_NONE &&
           (place == 0 || (is->tensors > 0 && is->tensors <= NPART__LIMIT_CUT_TENSORS));
}

/* Whether a part that begins at `a` is worse than one at `b`. */
static bool is_worse(const struct place *a, const struct place *b)
{
    return a->parts != b->parts ? a->parts > b->parts : a->passed + a->bytes > b->passed + b->bytes;
}

/* By each place the best way to it, of parts with at most so many bytes of weights. Whether there is one to the end. */
static bool find_path(struct division *at, uint64_t most_bytes)
{
    uint32_t first = 0, last = 0, begin = 0; /* of the queue; the earliest beginning that fits */
    uint64_t bytes = 0;
    memset(at->held, 0, at->plan->session.graph->values.count * sizeof *at->held);
    at->places[0].parts = 0;
    at->places[0].passed = 0;
    for (uint32_t place = 1; place <= at->count; place++) {
        struct place *is = &at->places[place];
        if (can_begin(at, place - 1)) {
            while (last > first && is_worse(&at->places[at->queue[last - 1]], &at->places[place - 1]))
                last--;
            at->queue[last++] = place - 1;
        }
        bytes = grow(at, place - 1, bytes);
        while (bytes > most_bytes && begin < place)
            bytes = shrink(at, begin++, bytes);
        while (first < last && at->queue[first] < begin)
            first++;
        const struct place *from = first < last ? &at->places[at->queue[first]] : NULL;
        is->parts = from ? from->parts + 1 : NPART_NONE;
        is->from = from ? at->queue[first] : NPART_NONE;
        is->passed = from ? from->passed + (at->queue[first] ? from->bytes : 0) : 0;
    }
    return at->places[at->count].parts != NPART_NONE;
}

/* Of as few parts, with as few bytes between them, those of which the largest is smallest: a part that just fits may
 * not fit with what else is there. Each half of what is left is tried once, to within a share. */
static bool find_even_path(struct division *at, uint64_t most_bytes)
{
    if (!find_path(at, most_bytes))
        return false;
    const struct place found = at->places[at->count];
    uint64_t low = found.parts ? most_bytes / (2 * (uint64_t)found.parts) : 0, high = most_bytes;
    while (high - low > most_bytes / 1024) {
        uint64_t middle = low + (high - low) / 2;
        const struct place *is = &at->places[at->count];
        bool is_as_good = find_path(at, middle) && is->parts == found.parts && is->passed <= found.passed;
        high = is_as_good ? middle : high;
        low = is_as_good ? low : middle;
    }
    return find_path(at, high);
}

/* ---- the cuts ---------------------------------------------------------------------------------------------------- */

struct cuts {
    const char *names[MOST_PARTS * NPART__LIMIT_CUT_TENSORS];
    uint32_t count, parts;
    uint64_t bytes;   /* that pass */
    uint32_t unsized; /* tensors without a size that pass */
};

/* Tensors of one place. False where one cannot be named by an option: the tool divides at commas. */
static bool add_names(const struct division *at, uint32_t place, struct cuts *cuts)
{
    const struct npart__graph *graph = at->plan->session.graph;
    for (uint32_t v = 0; v < graph->values.count; v++) {
        uint32_t producer = npart__producer(graph, v);
        if (producer == NPART_NONE || at->position_of[producer] == NPART_NONE ||
            at->position_of[producer] >= place || at->first_use[v] == NPART_NONE || at->first_use[v] < place ||
            npart__node_region(graph, producer) != 0)
            continue;
        const char *name = npart__value_name(at->plan->graph, npart__value_at(graph, v)->alias);
        bool is_there = false;
        for (uint32_t i = 0; i < cuts->count; i++)
            is_there |= strcmp(cuts->names[i], name) == 0;
        if (!*name || strchr(name, ',') || cuts->count == NPART__COUNT(cuts->names))
            return false;
        if (!is_there)
            cuts->names[cuts->count++] = name;
    }
    return true;
}

static bool list_cuts(const struct division *at, struct cuts *cuts)
{
    *cuts = (struct cuts){.parts = at->places[at->count].parts, .bytes = at->places[at->count].passed};
    if (cuts->parts > MOST_PARTS)
        return false;
    uint32_t places[MOST_PARTS], count = 0;
    for (uint32_t place = at->places[at->count].from; place; place = at->places[place].from) {
        places[count++] = place;
        cuts->unsized += at->places[place].unsized;
    }
    while (count > 0)
        if (!add_names(at, places[--count], cuts))
            return false;
    return cuts->count > 0;
}

/* ---- planned again ----------------------------------------------------------------------------------------------- */

/* What is limited of a part: its weights, and these with activations. UINT64_MAX: nothing. */
struct room {
    uint64_t weights, session;
    bool is_enough; /* something else has no room, which no cut helps */
};

static struct room room_of(const struct npart__plan *plan)
{
    struct room room = {UINT64_MAX, UINT64_MAX, true};
    for (uint32_t i = 0; i < plan->memory.told.limit_count; i++) {
        const struct npart_memory_limit *at = &plan->memory.told.limits[i];
        bool is_session = at->of == NPART_LIMITED_SESSION;
        bool is_weights = at->of == NPART_LIMITED_WEIGHTS || at->of == NPART_LIMITED_PARTITION_WEIGHTS;
        uint64_t *most = is_session ? &room.session : &room.weights;
        if (!is_session && !is_weights) {
            room.is_enough &= at->fits != NPART_FIT_NO || at->of == NPART_LIMITED_ONE_FILE;
            continue;
        }
        *most = at->safe_bytes < *most ? at->safe_bytes : *most;
    }
    return room;
}

/* By how much the largest part is too large: the partitions of a segment are in one session. UINT64_MAX: parts are not
 * apart, or a size in them is not known. */
static uint64_t excess_of(const struct npart__plan *plan, const struct room *room, uint32_t parts,
                          struct npart__arena *scratch)
{
    const struct npart__partitioning *all = &plan->partitioning;
    struct part {
        uint64_t weights, peak;
    } *sums = npart__arena_zeroed(scratch, all->partitions.count + parts + (size_t)1, sizeof *sums);
    uint64_t excess = 0;
    bool is_known = true;
    for (uint32_t p = 0; sums && p < all->partitions.count; p++) {
        uint32_t first = all->lists.items[all->partitions.items[p].first_member];
        uint32_t segment = all->cuts.segment_of ? all->cuts.segment_of[first] : 0;
        struct part *sum = &sums[segment < parts ? segment : parts];
        const struct npart__partition_memory *memory = &plan->memory.partitions[p];
        is_known &= !memory->weights.is_partial && (room->session == UINT64_MAX || !memory->peak.is_partial);
        sum->weights += memory->weights.bytes;
        sum->peak = memory->peak.bytes > sum->peak ? memory->peak.bytes : sum->peak;
        uint64_t over = memory->weights.bytes > room->weights ? memory->weights.bytes - room->weights : 0;
        const uint64_t held = sum->weights + sum->peak;
        if (held > room->session && held - room->session > over)
            over = held - room->session;
        excess = over > excess ? over : excess;
    }
    return sums && is_known && all->cuts.segment_of ? excess : UINT64_MAX;
}

/* NULL with NPART_OK: it cannot be planned. */
static npart_status plan_with(struct npart__way *way, const struct npart__plan *plan, const struct cuts *cuts,
                              struct npart__plan **out)
{
    struct npart__plan_request request = plan->request;
    const size_t count = request.cut_count + (size_t)cuts->count;
    const char **names = npart__arena_allocate(&way->scratch, (count + 1) * sizeof *names);
    *out = npart__arena_zeroed(&way->scratch, 1, sizeof **out);
    if (!names || !*out)
        return npart__fail_memory(way->error);
    for (uint32_t i = 0; i < count; i++)
        names[i] = i < request.cut_count ? request.cuts[i] : cuts->names[i - request.cut_count];
    request.cuts = names;
    request.cut_count += cuts->count;
    request.is_trial = false;
    npart_status status = npart__plan_make(&request, &way->scratch, *out, NULL);
    if (status == NPART_OK)
        return NPART_OK;
    *out = NULL;
    return status == NPART_ERROR_MEMORY ? npart__fail_memory(way->error) : NPART_OK;
}

/* ---- the step ---------------------------------------------------------------------------------------------------- */

/* The command line that writes the parts, of a model that needs no more options. False when out of memory. */
static bool write_run(struct npart__way *way, const struct npart__plan *plan, const struct cuts *cuts,
                      struct npart__action *action)
{
    const struct npart__action *step = way->steps ? &way->out->items.items[way->steps - 1] : NULL;
    const struct npart__infer_options *sizes = &plan->request.inference->options;
    const char *path = step ? step->run[step->run_count - 1] : plan->request.model_name;
    const char *target = npart__arena_format(way->arena, "%s%s", plan->target.oplist->name, plan->request.target);
    /* Shapes of inputs, assumptions and the like are options, too, and so is a list of the user's. */
    const struct npart__plan_request *request = &plan->request;
    bool is_plain = !request->assumed_count && !request->cut_count && !request->partitioner && !request->stages &&
                    !request->invoker && request->level == NPART_LEVEL_BASIC && (step || !sizes->shape_count);
    if (!target)
        return false;
    return !npart__is_builtin(plan->target.oplist) || !is_plain ||
           npart__split_command(path, target, step ? NULL : sizes, cuts->names, cuts->count,
                                plan->session.file->external_bytes > 0, way->arena, &action->run, &action->run_count);
}

static npart_status add_step(struct npart__way *way, const struct npart__plan *base, const struct npart__plan *plan,
                             const struct cuts *cuts)
{
    struct npart__action action = {.kind = npart__kind_word(NPART__KIND_CUT),
                                   .rewrites = "",
                                   .equality = "bits",
                                   .instead_of = NPART_NONE,
                                   .pays = NPART_PAYS_MENDS};
    struct npart__buffer text, command;
    action.after = npart__as_it_is(plan);
    action.after.fits = NPART_FIT_YES;
    action.first_cause = way->out->lists.count;
    npart__buffer_init(&text, way->arena);
    npart__buffer_init(&command, way->arena);
    npart__append_format(&text, "Cut into %u parts that fit, each in a session of its own (", cuts->parts);
    if (cuts->bytes || !cuts->unsized)
        npart__append_rough_bytes(&text, cuts->bytes);
    if (cuts->unsized)
        npart__append_text(&text, cuts->bytes ? " and tensors without a size" : "tensors without a size");
    npart__append_text(&text, " pass between them)");
    npart__append_text(&command, "--cut ");
    for (uint32_t i = 0; i < cuts->count; i++) {
        npart__append_text(&command, i ? "," : "");
        npart__append_shell_word(&command, cuts->names[i]);
    }
    action.text = npart__made_text(&text);
    action.command = npart__made_text(&command);
    bool is_made = action.text && action.command && write_run(way, base, cuts, &action) &&
                   npart__list_needs(way, way->steps, &action) && NPART__PUSH(way->arena, &way->out->items, action);
    way->steps += is_made;
    return is_made ? NPART_OK : npart__fail_memory(way->error);
}

/* How many sessions there may be at once; 0 where no list says so: then nothing is proposed. */
static uint32_t most_parts(const struct npart__plan *plan)
{
    const struct npart__parameter *parameters[NPART__PARAMETERS];
    npart__target_parameters(&plan->target, NPART__ARITHMETIC_FLOAT16, plan->invoker, parameters);
    const struct npart__parameter *most = parameters[NPART__PARAMETER_MOST_SESSIONS];
    return most ? (uint32_t)most->high : 0;
}

/* Cuts of the plan; none where it cannot be cut so. */
static npart_status divide(struct npart__way *way, const struct npart__plan *base, const struct room *room)
{
    uint64_t reserved = base->memory.told.peak_npu.bytes, most = room->weights;
    npart_status status = NPART_OK;
    struct division at;
    struct cuts cuts;
    if (!open_division(&at, base, &way->scratch))
        return npart__fail_memory(way->error);
    for (uint32_t i = 0; i < MOST_TRIES && status == NPART_OK; i++) {
        struct npart__plan *made;
        if (room->session != UINT64_MAX && room->session - reserved < most)
            most = room->session - reserved;
        if ((room->session != UINT64_MAX && reserved >= room->session) || !find_even_path(&at, most) ||
            !list_cuts(&at, &cuts) || (room->session != UINT64_MAX && cuts.parts > most_parts(base)))
            return NPART_OK;
        status = plan_with(way, base, &cuts, &made);
        uint64_t excess = made ? excess_of(made, room, cuts.parts, &way->scratch) : UINT64_MAX;
        if (status != NPART_OK || excess == UINT64_MAX)
            return status;
        if (excess == 0)
            return add_step(way, base, made, &cuts);
        most = excess < most ? most - excess : 0;
    }
    return status;
}

/* On the plan as it is, or on that of what fix makes. */
npart_status npart__way_fit(struct npart__way *way)
{
    const struct npart__action *steps = way->out->items.items;
    bool is_made = way->steps == 1 && way->mended && steps[0].run;
    const struct npart__plan *base = way->steps == 0 ? way->open : is_made ? way->mended : NULL;
    if (!base || base->summary.fits != NPART_FIT_NO || base->summary.failed || !base->summary.accepted)
        return NPART_OK;
    const struct room room = room_of(base);
    bool is_limited = room.weights != UINT64_MAX || room.session != UINT64_MAX;
    return is_limited && room.is_enough ? divide(way, base, &room) : NPART_OK;
}
