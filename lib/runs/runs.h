/* SPDX-License-Identifier: Apache-2.0
 *
 * runs: plans beside real runs. What a session, a provider or a vendor's compiler left is read into nodes with where
 * each ran (run.c, and a reader for each kind of file); a plan is compared with it (verification.c), and what runs took
 * is what costs are fitted to (calibration.c, fit.c). Reports of both are written here.
 *
 * Readers keep what is wrong with a file in the run, the first problem alone, and go on as if there were nothing more;
 * whoever opened the run tells it at the end.
 */
#ifndef NPART_RUNS_H
#define NPART_RUNS_H

#include "api/api.h"
#include "base/stream.h"
#include "npu_partition/runs.h"

/* ---- what a run left ------------------------------------------------------------------------------------------- */

struct npart__ran {
    const char *name, *op, *reason; /* as in npart_run_node */
    int64_t index;
    uint32_t provider; /* a place in `providers` */
    bool is_result, is_placed;
    uint64_t runs;
    double total_us, first_us; /* first_us: in the first run of the model */
};

struct npart_run {
    struct npart__life *life;
    const char *kind;
    const char *providers[NPART_MOST_RUN_PROVIDERS];
    uint32_t provider_count;
    struct NPART__ARRAY(struct npart__ran) nodes; /* in the order of the file */
    struct npart__strings names; /* of nodes: name, operator, provider and place with line ends between */
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
};

/* A node by name, operator, provider and place (-1: not told), made when it is new, until the next is; NULL with a
 * problem when it cannot be. */
struct npart__ran *npart__run_node(npart_run *run, const char *name, const char *op, const char *provider,
                                   int64_t index);
/* The same of one that was placed, as no number tells it. */
struct npart__ran *npart__run_placed(npart_run *run, const char *name, const char *op, const char *provider);
/* The place of a provider; UINT32_MAX with a problem. */
uint32_t npart__run_provider(npart_run *run, const char *name);
/* False, with `problem` as the first one, cut where it is long. */
bool npart__run_fail(npart_run *run, const char *problem);
/* Why the node is not on the NPU; the first reason stays, and without memory there is none. */
void npart__run_give_reason(npart_run *run, struct npart__ran *node, const char *reason, size_t length);
/* Milliseconds a run, of the runs after the first where there are any: the first also warms up. */
double npart__run_warm_ms(const npart_run *run, double total_us, double first_us);
bool npart__run_is_cpu(const npart_run *run, uint32_t provider);

/* The readers. run_log.c: a session's log, or what another line reader takes; run_json.c, after the bracket of a list.
 * False with a problem. */
bool npart__read_run_log(npart_run *run, struct npart__stream *input);
bool npart__read_run_json(npart_run *run, struct npart__stream *input, bool is_list);
/* run_vendor.c: objects of JSON; and CSV, by its first line, which is in `line` of so many bytes. */
bool npart__take_run_trace(npart_run *run, const struct npart__tree *trace);
bool npart__take_run_report(npart_run *run, const struct npart__tree *report);
bool npart__take_run_epochs(npart_run *run, const struct npart__tree *info);
bool npart__is_qnn_profile(const char *line);
bool npart__read_qnn_profile(npart_run *run, struct npart__stream *input, char *line, size_t bytes);

/* run_lines.c: what was read of a compiler's output so far. */
struct npart__run_lines {
    uint32_t number, table, columns, rows, parts, total, epochs, form;
    uint32_t told, counted, counts, on_cpu, others; /* what it counts itself; others: of rows, not on the NPU */
    bool is_known, is_table, is_open, has_parts, is_hardware, is_whole; /* is_open: rows may follow */
    bool is_counted, has_cpu_count, is_ranged;
    char listed; /* 'n', 'c': the next line may list layers of the NPU, of the CPU */
    char name[1024]; /* of the layer that the next lines are about */
};
/* A line, which is changed; false, with a problem, where it is damaged. */
bool npart__take_vendor_line(npart_run *run, struct npart__run_lines *lines, char *line);
bool npart__finish_vendor_lines(npart_run *run, struct npart__run_lines *lines);

/* ---- a plan beside it ------------------------------------------------------------------------------------------ */

/* A node of the plan's view. */
struct npart__verified_node {
    enum { NPART__RUN_UNTOLD, NPART__RUN_ON_NPU, NPART__RUN_ON_CPU } run;
    enum npart_agreement agreement;
    bool is_named;     /* the run says where it placed it */
    bool is_concluded; /* the run does not name it, but has nothing at all on the other side */
    const struct npart__ran *placed; /* of those that name it one with a reason, else any; NULL: none */
};

struct npart_verification {
    struct npart__life *life;
    const npart_plan *plan;
    const npart_run *run;
    const npart_model *model; /* as the runtime sees it */
    struct npart__verified_node *nodes; /* by id */
    uint32_t node_count;
    uint32_t run_cpu, run_npu; /* nodes that the run has there, compiled partitions not counted */
    uint32_t matched;
    bool has_untold_bodies; /* branches that did not run may hold more partitions */
    uint32_t accepted;      /* nodes that the plan has on the NPU */
    struct npart_verification_info info;
};

/* blame.c: into `info`; false when out of memory. */
bool npart__find_blame(npart_verification *verification);

/* ---- what both reports are made of ----------------------------------------------------------------------------- */

/* A report's memory and text, and how it went: as those of lib/report. */
struct npart__told {
    struct npart__arena arena;
    struct npart__buffer out;
};
/* A line for people, with its end: plain text, whatever names are in it; what is longer than 8 KiB is cut. */
void npart__tell_line(struct npart__told *told, const char *format, ...) NPART__PRINTF(2, 3);
/* The same without a line end. */
void npart__tell_part(struct npart__told *told, const char *format, ...) NPART__PRINTF(2, 3);
/* A number of so many digits, which is seen to be no integer. */
void npart__json_real(struct npart__buffer *out, const char *key, double value, int digits);
/* Plain text from outside. */
void npart__json_plain(struct npart__told *told, const char *key, const char *text);
static inline const char *npart__plural(uint64_t count)
{
    return count == 1 ? "" : "s";
}

#endif
