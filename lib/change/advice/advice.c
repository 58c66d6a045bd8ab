/* SPDX-License-Identifier: Apache-2.0
 *
 * Steps chosen one after the other: what fails first, then sizes, then what leaves the fewest partitions. Each is tried
 * with all steps before it, so a cause whose going brings nothing alone is seen to bring something with others.
 */
#include "advice/way.h"
#include "onnxruntime/onnxruntime.h"
#include "rewrites.h" /* generated */

/* ---- actions ----------------------------------------------------------------------------------------------- */

/* "--dim batch=1 --dim sequence=128", as the fixed plan has them. Names in a model may hold blanks or quotes: each
 * pair is one word of a shell, so that the line can be pasted. The tool takes the pairs one by one, so each has
 * its own option. */
static void append_dims_command(struct npart__way *way, const struct npart__plan *fixed, struct npart__buffer *out)
{
    for (uint32_t i = 0; i < fixed->binding_count; i++) {
        const char *word = npart__arena_format(&way->scratch, "%s=%lld", fixed->bindings[i].name,
                                               (long long)fixed->bindings[i].size);
        npart__append_text(out, i ? " --dim " : "--dim ");
        npart__append_shell_word(out, word ? word : "");
        out->failed |= !word;
    }
}

/* "Fix `batch` and `sequence`" */
void npart__append_dims(struct npart__way *way, const struct npart__plan *fixed, struct npart__buffer *out)
{
    /* All names or none: a NULL among them would be read by npart__append_names, so a missing one is replaced, and
     * the buffer fails instead. */
    const char **names = npart__arena_zeroed(&way->scratch, fixed->binding_count + (size_t)1, sizeof *names);
    for (uint32_t i = 0; names && i < fixed->binding_count; i++)
        names[i] = npart__arena_format(&way->scratch, "`%s`", fixed->bindings[i].name);
    for (uint32_t i = 0; names && i < fixed->binding_count; i++) {
        out->failed |= !names[i];
        names[i] = names[i] ? names[i] : "";
    }
    npart__append_text(out, "Fix ");
    if (names)
        npart__append_names(names, fixed->binding_count, out);
    out->failed |= !names;
}

bool npart__dims_command(struct npart__way *way, const struct npart__plan *fixed, const char **out)
{
    struct npart__buffer text;
    npart__buffer_init(&text, way->arena);
    append_dims_command(way, fixed, &text);
    *out = npart__made_text(&text);
    return *out != NULL;
}

/* Only the tensors after which the tail begins, by the names that they have in the file: `--cut` finds them by
 * those. */
static void append_cut_command(struct npart__way *way, const struct npart__tail *tail, struct npart__buffer *out)
{
    struct npart__buffer names;
    npart__buffer_init(&names, &way->scratch);
    for (uint32_t i = 0; i < tail->tensor_count; i++) {
        const char *name = npart__value_name(way->plan->graph, tail->tensors[i]);
        if (strchr(name, ',')) { /* the tool divides there, so no option names it: no command then */
            out->failed |= names.failed;
            return;
        }
        npart__append_text(&names, i ? "," : "");
        npart__append_text(&names, name);
    }
    npart__append_text(out, "--cut ");
    npart__append_shell_word(out, npart__buffer_text(&names));
    out->failed |= names.failed;
}

/* What shows the same, into `*out`; NULL where nothing does. False when out of memory. Sizes, targets and cuts are
 * options of a plan; what has to be done to the model or its export has no such options. */
static bool command_of(struct npart__way *way, const struct npart__group *group, const char **out)
{
    struct npart__buffer text;
    npart__buffer_init(&text, way->arena);
    if (npart__rows[group->row].kind == NPART__KIND_DIMS && group->replanned) {
        append_dims_command(way, group->replanned, &text); /* sizes as the trial had them */
    } else if (group->replanned && group->target) {
        npart__append_text(&text, "-t ");
        npart__append_text(&text, way->plan->target.oplist->name);
        npart__append_text(&text, group->target);
        npart__append_text(&text, group->has_sizes ? " " : "");
        if (group->has_sizes)
            append_dims_command(way, way->fixed, &text);
    } else if (group->tail) {
        append_cut_command(way, group->tail, &text);
    }
    const char *made = npart__buffer_text(&text);
    *out = *made ? made : NULL;
    return !text.failed;
}

