/* SPDX-License-Identifier: Apache-2.0
 *
 * A verdict for every live node: each stage that is applied must have an entry for its op, and all its rules hold.
 *
 * Stages are in series: what the provider takes, then what its frontend and compiler take of that (`gate` lines of a
 * list). A node that an earlier stage does not take is never seen by a later one, so its reasons end there. Nodes are
 * judged one by one and in the order of their ids; only QDQ node units and failures are looked at once all verdicts
 * are known. Linear in nodes times the rules of their op. Nodes that no rule can tell apart are tried once
 * (equivalent.c).
 */
#include <stdlib.h>

#include "judge/answer.h"

/* ---- entries --------------------------------------------------------------------------------------------- */

/* The entries of one operator version, looked up once. A direct-mapped cache: lookup by binary search compares
 * strings, and most nodes of a model are of a few ops. */
struct entry_cache {
    bool is_filled;
    uint32_t op_type, domain;
    int32_t version;
    uint32_t entries[NPART__LIMIT_STAGES]; /* NPART_NONE: the stage has none */
};

/* One pass over a graph for one target. `out` is filled in node by node, reasons of a node together. */
struct judge {
    const struct npart__target *target;
    const struct npart__oplist *oplist;
    const struct npart__graph *graph; /* the session's */
    const struct npart__session *session, *folded;
    struct npart__arena *arena;
    struct npart__mask *out;
    struct npart__beyond folded_beyond; /* the two sessions may have one graph */
    struct entry_cache *cache;
    struct npart__units units;
    uint32_t *quantized_unit; /* by node: the `unit` rule that holds for it plus one; 0: none does */
    const uint8_t *assumed;
    uint32_t refusal;   /* rule by which no node is taken (integers only, or beside a match), or NPART_NONE */
    const struct npart__op_id *policy_ops; /* the list's, in this graph */
    const uint32_t *equivalent, *folded_equivalent; /* by node; the latter NULL where `folded` is */
    uint32_t *judged;   /* by the first node of those equivalent: the one of them that was judged plus one */
    bool looked_beyond; /* the rules tried, at what equivalent nodes need not share */
};

/* The order in which a list's entries are sorted: by stage, domain, op and first version. The same as
 * compare_entries in lib/target/oplist/sections.c; a difference would lose entries. */
static int compare_entry(const struct npart__op_entry *entry, uint32_t stage, const char *domain, const char *name,
                         int32_t version)
{
    int order = entry->stage != stage ? (entry->stage < stage ? -1 : 1) : strcmp(entry->domain, domain);
    if (order == 0)
        order = strcmp(entry->name, name);
    return order ? order : NPART__ORDER(entry->first_version, version);
}

/* The last entry of the op that begins at or below the version, if it reaches that far. Entries of one op are
 * ranges of versions that do not overlap, so the last that begins early enough is the only candidate. */
static uint32_t find_entry(const struct npart__oplist *oplist, uint32_t stage, const char *domain, const char *name,
                           int32_t version)
{
    uint32_t low = 0, high = oplist->ops.count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (compare_entry(&oplist->ops.items[middle], stage, domain, name, version) <= 0)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == 0)
        return NPART_NONE;
    const struct npart__op_entry *entry = &oplist->ops.items[low - 1];
    bool is_it = entry->stage == stage && strcmp(entry->domain, domain) == 0 && strcmp(entry->name, name) == 0 &&
                 version <= entry->last_version;
    return is_it ? low - 1 : NPART_NONE;
}

/* An operator of a domain that is not imported has no version; any entry may speak for it. The last one is found
 * for it, as for the newest version. 0 is the version of such a node (lib/analysis/graph). */
static int32_t version_of(const struct npart__node *node)
{
    return node->opset_version ? node->opset_version : INT32_MAX;
}

uint32_t npart__entry_of(const struct npart__oplist *oplist, uint32_t stage, const struct npart__graph *graph,
                         const struct npart__node *node)
{
    uint32_t entry = find_entry(oplist, stage, npart__text(&graph->strings, node->domain),
                                npart__text(&graph->strings, node->op_type), version_of(node));
    if (entry != NPART_NONE)
        npart__need_entry(oplist, entry);
    return entry;
}

