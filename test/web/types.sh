#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The page's scripts as TypeScript reads them: their names, types and calls. They share one scope, as in the page.
set -eu
cd "$(dirname "$0")/../.."
sh tools/setup.sh page
scripts=$(sed -n '/^#/d; /\.js$/s|^|web/page/|p' web/page/files)
tsc --allowJs --checkJs --noEmit --target es2020 --lib es2021,dom,dom.iterable $scripts
# In one scope a second function of a name takes the place of the first, and nobody says so.
twice=$(sed -nE 's/^(async )?function (\w+).*/\2/p; s/^(const|let) (\w+).*/\2/p' $scripts | sort | uniq -d)
[ -z "$twice" ] || { echo "declared in two of web/page/*.js: $twice" >&2; exit 1; }
# What the bundle joins has one "use strict"; nothing else may hold markup, styles or code as text.
for script in $scripts; do
	! grep -nE 'innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(|new Function|setAttribute\("style' "$script" ||
		{ echo "$script: only text becomes part of the page" >&2; exit 1; }
done
long=$(awk 'length > 120 { print FILENAME ":" FNR }' web/page/*.js web/page/*.css)
[ -z "$long" ] || { echo "longer than 120 columns: $long" >&2; exit 1; }
echo "page: types are in order"
