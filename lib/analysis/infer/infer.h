/* SPDX-License-Identifier: Apache-2.0
 *
 * infer: element type, shape and, for small tensors, the elements of every value, as far as they follow from the
 * graph's inputs, the constants and what the caller binds. Known, symbolic or unknown; never guessed.
 *
 *   x      float32[`batch`,3,224,224]
 *   Conv   float32[`batch`,64,112,112]
 *   Shape  int64[4], elements (batch, 64, 112, 112)
 *
 * Inference runs once per binding of symbols and serves every target. What a runtime knows of the same graph may be
 * less, and is inferred with a policy (view). An inference has all its memory from its arena, and must not outlive
 * the graph. Dims and elements may be shared between facts; elements of stored tensors are read when first asked
 * for.
 */
#ifndef NPART_INFER_H
#define NPART_INFER_H

#include "graph/graph.h"
#include "infer/expression.h"

/* Integer tensors of more elements than this are not read (a zero point for each channel is), and results of more are
 * not computed: shape arithmetic of real models needs less than 256, and memory grows with nodes times elements. */
#define NPART__LIMIT_KNOWN_ELEMENTS 8192u
#define NPART__LIMIT_COMPUTED_ELEMENTS 1024u
/* Nor are floating point ones read; the scan keeps as many. */
#define NPART__LIMIT_KNOWN_FLOATS 1024u
/* Where larger tensors are asked for (most_elements): how many of them, at the size that is asked for, are followed.
 * It bounds the memory. */
#define NPART__LIMIT_LARGE_TENSORS 16u
/* The highest rank that shapes are kept for; ONNX sets none, runtimes stop at 8. */
#define NPART__LIMIT_RANK 64u
/* How often a loop's body is looked at before sizes that still change are given up; a loop in a loop half as often,
 * and one in that only once, or the passes would multiply. */
#define NPART__LIMIT_LOOP_PASSES 4u
/* Sequences of more elements than this are not followed element by element. */
#define NPART__LIMIT_SEQUENCE 64u

/* The elements of a tensor, in row-major order. Whole numbers may be symbolic, also those of a floating point
 * tensor (a size cast to float); `doubles` is used where one of them is no whole number. */
struct npart__known {
    uint32_t count;
    const int64_t *ints;    /* NULL: doubles */
    const double *doubles;
    double error;           /* how far each of the doubles may be off: see numbers.h; 0: they are what a runtime has */
};

/* What is known of a value. Nothing at all is a fact of zeros: kind NPART__TYPE_UNKNOWN, no rank. Known elements are of
 * a static shape with as many of them; a shape that a file declares may say otherwise, then npart__elements gives
 * none. */
struct npart__fact {
    uint8_t kind; /* enum npart__type_kind */
    uint8_t element_type;  /* TensorProto.DataType; 0: not known */
    bool has_rank;         /* else `rank` and `dims` say nothing */
    bool is_constant;      /* the same in every run: an initializer, or computed from constants only */
    bool is_initializer;   /* an initializer or the output of a Constant node */
    bool is_read;          /* the tensor's numbers were read into `known`, or cannot be */
    uint16_t rank;
    const int64_t *dims;   /* numbers or expressions, NPART__UNKNOWN never */
    const struct npart__known *known;    /* NULL: not followed, or not looked at yet (see npart__elements) */
    const struct npart__tensor *tensor;  /* of an initializer or Constant; stays when its numbers are read */
    const struct npart__fact *element;   /* of a sequence or optional: what is known of all of them */
    const struct npart__sequence_items *items; /* of a sequence: one by one; NULL: not followed */
};

/* The elements of a sequence of known length. */
struct npart__sequence_items {
    uint32_t count;
    const struct npart__fact *facts;
};

/* Two sizes that must be equal for the model to work, found where two different symbols meet: Add of [`batch`,8] and
 * [`n`,8] relates batch and n. Proposals follow them. */
struct npart__assumption {
    int64_t left, right;
    uint32_t node;
    bool broadcasts; /* or one of them is 1 */
};

/* The code of findings that say that sizes cannot be. */
#define NPART__SHAPE_CONTRADICTION "shape-contradiction"

/* A node whose sizes cannot be, and the index of the finding that says so. */
struct npart__contradicted {
    uint32_t node, finding;
    bool is_loaded; /* no inference of the standard's looks at that: the kernel does */
};