/* A cache of one place for each hash: a graph has few kinds of op, and a place that two of them share is filled
 * anew. */
static const struct entry_cache *look_up(struct judge *judge, const struct npart__node *node)
{
    struct entry_cache *cache = &judge->cache[npart__cache_slot(node->op_type)];
    int32_t version = version_of(node);
    if (cache->is_filled && cache->op_type == node->op_type && cache->domain == node->domain &&
        cache->version == version)
        return cache;
    *cache = (struct entry_cache){
        .is_filled = true, .op_type = node->op_type, .domain = node->domain, .version = version};
    for (uint32_t stage = 0; stage < judge->oplist->stage_count; stage++)
        cache->entries[stage] = npart__entry_of(judge->oplist, stage, judge->graph, node);
    return cache;
}

/* ---- one node -------------------------------------------------------------------------------------------- */

/* Texts such as `Relu` or `com.microsoft:Gelu` become two numbers each, so that asking whether a node is of one of
 * them compares no strings. An op that the graph does not have is found by no node. The order is that of the
 * texts, so an index into the list's ops is one into these, too. */
struct npart__op_id *npart__find_ops(const struct npart__graph *graph, const char *const *texts, uint32_t count,
                                     struct npart__arena *arena)
{
    struct npart__op_id *ids = npart__arena_zeroed(arena, count + (size_t)1, sizeof *ids);
    const bool is_long = count > 64; /* else looking them up costs less than the marks */
    const struct npart__op_marks marks = is_long ? npart__mark_ops(graph) : (struct npart__op_marks){.bits = {0}};
    for (uint32_t i = 0; ids && i < count; i++) {
        const char *colon = strrchr(texts[i], ':'), *name = colon ? colon + 1 : texts[i];
        ids[i] = (struct npart__op_id){NPART_NONE, NPART_NONE};
        if (is_long && !npart__may_have_op(&marks, name))
            continue;
        bool is_default = !colon || ((size_t)(colon - texts[i]) == 7 && memcmp(texts[i], "ai.onnx", 7) == 0);
        ids[i].op_type = npart__strings_find_text(&graph->strings, name);
        ids[i].domain =
            is_default ? 0 : npart__strings_find(&graph->strings, texts[i], (size_t)(colon - texts[i]));
        if (ids[i].op_type == NPART_NONE || ids[i].domain == NPART_NONE)
            ids[i] = (struct npart__op_id){NPART_NONE, NPART_NONE};
    }
    return ids;
}

/* What the rules tried so far say. Each only ever goes down, from TRUE. Kept apart, since a rule with `else fail`
 * counts only where all ordinary ones hold (verdict_of). */
struct outcome {
    enum npart__truth ordinary, fatal; /* all rules without, and with, `else fail` */
    bool is_capped; /* undecided at best */
};

/* False when out of memory, as of all functions here that return a truth value and add reasons. Of the node that is
 * being judged only: reasons of one node stand together. */
static bool add_reason(struct judge *judge, uint32_t node, uint32_t rule, enum npart__truth truth)
{
    struct npart__reason reason = {.node = node, .rule = rule, .truth = (uint8_t)truth};
    return NPART__PUSH(judge->arena, &judge->out->reasons, reason);
}

/* Takes one rule of an entry and adds what it says to the outcome. NOTE: a remark, printed where it applies. UNIT:
 * says that the node makes a QDQ node unit with what quantizes for it. CAP (`maybe`): where it does not hold nothing
 * is certain, so the node is undecided at best. NEED: must hold; with `else fail` the node is claimed all the same,
 * and breaks. Every rule that does not hold becomes a reason, so that a user is not told one limit after the other. */
