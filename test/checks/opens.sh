#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What the tool asks of the system, as docs/security.md promises it: which files it opens, that external data is not
# among them, that what it writes gets its place at the end, that it makes no socket and starts no program.
#
# usage: opens.sh TOOL MAKE_MODEL FIXTURE
set -eu
tool=$(realpath "$1") make_model=$(realpath "$2") fixture=$(realpath "$3")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
if ! strace -qq -o trace true 2>/dev/null; then
	echo "not checked: strace is not installed, or may not trace"
	exit 0
fi

# Runs the tool. `opened` has a line for each file that is there, without those of the system: r, or w, and the path.
trace() {
	strace -f -qq -o trace -e trace=%file,%network,%process "$tool" "$@" >out 2>err || [ $? = 1 ] || { cat err; exit 1; }
	sed -n 's/^[0-9]* *open\(at\)*([^"]*"\([^"]*\)", \([A-Z_|]*\).* = [0-9][0-9]*$/\3 \2/p' trace |
		grep -vE ' (/lib|/usr/|/etc/ld\.so|/proc/|/sys/|/dev/)' |
		sed 's/^[A-Z_|]*\(O_WRONLY\|O_RDWR\)[A-Z_|]* /w /; s/^O_[A-Z_|]* /r /; s/\.[-0-9]*\.part$/.part/; s|^w .*/report|w report|' |
		sort -u >opened
	[ "$(grep -c 'execve(' trace)" = 1 ] || fail "starts a program"
	! grep -qE '^[0-9]* *(socket|connect|bind|sendto|recvfrom)\(' trace || fail "asks for the network"
	! grep -qE '^[0-9]* *(symlink|link|mknod|chmod|chown|unlink)(at)?\(' trace || fail "changes other files"
}
fail() {
	echo "$1: $(grep execve trace)"
	cat trace
	exit 1
}
expect() {
	printf '%s\n' "$@" | sort -u >wanted
	diff wanted opened || fail "opens other files than it promises (<)"
}

cp "$fixture" model.onnx
printf 'opset 17\ninput x float32[4096]\ninit w float32[4096]\nnode a = Add(x, w)\nnode y = Det(a)\noutput y\n' |
	"$make_model" >external.onnx
head -c 16384 /dev/zero >weights.bin
grep -q weights.bin external.onnx

trace model.onnx --target all
expect "r model.onnx"
trace external.onnx --target hexagon --format json
expect "r external.onnx"
trace external.onnx --shapes
expect "r external.onnx"
for format in json html svg csv sarif; do
	trace model.onnx --target hexagon --format "$format" --output "report-$format"
	expect "r model.onnx" "w report-$format.part"
	grep -q "rename(\"[^\"]*/report-$format.[0-9]*-0.part\", \"[^\"]*/report-$format\") = 0" trace || fail "is not put in place"
done
printf 'param launch_ms 1 2 3\n' >figures.cost
printf 'format 1\ntarget mine "Mine"\nop Conv\n  maybe static(X) "sizes"\n' >mine.ops
trace model.onnx --oplist mine.ops
expect "r model.onnx" "r mine.ops"
trace diff model.onnx external.onnx --target hexagon
expect "r external.onnx" "r model.onnx"
# A model that is written stands beside its place until it is whole, and is read once more to prove it.
trace fix model.onnx --target hexagon --output fixed.onnx
expect "r fixed.onnx.part" "r model.onnx" "w fixed.onnx.part"
grep -q 'rename("fixed.onnx.[0-9]*-[0-9]*.part", "fixed.onnx") = 0' trace || fail "is not put in place"
trace fix model.onnx --target hexagon --dry-run
expect "r model.onnx"
trace annotate external.onnx --target hexagon --output noted.onnx
grep -vE '\.part$' opened >rest && mv rest opened
expect "r external.onnx"
echo "files that are opened, no sockets, no programs: as promised"
