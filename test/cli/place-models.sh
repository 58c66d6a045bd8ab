# SPDX-License-Identifier: Apache-2.0
# A set of small models, into the folder at hand: an encoder, a decoder with a cache that serves both of its uses, two
# encoders that are alike, and a model that fails to compile.
make_model() {
	name=$1
	shift
	printf '%s\n' "$@" | "$MAKE_MODEL" > "$name"
}
make_model encoder.onnx 'input frames float32[batch,1000,64]' 'init w float32[64,64]' 'node h = MatMul(frames, w)' \
	'node last_hidden_state = Relu(h)' 'output last_hidden_state'
make_model decoder.onnx 'input query float32[batch,new,64]' 'input encoder_hidden_states float32[batch,frames,64]' \
	'input past_key_values.0.key float32[batch,past,64]' 'init w float32[64,5000]' \
	'node present.0.key = Concat(past_key_values.0.key, query) axis=1' \
	'node t = Transpose(encoder_hidden_states) perm=[0,2,1]' 'node s = MatMul(query, t)' \
	'node p = Softmax(s) axis=-1' 'node c = MatMul(p, encoder_hidden_states)' 'node logits = MatMul(c, w)' \
	'output logits' 'output present.0.key'
make_model left.onnx 'input x float32[1,8,16]' 'node l = Relu(x)' 'output l'
make_model right.onnx 'input y float32[1,8,16]' 'node r = Relu(y)' 'output r'
make_model failing.onnx 'input z float32[1,1,8,16]' 'node f = Sqrt(z)' 'output f'
make_model join.onnx 'input joined float32[1,8,16]' 'input other float32[1,1,8,16]' 'node a = Relu(joined)' \
	'node y = Relu(other)' 'output y' 'output a'