static bool try_rule(struct judge *judge, struct npart__trial *trial, uint32_t node, uint32_t index,
                     struct outcome *outcome)
{
    const struct npart__rule *rule = &judge->oplist->rules.items[index];
    if (rule->kind == NPART_RULE_ELSEWHERE)
        return true; /* asked of what is taken in the end: lib/plan/framework_decides.c */
    enum npart__truth truth = npart__try_rule(trial, rule);
    if (rule->kind == NPART_RULE_NOTE)
        return truth != NPART__TRUE || add_reason(judge, node, index, NPART__TRUE);
    if (rule->kind == NPART_RULE_UNIT) {
        if (truth == NPART__TRUE) /* a unit that cannot be told is none */
            judge->quantized_unit[node] = index + 1;
        return true;
    }
    if (truth == NPART__TRUE)
        return true;
    /* Its truth is MAYBE to the reader too: what the list itself does not promise. */
    if (rule->kind == NPART_RULE_MAYBE) {
        outcome->is_capped = true;
        truth = NPART__MAYBE;
    } else if (rule->is_fatal) {
        outcome->fatal = truth < outcome->fatal ? truth : outcome->fatal;
    } else {
        outcome->ordinary = truth < outcome->ordinary ? truth : outcome->ordinary;
    }
    return add_reason(judge, node, index, truth);
}

/* Rules of an entry or of a stage follow one another in the list's array. All are tried, also after one that fails. */
static bool try_range(struct judge *judge, struct npart__trial *trial, uint32_t node, uint32_t first, uint32_t count,
                      struct outcome *outcome)
{
    for (uint32_t i = first; i < first + count; i++)
        if (!try_rule(judge, trial, node, i, outcome))
            return false;
    return true;
}

/* An op without an entry is not supported by this stage. The rules for every op come first. So a reader sees what
 * the whole stage requires before what this op does. */
static bool try_stage(struct judge *judge, struct npart__trial *trial, uint32_t node, uint32_t stage, uint32_t entry,
                     struct outcome *outcome)
{
    const struct npart__stage *at = &judge->oplist->stages[stage];
    if (entry == NPART_NONE) {
        outcome->ordinary = NPART__FALSE;
        return add_reason(judge, node, at->missing_rule, NPART__FALSE);
    }
    const struct npart__op_entry *op = &judge->oplist->ops.items[entry];
    return try_range(judge, trial, node, at->first_every, at->every_count, outcome) &&
           try_range(judge, trial, node, op->first_rule, op->rule_count, outcome);
}

/* A node that does not meet an ordinary rule is on the CPU, whatever an `else fail` says: it is never claimed, so it
 * cannot break. Where an ordinary rule cannot be told, neither can the rest. `else fail` counts for nodes that are
 * surely claimed. */
static enum npart_verdict verdict_of(struct outcome outcome)
{
    if (outcome.ordinary == NPART__FALSE)
        return NPART_VERDICT_CPU;
    if (outcome.ordinary == NPART__MAYBE)
        return NPART_VERDICT_UNKNOWN;
    if (outcome.fatal == NPART__FALSE)
        return NPART_VERDICT_FAIL;
    return outcome.fatal == NPART__MAYBE || outcome.is_capped ? NPART_VERDICT_UNKNOWN : NPART_VERDICT_NPU;
}

/* Lines are tried in the list's order, and one that has the op ends the search. A list without such lines says
 * nothing of its CPU, which then runs all. The rule of the last line that counts is told. Where there are such lines
 * and none of them counts for the target, its CPU's side has no op at all, as of rknn's RK2118; then the first
 * line's rule is told. */
uint32_t npart__fallback_rule(const struct npart__target *target, const struct npart__op_id *policy_ops,
                              const struct npart__node *node)
{
    const struct npart__oplist *oplist = target->oplist;
    uint32_t rule = oplist->fallbacks.count ? oplist->fallbacks.items[0].rule : NPART_NONE;
    for (uint32_t i = 0; i < oplist->fallbacks.count; i++) {
        const struct npart__fallback *line = &oplist->fallbacks.items[i];
        if (!npart__target_has(target, line->when))
            continue;
        rule = line->rule;
        if (line->has_all || npart__is_among(node, policy_ops + line->first_op, line->op_count))
            return NPART_NONE;
    }
    return rule;
}

/* Taken as a whole, whatever the rules say of each. A fusion that the stage makes first never puts its nodes
 * before the rules of single ops. The note is the fusion's sentence; a need with `else fail` that does not hold
 * comes after it. */
