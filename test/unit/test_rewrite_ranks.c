/* SPDX-License-Identifier: Apache-2.0
 *
 * Rewrites of lib/change/rewrite/ranks.c: what comes out, and what each precondition keeps out.
 */
#include "support/rewrite_rows.h"

/* Dims of 1 are dropped, and neighbours joined from the front, to rank 4. */
static const struct row elementwise[] = {
    {"rank",
     "opset 17\ninput x float32[2,3,4,5,6]\nnode y = Tanh(x)\noutput y\n",
     "y/rank/Reshape = Reshape(x, y/rank/constant)\ny/rank/Tanh = Tanh(y/rank/Reshape)\n"
     "y = Reshape(y/rank/Tanh, y/rank/constant_2)\ninit y/rank/constant int64[4] = 6 4 5 6\n"
     "init y/rank/constant_2 int64[5] = 2 3 4 5 6\n"},
    {"rank",
     "opset 17\ninput x float32[2,3,4,5]\nnode y = Tanh(x)\noutput y\n",
     "same"},
    {"rank",
     "opset 17\ninput x float32[1,3,1,5,1,6]\nnode y = Tanh(x)\noutput y\n",
     "y/rank/Reshape = Reshape(x, y/rank/constant)\ny/rank/Tanh = Tanh(y/rank/Reshape)\n"
     "y = Reshape(y/rank/Tanh, y/rank/constant_2)\ninit y/rank/constant int64[3] = 3 5 6\n"
     "init y/rank/constant_2 int64[6] = 1 3 1 5 1 6\n"},
    {"rank",
     "opset 17\ninput x float32[2,0,4,5,6]\nnode y = Tanh(x)\noutput y\n",
     "same"},
    {"rank",
     "opset 17\ninput x float32[2,n,4,5,6]\nnode y = Tanh(x)\noutput y\n",
     "same"},
    {"rank",
     "opset 17\ninput x float32[1,300,8,3,4,2]\ninput w float32[1,300,1,1,1,2]\nnode y = Mul(x, w)\noutput y\n",
     "y/rank/Reshape = Reshape(x, y/rank/constant)\ny/rank/Reshape_2 = Reshape(w, y/rank/constant_2)\n"
     "y/rank/Mul = Mul(y/rank/Reshape, y/rank/Reshape_2)\ny = Reshape(y/rank/Mul, y/rank/constant_3)\n"
     "init y/rank/constant int64[4] = 300 24 4 2\ninit y/rank/constant_2 int64[4] = 300 1 1 2\n"
     "init y/rank/constant_3 int64[6] = 1 300 8 3 4 2\n"},
    {"rank",
     "opset 17\ninput x float32[2,3,4,5,2,6]\ninit w float32[] = 1\nnode y = Add(x, w)\noutput y\n",
     "y/rank/Reshape = Reshape(x, y/rank/constant)\ny/rank/Add = Add(y/rank/Reshape, w)\n"
     "y = Reshape(y/rank/Add, y/rank/constant_2)\ninit y/rank/constant int64[4] = 24 5 2 6\n"
     "init y/rank/constant_2 int64[6] = 2 3 4 5 2 6\n"},
    {"rank",
     "opset 17\ninput x float32[2,1,2,1,2,1]\ninput w float32[1,2,1,2,1,2]\nnode y = Add(x, w)\noutput y\n",
     "same"},
    {"rank",
     "opset 6\ninput x float32[2,3,4,5,2,6]\ninput w float32[2,3,4,5,2,6]\nnode y = Add(x, w)\noutput y\n",
     "same"},
    {"rank",
     "opset 17\ninput c bool[2]\ninput x float32[2,3,4,5,2,2]\ninput w float32[2,3,4,1,2,2]\n"
     "node y = Where(c, x, w)\noutput y\n",
     "y/rank/Reshape = Reshape(x, y/rank/constant)\ny/rank/Reshape_2 = Reshape(w, y/rank/constant_2)\n"
     "y/rank/Where = Where(c, y/rank/Reshape, y/rank/Reshape_2)\ny = Reshape(y/rank/Where, y/rank/constant_3)\n"
     "init y/rank/constant int64[4] = 24 5 2 2\ninit y/rank/constant_2 int64[4] = 24 1 2 2\n"
     "init y/rank/constant_3 int64[6] = 2 3 4 5 2 2\n"},
    {"rank",
     "opset 17\ninput x float32[2,3,4,5,2,6]\ninit w float32[] = 1\nnode y = Clip(x, , w)\noutput y\n",
     "y/rank/Reshape = Reshape(x, y/rank/constant)\ny/rank/Clip = Clip(y/rank/Reshape, , w)\n"
     "y = Reshape(y/rank/Clip, y/rank/constant_2)\ninit y/rank/constant int64[4] = 24 5 2 6\n"
     "init y/rank/constant_2 int64[6] = 2 3 4 5 2 6\n"},
    {"rank",
     "opset 17\ninput x float32[2,3,4,5,2,6]\ninit s float32[] = 0.5\ninit z uint8[] = 3\n"
     "node y = QuantizeLinear(x, s, z)\noutput y\n",
     "y/rank/Reshape = Reshape(x, y/rank/constant)\ny/rank/QuantizeLinear = QuantizeLinear(y/rank/Reshape, s, z)\n"
     "y = Reshape(y/rank/QuantizeLinear, y/rank/constant_2)\ninit y/rank/constant int64[4] = 24 5 2 6\n"
     "init y/rank/constant_2 int64[6] = 2 3 4 5 2 6\n"},
    {"rank",
     "opset 17\ninput x float32[2,3,4,5,2,6]\ninit s float32[3] = 0.5 1 2\ninit z uint8[3] = 3 3 3\n"
     "node y = QuantizeLinear(x, s, z)\noutput y\n",
     "same"},
    {"rank",
     "opset 17\ninput x float32[5,1,6]\ninit s int64[6] = 2 3 4 5 2 6\nnode y = Expand(x, s)\noutput y\n",
     "y/rank/Reshape = Reshape(x, y/rank/constant)\ny/rank/Expand = Expand(y/rank/Reshape, y/rank/constant_2)\n"
     "y = Reshape(y/rank/Expand, y/rank/constant_3)\ninit y/rank/constant int64[4] = 1 5 1 6\n"
     "init y/rank/constant_2 int64[4] = 24 5 2 6\ninit y/rank/constant_3 int64[6] = 2 3 4 5 2 6\n"},
};

