/* SPDX-License-Identifier: Apache-2.0
 *
 * Rewrites of operators in forms that compilers lack: what comes out, and what each precondition keeps out.
 */
#include "support/rewrite_rows.h"

static const struct row normalizations[] = {
    {"layernorm-rank",
     "opset 17\ninput x float32[2,3,2,4,6]\ninit s float32[6]\ninit b float32[6]\n"
     "node y = LayerNormalization(x, s, b)\noutput y\n",
     "y/layernorm-rank/Reshape = Reshape(x, y/layernorm-rank/constant)\n"
     "y/layernorm-rank/LayerNormalization = LayerNormalization(y/layernorm-rank/Reshape, s, b) axis=-1\n"
     "y = Reshape(y/layernorm-rank/LayerNormalization, y/layernorm-rank/constant_2)\n"
     "init y/layernorm-rank/constant int64[4] = 6 2 4 6\ninit y/layernorm-rank/constant_2 int64[5] = 2 3 2 4 6\n"},
    {"layernorm-rank",
     "opset 17\ninput x float32[2,3,4,6]\ninit s float32[4,6]\ninit b float32[4,6]\n"
     "node y = LayerNormalization(x, s, b) axis=2\noutput y\n",
     "y/layernorm-rank/Reshape = Reshape(x, y/layernorm-rank/constant)\n"
     "y/layernorm-rank/Reshape_2 = Reshape(s, y/layernorm-rank/constant_2)\n"
     "y/layernorm-rank/Reshape_3 = Reshape(b, y/layernorm-rank/constant_3)\n"
     "y/layernorm-rank/LayerNormalization = LayerNormalization(y/layernorm-rank/Reshape, "
     "y/layernorm-rank/Reshape_2, y/layernorm-rank/Reshape_3) axis=-1\n"
     "y = Reshape(y/layernorm-rank/LayerNormalization, y/layernorm-rank/constant_4)\n"
     "init y/layernorm-rank/constant int64[3] = 2 3 24\ninit y/layernorm-rank/constant_2 int64[1] = 24\n"
     "init y/layernorm-rank/constant_3 int64[1] = 24\ninit y/layernorm-rank/constant_4 int64[4] = 2 3 4 6\n"},
    {"layernorm-rank",
     "opset 17\ninput x float32[2,3,4,6]\ninit s float32[4,6]\nnode y, mean, = LayerNormalization(x, s) axis=-2\n"
     "output y\noutput mean\n",
     "y/layernorm-rank/Reshape = Reshape(x, y/layernorm-rank/constant)\n"
     "y/layernorm-rank/Reshape_2 = Reshape(s, y/layernorm-rank/constant_2)\n"
     "y/layernorm-rank/LayerNormalization, y/layernorm-rank/LayerNormalization_2 = "
     "LayerNormalization(y/layernorm-rank/Reshape, y/layernorm-rank/Reshape_2) axis=-1\n"
     "y = Reshape(y/layernorm-rank/LayerNormalization, y/layernorm-rank/constant_3)\n"
     "mean = Reshape(y/layernorm-rank/LayerNormalization_2, y/layernorm-rank/constant_4)\n"
     "init y/layernorm-rank/constant int64[3] = 2 3 24\ninit y/layernorm-rank/constant_2 int64[1] = 24\n"
     "init y/layernorm-rank/constant_3 int64[4] = 2 3 4 6\ninit y/layernorm-rank/constant_4 int64[4] = 2 3 1 1\n"},
    {"layernorm-rank",
     "opset 17\ninput x float32[2,3]\ninit s float32[2,3]\nnode y = LayerNormalization(x, s) axis=0\noutput y\n",
     "y/layernorm-rank/Reshape = Reshape(x, y/layernorm-rank/constant)\n"
     "y/layernorm-rank/Reshape_2 = Reshape(s, y/layernorm-rank/constant_2)\n"
     "y/layernorm-rank/LayerNormalization = LayerNormalization(y/layernorm-rank/Reshape, "
     "y/layernorm-rank/Reshape_2) axis=-1\n"
     "y = Reshape(y/layernorm-rank/LayerNormalization, y/layernorm-rank/constant_3)\n"
     "init y/layernorm-rank/constant int64[2] = 1 6\ninit y/layernorm-rank/constant_2 int64[1] = 6\n"
     "init y/layernorm-rank/constant_3 int64[2] = 2 3\n"},
    {"layernorm-rank",
     "opset 17\ninput x float32[2,3,4,6]\ninit s float32[4,1]\nnode y = LayerNormalization(x, s) axis=2\noutput y\n",
     "y/layernorm-rank/Reshape = Reshape(x, y/layernorm-rank/constant)\n"
     "y/layernorm-rank/Expand = Expand(s, y/layernorm-rank/constant_2)\n"
     "y/layernorm-rank/Reshape_2 = Reshape(y/layernorm-rank/Expand, y/layernorm-rank/constant_3)\n"
     "y/layernorm-rank/LayerNormalization = LayerNormalization(y/layernorm-rank/Reshape, "
     "y/layernorm-rank/Reshape_2) axis=-1\n"
     "y = Reshape(y/layernorm-rank/LayerNormalization, y/layernorm-rank/constant_4)\n"
     "init y/layernorm-rank/constant int64[3] = 2 3 24\ninit y/layernorm-rank/constant_2 int64[2] = 4 6\n"
     "init y/layernorm-rank/constant_3 int64[1] = 24\ninit y/layernorm-rank/constant_4 int64[4] = 2 3 4 6\n"},
    {"layernorm-rank",
     "opset 17\ninput x float32[2,3,4,6]\ninit s float32[6]\nnode y = LayerNormalization(x, s)\noutput y\n",
     "same"},
    {"layernorm-rank",
     "opset 17\ninput x float32[2,3,4,6]\ninit s float32[3,4,6]\nnode y = LayerNormalization(x, s) axis=2\n"
     "output y\n",
     "same"},
    {"layernorm-rank",
     "opset 17\ninput x float32[2,n,4,6]\ninit s float32[4,6]\nnode y = LayerNormalization(x, s) axis=2\noutput y\n",
     "same"},
    {"layernorm-rank",
     "opset 17\ninput x float32[2,0,4,6]\ninit s float32[4,6]\nnode y = LayerNormalization(x, s) axis=2\noutput y\n",
     "same"},
    {"instancenorm-rank",
     "opset 17\ninput x float32[2,3,2,4,6]\ninit s float32[3]\ninit b float32[3]\n"
     "node y = InstanceNormalization(x, s, b) epsilon=0.5\noutput y\n",
     "y/instancenorm-rank/Reshape = Reshape(x, y/instancenorm-rank/constant)\n"
     "y/instancenorm-rank/InstanceNormalization = InstanceNormalization(y/instancenorm-rank/Reshape, s, "
     "b) epsilon=0.5\ny = Reshape(y/instancenorm-rank/InstanceNormalization, y/instancenorm-rank/constant_2)\n"
     "init y/instancenorm-rank/constant int64[4] = 2 3 8 6\n"
     "init y/instancenorm-rank/constant_2 int64[5] = 2 3 2 4 6\n"},
    {"instancenorm-rank",
     "opset 17\ninput x float32[2,3,4,6]\ninit s float32[3]\ninit b float32[3]\n"
     "node y = InstanceNormalization(x, s, b)\noutput y\n",
     "same"},
    {"batchnorm-rank",
     "opset 17\ninput x float32[2,3,2,4,6]\ninit s float32[3]\nnode y = BatchNormalization(x, s, s, s, s)\n"
     "output y\n",
     "y/batchnorm-rank/Reshape = Reshape(x, y/batchnorm-rank/constant)\n"
     "y/batchnorm-rank/BatchNormalization = BatchNormalization(y/batchnorm-rank/Reshape, s, s, s, s)\n"
     "y = Reshape(y/batchnorm-rank/BatchNormalization, y/batchnorm-rank/constant_2)\n"
     "init y/batchnorm-rank/constant int64[4] = 2 3 8 6\ninit y/batchnorm-rank/constant_2 int64[5] = 2 3 2 4 6\n"},
    {"batchnorm-rank",
     "opset 17\ninput x float32[2,3,4,6]\ninit s float32[3]\nnode y = BatchNormalization(x, s, s, s, s)\noutput y\n",
     "same"},
    {"batchnorm-rank",
     "opset 17\ninput x float32[2,3,2,4,6]\ninit s float32[3]\n"
     "node y, m, v = BatchNormalization(x, s, s, s, s) training_mode=1\noutput y\n",
     "same"},
    {"batchnorm-rank",
     "opset 9\ninput x float32[2,3,2,4,6]\ninit s float32[3]\nnode y, m, v = BatchNormalization(x, s, s, s, s)\n"
     "output y\n",
     "same"},
    {"batchnorm-rank",
     "opset 7\ninput x float32[2,3,2,4,6]\ninit s float32[3]\n"
     "node y = BatchNormalization(x, s, s, s, s) spatial=0\noutput y\n",
     "same"},
    {"batchnorm-rank",
     "opset 6\ninput x float32[2,3,2,4,6]\ninit s float32[3]\nnode y = BatchNormalization(x, s, s, s, s)\noutput y\n",
     "same"},
    {"groupnorm",
     "opset 18\ninput x float32[2,6,4,5]\ninit s float32[3]\ninit b float32[3]\n"
     "node y = GroupNormalization(x, s, b) num_groups=3\noutput y\n",
     "y/groupnorm/Reshape = Reshape(x, y/groupnorm/constant)\n"
     "y/groupnorm/InstanceNormalization = InstanceNormalization(y/groupnorm/Reshape, s, b) epsilon=1e-05\n"
     "y = Reshape(y/groupnorm/InstanceNormalization, y/groupnorm/constant_2)\n"
     "init y/groupnorm/constant int64[3] = 2 3 40\ninit y/groupnorm/constant_2 int64[4] = 2 6 4 5\n"},
    {"groupnorm",
     "opset 21\ninput x float32[2,6,4,5]\ninit s float32[6]\ninit b float32[6]\n"
     "node y = GroupNormalization(x, s, b) num_groups=3 epsilon=0.5\noutput y\n",
     "y/groupnorm/Reshape = Reshape(x, y/groupnorm/constant_3)\n"
     "y/groupnorm/InstanceNormalization = InstanceNormalization(y/groupnorm/Reshape, "
     "y/groupnorm/constant, y/groupnorm/constant_2) epsilon=0.5\n"
     "y/groupnorm/Reshape_2 = Reshape(y/groupnorm/InstanceNormalization, y/groupnorm/constant_4)\n"
     "y/groupnorm/Reshape_3 = Reshape(s, y/groupnorm/constant_5)\n"
     "y/groupnorm/Mul = Mul(y/groupnorm/Reshape_2, y/groupnorm/Reshape_3)\n"
     "y/groupnorm/Reshape_4 = Reshape(b, y/groupnorm/constant_6)\ny = Add(y/groupnorm/Mul, y/groupnorm/Reshape_4)\n"
     "init y/groupnorm/constant float32[3] = 1 1 1\ninit y/groupnorm/constant_2 float32[3] = 0 0 0\n"
     "init y/groupnorm/constant_3 int64[3] = 2 3 40\ninit y/groupnorm/constant_4 int64[4] = 2 6 4 5\n"
     "init y/groupnorm/constant_5 int64[3] = 6 1 1\ninit y/groupnorm/constant_6 int64[3] = 6 1 1\n"},
    {"groupnorm",
     "opset 21\ninput x float32[2,4294967296,4,5]\ninit s float32[4294967296]\ninit b float32[4294967296]\n"
     "node y = GroupNormalization(x, s, b) num_groups=2147483648\noutput y\n",
     "same"},
    {"groupnorm",
     "opset 18\ninput x float32[2,6,4,5]\ninit s float32[4]\ninit b float32[4]\n"
     "node y = GroupNormalization(x, s, b) num_groups=4\noutput y\n",
     "same"},
    {"groupnorm",
     "opset 18\ninput x float32[2,6,4,5]\ninput s float32[3]\ninit b float32[3]\n"
     "node y = GroupNormalization(x, s, b) num_groups=3\noutput y\n",
     "same"},
    {"groupnorm",
     "opset 18\ninput x float16[2,6,4,5]\ninit s float16[3]\ninit b float16[3]\n"
     "node y = GroupNormalization(x, s, b) num_groups=3\noutput y\n",
     "same"},
    {"groupnorm",
     "opset 18\ninput x float32[2,6,4,5]\ninit s float32[6]\ninit b float32[6]\n"
     "node y = GroupNormalization(x, s, b) num_groups=3\noutput y\n",
     "same"},
};

