/* SPDX-License-Identifier: Apache-2.0
 *
 * Random graphs with random masks: the partitions are those of statements so simple that they can be read, and what
 * partition.h promises of borders, order and counts holds. A failure prints the seed and the graph.
 */
#include "onnxruntime/onnxruntime.h"
#include "onnxruntime/view.h"
#include "runtime/runtime.h"
#include "support/built.h"
#include "support/test.h"

#define POLICY_LISTS 500u
#define GRAPHS_A_LIST 20u
#define GRAPHS 1500u /* for each partitioner */
#define MOST_NODES 64u
#define MOST_RUN 512u /* with those of bodies, and copies */
#define MOST_VALUES 1024u

/* ---- random graphs -------------------------------------------------------------------------------------------- */

static uint32_t state;

static uint32_t random_below(uint32_t limit)
{
    state = state * 1664525u + 1013904223u;
    return (uint32_t)(((uint64_t)(state >> 4) * limit) >> 28);
}

static char text[1 << 15];
static size_t used;

static void add(const char *format, ...)
{
    va_list list;
    va_start(list, format);
    used += (size_t)vsnprintf(text + used, sizeof text - used, format, list);
    va_end(list);
}

/* One to three operands: inputs, a constant, results so far; now and then one that is absent. */
static void add_operands(const char *prefix, uint32_t made, uint32_t near)
{
    uint32_t count = 1 + random_below(3);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t what = random_below(10);
        uint32_t back = made > near && random_below(3) ? made - near + random_below(near) : random_below(made + 1);
        if (i)
            add(", ");
        if (what == 0 && i)
            add("w");
        else if (what <= 1 || made == 0 || back >= made)
            add("x%u", random_below(2));
        else
            add("%s%u", prefix, back);
    }
}

/* A body whose nodes take each other's results and capture what the main graph has made so far. */
static void add_body(uint32_t id, uint32_t made)
{
    uint32_t count = 1 + random_below(4);
    add("graph g%u\n", id);
    for (uint32_t i = 0; i < count; i++) {
        if (i && random_below(2))
            add("node b%u_%u = Concat(b%u_%u, x0) axis=0\n", id, i, id, random_below(i));
        else if (made && random_below(2))
            add("node b%u_%u = Concat(v%u, x1) axis=0\n", id, i, random_below(made));
        else
            add("node b%u_%u = Concat(x0, w) axis=0\n", id, i);
    }
    add("output b%u_%u\nend\n", id, count - 1);
}

/* Nodes in the file's order; some graphs are shuffled a little, so that the file is not sorted. */
static void write_graph(uint32_t nodes)
{
    static char lines[MOST_NODES][300];
    uint32_t near = 1 + random_below(6);
    bool has_bodies = random_below(4) == 0;
    used = 0;
    add("opset 17\ninput x0 float32[2]\ninput x1 float32[2]\ninput c bool[]\ninit w float32[2]\n");
    for (uint32_t i = 0; i < nodes; i++) {
        bool is_if = has_bodies && random_below(6) == 0;
        size_t start;
        if (is_if) {
            add_body(2 * i, i);
            add_body(2 * i + 1, i);
        }
        start = used;
        if (is_if) {
            add("node v%u = If(c) then_branch=graph g%u else_branch=graph g%u\n", i, 2 * i, 2 * i + 1);
        } else if (random_below(8) == 0 && i) {
            add("node v%u = Identity(v%u)\n", i, random_below(i));
        } else if (random_below(8) == 0 && i) {
            add("node v%u = DequantizeLinear(v%u, w)\n", i, random_below(i));
        } else {
            add("node v%u = Concat(", i);
            add_operands("v", i, near);
            add(") axis=0\n");
        }
        (void)snprintf(lines[i], sizeof lines[i], "%.*s", (int)(used - start), text + start);
        used = start;
    }
    for (uint32_t swaps = random_below(3) ? 0 : random_below(nodes); swaps > 0; swaps--) {
        char kept[300];
        uint32_t a = random_below(nodes), b = random_below(nodes);
        memcpy(kept, lines[a], sizeof kept);
        memcpy(lines[a], lines[b], sizeof kept);
        memcpy(lines[b], kept, sizeof kept);
    }
    for (uint32_t i = 0; i < nodes; i++)
        add("%s", lines[i]);
    for (uint32_t i = 0; i < nodes; i++)
        if (i + 1 == nodes || random_below(5) == 0)
            add("output v%u\n", i);
}