static bool judge_in_unit(struct judge *judge, uint32_t id, struct outcome *outcome)
{
    uint32_t fatal_rule = judge->units.fatal_rule_of[id];
    if (fatal_rule)
        outcome->fatal = NPART__FALSE;
    return add_reason(judge, id, judge->oplist->patterns.items[judge->units.unit_of[id] - 1].unit_rule,
                      NPART__TRUE) &&
           (!fatal_rule || add_reason(judge, id, fatal_rule - 1, NPART__FALSE));
}

/* Where it is kept which of the nodes equivalent to this one was judged; NULL: it is judged for itself. A node of a
 * pattern's match has its verdict from the match. Where a stage folds by itself it sees another graph, in which the two
 * need not be equivalent; then the node is judged for itself. By the file's node in the folded graph, since that
 * graph has no copies. */
static uint32_t *judged_for(struct judge *judge, uint32_t id)
{
    uint32_t equivalent = judge->equivalent[id];
    uint32_t original = npart__original(judge->graph, id);
    if (judge->units.unit_of[id] ||
        (judge->folded_equivalent && judge->folded_equivalent[original] != equivalent))
        return NULL;
    return &judge->judged[equivalent];
}

/* What was found for a node that no rule can tell from this one. Copies the reasons, under this node's id: a report
 * looks them up by node. */
static bool share_verdict(struct judge *judge, uint32_t id, uint32_t equivalent)
{
    struct npart__mask *out = judge->out;
    out->verdicts[id] = out->verdicts[equivalent];
    judge->quantized_unit[id] = judge->quantized_unit[equivalent];
    /* The reason is copied before it is pushed, which may move the array. */
    for (uint32_t i = out->first_reason[equivalent]; i < out->first_reason[equivalent + 1]; i++) {
        struct npart__reason reason = out->reasons.items[i];
        reason.node = id;
        if (!NPART__PUSH(judge->arena, &out->reasons, reason))
            return false;
    }
    return true;
}

/* By the rules, asked of this node. A stage that folds by itself is asked about `folded`, the same model with the
 * runtime's folding on; what is gone there it has nothing against. A node that the NPU's side does not take is then
 * asked of the CPU's side: where that cannot run it either, no session can be made, so the verdict is FAIL and not
 * CPU. */
static bool judge_alone(struct judge *judge, uint32_t id)
{
    const struct npart__node *node = npart__node_at(judge->graph, id);
    struct outcome outcome = {.ordinary = NPART__TRUE, .fatal = NPART__TRUE};
    struct npart__trial trial;
    judge->looked_beyond = false;
    /* A copy: nested questions (`taken`) may fill the same place anew. */
    const struct entry_cache cache = *look_up(judge, node);
    for (uint32_t stage = 0; stage < judge->oplist->stage_count; stage++) {
        if (!(judge->target->stages >> stage & 1))
            continue;
        uint32_t unit = judge->units.unit_of[id];
        if (unit && judge->oplist->patterns.items[unit - 1].stage == stage) {
            if (!judge_in_unit(judge, id, &outcome))
                return false;
            continue;
        }
        bool folds = judge->oplist->stages[stage].folds && judge->folded;
        uint32_t seen = folds ? npart__original(judge->session->graph, id) : id;
        if (folds && !npart__is_live(judge->folded, seen))
            continue; /* gone before this stage looks */
        npart__trial_init(&trial, judge->target, folds ? judge->folded : judge->session, seen);
        trial.looked_beyond = &judge->looked_beyond;
        trial.beyond = folds ? &judge->folded_beyond : &judge->out->beyond;
        trial.keeps_answers = true;
        if (!try_stage(judge, &trial, id, stage, cache.entries[stage], &outcome))
            return false;
        if (outcome.ordinary == NPART__FALSE)
            break; /* the later stages never see it */
        if (outcome.ordinary == NPART__TRUE && outcome.fatal == NPART__FALSE)
            break; /* claimed by this one: nothing that a later one refuses saves the session */
    }
    if (judge->target->standing == NPART_RELEASE_OLDER && outcome.ordinary != NPART__FALSE) {
        outcome.is_capped = true;
        if (!add_reason(judge, id, judge->oplist->older_rule, NPART__MAYBE))
            return false;
    }
    judge->out->verdicts[id] = (uint8_t)verdict_of(outcome);
    /* Neither FAIL nor UNDECIDED asks the CPU: the first has its reason, the second may be taken. */
    if (judge->out->verdicts[id] != NPART_VERDICT_CPU)
        return true;
    uint32_t rule = npart__fallback_rule(judge->target, judge->policy_ops, node);
    if (rule == NPART_NONE)
        return true;
    judge->out->verdicts[id] = NPART_VERDICT_FAIL;
    return add_reason(judge, id, rule, NPART__FALSE);
}