/* The causes are those of `way->row_of`'s row of the group's first cause; the words are the group's own row's. */
static const char *text_of(struct npart__way *way, const struct npart__group *group)
{
    struct npart__buffer text;
    uint32_t row = way->row_of[group->first_cause];
    npart__buffer_init(&text, way->arena);
    /* Sizes that were fixed are told by name; where there is no fixed plan, the table's sentence has to do. */
    if (npart__rows[group->row].kind == NPART__KIND_DIMS && group->replanned && group->replanned->binding_count)
        npart__append_dims(way, group->replanned, &text);
    else
        npart__append_action_text(way->plan, way->row_of, row, group, &text);
    if (group->has_sizes) {
        npart__append_text(&text, ". ");
        npart__append_dims(way, way->fixed, &text);
    }
    return npart__made_text(&text);
}

/* Adds the causes of which nothing was told so far and no node is left to the CPU. False when out of memory. A
 * step may solve more than its own row: fixed sizes, for instance, settle rules about any of them. What is told
 * with an earlier step stays there. Both graphs have the file's nodes first, by the same ids, so the shorter count
 * is the common part. `accepted` is of the trial that the step was chosen by. */
static bool mark_solved(struct npart__way *way, const struct npart__group *group, const bool *accepted, bool *marks)
{
    const struct npart__plan *then = group->replanned ? group->replanned : way->plan;
    const struct npart__causes *causes = &way->open->causes;
    const struct npart__marks *tail = group->tail ? group->tail->is_in : NULL;
    bool *is_left = npart__arena_zeroed(&way->scratch, causes->items.count + (size_t)1, sizeof *is_left);
    if (way->is_rewritten)
        return is_left != NULL;
    for (uint32_t i = 0; is_left && i < way->open->graph->nodes.count && i < then->graph->nodes.count; i++)
        if (causes->cause_of[i] != NPART_NONE && npart__is_live(&then->session, i) && !accepted[i] &&
            !npart__is_marked(tail, i))
            is_left[causes->cause_of[i]] = true;
    for (uint32_t c = 0; is_left && c < causes->items.count; c++)
        /* A user's cut has no nodes of its own: it goes by its row only. */
        marks[c] |= !way->is_told[c] && !is_left[c] && causes->items.items[c].cut_value == NPART_NONE;
    return is_left != NULL;
}

/* By cause of the plan that was asked about whether a node of it is among those of the group. The result names
 * causes of the plan that was asked about; once the way leads over another plan, its causes are found again by the
 * nodes that both leave to the CPU. */
static bool *mark_causes(struct npart__way *way, const struct npart__group *group)
{
    const struct npart__plan *plan = way->plan, *open = way->open;
    uint32_t row = way->row_of[group->first_cause];
    if (way->is_rewritten)
        return npart__mark_like(way, plan, row);
    bool *marks = npart__arena_zeroed(&way->scratch, open->causes.items.count + (size_t)1, sizeof *marks);
    for (uint32_t c = 0; marks && plan == open && c < open->causes.items.count; c++)
        marks[c] = way->row_of[c] == row;
    for (uint32_t i = 0; marks && i < plan->graph->nodes.count && i < open->graph->nodes.count; i++) {
        uint32_t now = plan->causes.cause_of[i], asked = open->causes.cause_of[i];
        if (now != NPART_NONE && asked != NPART_NONE && way->row_of[now] == row)
            marks[asked] = true;
    }
    return marks;
}

/* Marks them told, so that no later action lists them again, and keep_rest knows what is left. False when out of
 * memory. Causes are of the plan that was asked about. */
