/* SPDX-License-Identifier: Apache-2.0
 *
 * A model that is being quantized: its protobuf objects, and what becomes of its tensors, by name. Of
 * lib/change/quantize alone.
 */
#ifndef NPART_QUANTIZE_INTERNAL_H
#define NPART_QUANTIZE_INTERNAL_H

#include <math.h>

#include "edit/edit_internal.h"
#include "quantize/quantize.h"

enum npart__tensor_role { NPART__ROLE_NONE, NPART__ROLE_ACTIVATION, NPART__ROLE_WEIGHT };

/* Whether -inf is among a tensor's numbers: in each sample, or in some. */
enum npart__reach { NPART__IS_FINITE, NPART__MAY_REACH_INFINITY, NPART__REACHES_INFINITY };

/* A tensor of the main graph, by the id of its name. */
struct npart__quantized {
    const char *name;
    uint8_t role; /* enum npart__tensor_role; NONE: it stays as it is */
    bool is_done; /* its nodes stand */
    bool is_wide, stays; /* a weight of 8 bits where others have 4; that loses too much in any */
    bool is_16, converts; /* of 16 bits where others have 8; some users read it in the other of the two (qdq.c) */
    uint32_t asked_users, converted_users; /* that the quantizer asks; that read it converted (qdq.c) */
    uint32_t last_user; /* the last node that was counted, plus one */
    bool is_bias_operand; /* of some node: such a one has no other type, as it would be a weight then */
    bool is_bias; /* it is quantized after the operand and the weight that it is added to */
    uint32_t copies; /* of a bias that several nodes have */
    int32_t axis; /* of the channels that have scales of their own; -1: one scale */
    struct npart__quantized *provider; /* whose scale it has; NULL: its own */
    double scale; /* NaN: not known, and not written */
    bool is_provider_converted; /* the scale is that of what is converted */
    union {
        struct {
            const char *quantized_name; /* of the integers; NULL: there are none by a name of their own */
            const char *scale_name, *zero_name;
        };
        const char *parts[3];
    };
    const char *converted_scale_name, *converted_zero_name;
    const char *reads; /* what its users read in its place; NULL: itself */
    /* of the file */
    uint8_t element_type; /* 0: unknown */
    uint8_t reach; /* enum npart__reach */
    const struct npart__quantized *origin; /* whose numbers it has, moved or repeated; NULL: its own */
    uint32_t declared_rank; /* 0: none is declared */
    bool is_input, is_output, is_captured; /* of the main graph; used in a body */
    uint32_t maker;       /* place in the file's list of nodes; NPART_NONE: none */
    const char *op;       /* of what makes it in the file; NULL: nothing does */
    uint32_t uses;        /* operands of the main graph's nodes */
    Onnx__TensorProto *initializer; /* NULL: it is none */
    bool is_listed; /* it is one of the quantized model, too */
    const struct npart__tensor *tensor; /* of it */
};

/* A bias: quantized by the scales of what it is added to. */
struct npart__quantized_bias {
    struct npart__quantized *bias;
    const struct npart__quantized *operand, *weight; /* NULL: the graph has none */
    bool is_converted; /* the node reads the operand in the other type */
    const char *name; /* of the initializer: a copy for each user after the first */
};

struct npart__quantizer {
    struct npart__arena *arena; /* which says whether memory was short */
    const struct npart__quantized_format *format;
    const struct npart__graph *graph;
    Onnx__ModelProto *model;
    Onnx__GraphProto *main;
    struct npart__strings names; /* those of the graph have the graph's ids; new ones follow */
    struct npart__quantized *tensors; /* by name of the graph */
    uint32_t tensor_count;
    int64_t opset; /* of ONNX's operators */
    const struct npart__graph *own; /* as the file is, before it was brought to that opset */
    struct NPART__ARRAY(struct npart__quantized *) marked; /* in the order in which they were */
    struct NPART__ARRAY(struct npart__quantized_bias) biases;
    struct NPART__ARRAY(Onnx__NodeProto *) nodes; /* new ones */
    struct NPART__ARRAY(Onnx__TensorProto *) initializers;
    bool *is_removed; /* by place in the file's list of nodes */
    bool *is_kept;    /* the same: not to be quantized */
    bool *is_16;      /* the same: with activations of 16 bits where others have 8 */
};