#ifdef NPART_DEBUG
/* Judges a node that took over another's verdict for itself, too: the rules may not tell the two apart. */
static bool check_shared_verdict(struct judge *judge, uint32_t id, uint32_t equivalent)
{
    struct npart__mask *out = judge->out;
    const uint32_t first = out->first_reason[id], count = out->reasons.count - first;
    const uint32_t unit = judge->quantized_unit[id];
    const uint8_t verdict = out->verdicts[id];
    judge->quantized_unit[id] = 0; /* as it is before a node is judged */
    if (!judge_alone(judge, id))
        return false;
    bool is_same = out->verdicts[id] == verdict && judge->quantized_unit[id] == unit &&
                   out->reasons.count - first == 2 * count;
    for (uint32_t i = first; is_same && i < first + count; i++)
        is_same = out->reasons.items[i].rule == out->reasons.items[i + count].rule &&
                  out->reasons.items[i].truth == out->reasons.items[i + count].truth;
    NPART__ASSERT(is_same, "the rules tell node %u (%s) from node %u, whose verdict it shares", id,
                  npart__node_op(judge->graph, npart__node_at(judge->graph, id)), equivalent);
    /* What was found the second time is taken back, so that debug and release builds give the same mask. */
    out->reasons.count = first + count;
    return true;
}
#else
static inline bool check_shared_verdict(struct judge *judge, uint32_t id, uint32_t equivalent)
{
    (void)judge;
    (void)id;
    (void)equivalent;
    return true;
}
#endif

/* Before any rule: what the user says of the node; a target of integers only before a model of floats; and bodies
 * that a runtime does not enter. Each is a reason of its own, so that a report can name it. What is assumed of an
 * op is by node of the file, so a copy has what its original has. A model that is refused as a whole has one
 * reason at each node, whatever else its rules would say. */
static bool judge_node(struct judge *judge, uint32_t id)
{
    uint32_t file_node = npart__original(judge->session->graph, id);
    if (judge->assumed && judge->assumed[file_node] != NPART__ASSUME_NOTHING) {
        bool on_npu = judge->assumed[file_node] == NPART__ASSUME_NPU;
        judge->out->verdicts[id] = on_npu ? NPART_VERDICT_NPU : NPART_VERDICT_CPU;
        return add_reason(judge, id, on_npu ? judge->oplist->assumed_npu_rule : judge->oplist->assumed_cpu_rule,
                          on_npu ? NPART__TRUE : NPART__FALSE);
    }
    if (judge->refusal != NPART_NONE)
        return add_reason(judge, id, judge->refusal, NPART__FALSE);
    bool is_in_body = npart__node_region(judge->graph, id) != 0;
    if (is_in_body && judge->oplist->bodies_stay && npart__target_has(judge->target, judge->oplist->bodies_when))
        return add_reason(judge, id, judge->oplist->bodies_rule, NPART__FALSE);
    uint32_t *judged = judged_for(judge, id);
    if (judged && *judged)
        return share_verdict(judge, id, *judged - 1) && check_shared_verdict(judge, id, *judged - 1);
    if (!judge_alone(judge, id))
        return false;
    /* Else the next of its kind is judged for itself, and again may be the one to be shared. */
    if (judged && !judge->looked_beyond)
        *judged = id + 1;
    return true;
}

/* ---- QDQ node units --------------------------------------------------------------------------------------- */

