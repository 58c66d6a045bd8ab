/* SPDX-License-Identifier: Apache-2.0
 *
 * Operators on strings. No string is followed as an element, only shapes are.
 */
#include "infer/families.h"

/* Shaped like the input, but for the last dim; nothing of a scalar. */
static void set_last(struct npart__call *call, int64_t size)
{
    const struct npart__fact *in = npart__in(call, 0);
    int64_t *dims = npart__copy_dims(call, in, 0);
    if (!dims || in->rank == 0)
        return;
    dims[in->rank - 1] = size;
    npart__set_dims(call, 0, in->rank, dims);
}

/* StringNormalizer: stop words fall away, so without any the shape stays, and with some the last dim is
 * data-dependent. */
void npart__infer_string_normalizer(struct npart__call *call)
{
    const struct npart__attribute *stopwords = npart__node_attribute(call->graph, call->node, "stopwords");
    /* Without the attribute, or with an empty list of it, nothing falls away. */
    if (stopwords && stopwords->count)
        set_last(call, NPART__UNKNOWN);
    else
        npart__set_shape_like(call, 0, npart__in(call, 0));
}

/* TfIdfVectorizer: [words] or [rows, words] to as many counts as there are n-grams. ngram_indexes says at which place
 * of the result each is counted, so the highest of them is the last place. */
void npart__infer_tf_idf(struct npart__call *call)
{
    uint32_t count;
    const int64_t *indexes = npart__ints_attribute(call, "ngram_indexes", &count);
    int64_t most = indexes ? 0 : NPART__UNKNOWN;
    npart__set_element_type(call, 0, NPART__FLOAT);
    for (uint32_t i = 0; indexes && i < count; i++)
        if (npart__is_number(indexes[i]) && indexes[i] >= most && indexes[i] < INT32_MAX)
            most = indexes[i] + 1;
    set_last(call, most);
}

/* com.microsoft.MurmurHash3: a hash for each element, uint32 unless positive=0. */
void npart__infer_murmur_hash(struct npart__call *call)
{
    npart__set_shape_like(call, 0, npart__in(call, 0));
    npart__set_element_type(call, 0, npart__int_attribute(call, "positive", 1) ? NPART__UINT32 : NPART__INT32);
}
