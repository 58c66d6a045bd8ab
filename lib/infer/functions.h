/* SPDX-License-Identifier: Apache-2.0
 *
 * The inference functions, by file. Each serves the rows of rows.def that name it, and has the form that call.h says:
 * it reads the operands' facts, and fills in those of the outputs as far as they follow.
 */
#ifndef NPART_INFER_FUNCTIONS_H
#define NPART_INFER_FUNCTIONS_H

#include "infer/call.h"

/* pattern.c */
void npart__infer_pattern(struct npart__call *call); /* as the row's text says */

/* elementwise.c */
void npart__infer_binary(struct npart__call *call); /* two inputs broadcast */
void npart__infer_variadic(struct npart__call *call); /* all inputs broadcast */
void npart__infer_where(struct npart__call *call);
void npart__infer_same(struct npart__call *call); /* output 0 is shaped like input 0 */
void npart__infer_like(struct npart__call *call); /* ... like the input that the parameter names */
void npart__infer_unary(struct npart__call *call); /* the same, and elements are computed */
void npart__infer_slope(struct npart__call *call); /* the same; input 1 broadcasts to input 0 */
void npart__infer_clip(struct npart__call *call);
void npart__infer_dropout(struct npart__call *call);
void npart__infer_like_input(struct npart__call *call); /* shaped like input 0, type by attribute dtype */

/* cast.c */
void npart__infer_cast(struct npart__call *call);
void npart__infer_bit_cast(struct npart__call *call);
void npart__infer_cast_like(struct npart__call *call);

/* shape.c */
void npart__infer_constant(struct npart__call *call);
void npart__infer_identity(struct npart__call *call);
void npart__infer_shape(struct npart__call *call);
void npart__infer_size(struct npart__call *call);
void npart__infer_reshape(struct npart__call *call);
void npart__infer_flatten(struct npart__call *call);
void npart__infer_squeeze(struct npart__call *call);
void npart__infer_unsqueeze(struct npart__call *call);
void npart__infer_transpose(struct npart__call *call);
void npart__infer_constant_of_shape(struct npart__call *call);
void npart__infer_expand(struct npart__call *call);
void npart__infer_tile(struct npart__call *call);
void npart__infer_range(struct npart__call *call);

/* select.c */
void npart__infer_slice(struct npart__call *call);
void npart__infer_split(struct npart__call *call);
void npart__infer_concat(struct npart__call *call);

/* gather.c */
void npart__infer_gather(struct npart__call *call);
void npart__infer_gather_elements(struct npart__call *call);
void npart__infer_gather_nd(struct npart__call *call);
void npart__infer_scatter_elements(struct npart__call *call);
void npart__infer_scatter_nd(struct npart__call *call);

/* pad.c */
void npart__infer_pad(struct npart__call *call);

/* search.c */
void npart__infer_nonzero(struct npart__call *call);
void npart__infer_compress(struct npart__call *call);
void npart__infer_non_max_suppression(struct npart__call *call);

/* masks.c */
void npart__infer_trilu(struct npart__call *call);
void npart__infer_eye_like(struct npart__call *call);
void npart__infer_one_hot(struct npart__call *call);

/* lines.c */
void npart__infer_arg_extreme(struct npart__call *call);
void npart__infer_top_k(struct npart__call *call);
void npart__infer_cumulative(struct npart__call *call);
void npart__infer_soften(struct npart__call *call); /* Softmax and its kin */
void npart__infer_unique(struct npart__call *call);
void npart__infer_reverse_sequence(struct npart__call *call);

/* reduce.c */
void npart__infer_reduce(struct npart__call *call);

/* matrix.c */
void npart__infer_matmul(struct npart__call *call);
void npart__infer_matmul_nbits(struct npart__call *call);
void npart__infer_gemm(struct npart__call *call);
void npart__infer_einsum(struct npart__call *call);

