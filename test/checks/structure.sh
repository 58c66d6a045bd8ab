#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The rules of CONTRIBUTING.md that a script can see. Prints what breaks them.
set -eu
cd "$(dirname "$0")/../.."
stages="base read/wire read/onnx target/schema target/release target/oplist analysis/graph analysis/infer analysis/compiled analysis/session analysis/work plan/judge plan/partition plan/memory plan/precision plan/cause plan/cost plan plan/module runtime/onnxruntime runtime/openvino runtime/qnn runtime api change/edit change/rewrite change/choose change/cache change/split change/fix change/weights change/quantize change/advice compare/diff compare/place report runs many gate"
failed=0
complain() {
	echo "structure: $*" >&2
	failed=1
}

# A stage includes headers of its own and of earlier stages only, so a folder of lib/ those of earlier folders.
before=
for stage in $stages; do
	before="$before ${stage##*/}"
	for file in lib/"$stage"/*.[ch]; do
		for included in $(sed -n 's/^#include "\([a-z]*\)\/.*/\1/p' "$file" | sort -u); do
			case " $before " in
			*" $included "*) ;;
			*) complain "$file includes a header of $included, a later stage" ;;
			esac
		done
	done
done
for folder in $(find lib -name '*.[ch]' -exec dirname {} + | sort -u); do
	case " $stages " in
	*" ${folder#lib/} "*) ;;
	*) complain "$folder is no stage" ;;
	esac
done
[ -z "$(printf '%s\n' $stages | sed 's,/.*,,' | uniq | sort | uniq -d)" ] || complain "stages of one folder do not stand together"

