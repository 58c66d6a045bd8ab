/* SPDX-License-Identifier: Apache-2.0
 *
 * Where a real run of ONNX Runtime placed the nodes, read from what it left.
 */
#ifndef TOOL_PROFILE_H
#define TOOL_PROFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define MOST_PROVIDERS 16u
#define MOST_PROFILE_NODES 262144u               /* different ones: names and providers are kept */
#define MOST_LOG_LINE 65536u                     /* what is longer is cut */

enum profile_kind {
    PROFILE_EVENTS,
    PROFILE_LOG,
    PROFILE_RECORD,
    PROFILE_TRACE,  /* the QNN provider's qnn_op_trace.json */
    PROFILE_QNN,    /* its profile, as CSV */
    PROFILE_REPORT, /* the Vitis AI provider's vitisai_ep_report.json */
    PROFILE_VENDOR, /* a compiler's log, report or table (profile_lines.def) */
};

/* A node of the graph that was run: one of the model's, one that the runtime made, or a compiled partition. */
struct placed_node {
    char *name, *op, *reason; /* reason: why the provider did not take it, where a log says so; else NULL */
    int64_t index;            /* its place in the main graph's file, where a record says so; else -1 */
    uint32_t provider;        /* a place in `providers` */
    bool is_result;           /* the name is that of its first result, as the file has none of nodes */
    bool is_placed;           /* false: only said to be taken, or not, by a provider that was asked */
    uint64_t runs;
    double total_us, first_us; /* first_us: in the first run of the model */
    struct placed_node *next; /* in the order of the file */
};

struct profile {
    enum profile_kind kind;
    const char *word;         /* of a compiler's output: what it is */
    char *providers[MOST_PROVIDERS]; /* "CPUExecutionProvider" among them, where it has nodes */
    uint32_t provider_count;
    struct placed_node *first, *last;
    uint32_t node_count;
    uint32_t all_on_provider; /* a log that names no node, since one provider has all; or UINT32_MAX */
    uint32_t all_count;       /* of nodes there */
    bool was_asked;           /* a provider for an NPU was there: it says so itself */
    bool is_cpu_backend;      /* the provider computed on the CPU, as it was told to */
    bool is_npu_alone;        /* what ran on the CPU is not in the file */
    bool is_partial;          /* of nodes that are not named nothing follows */
    bool is_npu_named;        /* the others are on the CPU */
    bool has_partitions;      /* a record gives their number */
    uint32_t partitions;
    uint64_t runs;            /* of the model */
    double total_us, first_us;
    char problem[256];        /* what is wrong with the file; "" while nothing is */
    void *index;              /* of the nodes, while it is read */
};

/* Reads a profile, a log or a record, by what it begins with. False, with `problem`, when it is none of them or cannot
 * be read. Memory grows with the different nodes, not with the file. The stream is read to its end. */
bool profile_read(struct profile *profile, FILE *file);
void profile_free(struct profile *profile);

/* For the readers: a node by name, operator, provider and place (-1: not told), made when it is new; NULL with
 * `problem` when it cannot be. */
struct placed_node *profile_node(struct profile *profile, const char *name, const char *op, const char *provider,
                                 int64_t index);
/* The place of a provider; UINT32_MAX with `problem`. */
uint32_t profile_provider(struct profile *profile, const char *name);
/* False, with `problem` as the first one, cut where it is long. */
bool profile_fail(struct profile *profile, const char *problem);
/* Milliseconds a run, of the runs after the first where there are any: the first also warms up. */
double profile_warm_ms(const struct profile *profile, double total_us, double first_us);
bool profile_is_cpu(const struct profile *profile, uint32_t provider);
bool read_log(struct profile *profile, FILE *file);
bool read_json(struct profile *profile, FILE *file, bool is_list); /* after the bracket of a list */
/* profile_vendor.c: objects of JSON; and CSV, by its first line, which is in `line` of so many bytes. */
typedef struct json_t json_t;
bool take_trace(struct profile *profile, const json_t *trace);
bool take_report(struct profile *profile, const json_t *report);
bool take_epochs(struct profile *profile, const json_t *info);
bool is_qnn_profile(const char *line);
bool read_qnn_profile(struct profile *profile, FILE *file, char *line, size_t bytes);

/* profile_lines.c: what was read of a compiler's output so far. */
struct lines {
    uint32_t number, table, columns, rows, parts, total, epochs, form;
    uint32_t told, counted, counts, on_cpu, others; /* what it counts itself; others: of rows, not on the NPU */
    bool is_known, is_table, is_open, has_parts, is_hardware, is_whole; /* is_open: rows may follow */
    bool is_counted, has_cpu_count, is_ranged;
    char listed; /* 'n', 'c': the next line may list layers of the NPU, of the CPU */
    char name[1024]; /* of the layer that the next lines are about */
};
/* A line, which is changed; false, with `problem`, where it is damaged. */
bool take_vendor_line(struct profile *profile, struct lines *lines, char *line);
bool has_vendor_lines(const struct lines *lines);
bool finish_vendor_lines(struct profile *profile, struct lines *lines);

#endif