/* Only CPU: a unit that fails to compile was claimed with all its nodes, and one that is undecided takes nothing
 * along. */
static bool is_refused_unit(const struct judge *judge, uint32_t node)
{
    return judge->quantized_unit[node] && judge->out->verdicts[node] == NPART_VERDICT_CPU;
}

/* Whether all that use what a DequantizeLinear makes are QDQ node units on the CPU, so that it goes with them. Any
 * other user keeps it where it is. */
static bool is_in_refused_units(const struct judge *judge, uint32_t value)
{
    for (uint32_t i = 0; i < npart__user_count(judge->session, value); i++)
        if (!is_refused_unit(judge, npart__user(judge->session, value, i)))
            return false;
    return true;
}

/* NPART_NONE, and a node that is not run, play none. */
static bool plays(const struct judge *judge, uint32_t node, enum npart__role role)
{
    return node != NPART_NONE && npart__is_live(judge->session, node) &&
           npart__node_plays(judge->graph, npart__node_at(judge->graph, node), role);
}

/* By itself it would be claimed, whatever comes of that: nobody asks about it. */
static bool is_claimed(const struct judge *judge, uint32_t node)
{
    return judge->out->verdicts[node] == NPART_VERDICT_NPU || judge->out->verdicts[node] == NPART_VERDICT_FAIL;
}

/* Of a unit on the CPU: a Relu or Clip at its end goes there with it. Returns what is quantized. */
static uint32_t refuse_clamp(const struct judge *judge, uint32_t id, uint32_t value, uint32_t *rules)
{
    struct npart__trial trial;
    npart__trial_init(&trial, judge->target, judge->session, id);
    if (value == NPART_NONE || npart__clamped_in_unit(&trial, value) == NPART_NONE)
        return value;
    uint32_t clamp = npart__user(judge->session, value, 0);
    if (is_claimed(judge, clamp))
        rules[clamp] = judge->quantized_unit[id] - 1;
    return npart__node_output(judge->graph, npart__node_at(judge->graph, clamp), 0);
}

/* A QDQ node unit is accepted, or falls back, as one: with a node on the CPU go the nodes that quantize for it. As ONNX
 * Runtime forms them: DequantizeLinear, the operator, QuantizeLinear (core/framework/node_unit.cc). A
 * DequantizeLinear that several units use goes with them only if all of them fall back; it is asked once. Verdicts
 * are not changed while they are read: what follows stands in `rules` until the end. */
static bool refuse_with_units(struct judge *judge)
{
    const struct npart__graph *graph = judge->graph;
    uint32_t *rules = npart__arena_allocate(judge->arena, (graph->nodes.count + (size_t)1) * sizeof *rules);
    bool *is_asked = npart__arena_zeroed(judge->arena, graph->nodes.count + (size_t)1, sizeof *is_asked);
    if (!rules || !is_asked)
        return false;
    memset(rules, 0xff, (graph->nodes.count + (size_t)1) * sizeof *rules);
    /* A node that shares its verdict shares its unit as well (share_verdict), so no class is asked here. */
    for (uint32_t id = 0; id < graph->nodes.count; id++) {
        const struct npart__node *node = npart__node_at(graph, id);
        if (!is_refused_unit(judge, id))
            continue;
        judge->out->in_units[id] = true;
        for (uint32_t k = 0; k < node->input_count; k++) {
            uint32_t value = npart__node_input(graph, node, k);
            uint32_t producer = npart__producer(graph, value);
            if (!plays(judge, producer, NPART__ROLE_DEQUANTIZES) || !is_claimed(judge, producer))
                continue;
            /* Asked once, so a DequantizeLinear of a thousand units costs its users once and not a thousand times. */
            if (rules[producer] != NPART_NONE || (!is_asked[producer] && is_in_refused_units(judge, value)))
                rules[producer] = judge->quantized_unit[id] - 1;
            is_asked[producer] = true;
        }
        for (uint32_t k = 0; k < node->output_count; k++) {
            uint32_t value = npart__node_output(graph, node, k);
            value = refuse_clamp(judge, id, value, rules);
            for (uint32_t u = 0; u < npart__user_count(judge->session, value); u++) {
                uint32_t consumer = npart__user(judge->session, value, u);
                if (plays(judge, consumer, NPART__ROLE_QUANTIZES) && is_claimed(judge, consumer))
                    rules[consumer] = judge->quantized_unit[id] - 1;
            }
        }
    }
    /* Without an error to fill in: the caller reports that memory ran out. */
    return npart__hand_back(judge->oplist, rules, graph->nodes.count, judge->arena, judge->out, NULL) == NPART_OK;
}