bool npart__tell_causes(struct npart__way *way, const bool *marks, struct npart__action *action)
{
    action->first_cause = way->out->lists.count;
    for (uint32_t c = 0; c < way->open->causes.items.count; c++) {
        if (!marks[c])
            continue;
        way->is_told[c] = true;
        if (!NPART__PUSH(way->arena, &way->out->lists, c))
            return false;
        action->cause_count++;
    }
    return true;
}

/* Steps are the first actions of the list, so a step's number is its action's place (keep_first moves both). */
bool npart__list_needs(struct npart__way *way, uint32_t steps, struct npart__action *action)
{
    action->first_need = way->out->lists.count;
    action->need_count = steps;
    for (uint32_t i = 0; i < steps; i++)
        if (!NPART__PUSH(way->arena, &way->out->lists, i))
            return false;
    return true;
}

/* The steps so far are its needs, so it is called before way->steps counts the step itself. */
static npart_status describe(struct npart__way *way, const struct npart__group *group, const struct npart__after *after,
                             const bool *marks, struct npart__action *out)
{
    const struct npart__row *row = &npart__rows[group->row];
    *out = (struct npart__action){.kind = npart__kind_word((enum npart__row_kind)row->kind),
                                  .text = text_of(way, group),
                                  .rewrites = row->kind == NPART__KIND_DIMS ? NPART__ID_BIND : "",
                                  .equality = row->equality,
                                  .instead_of = NPART_NONE,
                                  .after = *after};
    bool is_made = out->text && command_of(way, group, &out->command) && npart__tell_causes(way, marks, out) &&
                   npart__list_needs(way, way->steps, out);
    return is_made ? NPART_OK : npart__fail_memory(way->error);
}

/* ---- what may take a step's place -------------------------------------------------------------------------- */

/* Failing nodes weigh most: a model with one does not run at all. Fewer nodes and no fewer partitions is worse even
 * where both changed a little. */
static bool is_worse(const struct npart__after *after, const struct npart__after *than)
{
    if (after->failed != than->failed)
        return after->failed > than->failed;
    return after->accepted <= than->accepted && after->partitions >= than->partitions;
}

/* Its trial is that all nodes of its causes are taken, whatever row says so. Then two rows of one cause leave the
 * same, and the second need not be tried. */
static bool takes_nodes(const struct npart__group *group)
{
    return !group->replanned && !group->tail && npart__rows[group->row].trial != NPART__TRY_NOTHING;
}

/* `left` is what the group itself leaves. An alternative that leaves less than there is now is not offered. It
 * needs the steps before, not the one whose place it takes: way->steps is the number of that one still. */
static npart_status add_other(struct npart__way *way, const struct npart__group *group,
                              const struct npart__after *left, uint32_t row, int64_t opset)
{
    struct npart__group other = {.row = row,
                                 .first_cause = group->first_cause,
                                 .cause_count = group->cause_count,
                                 .opset = opset,
                                 .variant = NPART_NONE};
    struct npart__after after = *left;
    bool *accepted;
    npart_status status = npart__group_prepare(way, &other);
    if (status != NPART_OK || other.is_impossible)
        return status;
    if (!takes_nodes(group) || !takes_nodes(&other))
        status = npart__group_try(way, &other, &after, &accepted);
    /* Against what there is before the step, and not against the step: an alternative may do less. */
    if (status != NPART_OK || is_worse(&after, &way->now))
        return status;
    /* `needs` are those up to here, since the step itself is added after its alternatives. */
    return npart__add_instead_of(way, &other, &after, way->steps);
}

npart_status npart__add_instead_of(struct npart__way *way, const struct npart__group *group,
                                   const struct npart__after *after, uint32_t step)
{
    struct npart__action action;
    bool *marks = mark_causes(way, group);
    if (!marks)
        return npart__fail_memory(way->error);
    uint32_t steps = way->steps;
    way->steps = step; /* which describe lists as needs */
    npart_status status = describe(way, group, after, marks, &action);
    way->steps = steps;
    action.instead_of = step;
    if (status == NPART_OK && !NPART__PUSH(&way->scratch, &way->others, action))
        status = npart__fail_memory(way->error);
    return status;
}

