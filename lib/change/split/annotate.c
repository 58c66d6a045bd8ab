/* SPDX-License-Identifier: Apache-2.0
 *
 * A model with a plan's answer at every node, for viewers that show metadata.
 */
#include <stdio.h>

#include "api/api.h"
#include "edit/editor.h"
#include "split/split.h"

/* What is said of a node. */
enum note { NOTE_ASSIGNMENT, NOTE_PARTITION, NOTE_REASON, NOTES };
static const char *const note_words[NOTES] = {"assignment", "partition", "reason"};

/* For one plan after the other; what is found of one is made anew for the next. */
struct notes {
    struct npart__arena *arena;
    struct npart__editor *editor;
    const npart_plan *plan;
    const char *keys[NOTES]; /* "npu_partition.hexagon.assignment" */
    /* By node that holds others, which run in its place: what was seen of them. `device` is the partition of the first
     * of them, NPART_NONE for the CPU; `seen` says whether any, and whether all are in that one. */
    uint32_t *device;
    uint8_t *seen;
    struct npart_error *error;
};
enum { SEEN_NOTHING, SEEN_ONE, SEEN_SEVERAL };

/* Of a call, or an If whose branch is known, the nodes that run in its place are those that are asked. A node
 * counts for everything that holds it, up to the region in which it runs. So each node climbs through as many
 * scopes as calls are nested round it, and stops at the body or main graph that it belongs to: what holds a body
 * is asked for itself. */
static bool look_inside(struct notes *notes)
{
    const struct npart__plan *plan = &notes->plan->plan;
    const struct npart__graph *graph = plan->session.graph;
    notes->device = npart__arena_zeroed(notes->arena, graph->nodes.count + (size_t)1, sizeof *notes->device);
    notes->seen = npart__arena_zeroed(notes->arena, graph->nodes.count + (size_t)1, sizeof *notes->seen);
    if (!notes->device || !notes->seen)
        return false;
    for (uint32_t i = 0; i < notes->plan->order_count; i++) { /* by the order: live nodes alone */
        uint32_t id = notes->plan->order[i], region = npart__node_region(graph, id);
        uint32_t device = plan->partitioning.partition_of[id];
        for (uint32_t scope; (scope = npart__node_at(graph, id)->scope) != region;) {
            id = npart__scope_at(graph, scope)->node;
            if (notes->seen[id] == SEEN_NOTHING)
                notes->device[id] = device;
            notes->seen[id] = notes->seen[id] == SEEN_NOTHING || notes->device[id] == device ? notes->seen[id]
                                                                                              : SEEN_SEVERAL;
            if (notes->seen[id] == SEEN_NOTHING)
                notes->seen[id] = SEEN_ONE;
        }
    }
    return true;
}

/* Nodes of functions are those of every call. A function has one list of nodes in the file, whichever calls
 * there are, so a note there would speak of all calls at once. The call itself gets the note. */
static bool is_in_function(const struct npart__graph *graph, uint32_t node)
{
    for (uint32_t scope = npart__node_at(graph, node)->scope; scope != 0; scope = npart__scope_at(graph, scope)->parent)
        if (npart__scope_at(graph, scope)->kind == NPART_GRAPH_CALL)
            return true;
    return false;
}

/* A node that the NPU takes but that is in no partition was given back: it runs on the CPU. */
static const char *assignment(const struct npart_node_plan *node)
{
    bool is_given_back = node->verdict == NPART_VERDICT_NPU && node->partition == NPART_NONE;
    return npart_verdict_text(node->partition != NPART_NONE ? NPART_VERDICT_NPU
                              : is_given_back               ? NPART_VERDICT_CPU
                                                            : node->verdict);
}

static bool note(struct notes *notes, uint32_t node, enum note what, const char *value)
{
    return npart__editor_note(notes->editor, node, notes->keys[what], value);
}

/* Nothing is written of a node on the CPU: an absent key is easier to filter for than a number that means none. */
static bool note_partition(struct notes *notes, uint32_t node, uint32_t partition)
{
    char number[16];
    (void)snprintf(number, sizeof number, "%u", (unsigned)partition);
    return partition == NPART_NONE || note(notes, node, NOTE_PARTITION, number);
}

/* The first reason, with what was found; of a folded node why it is. A node in a partition has reasons as well,
 * where notes of the list apply to it; those do not say why it is there. `found` may be cut to its room, as a
 * viewer shows one line. The lock is not held here: npart_plan_reason takes it for each reason. */
static bool note_reason(struct notes *notes, uint32_t id, const struct npart_node_plan *node)
{
    struct npart_reason reason = {.size = sizeof reason};
    char found[200];
    if (*node->fate_text)
        return note(notes, id, NOTE_REASON, node->fate_text);
    if (node->partition != NPART_NONE || !npart_plan_reason(notes->plan, id, 0, &reason, found, sizeof found))
        return true;
    const char *text = *found ? npart__arena_format(notes->arena, "%s; found %s", reason.text, found) : reason.text;
    return text && note(notes, id, NOTE_REASON, text);
}