/* ---- one case --------------------------------------------------------------------------------------------------- */

static struct built built;
static const struct npart__graph *graph; /* the session's */
static struct npart__inference inference;
static struct npart__session session;
static struct npart__works works;
static struct npart__partitioning found;
static struct npart__oplist oplist; /* without policies of its own */
static struct npart__arena oplist_arena;
static const struct npart__target target = {.oplist = &oplist};
static bool asked[MOST_RUN], accepted[MOST_RUN]; /* before and after what a partitioner hands back */
static bool is_cut[MOST_VALUES]; /* by value, of those that stand for others */
static bool has_cuts;
static uint32_t round_count; /* of rounds after the first, in which the runtime is asked about nodes */
static const char *partitioner;

static bool is_by(const char *name)
{
    return strcmp(partitioner, name) == 0;
}

static bool is_live(uint32_t node)
{
    return npart__is_live(&session, node);
}

/* What a live node takes at a place, once folded nodes are gone; NPART_NONE for nothing or a constant. */
static uint32_t taken(uint32_t node, uint32_t place)
{
    uint32_t value = npart__node_use(graph, &graph->nodes.items[node], place);
    return value == NPART_NONE || session.is_constant[value] ? NPART_NONE : value;
}

/* The same as it is told, which is by the file's nodes: what a node's copy is made of. */
static uint32_t taken_past_copies(uint32_t node, uint32_t place)
{
    return npart__operand_past_copies(&session, &graph->nodes.items[node], place);
}

static uint32_t places_of(uint32_t node)
{
    return graph->nodes.items[node].input_count + graph->nodes.items[node].capture_count;
}

/* The live node of the same region that makes what `node` takes at a place; NPART_NONE. */
static uint32_t maker(uint32_t node, uint32_t place)
{
    uint32_t value = taken(node, place);
    uint32_t producer = value == NPART_NONE ? NPART_NONE : graph->values.items[value].producer;
    bool is_near = producer != NPART_NONE && npart__node_region(graph, producer) == npart__node_region(graph, node);
    return is_near ? producer : NPART_NONE;
}

static bool needs(uint32_t node, uint32_t other)
{
    for (uint32_t k = 0; k < places_of(node); k++)
        if (maker(node, k) == other)
            return true;
    return false;
}

/* ---- what the partitions are ------------------------------------------------------------------------------------ */

/* By node: the number of its partition within its region, from 0; NPART_NONE for what is in none. */
static uint32_t expected[MOST_RUN];

static uint32_t live_nodes(uint32_t region, uint32_t *out)
{
    const struct npart__scope *scope = &graph->scopes.items[region];
    uint32_t count = 0;
    for (uint32_t i = 0; i < scope->order_count; i++)
        if (is_live(graph->order[scope->first_order + i]))
            out[count++] = graph->order[scope->first_order + i];
    return count;
}

/* Whether a node takes, in the body that it holds, what another node of the region makes. */
static bool has_captures(const uint32_t *nodes, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t k = graph->nodes.items[nodes[i]].input_count; k < places_of(nodes[i]); k++)
            if (maker(nodes[i], k) != NPART_NONE)
                return true;
    return false;
}

/* None goes back; or, where something is captured, all do. */
static void expect_all_or_none(const uint32_t *nodes, uint32_t count)
{
    bool has_kept = false, has_given_back = false;
    for (uint32_t i = 0; i < count; i++) {
        has_kept |= accepted[nodes[i]];
        has_given_back |= asked[nodes[i]] && !accepted[nodes[i]];
    }
    CHECK(!has_given_back || (!has_kept && has_captures(nodes, count)));
}

