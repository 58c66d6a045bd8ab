/* SPDX-License-Identifier: Apache-2.0
 *
 * Profiles (the events of Chrome's trace format that ONNX Runtime writes) and records, as JSON. Events are read one by
 * one, so that a long run needs no more memory than a short one.
 */
#include "profile.h"

#include <stdlib.h>
#include <string.h>

#include "json_memory.h"

static bool fail_at(struct profile *profile, uint64_t event, const char *problem)
{
    char text[sizeof profile->problem];
    (void)snprintf(text, sizeof text, "event %llu: %.220s", (unsigned long long)event, problem);
    return profile_fail(profile, text);
}

/* The next JSON value; NULL with `problem`. */
static json_t *read_value(struct profile *profile, FILE *file, uint64_t event)
{
    char text[sizeof profile->problem];
    json_t *value = read_json_value(file, text, sizeof text);
    if (!value && event == 0)
        profile_fail(profile, text);
    else if (!value)
        fail_at(profile, event, text);
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
static bool take_kernel(struct profile *profile, const json_t *event, const char *name, double us, uint64_t number)
{
    const json_t *arguments = json_object_get(event, "args");
    const char *provider = json_text(arguments, "provider"), *op = json_text(arguments, "op_name");
    size_t length;
    if (!ends_with(name, "_kernel_time", &length))
        return true;
    if (!provider || !op)
        return fail_at(profile, number, "the kernel of a node without its op_name and provider");
    char *node_name = malloc(length + 1);
    if (!node_name)
        return profile_fail(profile, "out of memory");
    memcpy(node_name, name, length);
    node_name[length] = '\0';
    struct placed_node *node = profile_node(profile, node_name, op, provider, -1);
    free(node_name);
    if (!node)
        return false;
    node->is_placed = true;
    node->runs++;
    node->total_us += us;
    node->first_us += profile->runs == 0 ? us : 0; /* the event of a run comes after those of its nodes */
    return true;
}

static bool take_event(struct profile *profile, const json_t *event, uint64_t number)
{
    const char *category = json_text(event, "cat"), *name = json_text(event, "name");
    const json_t *duration = json_object_get(event, "dur");
    double us = json_number_value(duration);
    if (!json_is_object(event))
        return fail_at(profile, number, "no object");
    if (!category || !name) /* metadata, and other tools' events */
        return true;
    if (strcmp(category, "Node") != 0 && strcmp(name, "model_run") != 0)
        return true;
    if (!json_is_number(duration) || us < 0)
        return fail_at(profile, number, "dur is no time in microseconds");
    if (strcmp(category, "Node") == 0)
        return take_kernel(profile, event, name, us, number);
    profile->runs++;
    profile->total_us += us;
    profile->first_us += profile->runs == 1 ? us : 0;
    return true;
}

/* A list, an event at a time. */
static bool read_events(struct profile *profile, FILE *file)
{
    int byte = next_json_byte(file);
    for (uint64_t number = 1; byte != ']'; number++) {
        if (byte == EOF || ungetc(byte, file) == EOF)
            return fail_at(profile, number, "the file ends within the list; a session completes it with EndProfiling");
        json_t *event = read_value(profile, file, number);
        bool is_taken = event && take_event(profile, event, number);
        json_decref(event);
        if (!is_taken)
            return false;
        byte = next_json_byte(file);
        if (byte == ',')
            byte = next_json_byte(file);
        else if (byte != ']' && byte != EOF)
            return fail_at(profile, number, "followed by neither , nor ]");
    }
    return true;
}

/* ---- records ----------------------------------------------------------------------------------------------- */

/* A node is told by its name, its place or both. */
static bool take_placement(struct profile *profile, const json_t *object, size_t number)
{
    const json_t *name = json_member(object, "name"), *index = json_member(object, "index");
    const char *op = json_text(object, "op"), *provider = json_text(object, "ep");
    int64_t place = index ? json_integer_value(index) : -1;
    bool is_told = json_is_string(name) || (!name && place >= 0);
    char text[128];
    (void)snprintf(text, sizeof text,
                   "node %zu of the record: expected \"name\" (a text) or \"index\" (from 0), and \"ep\" (a text)",
                   number);
    if (!provider || !is_told || (index && !json_is_integer(index)) || place < -1)
        return profile_fail(profile, text);
    struct placed_node *node =
        profile_node(profile, name ? json_string_value(name) : "", op ? op : "", provider, place);
    if (node)
        node->is_placed = true;
    return node != NULL;
}

static bool take_record(struct profile *profile, const json_t *record)
{
    const json_t *nodes = json_object_get(record, "nodes"), *partitions = json_object_get(record, "partitions"), *node;
    const char *error = json_text(record, "error");
    char text[sizeof profile->problem];
    size_t i;
    profile->kind = PROFILE_RECORD;
    if (error) {
        (void)snprintf(text, sizeof text, "the run failed: %.220s", error);
        return profile_fail(profile, text);
    }
    if (!json_is_array(nodes))
        return profile_fail(profile, "neither a list of events nor a record with nodes");
    json_array_foreach(nodes, i, node)
        if (!take_placement(profile, node, i))
            return false;
    profile->has_partitions = json_is_array(partitions);
    profile->partitions = (uint32_t)json_array_size(partitions);
    return true;
}

/* An object: a record, or the events as other tools save them. */
static bool read_object(struct profile *profile, FILE *file)
{
    json_t *object = read_value(profile, file, 0);
    const json_t *events = json_object_get(object, "traceEvents"), *event;
    bool is_read = object != NULL;
    size_t i;
    if (json_object_get(object, "subgraph_traces"))
        is_read = take_trace(profile, object);
    else if (json_object_get(object, "nodeStat"))
        is_read = take_report(profile, object);
    else if (json_object_get(object, "memory_footprint"))
        is_read = take_epochs(profile, object);
    else if (object && !events)
        is_read = take_record(profile, object);
    json_array_foreach(events, i, event)
        is_read = is_read && take_event(profile, event, i + 1);
    json_decref(object);
    if (is_read && next_json_byte(file) != EOF)
        is_read = profile_fail(profile, "something follows the record; give one file a model");
    return is_read;
}

bool read_json(struct profile *profile, FILE *file, bool is_list)
{
    begin_json_limit();
    bool is_read = is_list ? read_events(profile, file) : read_object(profile, file);
    end_json_limit();
    return is_read && (profile->first || profile->is_partial || profile_fail(profile, "it tells of no node"));
}
