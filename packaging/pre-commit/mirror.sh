#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# usage: mirror.sh VERSION FOLDER   Brings the mirror repository in FOLDER to a version: a commit and a tag, unless it is
# there already. Pushes nothing.
set -eu
version=$1 here=$(cd "$(dirname "$0")" && pwd)
cd "$2"
git rev-parse -q --verify "refs/tags/v$version" >/dev/null && exit 0
cp "$here/.pre-commit-hooks.yaml" "$here/README.md" "$here/../../LICENSE" .
sed "s/npu-partition==[0-9.]*/npu-partition==$version/" "$here/pyproject.toml" >pyproject.toml
git add .pre-commit-hooks.yaml README.md LICENSE pyproject.toml
git diff --cached --quiet || git commit -q -m "npu-partition $version"
git tag "v$version"