/* Those after the first unsupported one, or all if there is one, go back; what is left is one run. */
static void expect_handed_back(const uint32_t *nodes, uint32_t count)
{
    bool is_behind = false, has_refused = false;
    for (uint32_t i = 0; i < count; i++)
        has_refused |= !asked[nodes[i]];
    for (uint32_t i = 0; i < count; i++) {
        is_behind |= !asked[nodes[i]];
        if (is_by("prefix") || is_by("whole"))
            CHECK_INT(accepted[nodes[i]], asked[nodes[i]] && !(is_by("prefix") ? is_behind : has_refused));
        else if (!is_by("openvino") && !is_by("qnn"))
            CHECK_INT(accepted[nodes[i]], asked[nodes[i]]);
        CHECK_INT(found.handed_back[nodes[i]] != NPART_NONE, asked[nodes[i]] && !accepted[nodes[i]]);
    }
}

static uint32_t expect_single(const uint32_t *nodes, uint32_t count)
{
    uint32_t partitions = 0;
    for (uint32_t i = 0; i < count; i++)
        expected[nodes[i]] = accepted[nodes[i]] ? partitions++ : NPART_NONE;
    return partitions;
}

/* A run is as long as the side stays. */
static uint32_t expect_runs(const uint32_t *nodes, uint32_t count)
{
    uint32_t partitions = 0;
    for (uint32_t i = 0; i < count; i++) {
        bool begins = accepted[nodes[i]] && (i == 0 || !accepted[nodes[i - 1]]);
        partitions += begins;
        expected[nodes[i]] = accepted[nodes[i]] ? partitions - 1 : NPART_NONE;
    }
    return partitions;
}

/* Whether a ready node takes something that is made by the group that gathers in this round. */
static bool takes_from_round(uint32_t node, const uint32_t *round_of, uint32_t round)
{
    for (uint32_t k = 0; k < places_of(node); k++) {
        uint32_t made_by = maker(node, k);
        if (made_by != NPART_NONE && accepted[made_by] && round_of[made_by] == round)
            return true;
    }
    return false;
}

/* A scheduler that runs what is ready. Accepted nodes gather in a group. An unsupported node runs as soon as it is
 * ready, unless it takes something from the group: then it waits until nothing else is ready, which closes the
 * group. */
static uint32_t expect_waves(const uint32_t *nodes, uint32_t count)
{
    bool is_done[MOST_RUN] = {false};
    uint32_t round_of[MOST_RUN] = {0};
    uint32_t groups = 0, members = 0, done = 0, round = 0;
    while (done < count) {
        bool moved = false;
        for (uint32_t i = 0; i < count; i++) {
            bool is_ready = !is_done[nodes[i]];
            for (uint32_t k = 0; is_ready && k < count; k++)
                is_ready = is_done[nodes[k]] || !needs(nodes[i], nodes[k]);
            if (!is_ready || (!accepted[nodes[i]] && takes_from_round(nodes[i], round_of, round)))
                continue;
            is_done[nodes[i]] = moved = true;
            round_of[nodes[i]] = round;
            expected[nodes[i]] = accepted[nodes[i]] ? groups : NPART_NONE;
            members += accepted[nodes[i]];
            done++;
        }
        if (!moved || done == count) {
            groups += members > 0;
            members = 0;
            round++;
        }
    }
    return groups;
}

/* Whether two nodes of a wave are joined by results that pass between nodes of that wave. */
static bool are_joined(const uint32_t *nodes, uint32_t count, uint32_t from, uint32_t to)
{
    bool is_reached[MOST_RUN] = {false}, moved = true;
    is_reached[from] = true;
    while (moved && !is_reached[to]) {
        moved = false;
        for (uint32_t i = 0; i < count; i++)
            for (uint32_t k = 0; k < count; k++) {
                bool is_step = is_reached[nodes[i]] && !is_reached[nodes[k]] &&
                               expected[nodes[k]] == expected[from] &&
                               (needs(nodes[i], nodes[k]) || needs(nodes[k], nodes[i]));
                is_reached[nodes[k]] |= is_step;
                moved |= is_step;
            }
    }
    return is_reached[to];
}

static void check_connected(const uint32_t *nodes, uint32_t count)
{
    (void)expect_waves(nodes, count);
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t k = i + 1; k < count; k++) {
            bool is_one = accepted[nodes[i]] && accepted[nodes[k]] &&
                          expected[nodes[i]] == expected[nodes[k]] && are_joined(nodes, count, nodes[i], nodes[k]);
            bool is_found = found.partition_of[nodes[i]] != NPART_NONE &&
                            found.partition_of[nodes[i]] == found.partition_of[nodes[k]];
            CHECK_INT(is_found, is_one);
        }
}

