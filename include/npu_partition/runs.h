/* SPDX-License-Identifier: Apache-2.0
 *
 * A part of npu_partition.h, which is the one to include: plans beside real runs, and costs that are fitted to them.
 */
#ifndef NPU_PARTITION_RUNS_H
#define NPU_PARTITION_RUNS_H

#include "report.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- what a real run left -------------------------------------------------------------------------------- */

typedef struct npart_run npart_run;

#define NPART_MOST_RUN_NODES 262144 /* different ones */
#define NPART_MOST_RUN_PROVIDERS 16
#define NPART_MOST_RUN_LOG_LINE 65536 /* bytes; what is longer is cut */

/* Reads what a session, a provider or a vendor's compiler left of a run, whichever it is: a profile, a log, a record of
 * placements, a trace, a report, a table (docs/real-runs.md). Memory grows with the different nodes, not with the file,
 * which is read to its end. `allocator` may be NULL. Fails with READ, MALFORMED (it is none of them, or damaged) or
 * MEMORY. */
NPART_API npart_status npart_run_read(npart_run **out, npart_read_callback read, void *payload,
                                      const struct npart_allocator *allocator, struct npart_error *error);
/* Gives the handle back. */
NPART_API void npart_run_free(npart_run *run);

struct npart_run_info {
    size_t size;
    const char *kind; /* `profile`, `log`, `record`, `trace`, or whose output it is: `rknn-log` */
    const char *const *providers; /* execution providers that it names, the CPU's among them */
    uint32_t provider_count, node_count;
    bool has_partitions; /* it says how many there were */
    uint32_t partitions;
    uint64_t runs; /* of the model, with their time; 0: no times were kept */
    double total_ms; /* of all of them */
    double warm_ms; /* a run, of those after the first where there are any: the first also warms up */
};
NPART_API bool npart_run_info(const npart_run *run, struct npart_run_info *out);

/* A node of the graph that was run: one of the model's, one that the runtime made, or a compiled partition. */
struct npart_run_node {
    size_t size;
    const char *name; /* "": it has none */
    const char *op;   /* "": not told */
    const char *provider;
    const char *reason; /* why the provider did not take it; NULL: not told */
    int64_t index; /* its place in the main graph's file; -1: not told */
    bool is_cpu; /* its provider is the CPU's */
    bool is_result; /* the name is that of its first result, as the file has none of nodes */
    bool is_placed; /* false: only said to be taken, or not, by a provider that was asked */
    uint64_t runs;
    double total_ms, warm_ms; /* of its kernel, as of the model */
};
/* A node, in the order of the file, counted from 0. */
NPART_API bool npart_run_node(const npart_run *run, uint32_t index, struct npart_run_node *out);

/* ---- a plan beside it ------------------------------------------------------------------------------------ */

typedef struct npart_verification npart_verification;

/* Compares where a plan and a run have each node, and their partitions. Fails with ARGUMENT (a NULL; the run names
 * nodes, and the model has none of them) or MEMORY. */
NPART_API npart_status npart_verification_make(npart_verification **out, const npart_plan *plan, const npart_run *run,
                                               struct npart_error *error);
/* Gives the handle back. */
NPART_API void npart_verification_free(npart_verification *verification);

enum npart_agreement {
    NPART_AGREEMENT_NONE, /* the run does not tell */
    NPART_AGREEMENT_SAME,
    NPART_AGREEMENT_DIFFERENT,
    NPART_AGREEMENT_UNDECIDED, /* by the plan */
    NPART_AGREEMENTS
};

/* What is to blame where the plan has nodes on the NPU and the run has none there. */
enum npart_blame {
    NPART_BLAME_NONE,
    NPART_BLAME_INSTALLATION, /* not the model */
    NPART_BLAME_PROVIDER      /* which was there, and took nothing */
};

struct npart_verification_info {
    size_t size;
    bool is_same; /* no node, and not the number of partitions, is different */
    uint32_t nodes[NPART_AGREEMENTS]; /* live nodes of the plan, by agreement */
    uint32_t untold_cpu; /* of those that the run does not tell: on the CPU in the plan */
    uint32_t unmatched; /* nodes of the run that the model has none of: the runtime made or renamed them */
    uint32_t partitions, partitions_low, partitions_high; /* of the plan, as in npart_summary */
    bool has_run_partitions;
    uint32_t run_partitions;
    enum npart_agreement partition_agreement;
    enum npart_blame blame;
    const char *blame_provider; /* by the name that a session gives it; NULL: nothing is to blame */
    const char *blame_text; /* what is the matter, as a sentence; NULL */
    const char *blame_check; /* how to see it; NULL */
};
NPART_API bool npart_verification_info(const npart_verification *verification, struct npart_verification_info *out);