/* ---- build.c: new nodes and tensors. All take NULL for a name that there was no memory for ----------------------- */

/* What is known of a tensor by its name; NULL for "" and for names that are new. */
struct npart__quantized *npart__quantized_at(const struct npart__quantizer *quantizer, const char *name);
/* A name that nothing has, of these pieces; NULL when out of memory. */
const char *npart__new_name(struct npart__quantizer *quantizer, const char *name, const char *suffix);
static inline void npart__name_scales(struct npart__quantizer *quantizer, struct npart__quantized *tensor,
                                      const char *name)
{
    tensor->scale_name = npart__new_name(quantizer, name, "_scale");
    tensor->zero_name = npart__new_name(quantizer, name, "_zero_point");
}
/* A node of "domain:Op" with one result, at the end of the new ones. NULL when out of memory. */
Onnx__NodeProto *npart__add_node(struct npart__quantizer *quantizer, const char *op, const char *name,
                                 const char *result, const char *const *operands);
#define NPART__ADD_NODE(quantizer, op, name, result, ...)                                                              \
    npart__add_node((quantizer), (op), (name), (result), (const char *const[]){__VA_ARGS__, NULL})
void npart__set_int(struct npart__quantizer *quantizer, Onnx__NodeProto *node, const char *attribute, int64_t value);
/* A new initializer of numbers, one an element; NULL: all are `number`. Where it is long, or the number is
 * NPART__ABSENT, it has no payload: what a scan of the file would have left out. */
#define NPART__ABSENT ((double)NAN)
Onnx__TensorProto *npart__add_tensor(struct npart__quantizer *quantizer, const char *name, int element_type,
                                     const int64_t *dims, size_t rank, const double *numbers, double number);
/* Puts the new nodes and initializers into the graph: users read what stands in a tensor's place, what nobody uses any
 * more is gone, nodes stand in an order in which they can run. False when out of memory. */
bool npart__quantizer_finish(struct npart__quantizer *quantizer);

/* ---- keep.c: nodes that are not quantized ------------------------------------------------------------------------ */

npart_status npart__quantizer_keep(struct npart__quantizer *quantizer, struct npart_error *error);
/* From the first of NPART__KEEP... in a text on, or its end. */
const char *npart__find_kept(const char *text);
/* The next of what is kept: from after its mark on to the next one, or the end; NULL past the last. */
const char *npart__next_kept(const char *at, size_t *length, bool *is_16);
/* Stands for the scale that a tensor would get: other numbers, another one. A power of two where it is FLOAT16. */
static inline double npart__stand_in(const struct npart__quantizer *quantizer, const struct npart__quantized *tensor)
{
    uint32_t name = (uint32_t)((tensor->origin ? tensor->origin : tensor) - quantizer->tensors);
    return tensor->element_type == NPART__FLOAT16 ? 1.0 / (double)(16u << name % 4) : (1.0 + name % 997 / 997.0) / 64;
}

/* ---- qdq.c: whether the static quantizer looks at such an operator --------------------------------------------- */

bool npart__is_quantized_op(const struct npart__quantizer *quantizer, const char *op);

/* ---- the kinds of formats: the arena says whether memory was short ----------------------------------------------- */

void npart__quantize_qdq(struct npart__quantizer *quantizer);
void npart__quantize_weights(struct npart__quantizer *quantizer);
void npart__quantize_dynamic(struct npart__quantizer *quantizer);
void npart__quantize_float(struct npart__quantizer *quantizer);

/* Of a type that quantizers take; false for NULL. */
static inline bool npart__is_quantizable_type(int element_type)
{
    return element_type == NPART__FLOAT || element_type == NPART__FLOAT16;
}
static inline bool npart__is_quantizable(const struct npart__quantized *tensor)
{
    return tensor && npart__is_quantizable_type(tensor->element_type);
}

#endif