/* In the order of the table: rows further down suit more cases and help less, so a few are enough. Each may cost a
 * plan of its own, which is the other reason for the limit. */
static npart_status add_others(struct npart__way *way, const struct npart__group *group,
                               const struct npart__after *left)
{
    npart_status status = NPART_OK;
    int64_t opset = 0;
    uint32_t row = npart__next_row(way, group, group->row, &opset);
    for (uint32_t i = 1; status == NPART_OK && row != NPART_NONE && i < NPART__LIMIT_ALTERNATIVES; i++) {
        status = add_other(way, group, left, row, opset);
        row = npart__next_row(way, group, row, &opset);
    }
    return status;
}

/* ---- steps ------------------------------------------------------------------------------------------------- */

/* Whether a step pays over the last one that did. */
void npart__note_paid(struct npart__way *way, const char *kind, const struct npart__after *after)
{
    struct npart__outcome then = npart__outcome_after(after);
    bool pays = npart__kind_pays(kind, &way->paid, &then) != NPART_PAYS_NOTHING;
    way->unpaid = pays ? 0 : way->unpaid + 1;
    if (pays)
        way->paid = then;
}

/* Makes a step of the group: tries it, tells it, and goes on from where it leads, which is another plan (sizes fixed,
 * another opset), the same with nodes cut off, or the same with the nodes taken. Cut points are offered before the
 * first step that is neither about sizes nor about what fails, in whose place they may be taken. */
npart_status npart__way_take(struct npart__way *way, struct npart__group *group)
{
    struct npart__action action;
    struct npart__after after;
    const struct npart__outcome before = npart__outcome_after(&way->now);
    bool *accepted = NULL, is_dims = npart__rows[group->row].kind == NPART__KIND_DIMS;
    /* Sizes come before cut points: without them the bytes that would cross are not known. */
    npart_status status = is_dims || group->is_fatal ? NPART_OK : npart__way_cut(way, false);
    if (status == NPART_OK)
        status = npart__group_try(way, group, &after, &accepted);
    if (status == NPART_OK && !is_dims && !npart__is_of_release(group))
        status = add_others(way, group, &after);
    bool *marks = status == NPART_OK ? mark_causes(way, group) : NULL;
    /* Marks are of both: causes of the group's row, and those that go with them. */
    if (!marks || !mark_solved(way, group, accepted, marks))
        return status == NPART_OK ? npart__fail_memory(way->error) : status;
    status = describe(way, group, &after, marks, &action);
    if (status == NPART_OK && !NPART__PUSH(way->arena, &way->out->items, action))
        status = npart__fail_memory(way->error);
    if (status != NPART_OK)
        return status;
    way->steps++;
    npart__note_paid(way, action.kind, &after);
    way->now = after; /* the next step is measured against this one */
    way->accepted = accepted;
    group->is_done = true;
    /* Another plan has other causes: all rows are assigned anew, without this one, which would only lead to the same
     * plan. */
    if (group->replanned) {
        const struct npart__plan *then = group->replanned;
        way->is_excluded[group->row] = true;
        if (npart__is_of_release(group))
            status = npart__beside_release(way, group, &before);
        if (status == NPART_OK && npart__rows[group->row].kind == NPART__KIND_QUANTIZE)
            return npart__way_quantized(way, then);
        return status == NPART_OK ? npart__way_turn(way, then) : status;
    }
    if (!group->tail) {
        way->is_done[group->row] = true;
        return NPART_OK;
    }
    /* The plan is the same; turning finds the tail again, and what is left with it. */
    way->is_cut[group->row] = true;
    return npart__way_turn(way, way->plan);
}

/* By row whether a node of it is still left to the CPU, or the user still cuts. NULL when out of memory. A row
 * that is done has none: its nodes count as accepted. */