static void check_count(uint32_t total)
{
    bool mask[MOST_RUN];
    struct npart__partition_request request = {.session = &session,
                                               .target = &target,
                                               .products = npart__products,
                                               .partitioner = npart__find_partitioner(npart__products, partitioner),
                                               .accepted = mask,
                                               .works = &works};
    uint32_t count = 0;
    struct npart_error error;
    memcpy(mask, asked, sizeof mask);
    CHECK_INT(npart__count_partitions(&request, &built.arena, &count, &error), NPART_OK);
    CHECK_INT(count, total);
}

/* A body that is taken as a whole, of a node that is taken: it is in the partition of that one. */
static bool is_joined(uint32_t region, const uint32_t *nodes, uint32_t count)
{
    const struct npart__scope *scope = &graph->scopes.items[region];
    bool is_whole = (is_by("openvino") || is_by("whole")) && scope->kind == NPART_GRAPH_BODY && count &&
                    is_live(scope->node) && accepted[scope->node];
    for (uint32_t i = 0; i < count; i++)
        is_whole = is_whole && accepted[nodes[i]] && session.round[nodes[i]] == session.round[scope->node];
    for (uint32_t i = 0; is_whole && i < count; i++)
        CHECK_INT(found.partition_of[nodes[i]], found.partition_of[scope->node]);
    return is_whole;
}

static void check_membership(void)
{
    uint32_t nodes[MOST_RUN], total = 0;
    bool is_counted = !is_by("connected") && !is_by("openvino");
    for (uint32_t region = 0; region < graph->scopes.count; region++) {
        if (graph->scopes.items[region].region != region)
            continue;
        uint32_t count = live_nodes(region, nodes), groups = 0;
        if (is_joined(region, nodes, count))
            continue;
        expect_handed_back(nodes, count);
        if (is_by("connected"))
            check_connected(nodes, count);
        if (is_by("qnn"))
            expect_all_or_none(nodes, count);
        if (is_by("qnn") && has_captures(nodes, count))
            is_counted = false;
        if (!is_counted)
            continue;
        groups = is_by("waves") || is_by("qnn") ? expect_waves(nodes, count)
                 : is_by("single") ? expect_single(nodes, count)
                                   : expect_runs(nodes, count);
        for (uint32_t i = 0; i < count; i++) {
            uint32_t wanted = expected[nodes[i]] == NPART_NONE ? NPART_NONE : total + expected[nodes[i]];
            CHECK_INT(found.partition_of[nodes[i]], wanted);
        }
        for (uint32_t i = 0; i < groups; i++)
            CHECK_INT(found.partitions.items[total + i].region, region);
        total += groups;
    }
    if (is_counted)
        CHECK_INT(found.partitions.count, total);
    check_count(found.partitions.count);
}

static unsigned listed(uint32_t first, uint32_t count, uint32_t id)
{
    unsigned times = 0;
    for (uint32_t i = 0; i < count; i++)
        times += found.lists.items[first + i] == id;
    return times;
}

/* Each accepted live node is a member once, of the partition that it says; in an order that runs. Copies are members
 * that are told only where there are no others. */
static void check_members(void)
{
    unsigned seen[MOST_RUN] = {0};
    uint32_t file_nodes = session.file->nodes.count;
    for (uint32_t p = 0; p < found.partitions.count; p++) {
        const struct npart__partition *at = &found.partitions.items[p];
        const uint32_t *members = found.lists.items + at->first_member;
        CHECK(at->member_count > 0);
        if (found.partition_of[members[0]] != p) {
            for (uint32_t i = 0; i < graph->nodes.count; i++) {
                uint32_t node = npart__original(session.graph, i);
                CHECK(found.partition_of[i] != p ||
                      (i >= file_nodes && listed(at->first_member, at->member_count, node) == 1));
            }
            continue;
        }
        for (uint32_t i = 0; i < at->member_count; i++) {
            seen[members[i]]++;
            CHECK_INT(found.partition_of[members[i]], p);
            for (uint32_t k = i + 1; k < at->member_count; k++)
                CHECK(!needs(members[i], members[k]));
        }
    }
    for (uint32_t i = 0; i < graph->nodes.count; i++) {
        CHECK_INT(seen[i], i < file_nodes && is_live(i) && accepted[i]);
        CHECK((found.partition_of[i] != NPART_NONE) == (is_live(i) && accepted[i]));
        CHECK((found.step_of[i] != NPART_NONE) == is_live(i));
    }
}