static const struct row pools[] = {
    {"maxpool3d",
     "opset 17\ninput x float32[2,3,6,7,8]\n"
     "node y = MaxPool(x) kernel_shape=[2,3,2] strides=[2,1,2] pads=[1,2,0,0,1,1]\noutput y\n",
     "y/maxpool3d/Reshape = Reshape(x, y/maxpool3d/constant)\n"
     "y/maxpool3d/MaxPool = MaxPool(y/maxpool3d/Reshape) kernel_shape=[3,2] strides=[1,2] pads=[2,0,1,1]\n"
     "y/maxpool3d/Reshape_2 = Reshape(y/maxpool3d/MaxPool, y/maxpool3d/constant_2)\n"
     "y/maxpool3d/MaxPool_2 = MaxPool(y/maxpool3d/Reshape_2) kernel_shape=[2,1] strides=[2,1] pads=[1,0,0,0]\n"
     "y = Reshape(y/maxpool3d/MaxPool_2, y/maxpool3d/constant_3)\ninit y/maxpool3d/constant int64[4] = 2 18 7 8\n"
     "init y/maxpool3d/constant_2 int64[4] = 2 3 6 32\ninit y/maxpool3d/constant_3 int64[5] = 2 3 3 8 4\n"},
    {"maxpool3d",
     "opset 17\ninput x float32[2,3,6,7,8]\nnode y = MaxPool(x) kernel_shape=[2,3,2] dilations=[1,2,1]\noutput y\n",
     "same"},
    {"maxpool3d",
     "opset 17\ninput x float32[2,3,6,7,8]\nnode y = MaxPool(x) kernel_shape=[2,3,2] ceil_mode=1\noutput y\n",
     "same"},
    {"maxpool3d",
     "opset 17\ninput x float32[2,3,6,7,8]\nnode y = MaxPool(x) kernel_shape=[2,3,2] auto_pad=\"SAME_UPPER\"\n"
     "output y\n",
     "same"},
    {"maxpool3d",
     "opset 17\ninput x float32[2,3,6,7,8]\nnode y = MaxPool(x) kernel_shape=[2,3,2] pads=[2,0,0,0,0,0]\noutput y\n",
     "same"},
    {"maxpool3d",
     "opset 17\ninput x float32[2,3,4,6]\nnode y = MaxPool(x) kernel_shape=[2,3]\noutput y\n",
     "same"},
    {"maxpool3d",
     "opset 17\ninput x float32[2,3,6,7,8]\nnode y, i = MaxPool(x) kernel_shape=[2,3,2]\noutput y\noutput i\n",
     "same"},
    {"maxpool3d",
     "opset 17\ninput x float32[n,3,6,7,8]\nnode y = MaxPool(x) kernel_shape=[2,3,2]\noutput y\n",
     "same"},
    {"globalmaxpool3d",
     "opset 17\ninput x float32[2,3,6,7,8]\nnode y = GlobalMaxPool(x)\noutput y\n",
     "y/globalmaxpool3d/Reshape = Reshape(x, y/globalmaxpool3d/constant)\n"
     "y/globalmaxpool3d/ReduceMax = ReduceMax(y/globalmaxpool3d/Reshape) axes=[2] keepdims=1\n"
     "y = Reshape(y/globalmaxpool3d/ReduceMax, y/globalmaxpool3d/constant_2)\n"
     "init y/globalmaxpool3d/constant int64[3] = 2 3 336\ninit y/globalmaxpool3d/constant_2 int64[5] = 2 3 1 1 1\n"},
    {"globalmaxpool3d",
     "opset 18\ninput x float32[2,3,6,7,8]\nnode y = GlobalMaxPool(x)\noutput y\n",
     "y/globalmaxpool3d/Reshape = Reshape(x, y/globalmaxpool3d/constant)\n"
     "y/globalmaxpool3d/ReduceMax = ReduceMax(y/globalmaxpool3d/Reshape, y/globalmaxpool3d/constant_2) keepdims=1\n"
     "y = Reshape(y/globalmaxpool3d/ReduceMax, y/globalmaxpool3d/constant_3)\n"
     "init y/globalmaxpool3d/constant int64[3] = 2 3 336\ninit y/globalmaxpool3d/constant_2 int64[1] = 2\n"
     "init y/globalmaxpool3d/constant_3 int64[5] = 2 3 1 1 1\n"},
    {"globalmaxpool3d",
     "opset 17\ninput x float32[2,3,4,6]\nnode y = GlobalMaxPool(x)\noutput y\n",
     "same"},
    {"globalmaxpool3d",
     "opset 17\ninput x float32[2,0,6,7,8]\nnode y = GlobalMaxPool(x)\noutput y\n",
     "same"},
    {"averagepool-dilated",
     "opset 19\ninput x float32[1,2,9,9]\n"
     "node y = AveragePool(x) kernel_shape=[2,2] dilations=[2,3] strides=[1,2]\noutput y\n",
     "y = Conv(x, y/averagepool-dilated/constant) group=2 kernel_shape=[3,4] strides=[1,2]\n"
     "init y/averagepool-dilated/constant float32[2,1,3,4] = 0.25 0 0 0.25 0 0 0 0 0.25 0 0 0.25 0.25 0 0 "
     "0.25 0 0 0 0 0.25 0 0 0.25\n"},
    {"averagepool-dilated",
     "opset 19\ninput x float32[1,2,9,9]\n"
     "node y = AveragePool(x) kernel_shape=[2,2] dilations=[2,3] pads=[1,1,0,0] count_include_pad=1\noutput y\n",
     "y = Conv(x, y/averagepool-dilated/constant) group=2 kernel_shape=[2,2] pads=[1,1,0,0] dilations=[2,3]\n"
     "init y/averagepool-dilated/constant float32[2,1,2,2] = 0.25 0.25 0.25 0.25 0.25 0.25 0.25 0.25\n"},
    {"averagepool-dilated",
     "opset 19\ninput x float32[1,2,9,9]\n"
     "node y = AveragePool(x) kernel_shape=[2,2] dilations=[2,3] pads=[1,1,0,0]\noutput y\n",
     "same"},
    {"averagepool-dilated",
     "opset 19\ninput x float32[1,2,9,9]\nnode y = AveragePool(x) kernel_shape=[2,2] dilations=[1,1]\noutput y\n",
     "same"},
    {"averagepool-dilated",
     "opset 19\ninput x float32[1,2,9,9]\nnode y = AveragePool(x) kernel_shape=[2,2] dilations=[2,3] ceil_mode=1\n"
     "output y\n",
     "same"},
    {"averagepool-dilated",
     "opset 19\ninput x float32[1,2,9,9]\n"
     "node y = AveragePool(x) kernel_shape=[2,2] dilations=[2,3] auto_pad=\"SAME_LOWER\"\noutput y\n",
     "same"},
    {"averagepool-dilated",
     "opset 19\ninput x float32[1,40000,9,9]\nnode y = AveragePool(x) kernel_shape=[2,2] dilations=[2,3]\n"
     "output y\n",
     "same"},
};

