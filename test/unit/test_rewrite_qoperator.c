/* SPDX-License-Identifier: Apache-2.0
 *
 * Quantized operators as float ones between DequantizeLinear and QuantizeLinear.
 */
#include "support/rewrite_rows.h"

static const struct row products[] = {
    {"qoperator",
     "opset 17\nopset com.microsoft 1\ninput x uint8[1,2,6,6]\ninit xs float32[] = 0.5\ninit xz uint8[] = 3\n"
     "init ys float32[] = 0.25\ninit yz uint8[] = 7\ninit w uint8[3,2,3,3]\ninit ws float32[] = 0.125\n"
     "init wz uint8[] = 9\ninit c int32[3]\n"
     "node y = QLinearConv(x, xs, xz, w, ws, wz, ys, yz, c) pads=[1,1,1,1] strides=[2,2]\noutput y\n",
     "y/qoperator/DequantizeLinear = DequantizeLinear(x, xs, xz)\n"
     "y/qoperator/DequantizeLinear_2 = DequantizeLinear(w, ws, wz)\n"
     "y/qoperator/DequantizeLinear_3 = DequantizeLinear(c, y/qoperator/constant)\n"
     "y/qoperator/Conv = Conv(y/qoperator/DequantizeLinear, y/qoperator/DequantizeLinear_2, "
     "y/qoperator/DequantizeLinear_3) strides=[2,2] pads=[1,1,1,1] group=1\n"
     "y = QuantizeLinear(y/qoperator/Conv, ys, yz)\ninit y/qoperator/constant float32[] = 0.0625\n"},
    {"qoperator",
     "opset 17\nopset com.microsoft 1\ninput x uint8[1,2,6,6]\ninit xs float32[] = 0.5\ninit xz uint8[] = 3\n"
     "init ys float32[] = 0.25\ninit yz uint8[] = 7\ninit w int8[2,1,3,3]\ninit ws float32[2] = 0.125 0.5\n"
     "init wz int8[2] = 0 0\ninit c int32[2]\n"
     "node y = QLinearConv(x, xs, xz, w, ws, wz, ys, yz, c) group=2 auto_pad=\"VALID\"\noutput y\n",
     "y/qoperator/DequantizeLinear = DequantizeLinear(x, xs, xz)\n"
     "y/qoperator/DequantizeLinear_2 = DequantizeLinear(w, ws, wz) axis=0\n"
     "y/qoperator/DequantizeLinear_3 = DequantizeLinear(c, y/qoperator/constant) axis=0\n"
     "y/qoperator/Conv = Conv(y/qoperator/DequantizeLinear, y/qoperator/DequantizeLinear_2, "
     "y/qoperator/DequantizeLinear_3) auto_pad=\"VALID\" group=2\ny = QuantizeLinear(y/qoperator/Conv, ys, yz)\n"
     "init y/qoperator/constant float32[2] = 0.0625 0.25\n"},
    {"qoperator",
     "opset 12\nopset com.microsoft 1\ninput x uint8[1,2,6,6]\ninit xs float32[] = 0.5\ninit xz uint8[] = 3\n"
     "init ys float32[] = 0.25\ninit yz uint8[] = 7\ninit w int8[2,2,3,3]\ninit ws float32[2] = 0.125 0.5\n"
     "init wz int8[2] = 0 0\nnode y = QLinearConv(x, xs, xz, w, ws, wz, ys, yz)\noutput y\n",
     "same"},
    {"qoperator",
     "opset 17\nopset com.microsoft 1\ninput x uint8[1,2,6,6]\ninput ws float32[]\ninit xs float32[] = 0.5\n"
     "init xz uint8[] = 3\ninit ys float32[] = 0.25\ninit yz uint8[] = 7\ninit w int8[2,2,3,3]\n"
     "init wz int8[] = 0\nnode y = QLinearConv(x, xs, xz, w, ws, wz, ys, yz)\noutput y\n",
     "same"},
    {"qoperator",
     "opset 17\nopset com.microsoft 1\ninput x uint8[4,6]\ninit xs float32[] = 0.5\ninit xz uint8[] = 3\n"
     "init ys float32[] = 0.25\ninit yz uint8[] = 7\ninit w int8[6,2]\ninit ws float32[2] = 0.125 0.5\n"
     "init wz int8[2] = 0 0\nnode y = QLinearMatMul(x, xs, xz, w, ws, wz, ys, yz)\noutput y\n",
     "y/qoperator/DequantizeLinear = DequantizeLinear(x, xs, xz)\n"
     "y/qoperator/DequantizeLinear_2 = DequantizeLinear(w, ws, wz) axis=1\n"
     "y/qoperator/MatMul = MatMul(y/qoperator/DequantizeLinear, y/qoperator/DequantizeLinear_2)\n"
     "y = QuantizeLinear(y/qoperator/MatMul, ys, yz)\n"},
    {"qoperator",
     "opset 17\nopset com.microsoft 1\ninput x uint8[4,6]\ninit xs float32[] = 0.5\ninit xz uint8[] = 3\n"
     "init ys float32[] = 0.25\ninit yz uint8[] = 7\ninit w int8[2,6]\ninit ws float32[2] = 0.125 0.5\n"
     "init wz int8[2] = 0 0\ninit c int32[2]\n"
     "node y = com.microsoft:QGemm(x, xs, xz, w, ws, wz, c, ys, yz) transB=1 alpha=0.5\noutput y\n",
     "y/qoperator/DequantizeLinear = DequantizeLinear(x, xs, xz)\n"
     "y/qoperator/DequantizeLinear_2 = DequantizeLinear(w, ws, wz) axis=0\n"
     "y/qoperator/DequantizeLinear_3 = DequantizeLinear(c, y/qoperator/constant) axis=0\n"
     "y/qoperator/Gemm = Gemm(y/qoperator/DequantizeLinear, y/qoperator/DequantizeLinear_2, "
     "y/qoperator/DequantizeLinear_3) alpha=0.5 transA=0 transB=1\ny = QuantizeLinear(y/qoperator/Gemm, ys, yz)\n"
     "init y/qoperator/constant float32[2] = 0.03125 0.125\n"},
    {"qoperator",
     "opset 17\nopset com.microsoft 1\ninput x uint8[4,6]\ninit xs float32[] = 0.5\ninit xz uint8[] = 3\n"
     "init ys float32[] = 0.25\ninit yz uint8[] = 7\ninit w int8[2,6]\ninit ws float32[] = 0.125\n"
     "init wz int8[] = 0\nnode y = com.microsoft:QGemm(x, xs, xz, w, ws, wz) transB=1\noutput y\n",
     "same"},
};

