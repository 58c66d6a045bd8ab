#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Installs, on Debian or a system made from it, what is missing to build; with `tests`, what the tests need too; with
# `fuzz`, what the fuzzers need: clang, and its runtime of sanitizers and libFuzzer, a package of its own; with `shells`,
# the shells whose completion is tested; with `debian`, what builds and tests Debian packages; with `page`, what checks
# the scripts of the HTML page; with `web`, what tests pages in a browser; with `spark`, what tests the Spark job and
# the recipe for GNU parallel; with `analyzers`, what looks for defects in the source; with `cross`, what builds and runs
# programs of other machines; with `packaging`, what checks and runs the files of other package managers; with
# `release`, what builds a release and runs it as far as this machine can.
#
# usage: tools/setup.sh [tests | fuzz | shells | debian | page | web | spark | analyzers | cross | packaging | release]
set -eu
packages="gcc make libc6-dev protobuf-c-compiler libprotobuf-c-dev uthash-dev libsqlite3-dev"
[ "${1-}" = tests ] && packages="$packages g++ chromium chromium-driver clang cmake git graphviz groff-base mandoc pkgconf python3 python3-selenium python3-venv strace"
[ "${1-}" = fuzz ] && packages="$packages afl++ clang libclang-rt-dev python3"
[ "${1-}" = analyzers ] && packages="$packages clang-tidy cppcheck"
[ "${1-}" = shells ] && packages="$packages bash zsh fish"
[ "${1-}" = debian ] && packages="$packages pkgconf python3 xz-utils dpkg-dev debhelper fakeroot lintian mmdebstrap"
[ "${1-}" = web ] && packages="chromium chromium-driver emscripten firefox-esr node-acorn nodejs poppler-utils python3 python3-selenium python3-venv python3-websocket"
[ "${1-}" = spark ] && packages="$packages default-jre-headless parallel python3 python3-venv"
[ "${1-}" = cross ] && packages="$packages clang gcc-i686-linux-gnu libc6-dev-i386-cross gcc-s390x-linux-gnu libc6-dev-s390x-cross mmdebstrap musl-tools python3 qemu-user"
[ "${1-}" = packaging ] && packages="$packages cmake protobuf-compiler python3 python3-venv rubocop ruby xz-utils"
[ "${1-}" = release ] && packages="$packages binutils buildah curl file git mmdebstrap musl python3 python3-venv qemu-user wine wine64"
[ "${1-}" = page ] && packages="nodejs node-typescript"

missing=
for package in $packages; do
	dpkg-query --show --showformat '${Status}' "$package" 2>/dev/null | grep -q ' installed$' || missing="$missing $package"
done
[ -n "$missing" ] || exit 0
echo "installing$missing"
as_root=
[ "$(id -u)" = 0 ] || as_root=sudo
# One word each, so without quotes.
$as_root apt-get update -qq
$as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $missing >/dev/null