static const struct row kernels[] = {
    {"conv-dilated",
     "opset 17\ninput x float32[2,4,9,9,9]\ninit w float32[3,4,3,3,3]\ninit b float32[3]\n"
     "node y = Conv(x, w, b) dilations=[2,1,1] kernel_shape=[3,3,3] pads=[2,1,1,2,1,1]\noutput y\n",
     "y/conv-dilated/Reshape = Reshape(w, y/conv-dilated/constant)\n"
     "y/conv-dilated/Pad = Pad(y/conv-dilated/Reshape, y/conv-dilated/constant_2)\n"
     "y/conv-dilated/Reshape_2 = Reshape(y/conv-dilated/Pad, y/conv-dilated/constant_3)\n"
     "y/conv-dilated/Slice = Slice(y/conv-dilated/Reshape_2, y/conv-dilated/constant_4, "
     "y/conv-dilated/constant_5, y/conv-dilated/constant_6, y/conv-dilated/constant_7)\n"
     "y/conv-dilated/Reshape_3 = Reshape(y/conv-dilated/Slice, y/conv-dilated/constant_8)\n"
     "y = Conv(x, y/conv-dilated/Reshape_3, b) kernel_shape=[5,3,3] pads=[2,1,1,2,1,1]\n"
     "init y/conv-dilated/constant int64[2] = 36 9\ninit y/conv-dilated/constant_2 int64[4] = 0 0 0 9\n"
     "init y/conv-dilated/constant_3 int64[3] = 12 6 9\ninit y/conv-dilated/constant_4 int64[1] = 0\n"
     "init y/conv-dilated/constant_5 int64[1] = 5\ninit y/conv-dilated/constant_6 int64[1] = 1\n"
     "init y/conv-dilated/constant_7 int64[1] = 1\ninit y/conv-dilated/constant_8 int64[5] = 3 4 5 3 3\n"},
    {"conv-dilated",
     "opset 9\ninput x float32[2,4,9,9]\ninit w float32[4,2,2,3]\nnode y = Conv(x, w) dilations=[2,3]\noutput y\n",
     "y/conv-dilated/Reshape = Reshape(w, y/conv-dilated/constant)\n"
     "y/conv-dilated/Pad = Pad(y/conv-dilated/Reshape) pads=[0,0,0,3]\n"
     "y/conv-dilated/Reshape_2 = Reshape(y/conv-dilated/Pad, y/conv-dilated/constant_2)\n"
     "y/conv-dilated/Slice = Slice(y/conv-dilated/Reshape_2) starts=[0] ends=[3] axes=[1]\n"
     "y/conv-dilated/Reshape_3 = Reshape(y/conv-dilated/Slice, y/conv-dilated/constant_3)\n"
     "y/conv-dilated/Pad_2 = Pad(y/conv-dilated/Reshape_3) pads=[0,0,0,2]\n"
     "y/conv-dilated/Reshape_4 = Reshape(y/conv-dilated/Pad_2, y/conv-dilated/constant_4)\n"
     "y/conv-dilated/Slice_2 = Slice(y/conv-dilated/Reshape_4) starts=[0] ends=[7] axes=[1]\n"
     "y/conv-dilated/Reshape_5 = Reshape(y/conv-dilated/Slice_2, y/conv-dilated/constant_5)\n"
     "y = Conv(x, y/conv-dilated/Reshape_5)\ninit y/conv-dilated/constant int64[2] = 16 3\n"
     "init y/conv-dilated/constant_2 int64[3] = 8 4 3\ninit y/conv-dilated/constant_3 int64[2] = 72 1\n"
     "init y/conv-dilated/constant_4 int64[3] = 24 9 1\ninit y/conv-dilated/constant_5 int64[4] = 4 2 3 7\n"},
    {"conv-dilated",
     "opset 17\ninput x float32[2,4,9,9]\ninit w float32[4,2,1,1]\nnode y = Conv(x, w) dilations=[2,2]\noutput y\n",
     "y = Conv(x, w)\n"},
    {"conv-dilated", /* more elements than a share in per cent can be told of */
     "opset 17\ninput x float32[1,1,9,9,9,9,9]\ninit w float32[1,1,4096,4096,4096,4096,2]\n"
     "node y = Conv(x, w) dilations=[64,64,1,1,1]\noutput y\n",
     "same"},
    {"conv-dilated",
     "opset 17\ninput x float32[2,4,9,9,9]\ninit w float32[3,4,3,3,3]\nnode y = Conv(x, w) dilations=[1,1,1]\n"
     "output y\n",
     "same"},
    {"conv-dilated",
     "opset 17\ninput x float32[2,4,9,9,9]\ninput w float32[3,4,3,3,3]\nnode y = Conv(x, w) dilations=[2,1,1]\n"
     "output y\n",
     "same"},
    {"conv-dilated",
     "opset 17\ninput x float32[2,4,9,9,9]\ninit w int8[3,4,3,3,3]\ninit s float32[] = 0.5\n"
     "node f = DequantizeLinear(w, s)\nnode y = Conv(x, f) dilations=[2,1,1]\noutput y\n",
     "same"},
    {"convtranspose-dilated",
     "opset 17\ninput x float32[2,4,9,9]\ninit w float32[4,2,3,3]\n"
     "node y = ConvTranspose(x, w) dilations=[2,2] strides=[2,1] output_padding=[1,0]\noutput y\n",
     "y/convtranspose-dilated/Reshape = Reshape(w, y/convtranspose-dilated/constant)\n"
     "y/convtranspose-dilated/Pad = Pad(y/convtranspose-dilated/Reshape, y/convtranspose-dilated/constant_2)\n"
     "y/convtranspose-dilated/Reshape_2 = Reshape(y/convtranspose-dilated/Pad, "
     "y/convtranspose-dilated/constant_3)\n"
     "y/convtranspose-dilated/Slice = Slice(y/convtranspose-dilated/Reshape_2, "
     "y/convtranspose-dilated/constant_4, y/convtranspose-dilated/constant_5, "
     "y/convtranspose-dilated/constant_6, y/convtranspose-dilated/constant_7)\n"
     "y/convtranspose-dilated/Reshape_3 = Reshape(y/convtranspose-dilated/Slice, "
     "y/convtranspose-dilated/constant_8)\n"
     "y/convtranspose-dilated/Pad_2 = Pad(y/convtranspose-dilated/Reshape_3, y/convtranspose-dilated/constant_9)\n"
     "y/convtranspose-dilated/Reshape_4 = Reshape(y/convtranspose-dilated/Pad_2, "
     "y/convtranspose-dilated/constant_10)\n"
     "y/convtranspose-dilated/Slice_2 = Slice(y/convtranspose-dilated/Reshape_4, "
     "y/convtranspose-dilated/constant_11, y/convtranspose-dilated/constant_12, "
     "y/convtranspose-dilated/constant_13, y/convtranspose-dilated/constant_14)\n"
     "y/convtranspose-dilated/Reshape_5 = Reshape(y/convtranspose-dilated/Slice_2, "
     "y/convtranspose-dilated/constant_15)\n"
     "y = ConvTranspose(x, y/convtranspose-dilated/Reshape_5) strides=[2,1] output_padding=[1,0]\n"
     "init y/convtranspose-dilated/constant int64[2] = 24 3\n"
     "init y/convtranspose-dilated/constant_2 int64[4] = 0 0 0 3\n"
     "init y/convtranspose-dilated/constant_3 int64[3] = 8 6 3\n"
     "init y/convtranspose-dilated/constant_4 int64[1] = 0\ninit y/convtranspose-dilated/constant_5 int64[1] = 5\n"
     "init y/convtranspose-dilated/constant_6 int64[1] = 1\ninit y/convtranspose-dilated/constant_7 int64[1] = 1\n"
     "init y/convtranspose-dilated/constant_8 int64[2] = 120 1\n"
     "init y/convtranspose-dilated/constant_9 int64[4] = 0 0 0 1\n"
     "init y/convtranspose-dilated/constant_10 int64[3] = 40 6 1\n"
     "init y/convtranspose-dilated/constant_11 int64[1] = 0\n"
     "init y/convtranspose-dilated/constant_12 int64[1] = 5\n"
     "init y/convtranspose-dilated/constant_13 int64[1] = 1\n"
     "init y/convtranspose-dilated/constant_14 int64[1] = 1\n"
     "init y/convtranspose-dilated/constant_15 int64[4] = 4 2 5 5\n"},
};

