/* SPDX-License-Identifier: Apache-2.0
 *
 * Steps chosen one after the other: what fails first, then sizes, then what leaves the fewest partitions. Each is tried
 * with all steps before it, so a cause whose going brings nothing alone is seen to bring something with others.
 */
#include "advice/way.h"
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
static void append_dims(struct npart__way *way, const struct npart__plan *fixed, struct npart__buffer *out)
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
        append_dims(way, group->replanned, &text);
    else
        npart__append_action_text(way->plan, way->row_of, row, group, &text);
    if (group->has_sizes) {
        npart__append_text(&text, ". ");
        append_dims(way, way->fixed, &text);
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
static bool list_causes(struct npart__way *way, const bool *marks, struct npart__action *action)
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
                                  .rewrites = row->rewrites,
                                  .equality = row->equality,
                                  .instead_of = NPART_NONE,
                                  .after = *after};
    bool is_made = out->text && command_of(way, group, &out->command) && list_causes(way, marks, out) &&
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
    struct npart__action action;
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
    bool *marks = mark_causes(way, group);
    if (!marks)
        return npart__fail_memory(way->error);
    /* `needs` are those up to here, since the step itself is added after its alternatives. */
    status = describe(way, &other, &after, marks, &action);
    action.instead_of = way->steps;
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

/* Makes a step of the group: tries it, tells it, and goes on from where it leads, which is another plan (sizes fixed,
 * another opset), the same with nodes cut off, or the same with the nodes taken. Cut points are offered before the
 * first step that is neither about sizes nor about what fails, in whose place they may be taken. */