static bool *find_left(struct npart__way *way)
{
    const struct npart__causes *causes = &way->plan->causes;
    bool *is_left = npart__arena_zeroed(&way->scratch, npart__row_count, sizeof *is_left);
    for (uint32_t c = 0; is_left && c < causes->items.count; c++)
        if (causes->items.items[c].cut_value != NPART_NONE)
            is_left[way->row_of[c]] = true;
    for (uint32_t i = 0; is_left && i < way->plan->graph->nodes.count; i++)
        if (causes->cause_of[i] != NPART_NONE && !way->accepted[i] && !npart__is_marked(way->tail, i))
            is_left[way->row_of[causes->cause_of[i]]] = true;
    return is_left;
}

/* 0: no candidate; what fails comes first, then sizes, then all others but another runtime, which comes last.
 * Nothing runs before it compiles. Sizes come next, as most rules cannot be judged without them; another runtime
 * replaces the user's whole setup. */
enum { RANK_SWITCH = 1, RANK_CHANGE, RANK_SIZES, RANK_FAILS };

static int rank_of(const struct npart__group *group, const bool *is_left)
{
    const struct npart__row *row = &npart__rows[group->row];
    if (group->is_done || group->is_impossible || row->trial == NPART__TRY_NOTHING || !is_left[group->row])
        return 0;
    return group->is_fatal ? RANK_FAILS
           : row->kind == NPART__KIND_DIMS   ? RANK_SIZES
           : row->kind != NPART__KIND_SWITCH ? RANK_CHANGE
                                             : RANK_SWITCH;
}

/* Fewer failing nodes, then fewer partitions (none is the most), then more nodes. The subtraction turns 0
 * partitions into the largest number: a graph of which nothing is taken is not the goal. */
static bool is_before(const struct npart__after *a, const struct npart__after *b)
{
    if (a->failed != b->failed)
        return a->failed < b->failed;
    if (a->partitions != b->partitions)
        return a->partitions - 1 < b->partitions - 1;
    return a->accepted > b->accepted;
}

/* The best of the groups of a rank. `pays`: one that pays over the last step that did. */
struct choice {
    struct npart__group *group;
    struct npart__after after;
    bool pays;
};

/* At most 12 trials. Of equal ones the first stays: groups are in the order of the causes. */
static npart_status choose_of(struct npart__way *way, const bool *is_left, int rank, struct choice *best)
{
    uint32_t tried = 0;
    *best = (struct choice){.group = NULL};
    for (uint32_t i = 0; i < way->groups.count && tried < NPART__LIMIT_CANDIDATES; i++) {
        struct choice at = {.group = &way->groups.items[i]};
        bool *accepted;
        if (rank_of(at.group, is_left) != rank)
            continue;
        npart_status status = npart__group_try(way, at.group, &at.after, &accepted);
        if (status != NPART_OK)
            return status;
        struct npart__outcome then = npart__outcome_after(&at.after);
        const char *kind = npart__kind_word((enum npart__row_kind)npart__rows[at.group->row].kind);
        at.pays = npart__kind_pays(kind, &way->paid, &then) != NPART_PAYS_NOTHING;
        if (at.after.accepted < way->now.accepted && !at.group->tail) /* the runtime then takes less */
            at.after.partitions = 0;
        tried++;
        if (!best->group || at.pays > best->pays || (at.pays == best->pays && is_before(&at.after, &best->after)))
            *best = at;
    }
    return NPART_OK;
}

/* What pays, of the highest rank that has it. Else one step that does not, of the highest rank there is: it may pay
 * with the next one. Of what fails, as many as bring the failures down. So the work is bounded by what pays, and not by
 * the model's number of causes. NULL: there is none. */