static const struct row scaled_products[] = {
    {"gemm-scale",
     "opset 17\ninput a float32[5,8]\ninput b float32[8,7]\ninput c float32[7]\n"
     "node y = Gemm(a, b, c) alpha=0.5 beta=2.0\noutput y\n",
     "y/gemm-scale/Gemm = Gemm(a, b)\ny/gemm-scale/Mul = Mul(y/gemm-scale/Gemm, y/gemm-scale/constant)\n"
     "y/gemm-scale/Mul_2 = Mul(c, y/gemm-scale/constant_2)\ny = Add(y/gemm-scale/Mul, y/gemm-scale/Mul_2)\n"
     "init y/gemm-scale/constant float32[] = 0.5\ninit y/gemm-scale/constant_2 float32[] = 2\n"},
    {"gemm-scale",
     "opset 17\ninput a float32[8,5]\ninput b float32[8,7]\ninput c float32[7]\n"
     "node y = Gemm(a, b, c) alpha=0.5 beta=0.0 transA=1\noutput y\n",
     "y/gemm-scale/Gemm = Gemm(a, b) transA=1\ny = Mul(y/gemm-scale/Gemm, y/gemm-scale/constant)\n"
     "init y/gemm-scale/constant float32[] = 0.5\n"},
    {"gemm-scale",
     "opset 17\ninput a float32[5,8]\ninput b float32[8,7]\ninput c float32[7]\nnode y = Gemm(a, b) beta=3.0\n"
     "output y\n",
     "y = Gemm(a, b)\n"},
    {"gemm-scale",
     "opset 17\ninput a float32[5,8]\ninput b float32[8,7]\ninput c float32[7]\nnode y = Gemm(a, b, c)\noutput y\n",
     "same"},
    {"gemm-scale",
     "opset 9\ninput a float32[5,8]\ninput b float32[8,7]\ninput c float32[7]\nnode y = Gemm(a, b, c) alpha=0.5\n"
     "output y\n",
     "same"},
    /* Factors that are none of float16, or have few digits there; bfloat16 has them. */
    {"gemm-scale",
     "opset 17\ninput a float16[5,8]\ninput b float16[8,7]\nnode y = Gemm(a, b) alpha=0.00000001\noutput y\n",
     "same"},
    {"gemm-scale",
     "opset 17\ninput a float16[5,8]\ninput b float16[8,7]\nnode y = Gemm(a, b) alpha=0.00001\noutput y\n",
     "same"},
    {"gemm-scale",
     "opset 17\ninput a float16[5,8]\ninput b float16[8,7]\ninput c float16[7]\n"
     "node y = Gemm(a, b, c) beta=100000.0\noutput y\n",
     "same"},
    {"gemm-scale",
     "opset 17\ninput a bfloat16[5,8]\ninput b bfloat16[8,7]\nnode y = Gemm(a, b) alpha=0.000030517578125\n"
     "output y\n",
     "y/gemm-scale/Gemm = Gemm(a, b)\ny = Mul(y/gemm-scale/Gemm, y/gemm-scale/constant)\n"
     "init y/gemm-scale/constant bfloat16[] = 3.05175781e-05\n"},
    {"gemm-scale",
     "opset 17\ninput a float16[5,8]\ninput b float16[8,7]\nnode y = Gemm(a, b) alpha=0.125\noutput y\n",
     "y/gemm-scale/Gemm = Gemm(a, b)\ny = Mul(y/gemm-scale/Gemm, y/gemm-scale/constant)\n"
     "init y/gemm-scale/constant float16[] = 0.125\n"},
    {"gemm-scale",
     "opset 17\ninput a int32[5,8]\ninput b int32[8,7]\ninput c int32[7]\nnode y = Gemm(a, b, c) alpha=2.0\n"
     "output y\n",
     "same"},
    {"gemm-scale",
     "opset 17\ninput a float32[5,8]\ninput b float32[8,7]\ninput c float32[7]\nnode y = Gemm(a, b, c) alpha=0.0\n"
     "output y\n",
     "same"},
};