static bool open_beyond(struct npart__beyond *beyond, const struct npart__graph *graph, struct npart__arena *arena)
{
    beyond->graph = graph;
    beyond->units = npart__arena_zeroed(arena, graph->nodes.count + (size_t)1, sizeof *beyond->units);
    beyond->taken = npart__arena_zeroed(arena, graph->nodes.count + (size_t)1, sizeof *beyond->taken);
    return beyond->units && beyond->taken;
}

/* Patterns are matched first, since a node of a match is judged by the match. Failures last: they are about nodes that
 * were accepted. Elements that rules ask for are read on the way, and memory that runs out there is remembered by
 * the inference, which is asked in the end: else an unknown element would look like an answer of the file. */
npart_status npart__judge(const struct npart__target *target, const struct npart__live_graph *live,
                          const struct npart__live_graph *folded, const uint8_t *assumed, struct npart__arena *arena,
                          struct npart__mask *out, struct npart_error *error)
{
    const struct npart__graph *graph = live->session->graph;
    struct judge judge = {.target = target,
                          .oplist = target->oplist,
                          .graph = graph,
                          .session = live->session,
                          .folded = folded ? folded->session : NULL,
                          .equivalent = live->equivalent,
                          .folded_equivalent = folded ? folded->equivalent : NULL,
                          .arena = arena,
                          .out = out,
                          .assumed = assumed};
    /* One more of each, as first_reason has an end, and a graph may have no nodes. */
    memset(out, 0, sizeof *out);
    out->verdicts = npart__arena_zeroed(arena, graph->nodes.count + (size_t)1, sizeof *out->verdicts);
    out->first_reason = npart__arena_zeroed(arena, graph->nodes.count + (size_t)1, sizeof *out->first_reason);
    out->in_units = npart__arena_zeroed(arena, graph->nodes.count + (size_t)1, sizeof *out->in_units);
    judge.cache = npart__arena_zeroed(arena, NPART__CACHE_SLOTS, sizeof *judge.cache);
    judge.quantized_unit = npart__arena_zeroed(arena, graph->nodes.count + (size_t)1, sizeof *judge.quantized_unit);
    judge.policy_ops =
        npart__find_ops(graph, target->oplist->policy_ops.items, target->oplist->policy_ops.count, arena);
    judge.judged = npart__arena_zeroed(arena, graph->nodes.count + (size_t)1, sizeof *judge.judged);
    bool is_ready = out->verdicts && out->first_reason && out->in_units && judge.cache && judge.policy_ops &&
                    judge.quantized_unit && judge.judged && open_beyond(&out->beyond, graph, arena) &&
                    (!folded || open_beyond(&judge.folded_beyond, folded->session->graph, arena));
    if (!is_ready || (live->hold && !live->hold(target, live->session, arena, &out->beyond)) ||
        !npart__match_patterns(target, live->session, &out->beyond, arena, &judge.units) ||
        !npart__find_refusal(target, live->session, &out->beyond, arena, &judge.refusal))
        return npart__fail_memory(error);
    out->match_of = judge.units.last_of;
    if (target->oplist->integer_rule != NPART_NONE && npart__target_has(target, target->oplist->integer_when) &&
        npart__is_float_model(live->session))
        judge.refusal = target->oplist->integer_rule;
    /* By id, as first_reason of the next node ends the reasons of this one; nodes that are not live have none. */
    for (uint32_t i = 0; i < graph->nodes.count; i++) {
        out->first_reason[i] = out->reasons.count;
        out->verdicts[i] = NPART_VERDICT_CPU;
        if (npart__is_live(live->session, i) && (npart__is_late(arena) || !judge_node(&judge, i)))
            return npart__fail_memory(error);
    }
    out->first_reason[graph->nodes.count] = out->reasons.count;
    if (!refuse_with_units(&judge) || !npart__match_failures(target, live->session, arena, out))
        return npart__fail_memory(error);
    NPART__CHECK(npart__check_mask(live->session, target->oplist, out));
    bool is_short = npart__take_failure(live->session->inference) || npart__has_failed_late(target->oplist);
    return is_short ? npart__fail_memory(error) : NPART_OK;
}

