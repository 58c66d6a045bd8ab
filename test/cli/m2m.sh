# SPDX-License-Identifier: Apache-2.0
# M2M-100 as text for make_model, without weights: its encoder on 128 tokens, and with `decoder` one step of the decoder
# after it, with 127 tokens in its cache, and the shared table as the last product.
#
# usage: m2m LAYERS WIDTH FEED_FORWARD HEADS [decoder]
m2m() {
	awk -v layers="$1" -v d="$2" -v f="$3" -v heads="$4" -v decoder="${5-}" '
	function linear(name, x, from, to) {
		printf "init w%s float32[%d,%d]\ninit b%s float32[%d]\nnode m%s = MatMul(%s, w%s)\nnode %s = Add(m%s, b%s)\n",
			name, from, to, name, to, name, x, name, name, name, name
	}
	function split_heads(name, x, tokens, perm) {
		linear(name, x, d, d)
		printf "node r%s = Reshape(%s, p%d)\nnode t%s = Transpose(r%s) perm=[0,%s]\n", name, name, tokens, name, name, perm
	}
	# queries of x, keys and values of tensors that have their heads; the sum is LayerNormalized
	function attend(name, x, tokens, keys, values) {
		printf "node s%s = MatMul(tq%s, %s)\nnode a%s = Softmax(s%s)\nnode c%s = MatMul(a%s, %s)\n",
			name, name, keys, name, name, name, name, values
		printf "node u%s = Transpose(c%s) perm=[0,2,1,3]\nnode j%s = Reshape(u%s, w%d)\n", name, name, name, name, tokens
		linear("o" name, "j" name, d, d)
		normalize(name, "o" name, x)
	}
	function normalize(name, y, x) {
		printf "node x%s = Add(%s, %s)\ninit n%s float32[%d]\ninit g%s float32[%d]\n", name, y, x, name, d, name, d
		printf "node l%s = LayerNormalization(x%s, n%s, g%s)\n", name, name, name, name
	}
	function feed(name, x) {
		linear("f" name, x, d, f)
		printf "node z%s = Relu(f%s)\n", name, name
		linear("h" name, "z" name, f, d)
		normalize("e" name, "h" name, x)
		return "le" name
	}
	BEGIN {
		print "opset 17\ninput ids int64[1,128]\ninit table float32[128112," d "]\nnode first = Gather(table, ids)"
		for (tokens = 128; tokens > 0; tokens -= 127)
			printf "init p%d int64[4] = 1 %d %d %d\ninit w%d int64[3] = 1 %d %d\n", tokens, tokens, heads, d / heads, tokens, tokens, d
		x = "first"
		for (i = 0; i < layers; i++) {
			split_heads("q" i, x, 128, "2,1,3"); split_heads("k" i, x, 128, "2,3,1"); split_heads("v" i, x, 128, "2,1,3")
			attend(i, x, 128, "tk" i, "tv" i)
			x = feed(i, "l" i)
		}
		if (!decoder) {
			print "output " x
			exit
		}
		print "input id int64[1,1]\nnode last = Gather(table, id)"
		y = "last"
		for (i = 0; i < layers; i++) {
			n = "d" i
			split_heads("q" n, y, 1, "2,1,3"); split_heads("k" n, y, 1, "2,1,3"); split_heads("v" n, y, 1, "2,1,3")
			for (k = split("k v", of, " "); k; k--)
				printf "input past_%s%d float32[1,%d,127,%d]\nnode %s%s = Concat(past_%s%d, t%s%s) axis=2\noutput %s%s\n",
					of[k], i, heads, d / heads, of[k] "all", n, of[k], i, of[k], n, of[k] "all", n
			printf "node kt%s = Transpose(kall%s) perm=[0,1,3,2]\n", n, n
			attend(n, y, 1, "kt" n, "vall" n)
			c = "c" i
			split_heads("q" c, "l" n, 1, "2,1,3"); split_heads("k" c, x, 128, "2,3,1"); split_heads("v" c, x, 128, "2,1,3")
			attend(c, "l" n, 1, "tk" c, "tv" c)
			y = feed(n, "l" c)
		}
		printf "init flat int64[2] = 1 %d\nnode row = Reshape(%s, flat)\nnode logits = Gemm(row, table) transB=1\noutput logits\n", d, y
	}' | "$MAKE_MODEL" >m2m.onnx
}