struct npart__call;
struct npart__inference;

/* How much is inferred of a node's results. */
enum npart__extent { NPART__EXTENT_NOTHING, NPART__EXTENT_TYPES, NPART__EXTENT_ALL };

#define NPART__POLICY_ROWS 5u

/* What others make of a graph where they know less than can be known. Functions may be NULL. */
struct npart__infer_policy {
    bool is_partial;         /* unless it is the standard inference of this stage */
    bool is_onnx;            /* ONNX's own inference of the newest release */
    bool keeps_false_shapes; /* what the file declares counts, even where it cannot be */
    bool keeps_names;        /* the sizes that the caller gives are those of graph inputs, and of nothing else */
    enum npart__release release;
    /* Before and after all nodes. `begin` is false when out of memory. */
    bool (*begin)(struct npart__inference *inference);
    void (*end)(struct npart__inference *inference);
    /* Fills in the numbers of an operator's rows in the policy's own tables, which its calls have as `policy_rows`. */
    void (*find_rows)(const char *domain, const char *op, uint8_t rows[NPART__POLICY_ROWS]);
    /* Before a node's results are inferred, and after: the latter takes away what is not known of them. */
    enum npart__extent (*before)(const struct npart__call *call);
    void (*after)(const struct npart__call *call);
    /* Whether a node of constants, already inferred, is computed ahead. */
    bool (*computes)(const struct npart__call *call);
};

/* What a graph input holds in one run. It makes the input no constant. */
struct npart__given {
    uint32_t input;                   /* a value; its shape has as many elements, or it counts for nothing */
    const struct npart__known *known; /* outlives the result */
};

struct npart__infer_options {
    const struct npart_dim_binding *bindings;
    uint32_t binding_count;
    bool *is_missing; /* by binding, set where the model has no such dim; NULL: that is a failure */
    uint32_t may_lack_count; /* of the bindings the first ones, for which `is_missing` is */
    const struct npart_input_shape *shapes;
    uint32_t shape_count;
    const struct npart_padding *padding; /* at fixed sizes, the chosen one being the upper bound; NULL: not asked */
    bool ignore_value_info; /* infer as if the file declared nothing but its inputs */
    const struct npart__infer_policy *policy; /* NULL: all that can be known */
    /* Elements of so many are read and computed, where that is more than the limits say, as long as they are numbers;
     * not by views. For who makes constants of them, as of masks. */
    uint32_t most_elements;
    const struct npart__given *given;
    uint32_t given_count;
    /* What a runtime knew when it inferred the graph the last time, whose shapes count in place of the file's; NULL: it
     * was not inferred before. Outlives the result. */
    const struct npart__inference *before;
    const bool *gone; /* by value: the runtime has forgotten what it knew then; NULL: of none */
};

struct npart__inference {
    const struct npart__graph *graph;
    struct npart__arena *arena;
    struct npart__infer_options options; /* what they point to outlives the result */
    const struct npart__infer_policy *policy; /* never NULL */
    struct npart__expressions expressions;
    struct npart__fact *facts; /* by value */
    uint32_t fact_count;       /* values of the graph; of a session's, those that copies make too */
    uint32_t *rank_lost_at;    /* by value without a rank: node + 1 of the one that lost it; 0: it came in without */
    struct NPART__ARRAY(struct npart__assumption) assumptions;
    struct NPART__ARRAY(struct npart_finding) findings;
    bool has_false_shapes; /* the file declares shapes that cannot be */
    bool *disagrees; /* by value, where `keeps_false_shapes` counts: such a shape is declared of it; NULL: of none */
    struct NPART__ARRAY(struct npart__contradicted) contradicted;
    bool leaves_elements; /* some were not looked at for their number: more would be with a larger `most_elements` */
    uint32_t misfits; /* nodes that would fail in a run at these sizes, though their shapes are none that cannot be */
    /* Of a policy that looks for common subexpressions, else NULL; by value: the first of those that are equal, and how
     * often any of them is used. */
    uint32_t *first_equal, *equal_uses;
    /* private */
    struct npart__inference *views; /* of the same graph and sizes under other policies: the first of a list */
    struct npart__inference *next_view;
    struct npart__op_cache *cache; /* NPART__CACHE_SLOTS of them, by the operator's name */
    uint64_t large_elements; /* of tensors past the limits, so far */
    uint32_t steps; /* nodes that were inferred, each as often as it was */
    bool is_quiet; /* a pass whose findings would come again */
    unsigned loop_depth; /* bodies of Loop, Scan and SequenceMap that are being inferred, one in the other */
};

