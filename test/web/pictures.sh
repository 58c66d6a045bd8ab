#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The pictures of docs/web.md, as the page looks now; needs pngquant and optipng. Look at them before they go in.
#
# usage: pictures.sh TOOL MODELS OUT   MODELS: what make_models.py writes; run in the repository's folder
set -eu
tool=$1 models=$2 out=$3
python=${WEB_PYTHON:-/usr/bin/python3}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cp fixtures/lraspp-mobilenetv3.ts13.onnx fixtures/gpt2-decode.ts13.p127.onnx fixtures/distilbert-base.ts14.dyn.onnx \
	"$models/large.onnx" "$folder"
tool=$(realpath "$tool") here=$(pwd)
# picture NAME HEIGHT COMMAND... -- ARGUMENT OF SHOOT.PY...
picture() {
	name=$1 height=$2
	shift 2
	words=
	while [ "$1" != -- ]; do words="$words $1"; shift; done
	shift
	# One word each, so without quotes.
	(cd "$folder" && "$tool" $words --format html >"$name.html")
	"$python" test/web/shoot.py "$folder/$name.html$node" "$folder/$name.png" --height "$height" \
		--wait 'document.querySelector("#lane, #lane-after")' "$@" >/dev/null
	pngquant --force --quality 60-90 --speed 1 --strip --output "$here/$out/page-$name.png" "$folder/$name.png"
	optipng -quiet "$here/$out/page-$name.png"
}
node=
picture cnn 1000 lraspp-mobilenetv3.ts13.onnx --target rknn -- --width 1100
picture large 990 large.onnx --target hexagon -- --width 1100
picture fix 1460 fix distilbert-base.ts14.dyn.onnx --target hexagon --dim batch=1 --dim sequence=128 --dry-run -- \
	--width 1100
node='#n=417'
picture decoder 1080 gpt2-decode.ts13.p127.onnx --target hexagon -- --width 1280 --dark