static npart_status choose(struct npart__way *way, struct npart__group **out)
{
    struct choice first = {.group = NULL};
    bool *is_left = find_left(way);
    *out = NULL;
    if (!is_left)
        return npart__fail_memory(way->error);
    if (way->steps >= NPART__LIMIT_STEPS_TRIED)
        return NPART_OK;
    for (int rank = RANK_FAILS; rank > 0; rank--) {
        struct choice best;
        npart_status status = choose_of(way, is_left, rank, &best);
        if (status != NPART_OK)
            return status;
        if (best.pays) {
            *out = best.group;
            return NPART_OK;
        }
        first = first.group ? first : best;
    }
    if (first.group && (!way->unpaid || first.after.failed < way->now.failed))
        *out = first.group;
    return NPART_OK;
}

/* ---- the beginning and the end ----------------------------------------------------------------------------- */

/* The first finding that says why the runtime does not load the model; an older one may refuse what the newest loads,
 * and sizes that contradict each other are found in the first run. NULL: it loads and runs the model. */
static const struct npart_finding *find_refusal(const struct npart__way *way)
{
    const struct npart__inference *asked = way->open->request.inference;
    static const char *const codes[] = {NPART__INVALID, NPART__TOO_NEW, NPART__SHAPE_CONTRADICTION};
    for (size_t c = 0; !way->is_loaded && c < NPART__COUNT(codes); c++)
        for (uint32_t i = 0; i < asked->findings.count; i++)
            if (strcmp(asked->findings.items[i].code, codes[c]) == 0)
                return &asked->findings.items[i];
    return NULL;
}

/* A model that the runtime does not load: the first thing that it says. A step of its own, since all that follows
 * holds only for a model that loads. The first finding is what the user meets; the others are listed with the
 * model. Such a plan "fails" whatever its nodes are, so all later trials are made as if the model loaded. */
static npart_status mend(struct npart__way *way)
{
    struct npart__action action = {
        .kind = npart__kind_word(NPART__KIND_EXPORTER), .rewrites = "", .equality = "", .instead_of = NPART_NONE};
    const struct npart_finding *finding = find_refusal(way);
    bool *accepted;
    if (!finding)
        return NPART_OK;
    way->is_loaded = true;
    /* As if it were loaded: the last member. */
    const struct npart__what_if request = {way->plan, way->row_of, way->is_done, NPART_NONE, way->tail, true};
    npart_status status = npart__what_if(&request, true, &way->scratch, &action.after, &accepted, way->error);
    action.text = npart__arena_format(way->arena, "Correct the model: %s%s%s%s", finding->text,
                                      *finding->at ? " (" : "", finding->at, *finding->at ? ")" : "");
    if (status == NPART_OK && (!action.text || !NPART__PUSH(way->arena, &way->out->items, action)))
        status = npart__fail_memory(way->error);
    way->steps++;
    npart__note_paid(way, action.kind, &action.after);
    return status;
}

/* Alternatives last, so that the first actions are the way. What they say of needs and places holds for the list
 * as it is now. */
static npart_status append_others(struct npart__way *way)
{
    for (uint32_t i = 0; i < way->others.count; i++)
        if (!NPART__PUSH(way->arena, &way->out->items, way->others.items[i]))
            return npart__fail_memory(way->error);
    return NPART_OK;
}

static npart_status finish(struct npart__way *way, npart_status status)
{
    if (status == NPART_OK && npart__take_failure(way->open->session.inference))
        status = npart__fail_memory(way->error);
    if (status == NPART_OK)
        status = append_others(way);
    return status == NPART_OK ? npart__recommend(way) : status;
}

/* What fix does, then what keeps a model from loading, then steps as long as one pays. Whether memory ran out within
 * an inference is asked once, at the end: facts that it spoilt are not told. The recommendation is the last, as it
 * compares what steps leave. */
