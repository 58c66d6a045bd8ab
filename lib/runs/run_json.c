/* SPDX-License-Identifier: Apache-2.0
 *
 * Profiles (the events of Chrome's trace format that ONNX Runtime writes) and records, as JSON. Events are read one by
 * one, so that a long run needs no more memory than a short one.
 */
#include <stdio.h>

#include "runs/runs.h"

static bool fail_at(npart_run *run, uint64_t event, const char *problem)
{
    char text[sizeof run->problem];
    (void)snprintf(text, sizeof text, "event %llu: %.220s", (unsigned long long)event, problem);
    return npart__run_fail(run, text);
}

/* The next JSON value, in an arena of its own; NULL with a problem. */
static const struct npart__tree *read_value(npart_run *run, struct npart__stream *input, uint64_t event,
                                            struct npart__arena *arena)
{
    char text[sizeof run->problem];
    const struct npart__tree *value = npart__tree_read(input, arena, NPART__TREE_GOES_ON | NPART__TREE_IS_STRICT,
                                                       NPART__MOST_TREE_BYTES, text, sizeof text);
    run->life->arena.failed |= arena->failed;
    if (!value && event == 0)
        npart__run_fail(run, text);
    else if (!value)
        fail_at(run, event, text);
    return value;
}

/* ---- events ------------------------------------------------------------------------------------------------ */

static bool ends_with(const char *text, const char *end, size_t *length)
{
    size_t end_length = strlen(end);
    *length = strlen(text);
    if (*length < end_length || strcmp(text + *length - end_length, end) != 0)
        return false;
    *length -= end_length;
    return true;
}

/* A node is told by the time that its kernel took. */
static bool take_kernel(npart_run *run, const struct npart__tree *event, const char *name, double us, uint64_t number)
{
    const struct npart__tree *arguments = npart__tree_get(event, "args");
    const char *provider = npart__tree_text(arguments, "provider"), *op = npart__tree_text(arguments, "op_name");
    size_t length;
    if (!ends_with(name, "_kernel_time", &length))
        return true;
    if (!provider || !op)
        return fail_at(run, number, "the kernel of a node without its op_name and provider");
    struct npart__arena scratch;
    npart__arena_init(&scratch, &run->life->arena.allocator);
    const char *node_name = npart__arena_copy_text(&scratch, name, length);
    run->life->arena.failed |= !node_name;
    struct npart__ran *node = node_name ? npart__run_placed(run, node_name, op, provider) : NULL;
    npart__arena_clear(&scratch);
    if (!node)
        return npart__run_fail(run, "out of memory");
    node->runs++;
    node->total_us += us;
    node->first_us += run->runs == 0 ? us : 0; /* the event of a run comes after those of its nodes */
    return true;
}

static bool take_event(npart_run *run, const struct npart__tree *event, uint64_t number)
{
    const char *category = npart__tree_text(event, "cat"), *name = npart__tree_text(event, "name");
    const struct npart__tree *duration = npart__tree_get(event, "dur");
    double us = npart__tree_number(duration);
    if (!npart__is_object(event))
        return fail_at(run, number, "no object");
    if (!category || !name) /* metadata, and other tools' events */
        return true;
    if (strcmp(category, "Node") != 0 && strcmp(name, "model_run") != 0)
        return true;
    if (!npart__tree_is_number(duration) || us < 0)
        return fail_at(run, number, "dur is no time in microseconds");
    if (strcmp(category, "Node") == 0)
        return take_kernel(run, event, name, us, number);
    run->runs++;
    run->total_us += us;
    run->first_us += run->runs == 1 ? us : 0;
    return true;
}