/* The axis that matters stays alone. */
static const struct row axes[] = {
    {"rank",
     "opset 17\ninput x float32[2,3,4,5,2,6]\nnode y = Softmax(x) axis=2\noutput y\n",
     "y/rank/Reshape = Reshape(x, y/rank/constant)\ny/rank/Softmax = Softmax(y/rank/Reshape) axis=1\n"
     "y = Reshape(y/rank/Softmax, y/rank/constant_2)\ninit y/rank/constant int64[4] = 6 4 10 6\n"
     "init y/rank/constant_2 int64[6] = 2 3 4 5 2 6\n"},
    {"rank",
     "opset 11\ninput x float32[2,3,4,5,2,6]\nnode y = Softmax(x) axis=2\noutput y\n",
     "y/rank/Reshape = Reshape(x, y/rank/constant)\ny/rank/Softmax = Softmax(y/rank/Reshape) axis=1\n"
     "y = Reshape(y/rank/Softmax, y/rank/constant_2)\ninit y/rank/constant int64[4] = 6 20 2 6\n"
     "init y/rank/constant_2 int64[6] = 2 3 4 5 2 6\n"},
    {"rank",
     "opset 17\ninput x float32[2,3,4,5,2,6]\nnode y = LogSoftmax(x)\noutput y\n",
     "y/rank/Reshape = Reshape(x, y/rank/constant)\ny/rank/LogSoftmax = LogSoftmax(y/rank/Reshape) axis=3\n"
     "y = Reshape(y/rank/LogSoftmax, y/rank/constant_2)\ninit y/rank/constant int64[4] = 24 5 2 6\n"
     "init y/rank/constant_2 int64[6] = 2 3 4 5 2 6\n"},
    {"rank",
     "opset 17\ninput x float32[2,3,4,5,2,6]\ninit i int64[] = 1\nnode y = Gather(x, i) axis=3\noutput y\n",
     "y/rank/Reshape = Reshape(x, y/rank/constant)\ny/rank/Gather = Gather(y/rank/Reshape, i) axis=1\n"
     "y = Reshape(y/rank/Gather, y/rank/constant_2)\ninit y/rank/constant int64[4] = 24 5 2 6\n"
     "init y/rank/constant_2 int64[5] = 2 3 4 2 6\n"},
    {"rank",
     "opset 17\ninput x float32[2,3,4,5,2,6]\ninit i int64[2,2] = 1 0 0 1\nnode y = Gather(x, i) axis=-1\n"
     "output y\n",
     "y/rank/Reshape = Reshape(x, y/rank/constant)\ny/rank/Reshape_2 = Reshape(i, y/rank/constant_2)\n"
     "y/rank/Gather = Gather(y/rank/Reshape, y/rank/Reshape_2) axis=3\n"
     "y = Reshape(y/rank/Gather, y/rank/constant_3)\ninit y/rank/constant int64[4] = 24 5 2 6\n"
     "init y/rank/constant_2 int64[1] = 4\ninit y/rank/constant_3 int64[7] = 2 3 4 5 2 2 2\n"},
    {"rank",
     "opset 17\ninput x float32[2,3,4,5]\ninit i int64[] = 1\nnode y = Gather(x, i) axis=3\noutput y\n",
     "same"},
    {"rank",
     "opset 17\ninput x float32[2,3,4,5,2,6]\nnode y = Concat(x, x) axis=-3\noutput y\n",
     "y/rank/Reshape = Reshape(x, y/rank/constant)\ny/rank/Reshape_2 = Reshape(x, y/rank/constant_2)\n"
     "y/rank/Concat = Concat(y/rank/Reshape, y/rank/Reshape_2) axis=1\n"
     "y = Reshape(y/rank/Concat, y/rank/constant_3)\ninit y/rank/constant int64[4] = 24 5 2 6\n"
     "init y/rank/constant_2 int64[4] = 24 5 2 6\ninit y/rank/constant_3 int64[6] = 2 3 4 10 2 6\n"},
    {"rank",
     "opset 17\ninput x float32[2,3,4,5,2,6]\ninit s int64[2] = 2 3\nnode y, z = Split(x, s) axis=3\noutput y\n"
     "output z\n",
     "y/rank/Reshape = Reshape(x, y/rank/constant)\n"
     "y/rank/Split, y/rank/Split_2 = Split(y/rank/Reshape, s) axis=1\n"
     "y = Reshape(y/rank/Split, y/rank/constant_2)\nz = Reshape(y/rank/Split_2, y/rank/constant_3)\n"
     "init y/rank/constant int64[4] = 24 5 2 6\ninit y/rank/constant_2 int64[6] = 2 3 4 2 2 6\n"
     "init y/rank/constant_3 int64[6] = 2 3 4 3 2 6\n"},
    {"rank",
     "opset 11\ninput x float32[2,3,4,5,2,6]\nnode y, z = Split(x) axis=3 split=[2,3]\noutput z\n",
     "y/rank/Reshape = Reshape(x, y/rank/constant)\n"
     "y/rank/Split, y/rank/Split_2 = Split(y/rank/Reshape) axis=1 split=[2,3]\n"
     "z = Reshape(y/rank/Split_2, y/rank/constant_2)\ninit y/rank/constant int64[4] = 24 5 2 6\n"
     "init y/rank/constant_2 int64[6] = 2 3 4 3 2 6\n"},
    {"rank",
     "opset 17\ninput x float32[2,3,4,5,2,6]\ninit s int64[2] = 1 0\ninit e int64[2] = 4 9\n"
     "init a int64[2] = -1 2\nnode y = Slice(x, s, e, a)\noutput y\n",
     "y/rank/Reshape = Reshape(x, y/rank/constant)\n"
     "y/rank/Slice = Slice(y/rank/Reshape, y/rank/constant_2, y/rank/constant_3, y/rank/constant_4, "
     "y/rank/constant_5)\ny = Reshape(y/rank/Slice, y/rank/constant_6)\ninit y/rank/constant int64[4] = 24 5 2 6\n"
     "init y/rank/constant_2 int64[1] = 1\ninit y/rank/constant_3 int64[1] = 4\n"
     "init y/rank/constant_4 int64[1] = 3\ninit y/rank/constant_5 int64[1] = 1\n"
     "init y/rank/constant_6 int64[6] = 2 3 4 5 2 3\n"},
    {"rank",
     "opset 17\ninput x float32[2,3,4,5,2,6]\ninit s int64[1] = -1\ninit e int64[1] = -9\ninit a int64[1] = 3\n"
     "init p int64[1] = -1\nnode y = Slice(x, s, e, a, p)\noutput y\n",
     "y/rank/Reshape = Reshape(x, y/rank/constant)\n"
     "y/rank/Slice = Slice(y/rank/Reshape, y/rank/constant_2, y/rank/constant_3, y/rank/constant_4, "
     "y/rank/constant_5)\ny = Reshape(y/rank/Slice, y/rank/constant_6)\ninit y/rank/constant int64[4] = 24 5 2 6\n"
     "init y/rank/constant_2 int64[1] = -1\ninit y/rank/constant_3 int64[1] = -9\n"
     "init y/rank/constant_4 int64[1] = 1\ninit y/rank/constant_5 int64[1] = -1\n"
     "init y/rank/constant_6 int64[6] = 2 3 4 5 2 6\n"},
    {"rank",
     "opset 9\ninput x float32[2,3,4,5,2,6]\nnode y = Slice(x) starts=[1] ends=[3] axes=[5]\noutput y\n",
     "y/rank/Reshape = Reshape(x, y/rank/constant)\n"
     "y/rank/Slice = Slice(y/rank/Reshape) starts=[1] ends=[3] axes=[3]\n"
     "y = Reshape(y/rank/Slice, y/rank/constant_2)\ninit y/rank/constant int64[4] = 24 5 2 6\n"
     "init y/rank/constant_2 int64[6] = 2 3 4 5 2 2\n"},
    {"rank",
     "opset 17\ninput x float32[2,3,4,5,2,6]\ninit s int64[1] = 1\ninit e int64[1] = 1\ninit a int64[1] = 2\n"
     "node y = Slice(x, s, e, a)\noutput y\n",
     "same"},
    {"rank",
     "opset 17\ninput x float32[2,3,4,5,2,6]\ninput s int64[1]\ninput e int64[1]\nnode y = Slice(x, s, e)\n"
     "output y\n",
     "same"},
};