static const struct row pads[] = {
    {"pad-axes",
     "opset 18\ninput x float32[3,4,5]\ninit p int64[4] = 1 2 0 -1\ninit v float32[] = 7\ninit a int64[2] = -1 0\n"
     "node y = Pad(x, p, v, a)\noutput y\n",
     "y = Pad(x, y/pad-axes/constant, v)\ninit y/pad-axes/constant int64[6] = 2 0 1 -1 0 0\n"},
    {"pad-axes",
     "opset 18\ninput x float32[3,4,5]\ninit p int64[2] = 1 2\ninit a int32[1] = 1\n"
     "node y = Pad(x, p, , a) mode=\"edge\"\noutput y\n",
     "y = Pad(x, y/pad-axes/constant) mode=\"edge\"\ninit y/pad-axes/constant int64[6] = 0 1 0 0 2 0\n"},
    {"pad-axes",
     "opset 18\ninput x float32[3,4,5]\ninit p int64[4] = 0 2 1 1\ninit a int64[2] = 0 -1\n"
     "node y = Pad(x, p, , a) mode=\"edge\"\noutput y\n",
     "y/pad-axes/Slice = Slice(x, y/pad-axes/constant, y/pad-axes/constant_2, y/pad-axes/constant_3, "
     "y/pad-axes/constant_4)\ny/pad-axes/Concat = Concat(x, y/pad-axes/Slice) axis=0\n"
     "y/pad-axes/Slice_2 = Slice(y/pad-axes/Concat, y/pad-axes/constant_5, y/pad-axes/constant_6, "
     "y/pad-axes/constant_7, y/pad-axes/constant_8)\n"
     "y/pad-axes/Slice_3 = Slice(y/pad-axes/Concat, y/pad-axes/constant_9, y/pad-axes/constant_10, "
     "y/pad-axes/constant_11, y/pad-axes/constant_12)\n"
     "y = Concat(y/pad-axes/Slice_2, y/pad-axes/Slice_2, y/pad-axes/Concat, y/pad-axes/Slice_3) axis=2\n"
     "init y/pad-axes/constant int64[1] = 2\ninit y/pad-axes/constant_2 int64[1] = 3\n"
     "init y/pad-axes/constant_3 int64[1] = 0\ninit y/pad-axes/constant_4 int64[1] = 1\n"
     "init y/pad-axes/constant_5 int64[1] = 0\ninit y/pad-axes/constant_6 int64[1] = 1\n"
     "init y/pad-axes/constant_7 int64[1] = 2\ninit y/pad-axes/constant_8 int64[1] = 1\n"
     "init y/pad-axes/constant_9 int64[1] = 4\ninit y/pad-axes/constant_10 int64[1] = 5\n"
     "init y/pad-axes/constant_11 int64[1] = 2\ninit y/pad-axes/constant_12 int64[1] = 1\n"},
    {"pad-axes",
     "opset 18\ninput x float32[3,4,5]\ninit p int64[2] = -1 2\ninit a int64[1] = -1\n"
     "node y = Pad(x, p, , a) mode=\"edge\"\noutput y\n",
     "same"},
    {"pad-axes",
     "opset 18\ninput x float32[3,4]\ninit p int64[4] = 1 2 0 1\nnode y = Pad(x, p)\noutput y\n",
     "same"},
    {"pad-axes",
     "opset 18\ninput x float32[3,4]\ninput p int64[2]\ninit a int64[1] = 1\nnode y = Pad(x, p, , a)\noutput y\n",
     "same"},
    {"pad-axes",
     "opset 18\ninput x float32[3,4]\ninit p int64[4] = 1 1 1 1\ninit a int64[2] = 1 -1\nnode y = Pad(x, p, , a)\n"
     "output y\n",
     "same"},
    {"pad-wrap",
     "opset 19\ninput x float32[3,4,5]\ninit p int64[6] = 1 0 2 3 0 0\nnode y = Pad(x, p) mode=\"wrap\"\noutput y\n",
     "y/pad-wrap/Slice = Slice(x, y/pad-wrap/constant, y/pad-wrap/constant_2, y/pad-wrap/constant_3, "
     "y/pad-wrap/constant_4)\n"
     "y/pad-wrap/Slice_2 = Slice(x, y/pad-wrap/constant_5, y/pad-wrap/constant_6, y/pad-wrap/constant_7, "
     "y/pad-wrap/constant_8)\ny/pad-wrap/Concat = Concat(y/pad-wrap/Slice, x, y/pad-wrap/Slice_2) axis=0\n"
     "y/pad-wrap/Slice_3 = Slice(y/pad-wrap/Concat, y/pad-wrap/constant_9, y/pad-wrap/constant_10, "
     "y/pad-wrap/constant_11, y/pad-wrap/constant_12)\ny = Concat(y/pad-wrap/Slice_3, y/pad-wrap/Concat) axis=2\n"
     "init y/pad-wrap/constant int64[1] = 2\ninit y/pad-wrap/constant_2 int64[1] = 3\n"
     "init y/pad-wrap/constant_3 int64[1] = 0\ninit y/pad-wrap/constant_4 int64[1] = 1\n"
     "init y/pad-wrap/constant_5 int64[1] = 0\ninit y/pad-wrap/constant_6 int64[1] = 3\n"
     "init y/pad-wrap/constant_7 int64[1] = 0\ninit y/pad-wrap/constant_8 int64[1] = 1\n"
     "init y/pad-wrap/constant_9 int64[1] = 3\ninit y/pad-wrap/constant_10 int64[1] = 5\n"
     "init y/pad-wrap/constant_11 int64[1] = 2\ninit y/pad-wrap/constant_12 int64[1] = 1\n"},
    {"pad-wrap",
     "opset 19\ninput x float32[3,4,5]\ninit p int64[2] = 0 2\ninit a int64[1] = -1\n"
     "node y = Pad(x, p, , a) mode=\"wrap\"\noutput y\n",
     "y/pad-wrap/Slice = Slice(x, y/pad-wrap/constant, y/pad-wrap/constant_2, y/pad-wrap/constant_3, "
     "y/pad-wrap/constant_4)\ny = Concat(x, y/pad-wrap/Slice) axis=2\ninit y/pad-wrap/constant int64[1] = 0\n"
     "init y/pad-wrap/constant_2 int64[1] = 2\ninit y/pad-wrap/constant_3 int64[1] = 2\n"
     "init y/pad-wrap/constant_4 int64[1] = 1\n"},
    {"pad-wrap",
     "opset 19\ninput x float32[3]\ninit p int64[2] = 4 0\nnode y = Pad(x, p) mode=\"wrap\"\noutput y\n",
     "same"},
    {"pad-wrap",
     "opset 19\ninput x float32[3]\ninit p int64[2] = -1 1\nnode y = Pad(x, p) mode=\"wrap\"\noutput y\n",
     "same"},
    {"pad-wrap",
     "opset 19\ninput x float32[3]\ninit p int64[2] = 1 1\nnode y = Pad(x, p) mode=\"reflect\"\noutput y\n",
     "same"},
};

