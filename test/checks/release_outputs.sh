# SPDX-License-Identifier: Apache-2.0
# What a tool of a release is held to: JSON of every fixture on all targets, text, a model that is fixed. For scripts that
# set $native, the folder with what this machine's own tool writes, and $scratch, $version, $failed.

complain() { echo "check-release: $*" >&2; failed=1; }
# FOLDER PLACE COMMAND...: what the command writes, run in PLACE, which has fixtures/.
outputs() {
	to=$1 place=$2
	shift 2
	mkdir -p "$to"
	(
		cd "$place"
		for model in fixtures/*.onnx; do
			"$@" "$model" --target all --format json >"$to/$(basename "$model").json" 2>/dev/null ||
				echo "exit $?" >>"$to/$(basename "$model").json"
		done
		"$@" fixtures/*.onnx --target hexagon >"$to/text" 2>/dev/null || echo "exit $?" >>"$to/text"
		"$@" fix fixtures/detector.dynamo.onnx --target hexagon -o fixed.onnx -q >/dev/null 2>&1 || true
		mv fixed.onnx "$to/" 2>/dev/null || true
	)
	[ -s "$to/text" ] && [ -s "$to/fixed.onnx" ] || complain "$* reports nothing"
}
# PLATFORM HOW PLACE COMMAND...
compare_outputs() {
	platform=$1 how=$2
	shift 2
	outputs "$scratch/$platform" "$@"
	shift
	"$@" --version | grep -q "$version" || complain "$platform has another version"
	if diff -qr "$native" "$scratch/$platform" >"$scratch/diff"; then
		count=$(ls fixtures/*.onnx | wc -l)
		echo "check-release: $platform: the same bytes on $count fixtures and all targets ($how)"
	else
		head -5 "$scratch/diff"
		for file in $(sed -n 's/^Files .* and \(.*\) differ$/\1/p' "$scratch/diff" | head -5); do
			cmp "$native/$(basename "$file")" "$file" || tail -c 100 "$file"
		done
		complain "$platform answers otherwise ($how)"
	fi
	rm -rf "${scratch:?}/$platform"
}