/* Axes that stay neighbours are one. */
static const struct row transposes[] = {
    {"rank",
     "opset 17\ninput x float32[2,4,7,4,7,3]\nnode y = Transpose(x) perm=[0,1,3,2,4,5]\noutput y\n",
     "y/rank/Reshape = Reshape(x, y/rank/constant)\ny/rank/Transpose = Transpose(y/rank/Reshape) perm=[0,2,1,3]\n"
     "y = Reshape(y/rank/Transpose, y/rank/constant_2)\ninit y/rank/constant int64[4] = 8 7 4 21\n"
     "init y/rank/constant_2 int64[6] = 2 4 4 7 7 3\n"},
    {"rank",
     "opset 17\ninput x float32[1,3,2,2,8,8]\nnode y = Transpose(x) perm=[0,1,4,2,5,3]\noutput y\n",
     "y/rank/Reshape = Reshape(x, y/rank/constant)\ny/rank/Transpose = Transpose(y/rank/Reshape) perm=[0,3,1,4,2]\n"
     "y = Reshape(y/rank/Transpose, y/rank/constant_2)\ninit y/rank/constant int64[5] = 3 2 2 8 8\n"
     "init y/rank/constant_2 int64[6] = 1 3 8 2 8 2\n"},
    {"rank",
     "opset 17\ninput x float32[1,3,1,1,8]\nnode y = Transpose(x) perm=[1,0,2,3,4]\noutput y\n",
     "y = Reshape(x, y/rank/constant)\ninit y/rank/constant int64[5] = 3 1 1 1 8\n"},
    {"rank",
     "opset 17\ninput x float32[1,3,1,2,1]\nnode y = Transpose(x)\noutput y\n",
     "y/rank/Reshape = Reshape(x, y/rank/constant)\ny/rank/Transpose = Transpose(y/rank/Reshape) perm=[1,0]\n"
     "y = Reshape(y/rank/Transpose, y/rank/constant_2)\ninit y/rank/constant int64[2] = 3 2\n"
     "init y/rank/constant_2 int64[5] = 1 2 1 3 1\n"},
    {"rank",
     "opset 17\ninput x float32[2,3,4,5,2,2]\nnode y = Transpose(x)\noutput y\n",
     "same"},
    {"rank",
     "opset 17\ninput x float32[1,3,2,2,0,8]\nnode y = Transpose(x) perm=[0,1,4,2,5,3]\noutput y\n",
     "same"},
};