static const struct row elements[] = {
    {"qoperator",
     "opset 17\nopset com.microsoft 1\ninput x uint8[4,6]\ninit xs float32[] = 0.5\ninit xz uint8[] = 3\n"
     "init ys float32[] = 0.25\ninit yz uint8[] = 7\n"
     "node y = com.microsoft:QLinearAdd(x, xs, xz, x, ys, yz, ys, yz)\noutput y\n",
     "y/qoperator/DequantizeLinear = DequantizeLinear(x, xs, xz)\n"
     "y/qoperator/DequantizeLinear_2 = DequantizeLinear(x, ys, yz)\n"
     "y/qoperator/Add = Add(y/qoperator/DequantizeLinear, y/qoperator/DequantizeLinear_2)\n"
     "y = QuantizeLinear(y/qoperator/Add, ys, yz)\n"},
    {"qoperator",
     "opset 17\nopset com.microsoft 1\ninput x uint8[4,6]\ninput s float32[]\ninit xs float32[] = 0.5\n"
     "init xz uint8[] = 3\ninit ys float32[] = 0.25\ninit yz uint8[] = 7\n"
     "node y = com.microsoft:QLinearMul(x, xs, xz, x, s, yz, ys, yz)\noutput y\n",
     "same"},
    {"qoperator",
     "opset 17\nopset com.microsoft 1\ninput x uint8[1,2,6,6]\ninit xs float32[] = 0.5\ninit xz uint8[] = 3\n"
     "init ys float32[] = 0.25\ninit yz uint8[] = 7\n"
     "node y = com.microsoft:QLinearGlobalAveragePool(x, xs, xz, ys, yz)\noutput y\n",
     "y/qoperator/DequantizeLinear = DequantizeLinear(x, xs, xz)\n"
     "y/qoperator/GlobalAveragePool = GlobalAveragePool(y/qoperator/DequantizeLinear)\n"
     "y = QuantizeLinear(y/qoperator/GlobalAveragePool, ys, yz)\n"},
    {"qoperator",
     "opset 17\nopset com.microsoft 1\ninput x uint8[1,2,6,6]\ninit xs float32[] = 0.5\ninit xz uint8[] = 3\n"
     "init ys float32[] = 0.25\ninit yz uint8[] = 7\n"
     "node y = com.microsoft:QLinearGlobalAveragePool(x, xs, xz, ys, yz) channels_last=1\noutput y\n",
     "same"},
    {"qoperator",
     "opset 17\nopset com.microsoft 1\ninput x uint8[1,2,6,6]\ninit xs float32[] = 0.5\ninit xz uint8[] = 3\n"
     "init ys float32[] = 0.25\ninit yz uint8[] = 7\n"
     "node y = com.microsoft:QLinearAveragePool(x, xs, xz, ys, yz) kernel_shape=[2,2] strides=[2,2]\noutput y\n",
     "y/qoperator/DequantizeLinear = DequantizeLinear(x, xs, xz)\n"
     "y/qoperator/AveragePool = AveragePool(y/qoperator/DequantizeLinear) kernel_shape=[2,2] "
     "strides=[2,2] ceil_mode=0 count_include_pad=0\ny = QuantizeLinear(y/qoperator/AveragePool, ys, yz)\n"},
    {"qoperator",
     "opset 17\nopset com.microsoft 1\ninput x uint8[1,2,6,6]\ninit xs float32[] = 0.5\ninit xz uint8[] = 3\n"
     "init ys float32[] = 0.25\ninit yz uint8[] = 7\n"
     "node y = com.microsoft:QLinearAveragePool(x, xs, xz, ys, yz) kernel_shape=[4,4] strides=[3,3] "
     "ceil_mode=1 count_include_pad=1\noutput y\n",
     "same"},
    {"qoperator",
     "opset 17\nopset com.microsoft 1\ninput x uint8[1,2,6,6]\ninit xs float32[] = 0.5\ninit xz uint8[] = 3\n"
     "init ys float32[] = 0.25\ninit yz uint8[] = 7\nnode y = com.microsoft:QLinearSigmoid(x, xs, xz, ys, yz)\n"
     "output y\n",
     "y/qoperator/DequantizeLinear = DequantizeLinear(x, xs, xz)\n"
     "y/qoperator/Sigmoid = Sigmoid(y/qoperator/DequantizeLinear)\n"
     "y = QuantizeLinear(y/qoperator/Sigmoid, ys, yz)\n"},
    {"qoperator",
     "opset 17\nopset com.microsoft 1\ninput x uint8[1,2,6,6]\ninit xs float32[] = 0.5\ninit xz uint8[] = 3\n"
     "init ys float32[] = 0.25\ninit yz uint8[] = 7\n"
     "node y = com.microsoft:QLinearSoftmax(x, xs, xz, ys, yz) axis=-1 opset=12\noutput y\n",
     "y/qoperator/DequantizeLinear = DequantizeLinear(x, xs, xz)\n"
     "y/qoperator/Softmax = Softmax(y/qoperator/DequantizeLinear) axis=3\n"
     "y = QuantizeLinear(y/qoperator/Softmax, ys, yz)\n"},
    {"qoperator",
     "opset 17\nopset com.microsoft 1\ninput x uint8[1,2,6,6]\ninit xs float32[] = 0.5\ninit xz uint8[] = 3\n"
     "init ys float32[] = 0.25\ninit yz uint8[] = 7\n"
     "node y = com.microsoft:QLinearSoftmax(x, xs, xz, ys, yz) axis=1 opset=12\noutput y\n",
     "same"},
    {"qoperator",
     "opset 17\nopset com.microsoft 1\ninput x uint8[1,2,6,6]\ninit xs float32[] = 0.5\ninit xz uint8[] = 3\n"
     "input c bool[1,2,6,6]\ninit ys float32[] = 0.25\ninit yz uint8[] = 7\n"
     "node y = com.microsoft:QLinearWhere(c, x, xs, xz, x, ys, yz, ys, yz)\noutput y\n",
     "y/qoperator/DequantizeLinear = DequantizeLinear(x, xs, xz)\n"
     "y/qoperator/DequantizeLinear_2 = DequantizeLinear(x, ys, yz)\n"
     "y/qoperator/Where = Where(c, y/qoperator/DequantizeLinear, y/qoperator/DequantizeLinear_2)\n"
     "y = QuantizeLinear(y/qoperator/Where, ys, yz)\n"},
    {"qoperator",
     "opset 17\nopset com.microsoft 1\ninput x uint8[1,2,6,6]\ninit xs float32[] = 0.5\ninit xz uint8[] = 3\n"
     "init ys float32[] = 0.25\ninit yz uint8[] = 7\n"
     "node y = com.microsoft:QLinearLeakyRelu(x, xs, xz, ys, yz) alpha=0.25\noutput y\n",
     "y/qoperator/DequantizeLinear = DequantizeLinear(x, xs, xz)\n"
     "y/qoperator/LeakyRelu = LeakyRelu(y/qoperator/DequantizeLinear) alpha=0.25\n"
     "y = QuantizeLinear(y/qoperator/LeakyRelu, ys, yz)\n"},
    {"qoperator",
     "opset 17\nopset com.microsoft 1\ninput x uint8[1,2,6,6]\ninit xs float32[] = 0.5\ninit xz uint8[] = 3\n"
     "init ys float32[] = 0.25\ninit yz uint8[] = 7\n"
     "node y = com.microsoft:QLinearConcat(ys, yz, x, xs, xz, x, ys, yz) axis=1\noutput y\n",
     "y/qoperator/DequantizeLinear = DequantizeLinear(x, xs, xz)\n"
     "y/qoperator/DequantizeLinear_2 = DequantizeLinear(x, ys, yz)\n"
     "y/qoperator/Concat = Concat(y/qoperator/DequantizeLinear, y/qoperator/DequantizeLinear_2) axis=1\n"
     "y = QuantizeLinear(y/qoperator/Concat, ys, yz)\n"},
};