/* Reasons of a node stand together in one array in the order of nodes, so one more in the middle pushes all that
 * follow: linear in reasons for any number of nodes. Its reasons from judging stay (notes, what could not be
 * told), the new one comes last. */
npart_status npart__hand_back(const struct npart__oplist *oplist, const uint32_t *rules, uint32_t node_count,
                              struct npart__arena *arena, struct npart__mask *mask, struct npart_error *error)
{
    uint32_t count = 0, before = mask->reasons.count;
    for (uint32_t i = 0; i < node_count; i++)
        count += rules[i] != NPART_NONE;
    if (count == 0)
        return NPART_OK;
    if (!NPART__RESERVE(arena, &mask->reasons, count))
        return npart__fail_memory(error);
    /* There is room for all from here on, so nothing below can fail. */
    mask->reasons.count = before + count;
    /* From the back, so that every reason is moved once; one more is put after those of each such node. */
    uint32_t to = mask->reasons.count;
    for (uint32_t node = node_count; node-- > 0;) {
        uint32_t first = mask->first_reason[node];
        mask->first_reason[node + 1] = to;
        if (rules[node] != NPART_NONE) {
            mask->verdicts[node] = oplist->rules.items[rules[node]].is_fatal ? NPART_VERDICT_FAIL : NPART_VERDICT_CPU;
            mask->reasons.items[--to] =
                (struct npart__reason){.node = node, .rule = rules[node], .truth = NPART__FALSE};
        }
        for (uint32_t i = before; i-- > first;)
            mask->reasons.items[--to] = mask->reasons.items[i];
        before = first;
    }
    return NPART_OK;
}

/* ---- asking again ---------------------------------------------------------------------------------------- */

/* What was found is not kept while judging, since most reasons are never printed: the rule is asked once more when a
 * report wants it. A pattern's rule is asked of its match, which is found again; where it is not, nothing is told.
 * `names` is what the trial refers to. */
static enum npart__truth try_again(struct npart__trial *trial, const struct npart__target *target,
                                   const struct npart__session *session, const struct npart__mask *mask, uint32_t rule,
                                   uint32_t node, uint32_t names[NPART__LIMIT_PATTERN_NAMES])
{
    const struct npart__rule *asked = &target->oplist->rules.items[rule];
    npart__trial_init(trial, target, session, node);
    if (asked->pattern && !npart__trial_in_match(trial, target, session, asked, node, names))
        return NPART__FALSE;
    trial->beyond = mask ? &mask->beyond : NULL;
    return npart__try_rule(trial, asked);
}

enum npart__truth npart__rule_found(const struct npart__target *target, const struct npart__session *session,
                                    const struct npart__mask *mask, uint32_t rule, uint32_t node,
                                    struct npart__buffer *out)
{
    struct npart__trial trial;
    uint32_t names[NPART__LIMIT_PATTERN_NAMES];
    enum npart__truth truth = try_again(&trial, target, session, mask, rule, node, names);
    if (out)
        npart__append_found(&trial, out);
    return truth;
}

/* Asked for each reason of a traced cause, so what it needs is made again rather than kept. What a comparison of two
 * operands failed by is traced from the first of them. */
uint32_t npart__rule_culprit(const struct npart__target *target, const struct npart__session *session,
                             const struct npart__mask *mask, uint32_t rule, uint32_t node)
{
    struct npart__trial trial;
    uint32_t names[NPART__LIMIT_PATTERN_NAMES];
    (void)try_again(&trial, target, session, mask, rule, node, names);
    return trial.failure.value;
}