/* What was made of a Reshape is made of its operand. */
static const struct row reshapes[] = {
    {"join-reshapes",
     "opset 17\ninput x float32[4,6]\ninit s int64[3] = 2 2 6\ninit t int64[1] = 1\nnode a = Reshape(x, s)\n"
     "node y = Unsqueeze(a, t)\noutput y\n",
     "y = Reshape(x, y/join-reshapes/constant)\ninit y/join-reshapes/constant int64[4] = 2 1 2 6\n"},
    {"join-reshapes",
     "opset 17\ninput x float32[2,12]\ninit s int64[3] = 2 2 6\nnode a = Reshape(x, s)\nnode b = Flatten(a)\n"
     "node y = Relu(b)\noutput y\n",
     "b = Identity(x)\ny = Relu(b)\n"},
    {"join-reshapes",
     "opset 17\ninput x float32[2,2,6]\nnode a = Relu(x)\nnode y = Flatten(a)\noutput y\n",
     "same"},
    {"join-reshapes",
     "opset 17\ninput x float32[n,12]\ninit s int64[3] = 2 2 6\nnode a = Reshape(x, s)\nnode y = Flatten(a)\n"
     "output y\n",
     "same"},
    {"rank join-reshapes",
     "opset 17\ninput x float32[1,30,192]\ninit s int64[6] = 1 30 8 3 4 2\ninit c float32[] = 4\n"
     "init w float32[1,30,1,1,1,2]\ninit i int64[] = 1\nnode a = Reshape(x, s)\nnode b = Div(a, c)\n"
     "node d = Mul(b, w)\nnode e = Gather(d, i) axis=3\nnode y = Relu(e)\noutput y\n",
     "b/rank/Reshape = Reshape(x, b/rank/constant)\nb/rank/Div = Div(b/rank/Reshape, c)\n"
     "d/rank/Reshape = Reshape(b/rank/Div, d/rank/Reshape/join-reshapes/constant)\n"
     "d/rank/Reshape_2 = Reshape(w, d/rank/constant_2)\nd/rank/Mul = Mul(d/rank/Reshape, d/rank/Reshape_2)\n"
     "e/rank/Reshape = Reshape(d/rank/Mul, e/rank/Reshape/join-reshapes/constant)\n"
     "e/rank/Gather = Gather(e/rank/Reshape, i) axis=1\n"
     "y/rank/Reshape = Reshape(e/rank/Gather, y/rank/Reshape/join-reshapes/constant)\n"
     "y/rank/Relu = Relu(y/rank/Reshape)\ny = Reshape(y/rank/Relu, y/rank/constant_2)\n"
     "init b/rank/constant int64[4] = 240 3 4 2\ninit d/rank/constant_2 int64[4] = 30 1 1 2\n"
     "init y/rank/constant_2 int64[5] = 1 30 8 4 2\n"
     "init d/rank/Reshape/join-reshapes/constant int64[4] = 30 24 4 2\n"
     "init e/rank/Reshape/join-reshapes/constant int64[4] = 240 3 4 2\n"
     "init y/rank/Reshape/join-reshapes/constant int64[4] = 30 8 4 2\n"},
};

ROWS_OF(ranks, elementwise)
ROWS_OF(ranks, axes)
ROWS_OF(ranks, transposes)
ROWS_OF(ranks, reshapes)

TESTS(test_rewrite_ranks__elementwise, test_rewrite_ranks__axes, test_rewrite_ranks__transposes,
      test_rewrite_ranks__reshapes)
