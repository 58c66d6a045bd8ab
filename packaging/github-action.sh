#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The steps of action.yml, whose inputs come as environment variables.
#
# usage: github-action.sh build | check | comment
set -eu

# Sets the output `tool`: the one that is named, or one that packaging/get.sh gets.
build() {
	[ -n "$TOOL" ] || TOOL=$(sh "$GITHUB_ACTION_PATH/packaging/get.sh" "${RUNNER_TEMP:-/tmp}/npu-partition")
	echo "tool=$TOOL" >>"$GITHUB_OUTPUT"
	"$TOOL" --version
}

scripts=$GITHUB_ACTION_PATH/python/src/npu_partition

# Of a pull request: the models of the merge base, as a baseline for --before, in the file $before. Without Python, or
# where git does not have them, there is none.
find_before() {
	before=${RUNNER_TEMP:-/tmp}/npu-partition.before
	rm -f "$before" "$before.cache"
	[ -n "${GITHUB_BASE_REF-}${NPU_PARTITION_BASE-}" ] && command -v python3 >/dev/null || return 0
	"$TOOL" check --format json --output "$found" "$@" 2>/dev/null || [ $? -le 3 ] || return 0
	python3 "$scripts/merge_base.py" "$TOOL" "$found" "$before" "$@" || true
}

# Text for the log, which says what fails; then the same models in the other formats.
check() {
	set --
	[ -z "$CONFIG" ] || set -- "$@" --config "$CONFIG"
	[ -z "$TARGET" ] || set -- "$@" --target "$TARGET"
	# One argument a line.
	old=$IFS
	IFS='
'
	set -f
	for option in $OPTIONS; do set -- "$@" "$option"; done
	set -- "$@" --
	for model in $MODELS; do set -- "$@" "$model"; done
	set +f
	IFS=$old

	report=${RUNNER_TEMP:-/tmp}/npu-partition.md
	found=${RUNNER_TEMP:-/tmp}/npu-partition.json
	find_before "$@"
	[ ! -e "$before" ] || set -- --before "$before" "$@"
	status=0
	"$TOOL" check "$@" || status=$?
	echo "status=$status" >>"$GITHUB_OUTPUT"
	[ $status -ne 2 ] || exit 2 # nothing was checked

	"$TOOL" check --format markdown --output "$report" "$@" 2>/dev/null || [ $? -le 3 ]
	"$TOOL" check --format json --output "$found" "$@" 2>/dev/null || [ $? -le 3 ]
	echo "found=$found" >>"$GITHUB_OUTPUT"
	cat "$report" >>"$GITHUB_STEP_SUMMARY"
	echo "report=$report" >>"$GITHUB_OUTPUT"
	if [ -n "$SARIF" ]; then
		"$TOOL" check --format sarif --output "$SARIF" "$@" 2>/dev/null || [ $? -le 3 ]
		echo "sarif=$SARIF" >>"$GITHUB_OUTPUT"
	fi
	[ "$ANNOTATIONS" != true ] || "$TOOL" check --format github "$@" 2>/dev/null || [ $? -le 3 ]
	exit $status
}

# One comment a pull request, updated in place. Without the right to write comments the check stands as it is.
comment() {
	python3 "$scripts/merge_comment.py" "$FOUND" "$REPORT" ||
		echo "npu-partition: no comment was written; the job needs \`permissions: pull-requests: write\`"
}

"$1"