/* ---- order ------------------------------------------------------------------------------------------------------ */

/* With each partition as one node the graph can still be run: takes away what needs nothing that is left. */
static void check_acyclic(void)
{
    bool is_gone[MOST_RUN] = {false};
    bool moved = true;
    while (moved) {
        moved = false;
        for (uint32_t i = 0; i < graph->nodes.count; i++) {
            bool is_free = is_live(i) && !is_gone[i];
            for (uint32_t n = 0; is_free && n < graph->nodes.count; n++) { /* all of its partition must be free */
                bool is_with = n == i || (found.partition_of[i] != NPART_NONE &&
                                          found.partition_of[n] == found.partition_of[i]);
                for (uint32_t k = 0; is_with && is_free && k < places_of(n); k++) {
                    uint32_t other = maker(n, k);
                    bool is_inside = other != NPART_NONE && found.partition_of[other] != NPART_NONE &&
                                     found.partition_of[other] == found.partition_of[i];
                    is_free = other == NPART_NONE || is_inside || is_gone[other];
                }
            }
            is_gone[i] |= is_free;
            moved |= is_free;
        }
    }
    for (uint32_t i = 0; i < graph->nodes.count; i++)
        CHECK(is_gone[i] == is_live(i));
}

/* A switch is where one side's stage follows the other's. */
static void check_switches(void)
{
    uint32_t nodes[MOST_RUN], switches = 0;
    for (uint32_t region = 0; region < graph->scopes.count; region++) {
        int side = -1;
        uint32_t count = graph->scopes.items[region].region == region ? live_nodes(region, nodes) : 0;
        for (uint32_t stage = 0; stage <= 2 * count + 1; stage++) {
            for (uint32_t i = 0; i < count; i++) {
                if (found.step_of[nodes[i]] != stage)
                    continue;
                switches += side >= 0 && side != accepted[nodes[i]];
                side = accepted[nodes[i]];
                for (uint32_t k = 0; k < count; k++) /* what it needs runs before, or with it */
                    CHECK(!needs(nodes[i], nodes[k]) || found.step_of[nodes[k]] <= stage);
            }
        }
    }
    CHECK_INT(found.switch_count, switches);
}

/* ---- borders ---------------------------------------------------------------------------------------------------- */

/* Does a side (a partition; NPART_NONE: the CPU) take a value? */
static bool takes(uint32_t side, uint32_t value)
{
    for (uint32_t n = 0; n < session.file->nodes.count; n++)
        for (uint32_t k = 0; is_live(n) && found.partition_of[n] == side && k < places_of(n); k++)
            if (taken_past_copies(n, k) == value)
                return true;
    for (uint32_t v = 0; side == NPART_NONE && v < inference.graph->values.count; v++)
        if (graph->values.items[v].is_graph_output && session.stands_for[v] == value)
            return true;
    return false;
}

static unsigned crossings_of(uint32_t value, uint32_t from, uint32_t to)
{
    unsigned count = 0;
    for (uint32_t i = 0; i < found.crossings.count; i++) {
        const struct npart__crossing *at = &found.crossings.items[i];
        count += at->value == value && at->from == from && at->to == to;
    }
    return count;
}

static void check_borders(void)
{
    uint32_t total = 0;
    for (uint32_t value = 0; value < inference.graph->values.count; value++) {
        uint32_t producer = graph->values.items[value].producer;
        uint32_t from = producer == NPART_NONE ? NPART_NONE : found.partition_of[producer];
        bool is_there = session.stands_for[value] == value && !session.is_constant[value];
        bool leaves = false;
        for (uint32_t p = 0; p <= found.partitions.count; p++) {
            uint32_t to = p == found.partitions.count ? NPART_NONE : p;
            bool crosses = is_there && to != from && takes(to, value);
            leaves |= crosses;
            total += crosses;
            CHECK_INT(crossings_of(value, from, to), crosses);
            if (to != NPART_NONE)
                CHECK_INT(listed(found.partitions.items[p].first_input, found.partitions.items[p].input_count, value),
                          crosses);
        }
        if (from != NPART_NONE)
            CHECK_INT(listed(found.partitions.items[from].first_output, found.partitions.items[from].output_count,
                             value),
                      leaves);
    }
    CHECK_INT(found.crossings.count, total);
}