# protobuf-c is seen by onnx and by the files that build the graph; uthash by one file.
for file in $(grep -l '#include.*\(pb-c\.h\|protobuf-c\)' $(find lib -name '*.[ch]')); do
	case $file in
	lib/read/onnx/* | lib/analysis/graph/build.h | lib/change/edit/edit_internal.h | lib/change/split/internal.h) ;;
	*) complain "$file includes protobuf-c" ;;
	esac
done
for file in $(grep -l 'include <uthash' $(find lib -name '*.[ch]')); do
	[ "$file" = lib/base/strings.c ] || complain "$file includes uthash"
done

# What reports know of a plan is in the public header, so that others can be written.
if grep -n '#include "' lib/report/*.[ch] | grep -v '"base/\|"report/\|"record_\|"npu_partition/'; then
	complain "a report includes an internal header"
fi

# The tool contains no analysis: it knows the public header, and the operating system as the library does.
if grep -n '#include "' tools/*.[ch] | grep -v '"npu_partition.h"\|"base/platform.h"\|"gate/bounds.def"\|"printed_files.h"\|"record_columns.h"\|"record_reader.h"' | while IFS=: read -r file line text; do
	header=${text#*\"}
	[ -f "tools/${header%\"*}" ] || echo "$file:$line:$text"
done | grep .; then
	complain "the tool includes an internal header"
fi

# The library never prints, exits or aborts, but for failed assertions of the debug build.
if grep -nE '\b(printf|fprintf|puts|putchar|exit|abort|perror)\(' $(find lib -name '*.c') | grep -v '^lib/base/debug.c:' | grep -vE '^[^:]*:[0-9]+: *(/\*|\*)'; then
	complain "the library prints or exits"
fi

# Names in a log are no commands: all that the tool prints goes through one file.
if grep -nE '\b(printf|puts|putchar|perror)\(|\b(fprintf|fputs|fputc|putc|fwrite|vfprintf)\(.*std(out|err)' tools/*.c | grep -v '^tools/printed.c:'; then
	complain "this is printed past tools/printed.c"
fi

# What the operating system does is asked in one place of the library and one of the tool, so that both run elsewhere.
if grep -nE '#include <(sys/|unistd|fcntl|dirent|io\.h|windows)|\b(fopen|isatty|realpath|getcwd|rename|remove)\(|_WIN32' $(find lib -name '*.[ch]') tools/*.[ch] |
	grep -v '/platform_[a-z]*\.c:\|^lib/report/places.c:.*_WIN32'; then
	complain "this belongs to lib/base/platform.h or tools/platform.h"
fi

# Which operators are treated in a way of their own is data: lines of op lists, and tables.
sed -n 's/^OPERATOR("[^"]*", \("[^"]*"\).*/\1/p' lib/target/schema/operators.def | sort -u >"${TMPDIR:-/tmp}/structure.$$"
if grep -nFf "${TMPDIR:-/tmp}/structure.$$" lib/plan/partition/*.[ch] lib/plan/judge/*.[ch] lib/runtime/openvino/*.[ch] lib/runtime/qnn/*.[ch]; then
	complain "a file of lib/plan/partition, lib/plan/judge or a provider names an operator"
fi
rm -f "${TMPDIR:-/tmp}/structure.$$"

# Lengths. Tables (.def) are exempt.
for file in $(find lib tools include test examples -name '*.[ch]'); do
	lines=$(wc -l <"$file")
	[ "$lines" -le 800 ] || complain "$file has $lines lines"
	awk -v file="$file" '
		length($0) > 120 { printf "structure: %s:%d: %d columns\n", file, NR, length($0); bad = 1 }
		/^{/ { start = NR }
		/^}/ && start { if (NR - start > 100) { printf "structure: %s:%d: a function of %d lines\n", file, start, NR - start; bad = 1 }; start = 0 }
		END { exit bad }' "$file" >&2 || failed=1
done

# What a person reads uses the field's words: no sentence of an op list and no text of a report has these.
words='behind|of run time|is open|victims?|alike|twins?|given back|merged into|before the run|hands? over|typically'
grep -nE "\"[^\"]*\<($words)\>[^\"]*\"" oplists/*.ops oplists/*.rewrites lib/report/*.c lib/plan/cause/*.c lib/api/*.c lib/change/*/*.c lib/change/*/*.def lib/analysis/*/*.c lib/runtime/*/*.c \
	lib/target/oplist/*.c tools/*.c | grep -vE 'source "[^"]*$|^[^:]*:[0-9]*: *#|"cut_behind|"victims|\<PREDICATE|behind_(layout|transpose)' >&2 &&
	complain "words that are replaced by others"
# The same of comments, tests and pages; names of the JSON's fields and of rules stay.
words='behind|of run time|victims?|twins?|merged into|before the run|breaks on|refused (nodes?|units?)'
grep -rnwE "$words" --include='*.[ch]' --include='*.def' --include='*.py' --include='*.md' --include='*.ops' --include='*.mk' Makefile make README.md \
	CONTRIBUTING.md docs lib include tools examples test oracles oplists |
	grep -vE '^docs/evidence/|[`".{\]victims|\<victims = |need behind:' >&2 && complain "words that are replaced by others"
for list in oplists/*.ops; do
	awk -v list="$list" 'length($0) > 120 { printf "structure: %s:%d: %d columns\n", list, FNR, length($0); bad = 1 }
		END { exit bad }' "$list" >&2 || failed=1
done

# What is tracked is source: named by a pattern of files.txt, small, and nothing that a compiler or a kernel made.
# Without git, as in an unpacked tarball, there is nothing to ask.
most_bytes=1100000
if [ -e .git ]; then
	scratch=$(mktemp -d)
	sed '/^ *\(#\|$\)/d; s/.*/:(glob)&/' test/checks/files.txt >"$scratch/patterns"
	git ls-files | LC_ALL=C sort >"$scratch/tracked"
	tr '\n' '\0' <"$scratch/patterns" | xargs -0 git ls-files -- | LC_ALL=C sort >"$scratch/named"
	LC_ALL=C comm -23 "$scratch/tracked" "$scratch/named" >"$scratch/unnamed"
	while read -r file; do complain "$file: no pattern of test/checks/files.txt names it"; done <"$scratch/unnamed"
	while read -r pattern; do
		[ -n "$(git ls-files -- "$pattern")" ] || complain "test/checks/files.txt: ${pattern#*)} names no file"
	done <"$scratch/patterns"
	git ls-files -z | xargs -0 stat -c '%s %n' >"$scratch/sizes"
	while read -r bytes file; do
		[ "$bytes" -le "$most_bytes" ] || complain "$file has $bytes bytes, more than $most_bytes"
	done <"$scratch/sizes"
	git ls-files -z | LC_ALL=C xargs -0 -r grep -las "$(printf '^\177ELF')" >"$scratch/binaries" || :
	while read -r file; do complain "$file is a program, or the memory of one (ELF)"; done <"$scratch/binaries"
	rm -rf "$scratch"
fi

# One licence line a file.
for file in $(find lib tools include test oracles examples fixtures -name '*.[ch]' -o -name '*.py' -o -name '*.sh' -o -name '*.def'); do
	head -3 "$file" | grep -q 'SPDX-License-Identifier: Apache-2.0' || complain "$file has no licence line"
done

[ $failed = 0 ] && echo "structure: stages, lengths and licences are in order"
exit $failed
