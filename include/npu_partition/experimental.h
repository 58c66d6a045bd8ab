/* SPDX-License-Identifier: Apache-2.0
 *
 * A part of npu_partition.h, which is the one to include: what may still change.
 */
#ifndef NPU_PARTITION_EXPERIMENTAL_H
#define NPU_PARTITION_EXPERIMENTAL_H

#include "plan.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- what may still change ------------------------------------------------------------------------------- */

/* Declared where NPART_EXPERIMENTAL is defined before this header: the next version may have it otherwise, or not at
 * all. All else is a promise. */
#ifdef NPART_EXPERIMENTAL

/* ONNX's numbers (AttributeProto.AttributeType). */
enum npart_attribute_type {
    NPART_ATTRIBUTE_UNDEFINED, NPART_ATTRIBUTE_FLOAT, NPART_ATTRIBUTE_INT, NPART_ATTRIBUTE_STRING,
    NPART_ATTRIBUTE_TENSOR, NPART_ATTRIBUTE_GRAPH, NPART_ATTRIBUTE_FLOATS, NPART_ATTRIBUTE_INTS,
    NPART_ATTRIBUTE_STRINGS, NPART_ATTRIBUTE_TENSORS, NPART_ATTRIBUTE_GRAPHS, NPART_ATTRIBUTE_SPARSE_TENSOR,
    NPART_ATTRIBUTE_SPARSE_TENSORS, NPART_ATTRIBUTE_TYPE, NPART_ATTRIBUTE_TYPES
};

/* An attribute that the file writes at a node; defaults are not among them. */
struct npart_attribute {
    size_t size;
    const char *name;
    enum npart_attribute_type type;
    bool is_elided;       /* a long list whose payload was not read: `count` holds, the numbers are not here */
    uint32_t count;       /* of a list; bytes of a string; 1 for others */
    int64_t integer;      /* of an INT */
    float real;           /* of a FLOAT */
    const char *text;     /* of a STRING: `count` bytes and a NUL; else NULL */
    const int64_t *integers; /* of INTS */
    const float *reals;      /* of FLOATS */
    uint32_t graph;          /* of a GRAPH, and the first of GRAPHS; else NPART_NONE */
    int element_type;        /* of a TENSOR, ONNX's number */
    uint32_t rank;           /* of a TENSOR */
    const int64_t *dims;     /* of a TENSOR */
};

/* An attribute of a node, counted from 0. */
NPART_API bool npart_model_attribute(const npart_model *model, uint32_t node, uint32_t index,
                                     struct npart_attribute *out);
/* One string of a STRINGS attribute: `*bytes` bytes, not terminated. NULL when there is none. */
NPART_API const char *npart_model_attribute_string(const npart_model *model, uint32_t node, uint32_t index,
                                                   uint32_t item, size_t *bytes);
/* The node's metadata under a key, as exporters leave it ("pkg.torch.onnx.stack_trace"); NULL when there is none. */
NPART_API const char *npart_model_node_metadata(const npart_model *model, uint32_t node, const char *key);
/* The first value from id `from` on of that name; NPART_NONE when there is none. Graphs may use a name again. */
NPART_API uint32_t npart_model_find_value(const npart_model *model, const char *name, uint32_t from);

/* Known whole-number elements, -1 for a symbolic one: writes the first `capacity` of them, and how many there are.
 * False, with *count 0, when they are not known. */
NPART_API bool npart_inference_elements(const npart_inference *inference, uint32_t value, int64_t *out,
                                        uint32_t capacity, uint32_t *count);
/* Sizes that must be equal for the model to work, where two different symbols met: writes "n = m", cut to `bytes`, and
 * to `*node` (may be NULL) where they met. */
NPART_API bool npart_inference_assumption(const npart_inference *inference, uint32_t index, char *out, size_t bytes,
                                          uint32_t *node);

struct npart_parameter_range {
    double low, typical, high;
};

/* A `param` line of the list or of a cost file, as one plan uses it. */
struct npart_parameter {
    size_t size;
    uint32_t line;    /* the same in all plans of the list; another line has another */
    const char *name; /* "launch_ms" */
    const char *precision, *runtime; /* that it is for; NULL: any */
    struct npart_parameter_range range;
    bool is_assumed; /* not measured */
    bool is_speed;   /* the larger it is, the less time a run takes */
    bool is_npu;     /* of what the NPU computes and moves, not of the CPU or of switches */
};
/* Asked for with `parameter` from 0 until it is false. Texts are constants. */
NPART_API bool npart_plan_parameter(const npart_plan *plan, uint32_t parameter, struct npart_parameter *out);

/* What is spent on each parameter in a warm run, in milliseconds: in the whole run, in all nodes on the CPU, and in
 * each partition's kernel. `ms` has room for 2 + partitions rows with one number for each parameter. With `factors`
 * (NULL: none), times that rest on a parameter are that many times as long, and what limits a node may be another.
 * Fails with ARGUMENT (a NULL, a plan whose cost is not known) or MEMORY. */
NPART_API npart_status npart_plan_times(const npart_plan *plan, const double *factors, double *ms,
                                        struct npart_error *error);

struct npart_diff;
/* The node of `after` that a node of `before` is; NPART_NONE: there is none. */
NPART_API uint32_t npart_diff_match(const struct npart_diff *diff, uint32_t before);

#endif

#ifdef __cplusplus
}
#endif

#endif