/* A node of the plan's view (npart_plan_view). */
struct npart_verified_node {
    size_t size;
    enum npart_agreement agreement;
    bool is_told; /* the run tells where it is */
    bool is_on_npu; /* in the run, where that is told */
    bool is_concluded; /* the run does not name it, but has nothing at all on the other side */
    const char *reason; /* the run's, why it is on the CPU; NULL: not told */
};
NPART_API bool npart_verification_node(const npart_verification *verification, uint32_t node,
                                       struct npart_verified_node *out);

/* How a verification is told: what its model and its run are called. */
struct npart_verification_names {
    const char *model, *run;
};
/* For people; of differences ten, or all. Fails with ARGUMENT, WRITE or MEMORY, as those below. */
NPART_API npart_status npart_verification_text(const npart_verification *verification,
                                               const struct npart_verification_names *names, bool is_verbose,
                                               npart_write_callback write, void *payload, struct npart_error *error);
/* One line of JSON (docs/real-runs.md). */
NPART_API npart_status npart_verification_json(const npart_verification *verification,
                                               const struct npart_verification_names *names, npart_write_callback write,
                                               void *payload, struct npart_error *error);
/* The nodes that differ as text cases (test/cases/README.md), whose source is for the user to name. */
NPART_API npart_status npart_verification_cases(const npart_verification *verification, npart_write_callback write,
                                                void *payload, struct npart_error *error);

/* ---- models to try an installation with ------------------------------------------------------------------ */

/* Small models that are whole on most targets, in the order in which they are tried. */
#define NPART_SELFTEST_MODELS 8
struct npart_selftest_model {
    size_t size;
    const char *ops; /* to be told: "Conv, Relu" */
    const char *input_type; /* numpy's name */
};
/* Writes one of them as ONNX. Fails with ARGUMENT (there is none), WRITE or MEMORY. */
NPART_API npart_status npart_selftest_model(uint32_t index, struct npart_selftest_model *out,
                                            npart_write_callback write, void *payload, struct npart_error *error);

/* The first of them that is whole on a target, and the lines that run it there. */
typedef struct npart_selftest npart_selftest;
/* `name`: the path that the model will have. Options are those of npart_inference_make and npart_plan_make. Fails as
 * these do. */
NPART_API npart_status npart_selftest_make(npart_selftest **out, const npart_oplist *oplist, const char *target,
                                           const char *name, const struct npart_inference_options *sizes,
                                           const struct npart_plan_options *plan, struct npart_error *error);
/* Gives the handle back. */
NPART_API void npart_selftest_free(npart_selftest *selftest);
struct npart_selftest_info {
    size_t size;
    const char *ops, *input_type; /* as of npart_selftest_model */
    const void *bytes; /* of the model */
    size_t byte_count;
    const npart_plan *plan; /* its own */
    uint32_t node_count;
    const char *run, *check; /* a line that runs it, and one that tells where it ran; NULL: none is known */
};
/* False also where none of the models is whole. */
NPART_API bool npart_selftest_info(const npart_selftest *selftest, struct npart_selftest_info *out);
/* What `npu-partition selftest` tells of it, with the name that it was made with. Fail with ARGUMENT (there is none),
 * WRITE or MEMORY. */
NPART_API npart_status npart_selftest_text(const npart_selftest *selftest, npart_write_callback write, void *payload,
                                           struct npart_error *error);
NPART_API npart_status npart_selftest_json(const npart_selftest *selftest, npart_write_callback write, void *payload,
                                           struct npart_error *error);

/* ---- tables of measured runs ----------------------------------------------------------------------------- */

typedef struct npart_run_table npart_run_table;

#define NPART_MOST_RUN_ROWS 4096
#define NPART_MOST_RUN_LINE 65536 /* bytes of a line of CSV */

/* Reads a table as CSV or JSON (docs/real-runs.md). Fails with READ, MALFORMED or MEMORY. */
NPART_API npart_status npart_run_table_read(npart_run_table **out, npart_read_callback read, void *payload,
                                            const struct npart_allocator *allocator, struct npart_error *error);
/* Gives the handle back. */
NPART_API void npart_run_table_free(npart_run_table *table);
/* Whether a file is such a table, by its beginning, which a NUL ends. */
NPART_API bool npart_run_table_begins(const char *beginning);