static npart_status take(struct npart__way *way, struct npart__group *group)
{
    struct npart__action action;
    struct npart__after after;
    bool *accepted = NULL, is_dims = npart__rows[group->row].kind == NPART__KIND_DIMS;
    /* Sizes come before cut points: without them the bytes that would cross are not known. */
    npart_status status = is_dims || group->is_fatal ? NPART_OK : npart__way_cut(way, false);
    if (status == NPART_OK)
        status = npart__group_try(way, group, &after, &accepted);
    if (status == NPART_OK && !is_dims)
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
    way->now = after; /* the next step is measured against this one */
    way->accepted = accepted;
    group->is_done = true;
    /* Another plan has other causes: all rows are assigned anew, without this one, which would only lead to the same
     * plan. */
    if (group->replanned) {
        way->is_excluded[group->row] = true;
        return npart__way_turn(way, group->replanned);
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
static int rank_of(const struct npart__group *group, const bool *is_left)
{
    const struct npart__row *row = &npart__rows[group->row];
    if (group->is_done || group->is_impossible || row->trial == NPART__TRY_NOTHING || !is_left[group->row])
        return 0;
    return group->is_fatal ? 4 : row->kind == NPART__KIND_DIMS ? 3 : row->kind != NPART__KIND_SWITCH ? 2 : 1;
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

/* The group that leaves most once it is gone; NULL: there is none. At most 12 trials in each of the first 12
 * steps; then the first of the rank, which is that of the cause that ends most partitions. So the work is bounded
 * by the limits, and a model of a thousand causes gets its advice, too. */
static npart_status choose(struct npart__way *way, struct npart__group **out)
{
    struct npart__after best = {0}, after;
    uint32_t candidates = 0, tried = 0, most = way->steps < NPART__LIMIT_STEPS_TRIED ? NPART__LIMIT_CANDIDATES : 1;
    int rank = 1;
    bool *is_left = find_left(way);
    *out = NULL;
    if (!is_left)
        return npart__fail_memory(way->error);
    /* Only candidates of the highest rank there is compete; the count is of those. */
    for (uint32_t i = 0; i < way->groups.count; i++) {
        int own = rank_of(&way->groups.items[i], is_left);
        candidates = own > rank ? 1 : candidates + (own == rank);
        rank = own > rank ? own : rank;
    }
    for (uint32_t i = 0; i < way->groups.count && tried < most; i++) {
        struct npart__group *group = &way->groups.items[i];
        if (rank_of(group, is_left) != rank)
            continue;
        if (candidates == 1 || most == 1) { /* it is chosen whatever it leaves */
            *out = group;
            return NPART_OK;
        }
        npart_status status = npart__group_try(way, group, &after, NULL);
        if (status != NPART_OK)
            return status;
        if (after.accepted < way->now.accepted && !group->tail) /* the runtime then takes less */
            after.partitions = 0;
        /* Of equal ones the first stays: groups are in the order of the causes. */
        if (tried++ && !is_before(&after, &best))
            continue;
        best = after;
        *out = group;
    }
    return NPART_OK;
}

/* ---- the beginning and the end ----------------------------------------------------------------------------- */

/* The finding that says why the runtime does not load the model; an older one may refuse what the newest loads. `count`
 * is how many there are. NULL: it loads the model. */
static const struct npart_finding *find_refusal(const struct npart__way *way, uint32_t *count)
{
    const struct npart__inference *asked = way->open->request.inference;
    const char *code = npart__is_invalid(asked) ? NPART__INVALID : NPART__TOO_NEW;
    const struct npart_finding *first = NULL;
    *count = 0;
    for (uint32_t i = 0; !way->is_loaded && i < asked->findings.count; i++) {
        const struct npart_finding *finding = &asked->findings.items[i];
        if (strcmp(finding->code, code) != 0)
            continue;
        first = first ? first : finding;
        ++*count;
    }
    return first;
}

/* A model that the runtime does not load: the first thing that it says. A step of its own, since all that follows
 * holds only for a model that loads. The first finding is what the user meets; the others are listed with the
 * model. Such a plan "fails" whatever its nodes are, so all later trials are made as if the model loaded. */
static npart_status mend(struct npart__way *way)
{
    struct npart__action action = {
        .kind = npart__kind_word(NPART__KIND_EXPORTER), .rewrites = "", .equality = "", .instead_of = NPART_NONE};
    uint32_t count;
    const struct npart_finding *finding = find_refusal(way, &count);
    struct npart__loads runtime;
    bool *accepted;
    if (!finding)
        return NPART_OK;
    way->is_loaded = true;
    /* As if it were loaded: the last member. */
    const struct npart__what_if request = {way->plan, way->row_of, way->is_done, NPART_NONE, way->tail, true};
    npart_status status = npart__what_if(&request, true, &way->scratch, &action.after, &accepted, way->error);
    bool is_number = count == 1 && npart__target_loads(&way->open->target, &runtime) &&
                     npart__is_ir_version_alone(&runtime, way->open->request.inference);
    if (is_number) {
        action.kind = npart__kind_word(NPART__KIND_REWRITE);
        action.rewrites = NPART__ID_IR_VERSION;
        action.equality = NPART__CLASS_IR_VERSION;
        action.text = npart__arena_format(way->arena, "Lower the IR version to %lld, as nothing in the model needs a "
                                          "newer one", (long long)runtime.ir_version);
    } else {
        action.text = npart__arena_format(way->arena, "Correct the model: %s%s%s%s", finding->text,
                                          *finding->at ? " (" : "", finding->at, *finding->at ? ")" : "");
    }
    if (status == NPART_OK && (!action.text || !NPART__PUSH(way->arena, &way->out->items, action)))
        status = npart__fail_memory(way->error);
    way->steps++;
    return status;
}

/* Causes that nothing can be done about, as `row` says it. They need nothing, and leave the plan as it is. `steps`
 * is 0 meanwhile, as describe lists the steps so far as needs. */
static npart_status keep(struct npart__way *way, const struct npart__group *group, const bool *marks)
{
    struct npart__after after = npart__as_it_is(way->open);
    struct npart__action action;
    uint32_t steps = way->steps;
    way->steps = 0;
    npart_status status = describe(way, group, &after, marks, &action);
    way->steps = steps;
    if (status == NPART_OK && !NPART__PUSH(way->arena, &way->out->items, action))
        status = npart__fail_memory(way->error);
    return status;
}

/* Rows whose trial is NOTHING: the table says that it is so, and why. Without them the reader would look for advice
 * on these nodes in vain. */
static npart_status keep_groups(struct npart__way *way)
{
    bool *is_left = find_left(way);
    npart_status status = is_left ? NPART_OK : npart__fail_memory(way->error);
    for (uint32_t i = 0; status == NPART_OK && i < way->groups.count; i++) {
        const struct npart__group *group = &way->groups.items[i];
        if (group->is_done || npart__rows[group->row].trial != NPART__TRY_NOTHING || !is_left[group->row])
            continue;
        bool *marks = mark_causes(way, group);
        status = marks ? keep(way, group, marks) : npart__fail_memory(way->error);
    }
    return status;
}

/* Causes of which nothing was told yet: the table's last row is for them. Of the open plan again, as causes in the
 * result are its; each of them is in one action at least then. Rows do not matter after it: what is tried then
 * (small.c) has no step done. */
static npart_status keep_rest(struct npart__way *way)
{
    uint32_t count = way->open->causes.items.count, first = NPART_NONE;
    bool *marks = npart__arena_zeroed(&way->scratch, count + (size_t)1, sizeof *marks);
    uint32_t *row_of = npart__arena_zeroed(&way->scratch, count + (size_t)1, sizeof *row_of);
    if (!marks || !row_of)
        return npart__fail_memory(way->error);
    for (uint32_t c = count; c-- > 0;)
        if (!way->is_told[c]) {
            marks[c] = true;
            row_of[c] = npart__row_count - 1;
            first = c;
        }
    if (first == NPART_NONE)
        return NPART_OK;
    const struct npart__group group = {
        .row = npart__row_count - 1, .first_cause = first, .variant = NPART_NONE};
    /* text_of looks at these. */
    way->plan = way->open;
    way->row_of = row_of;
    return keep(way, &group, marks);
}

/* Against the plan as asked, not step by step: a step may bring something only through a later one. */
static bool brings_something(const struct npart__way *way)
{
    const struct npart__after before = npart__as_it_is(way->open);
    if (!npart__plan_is_loaded(way->open)) /* the first step mends that */
        return true;
    for (uint32_t i = 0; i < way->steps; i++) {
        const struct npart__after *after = &way->out->items.items[i].after;
        /* 0 partitions count as most, as in is_before. */
        if (after->failed < before.failed || after->accepted > before.accepted ||
            after->partitions - 1 < before.partitions - 1)
            return true;
    }
    return false;
}

/* Where no step brings anything, what cannot be done comes before them. Actions are named by their place.
 * Otherwise the first thing to read would be work that does not help. The order changes after all are made:
 * needs and places of alternatives move with it. */
static npart_status keep_first(struct npart__way *way)
{
    struct npart__action *items = way->out->items.items;
    uint32_t count = way->out->items.count, kept = count - way->steps;
    if (kept == 0 || way->steps == 0 || brings_something(way))
        return NPART_OK;
    /* A copy of the pointers and numbers; texts and lists stay where they are. */
    struct npart__action *turned = npart__arena_allocate(&way->scratch, count * sizeof *turned);
    if (!turned)
        return npart__fail_memory(way->error);
    for (uint32_t i = 0; i < count; i++)
        /* Steps stand before what is kept until here; a rotation keeps the order within both. */
        turned[i] = items[i < kept ? way->steps + i : i - kept];
    memcpy(items, turned, count * sizeof *items);
    for (uint32_t i = 0; i < count + way->others.count; i++) {
        const struct npart__action *at = i < count ? &items[i] : &way->others.items[i - count];
        for (uint32_t n = 0; n < at->need_count; n++)
            way->out->lists.items[at->first_need + n] += kept;
    }
    for (uint32_t i = 0; i < way->others.count; i++)
        way->others.items[i].instead_of += kept;
    return NPART_OK;
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

/* First what keeps a model from compiling, then steps as long as one is left, then what cannot be helped. Whether
 * memory ran out within an inference is asked once, at the end: facts that it spoilt are not told. Causes that
 * nothing is done about come after the steps, as steps may still solve them. The recommendation is the last, as it
 * compares what steps leave. */
static npart_status walk(struct npart__way *way)
{
    struct npart__group *group = NULL;
    npart_status status = npart__way_turn(way, way->open);
    if (status == NPART_OK)
        status = mend(way);
    if (status == NPART_OK)
        status = choose(way, &group);
    while (status == NPART_OK && group) {
        status = take(way, group);
        if (status == NPART_OK)
            status = choose(way, &group);
    }
    if (status == NPART_OK)
        status = npart__way_cut(way, true);
    if (status == NPART_OK)
        status = keep_groups(way);
    if (status == NPART_OK)
        status = keep_rest(way);
    if (status == NPART_OK)
        status = keep_first(way);
    if (status == NPART_OK)
        status = npart__way_small(way);
    if (status == NPART_OK && npart__take_failure(way->open->session.inference))
        status = npart__fail_memory(way->error);
    if (status == NPART_OK)
        status = append_others(way);
    return status == NPART_OK ? npart__recommend(way) : status;
}

#ifdef NPART_DEBUG
/* What an action needs is done before it, and what it may take the place of is a step of the way. */
static void check_advice(const struct npart__plan *plan, const struct npart__advice *advice)
{
    for (uint32_t i = 0; i < advice->items.count; i++) {
        const struct npart__action *action = &advice->items.items[i];
        const uint32_t *needs = advice->lists.items + action->first_need;
        NPART__ASSERT(action->kind && action->text && *action->text, "action %u says nothing", i);
        NPART__ASSERT(action->first_cause + action->cause_count <= advice->lists.count, "action %u", i);
        NPART__ASSERT(action->first_need + action->need_count <= advice->lists.count, "action %u", i);
        for (uint32_t k = 0; k < action->cause_count; k++)
            NPART__ASSERT(advice->lists.items[action->first_cause + k] < plan->causes.items.count, "action %u", i);
        for (uint32_t k = 0; k < action->need_count; k++)
            NPART__ASSERT(needs[k] < advice->items.count && needs[k] != i, "action %u needs action %u", i, needs[k]);
        NPART__ASSERT(action->instead_of == NPART_NONE || action->instead_of < i, "action %u", i);
    }
    NPART__ASSERT(advice->choice <= NPART_CHOICE_UNDECIDED && advice->reason, "nothing is recommended");
}
#endif

npart_status npart__advise(const struct npart__plan *plan, const struct npart__plan *fixed, struct npart__arena *arena,
                           struct npart__advice *out, struct npart_error *error)
{
    struct npart__way way = {.arena = arena,
                             .open = plan,
                             .fixed = fixed,
                             .is_loaded = npart__plan_is_loaded(plan),
                             .out = out,
                             .error = error};
    memset(out, 0, sizeof *out);
    /* Plans made on the way go with the scratch; the caller's arena gets texts and numbers only. */
    npart__arena_init(&way.scratch, &arena->allocator);
    /* Nothing falls back: there may still be something to say of NPU or CPU. */
    if (plan->causes.items.count == 0 && way.is_loaded) {
        npart_status status = npart__recommend(&way);
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
