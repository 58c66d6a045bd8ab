#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# cppcheck with all of its checks but those below. Fails when it has something to say.
#
# usage: test/analysis/cppcheck.sh [OPTION...] FILE...
#
# Off, by their groups:
# - What is named after what a reader sees: a declaration names a parameter for its callers, a definition, in which it
#   stands in every line, shorter; a variable may have the name of a function, which C tells apart.
# - What one file cannot tell: whether a member of a header's structure is used by another.
# - Buffers stand with the other variables at the head of a function.
# - gmtime and readdir in the tool: the one before there are threads, the other on a folder of its own.
# - That other choices of #ifdef are not looked at: the one that is compiled is.
# - `continue` as the last statement of a branch says that the rest of the loop is not for it.
set -eu
off="funcArgNamesDifferent shadowFunction unusedStructMember redundantContinue variableScope gmtimeCalled readdirCalled toomanyconfigs"
suppressed=
for id in $off; do
	suppressed="$suppressed --suppress=$id"
done
# One word each, so without quotes.
exec cppcheck --quiet --std=c11 --library=posix --enable=warning,style,performance,portability --inconclusive \
	--inline-suppr --error-exitcode=1 --max-configs=1 --template='{file}:{line}: {message} [{id}]' $suppressed \
	-Iinclude -Ilib -Ilib/read -Ilib/target -Ilib/analysis -Ilib/plan -Ilib/change -Ilib/compare -Itest -I. "$@"