/* What ends a partition are unsupported nodes that take a result of it, each once; by order, else the next one. */
static void check_ends(void)
{
    for (uint32_t p = 0; p < found.partitions.count; p++) {
        const struct npart__partition *at = &found.partitions.items[p];
        uint32_t takers = 0;
        for (uint32_t n = 0; n < session.file->nodes.count; n++) {
            bool is_taker = false;
            for (uint32_t k = 0; is_live(n) && !accepted[n] && k < places_of(n); k++) {
                uint32_t value = taken_past_copies(n, k);
                uint32_t producer = value == NPART_NONE ? NPART_NONE : graph->values.items[value].producer;
                is_taker |= producer != NPART_NONE && found.partition_of[producer] == p;
            }
            takers += is_taker;
            if (is_taker)
                CHECK_INT(listed(at->first_end, at->end_count, n), 1);
        }
        bool is_next = takers == 0 && at->end_count == 1 && !is_by("waves") && !is_by("qnn") && at->cut_count == 0;
        CHECK(at->end_count == takers || is_next);
    }
}

/* ---- the whole -------------------------------------------------------------------------------------------------- */

static void partition_random_graph(uint32_t seed, enum npart_level level)
{
    /* A runtime's view has copies of what is dequantized for several users. */
    const struct npart__infer_options options = {.policy = seed % 3 ? NULL : &npart__policy_unfolded};
    struct npart_error error;
    state = seed;
    write_graph(1 + random_below(seed % 50 == 0 ? MOST_NODES - 1 : 14));
    build_text(&built, text);
    REQUIRE(built.status == NPART_OK);
    REQUIRE(npart__infer(&built.graph, &options, &built.arena, &inference, &error) == NPART_OK);
    REQUIRE(npart__session_make(&inference, level, NPART__RELEASE_OWN, &built.arena, &session, &error) == NPART_OK);
    REQUIRE(npart__session_know(&session, &inference, &built.arena) &&
            npart__find_work(&session, &built.arena, &works));
    graph = session.graph;
    REQUIRE(graph->nodes.count < MOST_RUN && graph->values.count < MOST_VALUES);
    uint32_t share = random_below(11);
    for (uint32_t i = 0; i < graph->nodes.count; i++)
        asked[i] = accepted[i] = random_below(10) < share;
    for (uint32_t v = 0; v < graph->values.count; v++)
        is_cut[v] = has_cuts && session.stands_for[v] == v && v < inference.graph->values.count && random_below(6) == 0;
    struct npart__partition_request request = {.session = &session,
                                               .target = &target,
                                               .products = npart__products,
                                               .partitioner = npart__find_partitioner(npart__products, partitioner),
                                               .accepted = accepted,
                                               .is_cut = has_cuts ? is_cut : NULL,
                                               .works = &works};
    session.round_count = round_count;
    uint32_t first = random_below(graph->nodes.count + 1), second = first + random_below(graph->nodes.count + 1);
    for (uint32_t i = 0; i < graph->nodes.count; i++) {
        uint32_t file_node = npart__original(session.graph, i);
        session.round[i] = (uint8_t)(round_count ? (file_node >= first) + (file_node >= second) : 0);
    }
    REQUIRE(npart__partition_graph(&request, &built.arena, &found, &error) == NPART_OK);
}

static void check_case(uint32_t seed, enum npart_level level)
{
    int before = test_failures;
    partition_random_graph(seed, level);
    check_membership();
    check_members();
    check_acyclic();
    check_switches();
    check_borders();
    check_ends();
    built_close(&built);
    if (test_failures > before) {
        fprintf(stderr, "  seed %u, %s\n%s", seed, partitioner, text);
        exit(1);
    }
}