static npart_status walk(struct npart__way *way)
{
    struct npart__group *group = NULL;
    npart_status status = npart__way_turn(way, way->open);
    if (status == NPART_OK)
        status = npart__way_mended(way);
    /* What else would be tried of a part is not known to pay for the whole. */
    if (status == NPART_OK && way->is_ended)
        return finish(way, npart__way_settle(way));
    if (status == NPART_OK)
        status = mend(way);
    if (status == NPART_OK)
        status = choose(way, &group);
    while (status == NPART_OK && group) {
        status = npart__way_take(way, group);
        if (status == NPART_OK)
            status = choose(way, &group);
    }
    if (status == NPART_OK)
        status = npart__way_convert(way);
    if (status == NPART_OK)
        status = npart__way_cut(way, true);
    if (status == NPART_OK)
        status = npart__way_settle(way);
    if (status == NPART_OK)
        status = npart__way_small(way);
    if (status == NPART_OK)
        status = npart__way_fit(way);
    if (status == NPART_OK && !npart__way_tell_unsearched(way))
        status = npart__fail_memory(way->error);
    return finish(way, status);
}

#ifdef NPART_DEBUG
/* What an action needs is done before it, and what it may take the place of is a step of the way. */
static void check_advice(const struct npart__plan *plan, const struct npart__advice *advice)
{
    for (uint32_t i = 0; i < advice->items.count; i++) {
        const struct npart__action *action = &advice->items.items[i];
        NPART__ASSERT(action->kind && action->text && *action->text, "action %u says nothing", i);
        NPART__ASSERT(action->first_cause + action->cause_count <= advice->lists.count, "action %u", i);
        NPART__ASSERT(action->first_need + action->need_count <= advice->lists.count, "action %u", i);
        for (uint32_t k = 0; k < action->cause_count; k++)
            NPART__ASSERT(advice->lists.items[action->first_cause + k] < plan->causes.items.count, "action %u", i);
        for (uint32_t k = 0; k < action->need_count; k++) {
            uint32_t need = advice->lists.items[action->first_need + k];
            NPART__ASSERT(need < advice->items.count && need != i, "action %u needs action %u", i, need);
        }
        NPART__ASSERT(action->instead_of == NPART_NONE || action->instead_of < i, "action %u", i);
    }
    NPART__ASSERT(advice->recommendation.choice <= NPART_CHOICE_UNDECIDED && advice->recommendation.reason,
                  "nothing is recommended");
}
#endif

npart_status npart__advise(const struct npart__advice_request *request, struct npart__arena *arena,
                           struct npart__advice *out, struct npart_error *error)
{
    const struct npart__plan *plan = request->plan;
    struct npart__way way = {.arena = arena,
                             .request = request,
                             .open = plan,
                             .fixed = request->fixed,
                             .paid = npart__outcome_of(plan),
                             .is_loaded = npart__plan_is_loaded(plan),
                             .out = out,
                             .error = error};
    memset(out, 0, sizeof *out);
    /* Plans made on the way go with the scratch; the caller's arena gets texts and numbers only. */
    npart__arena_init(&way.scratch, &arena->allocator);
    /* Nothing falls back, and nothing that is taken runs elsewhere: there may still be something to say of what fits,
     * and of NPU or CPU. */
    if (plan->causes.items.count == 0 && way.is_loaded && !plan->decided.elsewhere) {
        npart_status status = npart__way_fit(&way);
        if (status == NPART_OK)
            status = npart__recommend(&way);
        npart__arena_clear(&way.scratch);
        return status;
    }
    way.is_done = npart__arena_zeroed(&way.scratch, npart__row_count, sizeof *way.is_done);
    way.is_cut = npart__arena_zeroed(&way.scratch, npart__row_count, sizeof *way.is_cut);
    way.is_excluded = npart__arena_zeroed(&way.scratch, npart__row_count, sizeof *way.is_excluded);
    way.is_told = npart__arena_zeroed(&way.scratch, plan->causes.items.count + (size_t)1, sizeof *way.is_told);
    bool is_ready = way.is_done && way.is_cut && way.is_excluded && way.is_told;
    npart_status status = is_ready ? walk(&way) : npart__fail_memory(error);
    npart__arena_clear(&way.scratch);
    if (status == NPART_OK)
        NPART__CHECK(check_advice(plan, out));
    return status;
}