/* A list, an event at a time. */
static bool read_events(npart_run *run, struct npart__stream *input)
{
    int byte = npart__stream_after_blanks(input);
    for (uint64_t number = 1; byte != ']'; number++) {
        struct npart__arena arena;
        if (byte < 0)
            return fail_at(run, number, "the file ends within the list; a session completes it with EndProfiling");
        npart__stream_back(input);
        npart__arena_init(&arena, &run->life->arena.allocator);
        const struct npart__tree *event = read_value(run, input, number, &arena);
        bool is_taken = event && take_event(run, event, number);
        npart__arena_clear(&arena);
        if (!is_taken)
            return false;
        byte = npart__stream_after_blanks(input);
        if (byte == ',')
            byte = npart__stream_after_blanks(input);
        else if (byte != ']' && byte >= 0)
            return fail_at(run, number, "followed by neither , nor ]");
    }
    return true;
}

/* ---- records ----------------------------------------------------------------------------------------------- */

/* A node is told by its name, its place or both. */
static bool take_placement(npart_run *run, const struct npart__tree *object, uint32_t number)
{
    const struct npart__tree *name = npart__tree_member(object, "name"), *index = npart__tree_member(object, "index");
    const char *op = npart__tree_text(object, "op"), *provider = npart__tree_text(object, "ep");
    int64_t place = index ? npart__tree_integer(index) : -1;
    bool is_told = npart__is_string(name) || (!name && place >= 0);
    char text[128];
    (void)snprintf(text, sizeof text,
                   "node %u of the record: expected \"name\" (a text) or \"index\" (from 0), and \"ep\" (a text)",
                   number);
    if (!provider || !is_told || (index && !npart__is_integer(index)) || place < -1)
        return npart__run_fail(run, text);
    struct npart__ran *node =
        npart__run_node(run, name ? npart__tree_string(name) : "", op ? op : "", provider, place);
    if (node)
        node->is_placed = true;
    return node != NULL;
}

static bool take_record(npart_run *run, const struct npart__tree *record)
{
    const struct npart__tree *nodes = npart__tree_get(record, "nodes"), *node;
    const struct npart__tree *partitions = npart__tree_get(record, "partitions");
    const char *error = npart__tree_text(record, "error");
    char text[sizeof run->problem];
    run->kind = "record";
    if (error) {
        (void)snprintf(text, sizeof text, "the run failed: %.220s", error);
        return npart__run_fail(run, text);
    }
    if (!npart__is_list(nodes))
        return npart__run_fail(run, "neither a list of events nor a record with nodes");
    for (uint32_t i = 0; (node = npart__tree_at(nodes, i)) != NULL; i++)
        if (!take_placement(run, node, i))
            return false;
    run->has_partitions = npart__is_list(partitions);
    run->partitions = (uint32_t)npart__tree_count(partitions);
    return true;
}

/* An object: a record, or the events as other tools save them. */
static bool read_object(npart_run *run, struct npart__stream *input)
{
    struct npart__arena arena;
    npart__arena_init(&arena, &run->life->arena.allocator);
    const struct npart__tree *object = read_value(run, input, 0, &arena);
    const struct npart__tree *events = npart__tree_get(object, "traceEvents"), *event;
    bool is_read = object != NULL;
    if (npart__tree_get(object, "subgraph_traces"))
        is_read = npart__take_run_trace(run, object);
    else if (npart__tree_get(object, "nodeStat"))
        is_read = npart__take_run_report(run, object);
    else if (npart__tree_get(object, "memory_footprint"))
        is_read = npart__take_run_epochs(run, object);
    else if (object && !events)
        is_read = take_record(run, object);
    for (uint32_t i = 0; (event = npart__tree_at(events, i)) != NULL; i++)
        is_read = is_read && take_event(run, event, i + 1);
    npart__arena_clear(&arena);
    if (is_read && npart__stream_after_blanks(input) >= 0)
        is_read = npart__run_fail(run, "something follows the record; give one file a model");
    return is_read;
}

bool npart__read_run_json(npart_run *run, struct npart__stream *input, bool is_list)
{
    bool is_read = is_list ? read_events(run, input) : read_object(run, input);
    return is_read && (run->nodes.count || run->is_partial || npart__run_fail(run, "it tells of no node"));
}