static void test_partition_property__every_partitioner(void)
{
    static const char list[] = "format 1\ntarget t\n";
    struct npart_error error;
    npart__arena_init(&oplist_arena, NULL);
    REQUIRE(npart__oplist_read(list, sizeof list - 1, "t.ops", &oplist_arena, &oplist, NULL, &error) == NPART_OK);
    for (size_t i = 0; (partitioner = npart__partitioner_name(npart__products, i)) != NULL; i++)
        for (uint32_t seed = 1; seed <= GRAPHS; seed++)
            check_case(seed, seed % 2 ? NPART_LEVEL_BASIC : NPART_LEVEL_OFF);
    npart__arena_clear(&oplist_arena);
}

/* Nothing passes a cut within a partition, and what ends at one has an accepted node after it. */
static void check_cuts(void)
{
    for (uint32_t n = 0; n < graph->nodes.count; n++)
        for (uint32_t k = 0; is_live(n) && accepted[n] && k < places_of(n); k++) {
            uint32_t value = taken(n, k), producer = maker(n, k);
            CHECK(producer == NPART_NONE || !is_cut[graph->values.items[value].alias] || !found.cuts.is_cut ||
                  found.partition_of[producer] != found.partition_of[n]);
        }
    for (uint32_t p = 0; p < found.partitions.count; p++) {
        const struct npart__partition *at = &found.partitions.items[p];
        bool goes_on = false;
        for (uint32_t i = 0; i < at->cut_count; i++)
            CHECK(is_cut[found.lists.items[at->first_cut + i]]);
        for (uint32_t n = 0; n < graph->nodes.count; n++)
            for (uint32_t k = 0; is_live(n) && accepted[n] && k < places_of(n); k++) {
                uint32_t value = taken_past_copies(n, k);
                uint32_t producer = value == NPART_NONE ? NPART_NONE : graph->values.items[value].producer;
                goes_on |= producer != NPART_NONE && found.partition_of[producer] == p && found.partition_of[n] != p;
            }
        CHECK(at->cut_count == 0 || goes_on);
    }
}

/* What a round takes is a partition before the next is asked for; the rest is as sound as ever. */
static void check_rounds(uint32_t seed)
{
    int before = test_failures;
    partition_random_graph(seed, seed % 2 ? NPART_LEVEL_BASIC : NPART_LEVEL_OFF);
    check_members();
    check_acyclic();
    check_switches();
    check_borders();
    check_ends();
    for (uint32_t n = 0; n < graph->nodes.count; n++)
        for (uint32_t k = 0; k < n && found.partition_of[n] != NPART_NONE; k++)
            CHECK(found.partition_of[k] != found.partition_of[n] || session.round[k] == session.round[n]);
    built_close(&built);
    if (test_failures > before) {
        fprintf(stderr, "  seed %u, %s, rounds\n%s", seed, partitioner, text);
        exit(1);
    }
}

static void test_partition_property__rounds(void)
{
    static const char list[] = "format 1\ntarget t\n";
    struct npart_error error;
    npart__arena_init(&oplist_arena, NULL);
    REQUIRE(npart__oplist_read(list, sizeof list - 1, "t.ops", &oplist_arena, &oplist, NULL, &error) == NPART_OK);
    round_count = 2;
    for (size_t i = 0; (partitioner = npart__partitioner_name(npart__products, i)) != NULL; i++)
        for (uint32_t seed = 1; seed <= GRAPHS; seed++)
            check_rounds(seed);
    round_count = 0;
    npart__arena_clear(&oplist_arena);
}

/* What holds whatever is given back: the rest is sound, and each node that went back has its line's rule. */
static void check_with_policies(uint32_t seed, uint32_t most, uint32_t most_nodes)
{
    int before = test_failures;
    partition_random_graph(seed, seed % 2 ? NPART_LEVEL_BASIC : NPART_LEVEL_OFF);
    check_members();
    check_acyclic();
    check_switches();
    check_borders();
    check_ends();
    check_cuts();
    CHECK(found.partitions.count <= most);
    for (uint32_t i = 0; i < found.partitions.count; i++)
        CHECK(found.partitions.items[i].member_count - found.partitions.items[i].joined_count <= most_nodes);
    for (uint32_t i = 0; i < graph->nodes.count; i++) {
        uint32_t rule = found.handed_back[i];
        CHECK_INT(rule != NPART_NONE, is_live(i) && asked[i] && !accepted[i]);
        CHECK(rule == NPART_NONE || (rule < oplist.rules.count && found.partition_of[i] == NPART_NONE));
    }
    built_close(&built);
    if (test_failures > before) {
        fprintf(stderr, "  seed %u, %s, policies\n%s", seed, partitioner, text);
        exit(1);
    }
}

