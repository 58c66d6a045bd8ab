#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The steps of action.yml, whose inputs come as environment variables. What a pull request holds is data here: none of its
# files is run, nothing that it named is printed where the runner takes commands, nothing is written through its links, and
# a step reads what an earlier one left in a folder of the runner, never an output (docs/security.md).
#
# usage: github-action.sh build | check | comment | result
set -eu
state=$RUNNER_TEMP/npu-partition
scripts=$GITHUB_ACTION_PATH/python/src/npu_partition

# Runs a command while the runner takes none from the log: in both of its forms, until the word comes that only this
# process knows. One stream, so that the words stand round all that is printed.
unheard() {
	word=$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')
	ended=0
	echo "::stop-commands::$word"
	"$@" 2>&1 || ended=$?
	echo "::$word::"
	return $ended
}

# The tool: the one that is named, or one that packaging/get.sh gets.
get_tool() {
	[ -n "$TOOL" ] || TOOL=$(sh "$GITHUB_ACTION_PATH/packaging/get.sh" "$state/tool") || return 1
	echo "$TOOL" >"$state/path"
	"$TOOL" --version
}

build() {
	mkdir -p "$state"
	unheard get_tool
}

# Of a pull request: the models of the merge base, as a baseline for --before, in the file before. Without Python, or
# where git does not have them, there is none.
find_before() {
	[ -n "${GITHUB_BASE_REF-}${NPU_PARTITION_BASE-}" ] && command -v python3 >/dev/null || return 0
	"$tool" check --format json --output "$left/before.json" "$@" 2>/dev/null || [ $? -le 3 ] || return 0
	python3 -I "$scripts/merge_base.py" "$tool" "$left/before.json" "$left/before" "$@" || true
}

# The same check in another format. One that ends otherwise than the first has not seen the same.
document() {
	format=$1 file=$2
	shift 2
	ended=0
	"$tool" check --format "$format" --output "$left/$file" "$@" 2>/dev/null || ended=$?
	[ $ended -eq $status ] && return
	echo "npu-partition: check --format $format ended with $ended, not with $status"
	exit 4
}

# Where a workflow wants a file: a folder of the checkout must not lead out of it, and a link there is replaced.
place() {
	folder=$(cd -P -- "$(dirname -- "$2")" && pwd)
	top=$(cd -P -- "$GITHUB_WORKSPACE" && pwd)
	case $2 in
	/*) inside=${2#"$GITHUB_WORKSPACE"/} ;;
	*) inside= ;;
	esac
	case $folder/ in
	"$top"/*) ;;
	*) [ "$inside" = "$2" ] || { echo "npu-partition: $2: its folder leads out of the checkout"; exit 4; } ;;
	esac
	rm -f -- "$2"
	cp -- "$1" "$2"
}

# Text for the log, which says what fails; then the same models in the other formats. Ends well where the check ended as
# it should, whatever it found: `result` is the step that then fails.
check() {
	tool=$(cat "$state/path")
	left=$state/check
	rm -rf -- "$left"
	mkdir -p "$left"
	# The runner reads the outputs of this file after all others of the step.
	printf 'status=\nreport=\nsarif=\n' >>"$GITHUB_OUTPUT"
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

	unheard find_before "$@"
	[ ! -e "$left/before" ] || set -- --before "$left/before" "$@"
	status=0
	unheard "$tool" check "$@" || status=$?
	echo "status=$status" >>"$GITHUB_OUTPUT"
	case $status in
	0 | 1 | 3) ;;
	*) exit $status ;; # nothing was checked, or not all
	esac

	document markdown report.md "$@"
	document json found.json "$@"
	cat "$left/report.md" >>"$GITHUB_STEP_SUMMARY"
	echo "report=$left/report.md" >>"$GITHUB_OUTPUT"
	if [ -n "$SARIF" ]; then
		document sarif report.sarif "$@"
		place "$left/report.sarif" "$SARIF"
		echo "sarif=$SARIF" >>"$GITHUB_OUTPUT"
	fi
	if [ "$ANNOTATIONS" = true ]; then
		document github annotations "$@"
		grep -E '^::(error|warning|notice) ' "$left/annotations" || true
		unheard grep -vE '^::(error|warning|notice) ' "$left/annotations" || true
	fi
	echo $status >"$left/status"
}

# One comment a pull request, updated in place. Without the right to write comments the check stands as it is.
comment() {
	unheard python3 -I "$scripts/merge_comment.py" "$state/check/found.json" "$state/check/report.md" ||
		echo "npu-partition: no comment was written; the job needs \`permissions: pull-requests: write\`"
}

result() {
	exit "$(cat "$state/check/status")"
}

"$1"