/* What holds others has no partition of its own: its answer is that of the nodes inside, where they agree. */
static bool note_node(struct notes *notes, uint32_t id)
{
    struct npart_node_plan node = {.size = sizeof node};
    if (!npart_plan_node(notes->plan, id, &node))
        return true;
    if (notes->seen[id] == SEEN_SEVERAL)
        return note(notes, id, NOTE_ASSIGNMENT, "split") &&
               note(notes, id, NOTE_REASON, "its nodes are in several partitions, or on the CPU");
    if (notes->seen[id] == SEEN_ONE) {
        uint32_t device = notes->device[id];
        return note(notes, id, NOTE_ASSIGNMENT, device == NPART_NONE ? "cpu" : "npu") &&
               note_partition(notes, id, device);
    }
    return note(notes, id, NOTE_ASSIGNMENT, assignment(&node)) && note_partition(notes, id, node.partition) &&
           note_reason(notes, id, &node);
}

/* Keys are as docs/split.md names them; what stands before the last dot tells plans of several targets apart. Texts of
 * targets have no limit, and a key that is cut would be another's. */
static bool make_keys(struct notes *notes, const char *target)
{
    bool is_ok = true;
    for (int what = 0; what < NOTES; what++) {
        notes->keys[what] = npart__arena_format(notes->arena, "npu_partition.%s.%s", target, note_words[what]);
        is_ok &= notes->keys[what] != NULL;
    }
    return is_ok;
}

static npart_status note_plan(struct notes *notes, const npart_plan *plan, bool has_namesake)
{
    const struct npart__graph *graph = plan->inference->model->graph;
    notes->plan = plan;
    if (!make_keys(notes, has_namesake ? plan->target : plan->oplist->oplist.name) || !look_inside(notes))
        return npart__fail_memory(notes->error);
    /* Nodes of the file only: what a definition was replaced by stands in no file. */
    for (uint32_t id = 0; id < npart__model_nodes(graph); id++)
        if (!is_in_function(graph, id) && !note_node(notes, id))
            return npart__fail_memory(notes->error);
    return NPART_OK;
}

/* Two plans of one list are told apart by the whole text of their targets. */
static bool has_namesake(const npart_plan *const *plans, size_t count, size_t at)
{
    for (size_t i = 0; i < count; i++)
        if (i != at && strcmp(plans[i]->oplist->oplist.name, plans[at]->oplist->oplist.name) == 0)
            return true;
    return false;
}

/* The file is opened anew, as a plan keeps none. Its size is compared, since notes by place would fall on the
 * wrong nodes of another model. The copy that is edited is a version of what the file is now, while ids are
 * those of the model that was read then. */
static npart_status note_all(struct notes *notes, const npart_plan *const *plans, size_t count,
                             const struct npart__input *input, struct npart__version *version)
{
    static const struct npart__wire_options plain;
    struct npart__source source;
    struct npart__inference *inference = plans[0]->plan.request.inference;
    npart_status status = npart__input_source(input, notes->arena, &source, notes->error);
    if (status != NPART_OK)
        return status;
    status = npart__version_read(&source, &plain, notes->arena, version, notes->error);
    npart__source_close(&source);
    if (status == NPART_OK && input->bytes != inference->graph->input_bytes)
        status = npart__fail(notes->error, NPART_ERROR_ARGUMENT, "",
                             "the file is not the model that the plan was made of");
    if (status == NPART_OK)
        status = npart__editor_open(version, inference->graph, inference, NULL, notes->arena, &notes->editor,
                                    notes->error);
    for (size_t i = 0; i < count && status == NPART_OK; i++)
        status = note_plan(notes, plans[i], has_namesake(plans, count, i));
    return status == NPART_OK ? npart__editor_pack_noted(notes->editor, notes->arena, version, notes->error) : status;
}

/* Notes are placed by ids of nodes, which are one model's. */
static npart_status check_plans(const npart_plan *const *plans, size_t count, struct npart_error *error)
{
    for (size_t i = 0; i < count; i++)
        if (!plans[i])
            return npart__fail_null("plans", error);
    for (size_t i = 1; i < count; i++)
        if (plans[i]->inference->model != plans[0]->inference->model)
            return npart__fail(error, NPART_ERROR_ARGUMENT, "", "the plans are of different models");
    return count ? NPART_OK : npart__fail(error, NPART_ERROR_ARGUMENT, "", "at least one plan is needed");
}

/* All in an arena of its own, which goes at the end: nothing of it outlives the call. What is written gets its
 * name only with the commit: until then the file stands under a temporary one, so that a failure leaves whatever
 * was there before. */
npart_status npart_plan_annotate(const npart_plan *const *plans, size_t count, const char *path, const char *out,
                                 enum npart_weights weights, struct npart_error *error)
{
    struct npart__arena arena;
    struct notes notes = {.arena = &arena, .error = error};
    struct npart__version version;
    struct npart__input input;
    if (!plans || !path || !out)
        return npart__fail_null(!plans ? "plans" : !path ? "path" : "out", error);
    npart_status status = check_plans(plans, count, error);
    if (status == NPART_OK)
        status = npart__input_open_file(&input, path, error);
    if (status != NPART_OK)
        return status;
    npart__arena_init(&arena, &plans[0]->life->arena.allocator);
    status = note_all(&notes, plans, count, &input, &version);
    if (status == NPART_OK) {
        struct npart__weights how = npart__wire_weights(weights);
        struct npart__save save;
        status = npart__save_begin(&save, out, version.data, version.bytes, &input, &how, &arena, error);
        if (status == NPART_OK) {
            status = npart__save_commit(&save, error);
            npart__save_close(&save);
        }
    }
    npart__arena_clear(&arena);
    npart__input_close(&input);
    return npart__settle_for(plans[0]->life, status, error);
}