static void test_partition_property__random_policies(void)
{
    static const struct {
        const char *line;
        uint32_t most;       /* partitions that it lets be */
        uint32_t most_nodes; /* of one; 0: any number */
    } lines[] = {
        {"partitions drop single\n", UINT32_MAX, 0},
        {"partitions drop single Concat\n", UINT32_MAX, 0},
        {"partitions drop only If\n", UINT32_MAX, 0},
        {"partitions drop under 3 nodes\n", UINT32_MAX, 0},
        {"partitions drop under 1 If\n", UINT32_MAX, 0},
        {"partitions drop under 3 percent\n", UINT32_MAX, 0},
        {"partitions drop whole 2 Concat\n", UINT32_MAX, 0},
        {"partitions fail unfed\n", UINT32_MAX, 0},
        {"partitions drop unfed\n", UINT32_MAX, 0},
        {"partitions split 2 nodes\n", UINT32_MAX, 2},
        {"partitions split 5 nodes\n", UINT32_MAX, 5},
        {"partitions keep 1 first\n", 1, 0},
        {"partitions keep 2 heaviest\n", 2, 0},
        {"partitions drop over 3\n", 3, 0},
        {"partitions stop If\n", UINT32_MAX, 0},
        {"partitions cut anew\n", UINT32_MAX, 0},
        {"partitions cut ends\n", UINT32_MAX, 0},
        {"partitions cut node\n", UINT32_MAX, 0},
    };
    for (uint32_t round = 1; round <= POLICY_LISTS; round++) {
        char list[512] = "format 1\ntarget t\n";
        struct npart_error error;
        uint32_t most = UINT32_MAX, most_nodes = UINT32_MAX;
        size_t names = 0;
        state = round;
        for (uint32_t i = 1 + random_below(3); i > 0; i--) {
            size_t chosen = random_below(NPART__COUNT(lines));
            (void)snprintf(list + strlen(list), sizeof list - strlen(list), "%s", lines[chosen].line);
            most = lines[chosen].most < most ? lines[chosen].most : most;
            if (lines[chosen].most_nodes && lines[chosen].most_nodes < most_nodes)
                most_nodes = lines[chosen].most_nodes;
        }
        while (npart__partitioner_name(npart__products, names))
            names++;
        partitioner = npart__partitioner_name(npart__products, random_below((uint32_t)names));
        has_cuts = random_below(2);
        npart__arena_init(&oplist_arena, NULL);
        REQUIRE(npart__oplist_read(list, strlen(list), "t.ops", &oplist_arena, &oplist, NULL, &error) == NPART_OK);
        for (uint32_t seed = 1; seed <= GRAPHS_A_LIST; seed++)
            check_with_policies(round * GRAPHS_A_LIST + seed, most, most_nodes);
        npart__arena_clear(&oplist_arena);
    }
    has_cuts = false;
}

/* By name and by place; those that this file has a statement for are there. */
static void test_partition_property__partitioners(void)
{
    static const char *const known[] = {"connected", "prefix", "qnn", "runs", "single", "waves", "whole"};
    size_t count = 0;
    for (; npart__partitioner_name(npart__products, count); count++)
        CHECK(npart__find_partitioner(npart__products, npart__partitioner_name(npart__products, count)));
    for (size_t i = 0; i < NPART__COUNT(known); i++)
        CHECK(npart__find_partitioner(npart__products, known[i]));
    CHECK(!npart__partitioner_name(npart__products, count + 1) && !npart__partitioner_name(npart__products, SIZE_MAX));
    CHECK(!npart__find_partitioner(npart__products, "wave") && !npart__find_partitioner(npart__products, "waves2") &&
          !npart__find_partitioner(npart__products, ""));
}

TESTS(test_partition_property__every_partitioner, test_partition_property__rounds,
      test_partition_property__random_policies,
      test_partition_property__partitioners)