/* window.c */
void npart__infer_conv(struct npart__call *call);
void npart__infer_conv_transpose(struct npart__call *call);
void npart__infer_causal_conv(struct npart__call *call);
void npart__infer_pool(struct npart__call *call);
void npart__infer_max_unpool(struct npart__call *call);
void npart__infer_global_pool(struct npart__call *call);
void npart__infer_col2im(struct npart__call *call);

/* resample.c */
void npart__infer_resize(struct npart__call *call);
void npart__infer_upsample(struct npart__call *call);
void npart__infer_blocks(struct npart__call *call); /* DepthToSpace, SpaceToDepth */
void npart__infer_grid_sample(struct npart__call *call);
void npart__infer_affine_grid(struct npart__call *call);
void npart__infer_center_crop_pad(struct npart__call *call);
void npart__infer_crop(struct npart__call *call);
void npart__infer_image_decoder(struct npart__call *call);

/* signal.c */
void npart__infer_dft(struct npart__call *call);
void npart__infer_stft(struct npart__call *call);
void npart__infer_unfold(struct npart__call *call);

/* normalize.c */
void npart__infer_batch_normalization(struct npart__call *call);
void npart__infer_layer_normalization(struct npart__call *call);
void npart__infer_skip_layer_normalization(struct npart__call *call);

/* recurrent.c */
void npart__infer_recurrent(struct npart__call *call);

/* quantize.c */
void npart__infer_quantize(struct npart__call *call);
void npart__infer_dequantize(struct npart__call *call);
void npart__infer_dynamic_quantize(struct npart__call *call);
void npart__infer_broadcast_of(struct npart__call *call); /* the inputs that the parameter has bits for broadcast */
void npart__infer_shape_from_input(struct npart__call *call); /* the shape is an input's numbers */
void npart__infer_gather_block_quantized(struct npart__call *call);

/* attention.c */
void npart__infer_attention(struct npart__call *call);
void npart__infer_linear_attention(struct npart__call *call);

/* contrib_attention.c: com.microsoft */
void npart__infer_contrib_attention(struct npart__call *call);
void npart__infer_multi_head_attention(struct npart__call *call);
void npart__infer_group_query_attention(struct npart__call *call);
void npart__infer_buffered_attention(struct npart__call *call);
void npart__infer_embed_layer_normalization(struct npart__call *call);

/* control.c */
void npart__infer_if(struct npart__call *call);
void npart__infer_loop(struct npart__call *call);
void npart__infer_scan(struct npart__call *call);
void npart__infer_sequence_map(struct npart__call *call);

/* sequence.c */
void npart__infer_sequence_empty(struct npart__call *call);
void npart__infer_sequence_construct(struct npart__call *call);
void npart__infer_sequence_insert(struct npart__call *call);
void npart__infer_sequence_erase(struct npart__call *call);
void npart__infer_sequence_at(struct npart__call *call);
void npart__infer_sequence_length(struct npart__call *call);
void npart__infer_split_to_sequence(struct npart__call *call);
void npart__infer_concat_from_sequence(struct npart__call *call);
void npart__infer_optional(struct npart__call *call);
void npart__infer_optional_get_element(struct npart__call *call);
void npart__infer_optional_has_element(struct npart__call *call);

/* generate.c */
void npart__infer_random(struct npart__call *call);

/* text.c */
void npart__infer_string_normalizer(struct npart__call *call);
void npart__infer_tf_idf(struct npart__call *call);
void npart__infer_murmur_hash(struct npart__call *call);

/* training.c */
void npart__infer_loss(struct npart__call *call);
void npart__infer_each_like_its_input(struct npart__call *call); /* output i is like input i */
void npart__infer_optimizer(struct npart__call *call);

/* classify.c: ai.onnx.ml */
void npart__infer_classifier(struct npart__call *call);
void npart__infer_zip_map(struct npart__call *call);
void npart__infer_category_mapper(struct npart__call *call);
void npart__infer_label_encoder(struct npart__call *call);
void npart__infer_one_hot_encoder(struct npart__call *call);
void npart__infer_feature_vectorizer(struct npart__call *call);
void npart__infer_cast_map(struct npart__call *call);
void npart__infer_dict_vectorizer(struct npart__call *call);

#endif