/* What a row says; NULL where it says nothing. */
struct npart_measured_run {
    size_t size;
    const char *model, *target, *runtime;
    const char *dims; /* "batch=1 sequence=128" */
    const char *profile;
    bool is_on_cpu; /* all of it, as nothing was on the NPU */
    double ms; /* of a warm run; negative: not said */
    uint32_t line; /* of CSV, or place in JSON */
};
NPART_API bool npart_run_table_row(const npart_run_table *table, uint32_t index, struct npart_measured_run *out);

/* What a plan of a measured run is made with. */
struct npart_run_asked {
    size_t size;
    const npart_oplist *oplist;
    const char *target; /* as of npart_plan_make */
    const struct npart_inference_options *sizes; /* NULL: none */
    const struct npart_plan_options *plan; /* NULL: the defaults */
};
/* The plan of a model as it was run: sizes and runtime of the row count before those that are asked, and where the run
 * was on the CPU all nodes are. `is_missing`, of as many as the dims that are asked, or NULL: which of these the model
 * lacks; else that is an error, as it always is of the row's. Fails as npart_inference_make and npart_plan_make do. */
NPART_API npart_status npart_run_plan(npart_plan **out, const npart_model *model, const struct npart_measured_run *run,
                                      const struct npart_run_asked *asked, bool *is_missing, struct npart_error *error);

/* ---- costs that are fitted to runs ----------------------------------------------------------------------- */

/* What was measured of a plan: warm runs, in milliseconds. */
struct npart_measurement {
    const npart_plan *plan; /* its cost has to be known */
    double total_ms; /* a whole run; 0: as `run` says */
    double cpu_ms; /* of this the kernels on the CPU; 0 or less: as `run` says, or not measured */
    const double *partition_ms; /* of this each partition's kernel, by id; NULL: the same */
    const npart_run *run; /* NULL: there are no more times than those */
};
#define NPART_MOST_MEASUREMENTS 64

typedef struct npart_calibration npart_calibration;

/* Fits parameters of costs to a few measured runs of plans of one target, by one op list. Keeps nothing of what it is
 * given. Fails with ARGUMENT (a NULL, a time that is none, a run without times, a plan whose cost is not known, too
 * many) or MEMORY. */
NPART_API npart_status npart_calibration_make(npart_calibration **out, const struct npart_measurement *rows,
                                              uint32_t count, struct npart_error *error);
/* Gives the handle back. */
NPART_API void npart_calibration_free(npart_calibration *calibration);

/* Errors are medians, as shares: with 0.3, half of the times are off by less than a factor of 1.3. */
struct npart_calibration_info {
    size_t size;
    uint32_t run_count, model_count, time_count, fitted_count;
    bool is_scaled; /* two times alone: two scales, from 1/4 to 4 */
    bool is_at_limit; /* a scale would go beyond that */
    bool is_accepted; /* the error of models left out is at most half of that before */
    double error_before, error_after; /* of total times */
    double error_held_out; /* of each model's totals, with what the others tell; negative: there is one model */
    const char *costs; /* where it is accepted the fit as a cost file (docs/oplist-format.md); else NULL */
};
NPART_API bool npart_calibration_info(const npart_calibration *calibration, struct npart_calibration_info *out);

/* A parameter that was fitted. Ranges are `[low, typical, high]`, in the parameter's unit. */
struct npart_fitted {
    size_t size;
    const char *parameter; /* "launch_ms"; of two scales "npu" (what it computes) and "others" */
    const char *precision, *runtime; /* that it is for, as a `param` line has them; NULL: any */
    double before[3], after[3]; /* all 0 of a scale */
    double time_factor; /* what rests on it takes so many times what it took */
    double moved; /* the logarithm of that, in deviations of what was known before */
    bool is_identified; /* the times tell it; else it is, and may be off, nearly as before */
};
/* What matters most first, counted from 0. */
NPART_API bool npart_calibration_fitted(const npart_calibration *calibration, uint32_t index,
                                        struct npart_fitted *out);

/* How a calibration is told. */
struct npart_calibration_names {
    const char *target;
    uint32_t left_out; /* runs that were not used */
    const char *written; /* the cost file that was written; NULL: none */
};
/* For people, and one line of JSON. Fail with ARGUMENT, WRITE or MEMORY. */
NPART_API npart_status npart_calibration_text(const npart_calibration *calibration,
                                              const struct npart_calibration_names *names, npart_write_callback write,
                                              void *payload, struct npart_error *error);
NPART_API npart_status npart_calibration_json(const npart_calibration *calibration,
                                              const struct npart_calibration_names *names, npart_write_callback write,
                                              void *payload, struct npart_error *error);

#ifdef __cplusplus
}
#endif

#endif