static const struct row axes[] = {
    {"cumsum",
     "opset 17\ninput x float32[2,3]\ninit a int64[] = -1\nnode y = CumSum(x, a) exclusive=1\noutput y\n",
     "y = MatMul(x, y/cumsum/constant)\ninit y/cumsum/constant float32[3,3] = 0 1 1 0 0 1 0 0 0\n"},
    {"cumsum",
     "opset 17\ninput x float32[3,4,2]\ninit a int32[1] = 0\nnode y = CumSum(x, a) reverse=1\noutput y\n",
     "y/cumsum/Transpose = Transpose(x) perm=[2,1,0]\n"
     "y/cumsum/MatMul = MatMul(y/cumsum/Transpose, y/cumsum/constant)\n"
     "y = Transpose(y/cumsum/MatMul) perm=[2,1,0]\ninit y/cumsum/constant float32[3,3] = 1 0 0 1 1 0 1 1 1\n"},
    {"cumsum",
     "opset 17\ninput x int64[2,3]\ninit a int64[] = 1\nnode y = CumSum(x, a)\noutput y\n",
     "same"},
    {"cumsum",
     "opset 17\ninput x float32[2,3]\ninput a int64[]\nnode y = CumSum(x, a)\noutput y\n",
     "same"},
    {"cumsum",
     "opset 17\ninput x float32[2,600]\ninit a int64[] = 1\nnode y = CumSum(x, a)\noutput y\n",
     "same"},
    {"reduce-prod",
     "opset 17\ninput x float32[2,3,5]\nnode y = ReduceProd(x) axes=[1] keepdims=0\noutput y\n",
     "y/reduce-prod/Split, y/reduce-prod/Split_2, y/reduce-prod/Split_3 = Split(x, y/reduce-prod/constant) axis=1\n"
     "y/reduce-prod/Mul = Mul(y/reduce-prod/Split, y/reduce-prod/Split_2)\n"
     "y/reduce-prod/Mul_2 = Mul(y/reduce-prod/Mul, y/reduce-prod/Split_3)\n"
     "y = Squeeze(y/reduce-prod/Mul_2, y/reduce-prod/constant_2)\ninit y/reduce-prod/constant int64[3] = 1 1 1\n"
     "init y/reduce-prod/constant_2 int64[1] = 1\n"},
    {"reduce-prod",
     "opset 18\ninput x float32[2,3,5]\ninit a int64[1] = -2\nnode y = ReduceProd(x, a)\noutput y\n",
     "y/reduce-prod/Split, y/reduce-prod/Split_2, y/reduce-prod/Split_3 = Split(x, y/reduce-prod/constant) axis=1\n"
     "y/reduce-prod/Mul = Mul(y/reduce-prod/Split, y/reduce-prod/Split_2)\n"
     "y = Mul(y/reduce-prod/Mul, y/reduce-prod/Split_3)\ninit y/reduce-prod/constant int64[3] = 1 1 1\n"},
    {"reduce-prod",
     "opset 17\ninput x float32[2]\nnode y = ReduceProd(x)\noutput y\n",
     "y/reduce-prod/Split, y/reduce-prod/Split_2 = Split(x, y/reduce-prod/constant) axis=0\n"
     "y = Mul(y/reduce-prod/Split, y/reduce-prod/Split_2)\ninit y/reduce-prod/constant int64[2] = 1 1\n"},
    {"reduce-prod",
     "opset 17\ninput x float32[2,2]\nnode y = ReduceProd(x)\noutput y\n",
     "same"},
    {"reduce-prod",
     "opset 18\ninput x float32[2]\nnode y = ReduceProd(x) noop_with_empty_axes=1\noutput y\n",
     "same"},
    {"reduce-prod",
     "opset 17\ninput x float32[2,2]\nnode y = ReduceProd(x) axes=[0,1]\noutput y\n",
     "same"},
    {"reduce-prod",
     "opset 17\ninput x float32[17,2]\nnode y = ReduceProd(x) axes=[0]\noutput y\n",
     "same"},
    {"argmax-last",
     "opset 17\ninput x float32[2,7]\nnode y = ArgMax(x) axis=-1 keepdims=0 select_last_index=1\noutput y\n",
     "y/argmax-last/Slice = Slice(x, y/argmax-last/constant, y/argmax-last/constant_2, "
     "y/argmax-last/constant_3, y/argmax-last/constant_4)\n"
     "y/argmax-last/ArgMax = ArgMax(y/argmax-last/Slice) axis=-1 keepdims=0\n"
     "y = Sub(y/argmax-last/constant_5, y/argmax-last/ArgMax)\ninit y/argmax-last/constant int64[1] = -1\n"
     "init y/argmax-last/constant_2 int64[1] = -8\ninit y/argmax-last/constant_3 int64[1] = 1\n"
     "init y/argmax-last/constant_4 int64[1] = -1\ninit y/argmax-last/constant_5 int64[] = 6\n"},
    {"argmax-last",
     "opset 17\ninput x int32[2,7]\nnode y = ArgMin(x) select_last_index=1\noutput y\n",
     "y/argmax-last/Slice = Slice(x, y/argmax-last/constant, y/argmax-last/constant_2, "
     "y/argmax-last/constant_3, y/argmax-last/constant_4)\ny/argmax-last/ArgMin = ArgMin(y/argmax-last/Slice)\n"
     "y = Sub(y/argmax-last/constant_5, y/argmax-last/ArgMin)\ninit y/argmax-last/constant int64[1] = -1\n"
     "init y/argmax-last/constant_2 int64[1] = -3\ninit y/argmax-last/constant_3 int64[1] = 0\n"
     "init y/argmax-last/constant_4 int64[1] = -1\ninit y/argmax-last/constant_5 int64[] = 1\n"},
    {"argmax-last",
     "opset 17\ninput x float32[2,7]\nnode y = ArgMax(x) axis=-1\noutput y\n",
     "same"},
    {"argmax-last",
     "opset 17\ninput x float32[2,n]\nnode y = ArgMax(x) axis=-1 select_last_index=1\noutput y\n",
     "same"},
    {"col2im",
     "opset 18\ninput x float32[2,24,6]\ninit i int64[2] = 4 9\ninit k int64[2] = 2 3\n"
     "node y = Col2Im(x, i, k) strides=[2,3]\noutput y\n",
     "y/col2im/Reshape = Reshape(x, y/col2im/constant)\n"
     "y/col2im/Transpose = Transpose(y/col2im/Reshape) perm=[0,3,1,4,2]\n"
     "y/col2im/Reshape_2 = Reshape(y/col2im/Transpose, y/col2im/constant_2)\n"
     "y = Add(y/col2im/Reshape_2, y/col2im/constant_3)\ninit y/col2im/constant int64[5] = 8 2 3 2 3\n"
     "init y/col2im/constant_2 int64[4] = 2 4 4 9\ninit y/col2im/constant_3 float32[] = 0\n"},
    {"col2im",
     "opset 18\ninput x float32[2,24,6]\ninit i int64[1] = 24\ninit k int64[1] = 4\n"
     "node y = Col2Im(x, i, k) strides=[4]\noutput y\n",
     "y/col2im/Reshape = Reshape(x, y/col2im/constant)\n"
     "y/col2im/Transpose = Transpose(y/col2im/Reshape) perm=[0,2,1]\n"
     "y/col2im/Reshape_2 = Reshape(y/col2im/Transpose, y/col2im/constant_2)\n"
     "y = Add(y/col2im/Reshape_2, y/col2im/constant_3)\ninit y/col2im/constant int64[3] = 12 4 6\n"
     "init y/col2im/constant_2 int64[3] = 2 6 24\ninit y/col2im/constant_3 float32[] = 0\n"},
    {"col2im",
     "opset 18\ninput x float32[2,24,6]\ninit i int64[1] = 9\ninit k int64[1] = 4\nnode y = Col2Im(x, i, k)\n"
     "output y\n",
     "same"},
    {"col2im",
     "opset 18\ninput x float32[2,24,6]\ninit i int64[1] = 22\ninit k int64[1] = 4\n"
     "node y = Col2Im(x, i, k) strides=[4] pads=[1,1]\noutput y\n",
     "same"},
    {"col2im",
     "opset 18\ninput x float32[2,24,6]\ninit i int64[1] = 25\ninit k int64[1] = 4\n"
     "node y = Col2Im(x, i, k) strides=[4]\noutput y\n",
     "same"},
};

