/* SPDX-License-Identifier: Apache-2.0
 *
 * quantize: a model as a quantizer would write it, so that it can be planned before anybody quantizes it. No weight is
 * read: of a quantized weight type, dims and place are known, and its numbers only where they stand in the skeleton.
 * Scales of activations stand for those that calibration would find: they differ from tensor to tensor.
 *
 * Where QuantizeLinear and DequantizeLinear go is what ONNX Runtime's quantizer does (onnxruntime/quantization:
 * qdq_quantizer.py and operators/, read at release 1.32), operator by operator: `static` in operators.table.
 */
#ifndef NPART_QUANTIZE_H
#define NPART_QUANTIZE_H

#include "infer/infer.h"
#include "npu_partition/mend.h"
#include "weights/weights.h"

/* Stand before each of the nodes that are kept, in float or with activations of 16 bits, which are the last that a
 * precision says: names may have colons. */
#define NPART__KEEP ":keep="
#define NPART__KEEP_16 ":keep16="

enum npart__quantized_kind {
    NPART__FORMAT_FLOAT,   /* another type of floating point, everywhere */
    NPART__FORMAT_QDQ,     /* weights and activations, by QuantizeLinear and DequantizeLinear */
    NPART__FORMAT_WEIGHTS, /* weights of matrix products alone, in blocks */
    NPART__FORMAT_DYNAMIC, /* weights before, activations while the model runs */
};

/* A row of formats.def, with what was asked for besides. */
struct npart__quantized_format {
    const char *name, *about; /* in full, as it is asked for again: "w4a16:block=128" */
    uint8_t kind;     /* enum npart__quantized_kind */
    uint8_t activation_type, weight_type; /* element types; 0: as they are */
    bool is_per_channel; /* a scale for each channel of a weight */
    bool is_for_qnn;     /* operators and types of ONNX Runtime's get_qnn_qdq_config */
    uint32_t block;      /* numbers that share a scale, along the contracted axis; 0: no blocks */
    double least_decibels; /* each weight keeps so many, or gets more bits, or stays in float; 0: whatever it loses */
    const struct npart__weight_list *weights; /* what they lose, then; the caller's */
    const char *kept;    /* which nodes are kept (keep.c), from the first NPART__KEEP... on; NULL: none */
    bool keeps_16; /* some have activations of 16 bits */
};

/* Names of nodes, or of their first results where they have none, and of weights, in the arena of the model that is
 * made. */
struct npart__kept_nodes {
    struct NPART__ARRAY(const char *) kept, /* nodes that are not quantized */
        wide,    /* nodes whose activations have 16 bits where others have 8 */
        widened; /* weights of 8 bits where others have 4 */
};

/* What of the weights' losses says what the format loses of one, or more; false: none does. */
bool npart__rounding_of(const struct npart__quantized_format *format, enum npart__rounding *out);
/* Which way of quantizing is tried first with a model of this kind, and who says so (may be NULL); NULL: nothing. */
const char *npart__quantize_first(const struct npart__graph *graph, const char **source);
/* "w8a8", with options after colons ("w8a8:qnn:activations=int8"); the last are NPART__KEEP and nodes. Fails with
 * ARGUMENT, the text as the place. */
npart_status npart__format_read(const char *text, struct npart__arena *arena, struct npart__quantized_format *out,
                                struct npart_error *error);

/* The opset that the quantizer brings a model to first: `opset` where that serves. */
int64_t npart__format_opset(const struct npart__quantized_format *format, int64_t opset);

/* `skeleton` is whole and stays as it is; graph and inference are of its bytes; `own` is what the file had before
 * npart__format_opset. *out, in `arena`, is whole, too, but cannot be written: its weights are nowhere. Where there is
 * nothing to quantize it is the model as it was. Fails with ARGUMENT where no quantizer could read the graph, or a node
 * that is to be kept is not there. */
npart_status npart__quantize(const struct npart__skeleton *skeleton, const struct npart__graph *graph,
                             struct npart__inference *inference, const struct npart__quantized_format *format,
                             const struct npart__graph *own, struct npart__arena *arena, struct npart__skeleton *out,
                             struct npart__kept_nodes *kept, struct npart_error *error);

#endif
