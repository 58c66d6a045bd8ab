#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Build what ask_providers.py asks: ONNX Runtime's NNAPI and CoreML providers, as far as GetCapability answers, on Linux.

usage: sudo python3 providers_build.py FOLDER [--jobs 2] [--mirror http://deb.debian.org/debian]

Needs root, debootstrap (Debian's package), python3-venv, 3 GB of disk, 1.5 GB of memory a job, and Debian's mirror and
PyPI; nothing else. It makes, each unless it is there:

  FOLDER/trixie       Debian 13 with g++ and the libraries that ONNX Runtime 1.21 is built with there (debootstrap)
  FOLDER/trixie/src   Debian's source of onnxruntime, its checksum as in Debian's signed list of sources
  FOLDER/trixie/out   objects of the two providers and of what they call: graph, framework, layout transformation. No
                      kernel is compiled. What is never called is left unresolved by the linker
  FOLDER/env          a Python environment with onnxruntime 1.21.0, whose session prepares the models
  FOLDER/ask          the program, by its loader: asks one provider about one model

Core ML's format is read from the descriptors in PyPI's coremltools. About 150 files; see docs/evidence/fidelity-onnxruntime.md for
the time it takes. Delete an object to have it compiled again.
"""
import argparse
import ast
import concurrent.futures
import hashlib
import os
import pathlib
import re
import shutil
import subprocess
import sys
import zipfile

SUITE, VERSION, UPSTREAM = "trixie", "1.21.0+dfsg-1", "1.21.0"
PACKAGES = ("g++ libonnx-dev libprotobuf-dev protobuf-compiler libflatbuffers-dev libmsgsl-dev libsafeint-dev "
            "libhowardhinnant-date-dev libboost-dev nlohmann-json3-dev libeigen3-dev libcpuinfo-dev").split()
COREMLTOOLS = "coremltools==8.2"

# Of onnxruntime/ in the source; a name without a star that is not there stops the build.
SOURCES = """
core/common/*.cc core/common/logging/*.cc core/common/logging/sinks/*.cc
core/platform/env.cc core/platform/env_time.cc core/platform/path_lib.cc core/platform/telemetry.cc core/platform/posix/*.cc
core/flatbuffers/*.cc core/graph/*.cc core/graph/contrib_ops/*.cc
core/framework/allocator.cc core/framework/callback.cc core/framework/config_options.cc core/framework/data_types.cc
core/framework/endian_utils.cc core/framework/error_code.cc core/framework/execution_provider.cc
core/framework/kernel_type_str_resolver.cc core/framework/model_metadef_id_generator.cc core/framework/murmurhash3.cc
core/framework/node_unit.cc core/framework/op_node_proto_helper.cc core/framework/prepacked_weights.cc
core/framework/sparse_utils.cc core/framework/tensor.cc core/framework/tensor_external_data_info.cc
core/framework/tensor_shape.cc core/framework/tensor_type_and_shape.cc core/framework/tensorprotoutils.cc
core/framework/utils.cc
core/optimizer/initializer.cc core/optimizer/utils.cc core/optimizer/qdq_transformer/qdq_util.cc
core/optimizer/qdq_transformer/selectors_actions/qdq_selectors.cc
core/optimizer/qdq_transformer/selectors_actions/shared/utils.cc core/optimizer/selectors_actions/helpers.cc
core/optimizer/layout_transformation/*.cc core/optimizer/transpose_optimization/*.cc
core/providers/utils.cc core/providers/partitioning_utils.cc core/providers/shared/utils/utils.cc
core/providers/nnapi/nnapi_builtin/nnapi_execution_provider.cc core/providers/nnapi/nnapi_builtin/nnapi_api_helper.cc
core/providers/nnapi/nnapi_builtin/builders/*.cc core/providers/nnapi/nnapi_builtin/builders/impl/*.cc
core/providers/nnapi/nnapi_builtin/nnapi_lib/*_stub.cc
core/providers/nnapi/nnapi_builtin/nnapi_lib/NeuralNetworksWrapper.cc
core/providers/coreml/*.cc core/providers/coreml/builders/*.cc core/providers/coreml/builders/impl/*.cc
""".split()
# What makes models, runs them, or has threads.
LEFT_OUT = re.compile(r"threadpool|model_builder\.cc|shaper\.cc|provider_factory\.cc|windows|syslog")

FLAGS = ("-std=c++17 -O0 -g0 -w -fPIC -ffunction-sections -fdata-sections -DONNX_NAMESPACE=onnx -DONNX_ML=1 -DDISABLE_ABSEIL "
         "-DEIGEN_MPL2_ONLY -DEIGEN_USE_THREADS -DPLATFORM_POSIX -D_GNU_SOURCE -DENABLE_ORT_FORMAT_LOAD -DORT_ENABLE_STREAM "
         "-DUSE_NNAPI=1 -DUSE_COREML=1 -DCOREML_ENABLE_MLPROGRAM=1 -DCPUINFO_SUPPORTED -I. -I../include/onnxruntime "
         "-I../include/onnxruntime/core/session -I/out/gen -I/out/gen/coreml_proto -I/usr/include/eigen3 "
         "-I/usr/include/safeint").split()
# Headers that nearly every file includes, compiled once; <optional> and others are missing in some for this compiler.
COMMON = """#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>
#include "core/common/common.h"
#include "core/common/logging/logging.h"
#include "core/common/safeint.h"
#include "core/framework/execution_provider.h"
#include "core/framework/tensorprotoutils.h"
#include "core/graph/graph.h"
#include "core/graph/graph_viewer.h"
#include "core/graph/onnx_protobuf.h"
#include "core/optimizer/initializer.h"
#include "core/platform/env.h"
#include "core/providers/common.h"
#include "core/providers/shared/utils/utils.h"
"""
COREML = """#include "common_pch.h"
#include "core/providers/coreml/builders/helper.h"
#include "core/providers/coreml/builders/impl/base_op_builder.h"
#include "core/providers/coreml/builders/impl/builder_utils.h"
#include "core/providers/coreml/builders/model_builder.h"
"""
CONFIG = f'#pragma once\n#define ORT_BUILD_INFO "providers alone"\n#define ORT_VERSION "{UPSTREAM}"\n'
# In the place of the level that the provider is compiled for where it does not run on Android.
LEVEL = "extern int asked_level;\n"


def run(*command, **options):
    return subprocess.run([str(word) for word in command], check=True, **options)


# ---- what is downloaded ----------------------------------------------------------------------------------------


def make_debian(folder, mirror):
    root = folder / SUITE
    if not (root / "usr/bin/g++").exists():
        run("debootstrap", "--variant=minbase", f"--include={','.join(PACKAGES)}", SUITE, root, mirror)
    return root


def fetch_source(folder, root, mirror):
    """Debian's tar file alone: its patches are for a build against shared libraries, of which none is made here."""
    if (root / "src/VERSION_NUMBER").is_file():
        return
    apt = folder / "apt"
    for name in ("lists/partial", "cache/archives/partial"):
        (apt / name).mkdir(parents=True, exist_ok=True)
    (apt / "sources").write_text(
        f"deb-src [signed-by={root}/usr/share/keyrings/debian-archive-keyring.gpg] {mirror} {SUITE} main\n")
    (apt / "conf").write_text(f'Dir::Etc::sourcelist "{apt}/sources";\nDir::Etc::sourceparts "-";\n'
                              f'Dir::State::lists "{apt}/lists";\nDir::Cache "{apt}/cache";\n')
    environment = dict(os.environ, APT_CONFIG=str(apt / "conf"))
    run("apt-get", "update", env=environment)
    # A mirror may lack the small files beside it.
    subprocess.run(["apt-get", "source", "--download-only", f"onnxruntime={VERSION}"], cwd=apt, env=environment, check=False)
    told = run("apt-cache", "showsrc", "onnxruntime", env=environment, capture_output=True, text=True).stdout
    archive = apt / f"onnxruntime_{UPSTREAM}+dfsg.orig.tar.xz"
    if not archive.is_file() or hashlib.sha256(archive.read_bytes()).hexdigest() not in told:
        sys.exit(f"{archive.name} was not to be had whole from {mirror}")
    (root / "src").mkdir(exist_ok=True)
    run("tar", "-C", root / "src", "--strip-components=1", "-xf", archive)


def mend_source(root):
    """Without Abseil InlinedVector<bool> has no array; it stands in what writes a model, which is never called."""
    path = root / "src/onnxruntime/core/providers/coreml/builders/impl/slice_op_builder.cc"
    path.write_text(re.sub(r"AsSpan\((begin|end)_mask_values\)", "gsl::span<const bool>()", path.read_text()))


def make_environment(folder):
    python = folder / "env/bin/python"
    if not python.exists():
        run(sys.executable, "-m", "venv", folder / "env")
        run(python, "-m", "pip", "install", "-q", f"onnxruntime=={UPSTREAM}", "onnx==1.17.0", "numpy<2.3", "protobuf<6")
        run(python, "-m", "pip", "download", "-q", "--no-deps", "-d", folder / "pip", COREMLTOOLS)


def write_format(folder, root):
    """Core ML's messages for protoc, of the descriptors that coremltools has in Python."""
    from google.protobuf import descriptor_pb2  # pylint: disable=import-outside-toplevel
    files = {}
    with zipfile.ZipFile(next((folder / "pip").glob("coremltools-*.whl"))) as wheel:
        for name in wheel.namelist():
            found = re.fullmatch(r"coremltools/proto/\w+_pb2\.py", name) and re.search(
                r"""(?:AddSerializedFile\(|serialized_pb=)(b?'(?:[^'\\]|\\.)*'|b?"(?:[^"\\]|\\.)*")""", wheel.read(name).decode())
            if found:
                file = descriptor_pb2.FileDescriptorProto.FromString(ast.literal_eval(found[1]))
                files[file.name] = file
    ordered = {}

    def add(name):
        if name not in ordered:
            for needed in files[name].dependency:
                add(needed)
            ordered[name] = files[name]

    for name in sorted(files):
        add(name)
    (root / "out/coreml.descriptors").write_bytes(
        descriptor_pb2.FileDescriptorSet(file=ordered.values()).SerializeToString())
    run("chroot", root, "protoc", "--descriptor_set_in=/out/coreml.descriptors", "--cpp_out=/out/gen/coreml_proto", *ordered)


# ---- what is compiled ------------------------------------------------------------------------------------------


def sources_of(root):
    base = root / "src/onnxruntime"
    for pattern in SOURCES:
        found = sorted(base.glob(pattern))
        if not found:
            sys.exit(f"{pattern} is not in the source of {UPSTREAM}")
        yield from (path.relative_to(base) for path in found if not LEFT_OUT.search(path.name))


def compile_in(root, source, to, *flags):
    if (root / to).is_file() and (root / to).stat().st_size:
        return
    run("chroot", root, "sh", "-c", 'cd /src/onnxruntime && exec "$@"', "sh", "g++", *FLAGS, *flags, "-c", source, "-o", f"/{to}")


def compile_source(root, source):
    text = str(source)
    flags = ["-include", "coreml_pch.h" if "/coreml/" in text else "common_pch.h"]
    if "/nnapi/" in text:
        flags += ["-include", "level.h", "-DORT_NNAPI_MAX_SUPPORTED_API_LEVEL=asked_level"]
    compile_in(root, source, f"out/obj/{text.replace('/', '_')}.o", *flags)


def build(folder, root, jobs):
    generated = root / "out/gen"
    for name, text in {"onnxruntime_config": CONFIG, "level": LEVEL, "common_pch": COMMON, "coreml_pch": COREML}.items():
        (generated / f"{name}.h").write_text(text)
    for name in ("common", "coreml"):
        compile_in(root, f"/out/gen/{name}_pch.h", f"out/gen/{name}_pch.h.gch", "-x", "c++-header")
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        list(pool.map(lambda source: compile_source(root, source), sources_of(root)))
    shutil.copy(pathlib.Path(__file__).with_name("providers_ask.cc"), root / "out/providers_ask.cc")
    (root / "out/providers_ask.o").unlink(missing_ok=True)
    compile_in(root, "/out/providers_ask.cc", "out/providers_ask.o", "-include", "common_pch.h")
    run("chroot", root, "sh", "-c", LINK)
    library = (root / "usr/lib/x86_64-linux-gnu").resolve()
    (folder / "ask").write_text(f'#!/bin/sh\nexec {library}/ld-linux-x86-64.so.2 --library-path {library} '
                                f'{root.resolve()}/out/ask "$@"\n')
    (folder / "ask").chmod(0o755)


LINK = ("g++ -no-pie -o /out/ask /out/providers_ask.o /out/obj/*.o -Wl,--gc-sections -Wl,--unresolved-symbols=ignore-all "
        "-lonnx -lonnx_proto -lprotobuf -lcpuinfo -lpthread -ldl")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--mirror", default="http://deb.debian.org/debian")
    options = parser.parse_args()
    folder = options.folder.resolve()
    folder.mkdir(parents=True, exist_ok=True)
    make_environment(folder)
    python = folder / "env/bin/python"
    if pathlib.Path(sys.prefix).resolve() != (folder / "env").resolve():
        os.execv(python, [python, __file__, *sys.argv[1:]])  # which has protobuf
    root = make_debian(folder, options.mirror)
    fetch_source(folder, root, options.mirror)
    mend_source(root)
    for name in ("out/obj", "out/gen/coreml_proto"):
        (root / name).mkdir(parents=True, exist_ok=True)
    if not (root / "out/gen/coreml_proto/Model.pb.h").is_file():
        write_format(folder, root)
    build(folder, root, options.jobs)
    print(folder / "ask")


main()