/* Scale and zero point are those that the tensor was made with. */
static const struct row movers[] = {
    {"qoperator",
     "opset 17\nopset com.microsoft 1\ninput x float32[1,2,6,6]\ninit s float32[1] = 0.5\ninit z uint8[1] = 3\n"
     "node q = QuantizeLinear(x, s, z)\nnode p = MaxPool(q) kernel_shape=[2,2]\nnode y = Flatten(p)\noutput y\n",
     "q = QuantizeLinear(x, s, z)\n"
     "p/qoperator/DequantizeLinear = DequantizeLinear(q, p/qoperator/constant, p/qoperator/constant_2)\n"
     "p/qoperator/MaxPool = MaxPool(p/qoperator/DequantizeLinear) kernel_shape=[2,2]\n"
     "p = QuantizeLinear(p/qoperator/MaxPool, p/qoperator/constant_3, p/qoperator/constant_4)\n"
     "y/qoperator/DequantizeLinear = DequantizeLinear(p, y/qoperator/constant, y/qoperator/constant_2)\n"
     "y/qoperator/Flatten = Flatten(y/qoperator/DequantizeLinear)\n"
     "y = QuantizeLinear(y/qoperator/Flatten, y/qoperator/constant_3, y/qoperator/constant_4)\n"
     "init p/qoperator/constant float32[] = 0.5\ninit p/qoperator/constant_2 uint8[] = 3\n"
     "init p/qoperator/constant_3 float32[] = 0.5\ninit p/qoperator/constant_4 uint8[] = 3\n"
     "init y/qoperator/constant float32[] = 0.5\ninit y/qoperator/constant_2 uint8[] = 3\n"
     "init y/qoperator/constant_3 float32[] = 0.5\ninit y/qoperator/constant_4 uint8[] = 3\n"},
    {"qoperator",
     "opset 17\nopset com.microsoft 1\ninput x float32[2,6]\ninit s float32[] = 0.5\n"
     "node q = QuantizeLinear(x, s)\nnode y = Transpose(q)\noutput y\n",
     "q = QuantizeLinear(x, s)\ny/qoperator/DequantizeLinear = DequantizeLinear(q, s)\n"
     "y/qoperator/Transpose = Transpose(y/qoperator/DequantizeLinear)\n"
     "y = QuantizeLinear(y/qoperator/Transpose, s, y/qoperator/constant)\ninit y/qoperator/constant uint8[] = 0\n"},
    {"qoperator",
     "opset 17\nopset com.microsoft 1\ninput x uint8[1,2,6,6]\nnode y = MaxPool(x) kernel_shape=[2,2]\noutput y\n",
     "same"},
    {"qoperator",
     "opset 17\nopset com.microsoft 1\ninput x float32[1,2,6,6]\ninit s float32[2] = 0.5 1\ninit z uint8[2] = 3 3\n"
     "node q = QuantizeLinear(x, s, z) axis=1\nnode y = MaxPool(q) kernel_shape=[2,2]\noutput y\n",
     "same"},
    {"qoperator",
     "opset 17\nopset com.microsoft 1\ninput x float32[1,2,6,6]\ninit s float32[] = 0.5\ninit z uint8[] = 3\n"
     "node q = QuantizeLinear(x, s, z)\nnode y, i = MaxPool(q) kernel_shape=[2,2]\noutput y\noutput i\n",
     "same"},
    {"qoperator",
     "opset 17\nopset com.microsoft 1\ninput x float32[1,2,6,6]\nnode y = MaxPool(x) kernel_shape=[2,2]\noutput y\n",
     "same"},
};

ROWS_OF(qoperator, products)
ROWS_OF(qoperator, elements)
ROWS_OF(qoperator, movers)

TESTS(test_rewrite_qoperator__products, test_rewrite_qoperator__elements, test_rewrite_qoperator__movers)