/* Infers the whole graph, which must outlive the result. Fails when a binding is wrong or memory runs out. */
npart_status npart__infer(const struct npart__graph *graph, const struct npart__infer_options *options,
                          struct npart__arena *arena, struct npart__inference *out, struct npart_error *error);

/* The same graph and sizes under a policy; made when first asked for, and kept by `inference`. */
npart_status npart__infer_view(struct npart__inference *inference, const struct npart__infer_policy *policy,
                               struct npart__inference **out, struct npart_error *error);

/* The same where the runtime infers once more what it knew before: a view of `inference`, as `before` is, which tells
 * what `gone` has to be. */
npart_status npart__infer_again(struct npart__inference *inference, const struct npart__infer_policy *policy,
                                const struct npart__inference *before, const bool *gone,
                                struct npart__inference **out, struct npart_error *error);

/* Whether the shape that is declared of a value contradicts the one that follows, so that a runtime has neither. */
static inline bool npart__disagrees(const struct npart__inference *inference, uint32_t value)
{
    return inference->disagrees && value < inference->graph->values.count && inference->disagrees[value];
}

static inline const struct npart__fact *npart__fact_of(const struct npart__inference *inference, uint32_t value)
{
    NPART__ASSERT(value < inference->fact_count, "value %u of %u", (unsigned)value, (unsigned)inference->fact_count);
    return &inference->facts[value];
}

/* The node at which the rank of a value without one was lost: it could not tell its result's rank although its inputs
 * have theirs. NPART_NONE when it is a graph input's. */
static inline uint32_t npart__rank_lost_at(const struct npart__inference *inference, uint32_t value)
{
    NPART__ASSERT(value < inference->fact_count, "value %u of %u", (unsigned)value, (unsigned)inference->fact_count);
    return inference->rank_lost_at[value] - 1u;
}

/* The elements of a value, read from its tensor when first asked for; NULL when they are not known. */
const struct npart__known *npart__elements(struct npart__inference *inference, struct npart__fact *fact);
/* Whether it reads this tensor. */
bool npart__may_read(struct npart__inference *inference, const struct npart__tensor *tensor);

/* Whether a larger `most_elements` might find more of the graph, now or when elements are asked for. */
bool npart__leaves_elements(struct npart__inference *inference);
/* Whether memory ran out since the inference was made, when elements were asked for; told once, so that the next try
 * may succeed. */
bool npart__take_failure(struct npart__inference *inference);

/* invariants.c: of the debug build. */
void npart__check_inference(const struct npart__inference *inference);

/* An axis or index counted from the end when negative; false when out of range. */
bool npart__normalize_axis(int64_t axis, uint32_t rank, uint32_t *out);

/* Every dim is a number. False for what is no tensor. */
bool npart__is_static(const struct npart__fact *fact);
/* Every dim is a number, or known to be no greater than one. */
bool npart__is_bounded(const struct npart__expressions *pool, const struct npart__fact *fact);
/* The number of elements of a static tensor; false when it is not static or does not fit. */
bool npart__static_elements(const struct npart__fact *fact, uint64_t *out);

/* Of -0, and past what a double has all whole numbers of, false. */
bool npart__is_whole(double number);

/* "float32[1,sequence,768]", "int64[?,2]", "float32[...]" where the rank is unknown. */
void npart__append_fact(struct npart__buffer *buffer, const struct npart__expressions *pool,
                        const struct npart__fact *fact);

/* Sizes that make every input static. */
struct npart__proposal {
    const char *use; /* NULL: there is no such use */
    struct npart_dim_binding *requests;
    uint32_t count; /* 0: nothing is dynamic */
};

/* What each dynamic size of the inputs may be: usual sizes by name and place (see sizes.def), changed so that what the
 * inference assumes to be equal is. `use` counts the ways in which a model is used: a decoder with a cache has two,
 * others one. Attempts after the first have other sizes. False only when out of memory. */
#define NPART__SIZE_ATTEMPTS 5u
bool npart__propose_sizes(const struct npart__inference *inference, struct npart__arena *arena, uint32_t use,
                          uint32_t attempt, struct npart__proposal *out);

#endif