static const struct row resizes[] = {
    {"resize-nhwc",
     "opset 17\ninput x float32[2,6,8,3]\ninit s float32[4] = 1 2 1.5 1\nnode y = Resize(x, , s) mode=\"linear\"\n"
     "output y\n",
     "y/resize-nhwc/Transpose = Transpose(x) perm=[0,3,1,2]\n"
     "y/resize-nhwc/Resize = Resize(y/resize-nhwc/Transpose, , y/resize-nhwc/constant) mode=\"linear\"\n"
     "y = Transpose(y/resize-nhwc/Resize) perm=[0,2,3,1]\ninit y/resize-nhwc/constant float32[4] = 1 1 2 1.5\n"},
    {"resize-nhwc",
     "opset 18\ninput x float32[2,6,8,3]\ninit s int64[2] = 9 5\n"
     "node y = Resize(x, , , s) mode=\"linear\" axes=[2,1]\noutput y\n",
     "y/resize-nhwc/Transpose = Transpose(x) perm=[0,3,1,2]\n"
     "y/resize-nhwc/Resize = Resize(y/resize-nhwc/Transpose, , , y/resize-nhwc/constant) mode=\"linear\"\n"
     "y = Transpose(y/resize-nhwc/Resize) perm=[0,2,3,1]\ninit y/resize-nhwc/constant int64[4] = 2 3 5 9\n"},
    {"resize-nhwc",
     "opset 10\ninput x float32[2,6,8,3]\ninit s float32[4] = 1 2 2 1\nnode y = Resize(x, s)\noutput y\n",
     "y/resize-nhwc/Transpose = Transpose(x) perm=[0,3,1,2]\n"
     "y/resize-nhwc/Resize = Resize(y/resize-nhwc/Transpose, y/resize-nhwc/constant)\n"
     "y = Transpose(y/resize-nhwc/Resize) perm=[0,2,3,1]\ninit y/resize-nhwc/constant float32[4] = 1 1 2 2\n"},
    {"resize-nhwc",
     "opset 11\ninput x float32[2,6,8,3]\ninit r float32[0]\ninit s int64[4] = 2 12 16 3\n"
     "node y = Resize(x, r, r, s)\noutput y\n",
     "y/resize-nhwc/Transpose = Transpose(x) perm=[0,3,1,2]\n"
     "y/resize-nhwc/Resize = Resize(y/resize-nhwc/Transpose, y/resize-nhwc/constant_2, "
     "y/resize-nhwc/constant_2, y/resize-nhwc/constant)\ny = Transpose(y/resize-nhwc/Resize) perm=[0,2,3,1]\n"
     "init y/resize-nhwc/constant int64[4] = 2 3 12 16\ninit y/resize-nhwc/constant_2 float32[0]\n"},
    {"resize-nhwc",
     "opset 17\ninput x float32[2,3,6,8]\ninit s float32[4] = 1 1 2 1.5\nnode y = Resize(x, , s) mode=\"linear\"\n"
     "output y\n",
     "same"},
    {"resize-nhwc",
     "opset 17\ninput x uint8[2,6,8,3]\ninit s float32[4] = 1 2 1.5 1\nnode y = Resize(x, , s) mode=\"linear\"\n"
     "output y\n",
     "same"},
    {"resize-nhwc",
     "opset 17\ninput x float32[2,6,8,3]\ninput s float32[4]\nnode y = Resize(x, , s) mode=\"linear\"\noutput y\n",
     "same"},
    {"resize-nhwc",
     "opset 18\ninput x float32[2,6,8,3]\ninit s int64[2] = 9 5\n"
     "node y = Resize(x, , , s) axes=[2,1] keep_aspect_ratio_policy=\"not_larger\"\noutput y\n",
     "same"},
    {"resize-nhwc",
     "opset 17\ninput x float32[2,6,8,3]\ninit r float32[8] = 0 0 0 0 1 1 1 1\ninit s float32[4] = 1 2 2 1\n"
     "node y = Resize(x, r, s) coordinate_transformation_mode=\"tf_crop_and_resize\"\noutput y\n",
     "same"},
    {"resize-antialias",
     "opset 18\ninput x float32[1,4,6]\ninit s float32[3] = 1 0.5 0.5\n"
     "node y = Resize(x, , s) mode=\"linear\" antialias=1\noutput y\n",
     "y/resize-antialias/MatMul = MatMul(x, y/resize-antialias/constant)\n"
     "y = MatMul(y/resize-antialias/constant_2, y/resize-antialias/MatMul)\n"
     "init y/resize-antialias/constant float32[6,3] = 0.5 0 0 0.375 0.125 0 0.125 0.375 0 0 0.375 0.125 0 "
     "0.125 0.375 0 0 0.5\ninit y/resize-antialias/constant_2 float32[2,4] = 0.5 0.375 0.125 0 0 0.125 0.375 0.5\n"},
    {"resize-antialias",
     "opset 18\ninput x float32[1,4]\ninit s int64[2] = 1 2\n"
     "node y = Resize(x, , , s) mode=\"linear\" antialias=1 exclude_outside=1\noutput y\n",
     "y = MatMul(x, y/resize-antialias/constant)\n"
     "init y/resize-antialias/constant float32[4,2] = 0.428571433 0 0.428571433 0.142857149 0.142857149 "
     "0.428571433 0 0.428571433\n"},
    {"resize-antialias",
     "opset 18\ninput x float32[1,4,6]\ninit s float32[3] = 1 0.5 0.5\nnode y = Resize(x, , s) mode=\"linear\"\n"
     "output y\n",
     "same"},
    {"resize-antialias",
     "opset 18\ninput x float32[1,1,4,6]\ninit s float32[4] = 1 1 0.5 0.5\n"
     "node y = Resize(x, , s) mode=\"cubic\" antialias=1\noutput y\n",
     "same"},
    {"resize-antialias",
     "opset 18\ninput x float32[4,4,6]\ninit s float32[3] = 0.5 0.5 0.5\n"
     "node y = Resize(x, , s) mode=\"linear\" antialias=1\noutput y\n",
     "same"},
    {"resize-antialias",
     "opset 18\ninput x uint8[1,4,6]\ninit s float32[3] = 1 0.5 0.5\n"
     "node y = Resize(x, , s) mode=\"linear\" antialias=1\noutput y\n",
     "same"},
};

ROWS_OF(forms, normalizations)
ROWS_OF(forms, pools)
ROWS_OF(forms, kernels)
ROWS_OF(forms, scaled_products)
ROWS_OF(forms, pads)
ROWS_OF(forms, axes)
ROWS_OF(forms, resizes)

TESTS(test_rewrite_forms__normalizations, test_rewrite_forms__pools, test_rewrite_forms__kernels,
      test_rewrite_forms__scaled_products, test_rewrite_forms__pads, test_rewrite_forms__axes,
      test_rewrite_forms__resizes)
