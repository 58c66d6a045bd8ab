/* SPDX-License-Identifier: Apache-2.0
 *
 * ai.onnx.ml: classifiers and what surrounds them (encoders, vectorizers). Regressors are patterns of the table. How
 * many classes, categories or words there are is nowhere among the operands: it is the length of the attribute that
 * lists them.
 */
#include "infer/families.h"

/* NULL when the node does not have it; what the standard has as default is not asked for here. */
static const struct npart__attribute *find(struct npart__call *call, const char *name)
{
    return npart__node_attribute(call->graph, call->node, name);
}

/* The length of a list attribute; 0 when it is absent. */
static uint32_t length_of(struct npart__call *call, const char *name)
{
    const struct npart__attribute *attribute = find(call, name);
    return attribute ? attribute->count : 0;
}

/* Most lists come in two forms, of strings and of integers, of which a model has one. */
static uint32_t either_length(struct npart__call *call, const char *a, const char *b)
{
    uint32_t length = length_of(call, a);
    return length ? length : length_of(call, b);
}

/* How many scores there are for each row. A support vector classifier that was not asked for probabilities scores each
 * pair of classes: 4 classes give 4 * 3 / 2 = 6 scores. Without labels nothing is known. */
static int64_t score_count(struct npart__call *call, int64_t classes)
{
    bool has_vectors = length_of(call, "vectors_per_class") != 0, has_probabilities = length_of(call, "prob_a") != 0;
    bool is_pairwise = call->row->parameter == NPART__CLASSIFIER_SVM && has_vectors && !has_probabilities;
    if (classes == 0)
        return NPART__UNKNOWN;
    return is_pairwise && classes > 2 ? classes * (classes - 1) / 2 : classes;
}

/* The rows of a matrix, or of a vector, which is one row; unknown for any other rank. */
static int64_t row_count(const struct npart__fact *in)
{
    return in->has_rank && in->rank == 2 ? in->dims[0] : in->has_rank && in->rank == 1 ? 1 : NPART__UNKNOWN;
}

/* Labels [N], strings or int64 as the model's labels are; scores [N, classes]. With three labels:
 *
 *   float32[8,4] -> int64[8] float32[8,3] */
void npart__infer_classifier(struct npart__call *call)
{
    const struct npart__fact *in = npart__in(call, 0);
    uint32_t strings = either_length(call, "classlabels_strings", "classlabels_string");
    uint32_t ints = either_length(call, "classlabels_int64s", "classlabels_ints");
    int64_t rows = row_count(in);
    npart__set_element_type(call, 0, strings ? NPART__STRING : NPART__INT64);
    npart__set_element_type(call, 1, NPART__FLOAT);
    /* One symbol for both outputs, which have as many rows. */
    if (rows == NPART__UNKNOWN)
        rows = npart__fresh_symbol(call->pool);
    NPART__SET_SIZES(call, 0, rows);
    NPART__SET_SIZES(call, 1, rows, score_count(call, strings ? strings : ints));
}

/* A sequence of maps from label to score, one a row. Maps are not followed any further. */
void npart__infer_zip_map(struct npart__call *call)
{
    const struct npart__fact element = {.kind = NPART__TYPE_MAP};
    npart__set_container(call, 0, NPART__TYPE_SEQUENCE, &element);
}

/* ---- encoders -------------------------------------------------------------------------------------------- */

/* Strings to numbers or back: the result is of the type that the input is not. */
void npart__infer_category_mapper(struct npart__call *call)
{
    int type = npart__in(call, 0)->element_type;
    npart__set_shape_like(call, 0, npart__in(call, 0));
    if (type)
        npart__set_element_type(call, 0, type == NPART__STRING ? NPART__INT64 : NPART__STRING);
}

/* The type is that of the values, which are listed in one of several attributes; a tensor may hold them since version
 * 4. Version 1 maps strings to integers or back, so it goes by the input's type. */
void npart__infer_label_encoder(struct npart__call *call)
{
    const struct npart__attribute *tensor = find(call, "values_tensor");
    int type = length_of(call, "values_strings")  ? NPART__STRING
               : length_of(call, "values_int64s") ? NPART__INT64
               : length_of(call, "values_floats") ? NPART__FLOAT
                                                  : 0;
    /* Since version 2 keys and values are lists of any two types. */
    if (call->row->since == 1) {
        npart__infer_category_mapper(call);
        return;
    }
    if (tensor && tensor->type == NPART_ATTRIBUTE_TENSOR && tensor->u.tensor)
        type = tensor->u.tensor->element_type;
    npart__set_shape_like(call, 0, npart__in(call, 0));
    if (type)
        npart__set_element_type(call, 0, type);
}

/* One more axis, as long as there are categories: [8] with 5 categories becomes [8,5]. Where no list says how many, the
 * new axis is unknown. */
void npart__infer_one_hot_encoder(struct npart__call *call)
{
    const struct npart__fact *in = npart__in(call, 0);
    uint32_t categories = either_length(call, "cats_int64s", "cats_strings");
    npart__set_element_type(call, 0, NPART__FLOAT);
    int64_t *dims = npart__copy_dims(call, in, 1);
    if (!dims)
        return;
    dims[in->rank] = categories ? categories : NPART__UNKNOWN;
    npart__set_dims(call, 0, in->rank + 1u, dims);
}

/* ---- rows from parts ------------------------------------------------------------------------------------- */

/* Joins the columns of several inputs: inputdimensions lists how many each brings. [8,2] [8,3] with (2,3) -> [8,5]. */
void npart__infer_feature_vectorizer(struct npart__call *call)
{
    const struct npart__fact *in = npart__in(call, 0);
    uint32_t count;
    const int64_t *widths = npart__ints_attribute(call, "inputdimensions", &count);
    int64_t columns = widths && count ? 0 : NPART__UNKNOWN;
    for (uint32_t i = 0; widths && i < count; i++)
        columns = npart__sum(call->pool, columns, widths[i]);
    npart__set_element_type(call, 0, NPART__FLOAT);
    /* All inputs have as many rows as the first. */
    NPART__SET_SIZES(call, 0, row_count(in), columns);
}

/* A map's values as one row. Dense, it has as many columns as the map has keys, which only the data tell; sparse, the
 * attribute max_map says how many. */
void npart__infer_cast_map(struct npart__call *call)
{
    const char *to = npart__string_attribute(call, "cast_to", "TO_FLOAT");
    bool is_sparse = strcmp(npart__string_attribute(call, "map_form", "DENSE"), "SPARSE") == 0;
    npart__set_element_type(call, 0,
                            strcmp(to, "TO_FLOAT") == 0    ? NPART__FLOAT
                            : strcmp(to, "TO_INT64") == 0 ? NPART__INT64
                                                          : NPART__STRING);
    NPART__SET_SIZES(call, 0, 1, is_sparse ? npart__int_attribute(call, "max_map", 1) : NPART__UNKNOWN);
}

/* A map as one row, with a column for each word of the vocabulary. */
void npart__infer_dict_vectorizer(struct npart__call *call)
{
    uint32_t words = either_length(call, "string_vocabulary", "int64_vocabulary");
    NPART__SET_SIZES(call, 0, 1, words ? words : NPART__UNKNOWN);
}
