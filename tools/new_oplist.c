/* SPDX-License-Identifier: Apache-2.0
 *
 * An op list that explains itself, for who begins one.
 */
#include "new_oplist.h"

#include <string.h>

static const char before_name[] =
    "format 1\n"
    "# An op list: what one target takes, and why. docs/oplist-format.md has the whole language.\n"
    "# Check it with --check-oplist FILE, use it with --oplist FILE, see it with --oplist FILE --describe NAME.\n"
    "#\n"
    "# To change a few ops of a built-in list instead, write `include hexagon` here, and then only those ops.\n"
    "target ";

static const char after_name[] =
    " \"the chip and the runtime that reaches it\"\n"
    "toolchain \"sdk 1.0\"                     # what the rules describe\n"
    "standing from documents\n"
    "source \"operator guide 1.0\"              # of every rule that names none of its own\n"
    "\n"
    "# switches float                        # yes-or-no properties; users write +float or -float\n"
    "# variant small \"first generation\"\n"
    "# variant big with float \"second generation\"\n"
    "# default big\n"
    "\n"
    "partitioner waves                       # ONNX Runtime's; or runs: neighbours in the file's order\n"
    "bodies cpu \"the runtime offers no bodies of If, Loop and Scan\"\n"
    "# layout nhwc Conv MaxPool              # ops whose activations the NPU wants in another layout\n"
    "# through Relu Add                      # ops that work in either\n"
    "\n"
    "# What it costs: low, typical, high. Say `assumed` where nobody has measured.\n"
    "cost phone-cpu                       # or pc-cpu, board-cpu, micro-cpu\n"
    "param launch_ms 0.05 0.2 1 assumed \"no measurement\"\n"
    "param copy_gb_per_s 4 10 25 assumed \"host memory copies\"\n"
    "param layout_gb_per_s 2 5 12 assumed \"host memory copies\"\n"
    "param matrix_tops 1 4 15 assumed \"no measurement\"\n"
    "param matrix_tops of w8a8 2 8 30 assumed \"no measurement\"\n"
    "param memory_gb_per_s 10 30 60 assumed \"no measurement\"\n"
    "param move_gb_per_s 10 40 100 assumed \"no measurement\"\n"
    "param depthwise_gops 10 50 200 assumed \"no measurement\"\n"
    "param pool_gops 10 50 200 assumed \"no measurement\"\n"
    "param normalize_gops 10 50 200 assumed \"no measurement\"\n"
    "param function_gops 10 50 200 assumed \"no measurement\"\n"
    "param elementwise_gops 20 100 400 assumed \"no measurement\"\n"
    "\n"
    "define floats: float32 float16\n"
    "\n"
    "every static: static(*) \"every shape must be fixed\"\n"
    "\n"
    "# Rules that ops share.\n"
    "define typed(x, types)\n"
    "  need type: dtype(x) in types \"the element type of {x} must be {types}\"\n"
    "define ranked(x, ranks)\n"
    "  need rank: rank(x) in ranks \"the rank of {x} must be {ranks}\"\n"
    "\n"
    "# One `op` line for each op that the target takes. No line: the op stays on the CPU.\n"
    "op Add\n"
    "  use typed(inputs, floats) ranked(inputs, ..4)\n"
    "op Conv\n"
    "  use typed(X, floats) ranked(X, 4)\n"
    "  need weight: const(W) \"the weight must be constant\"\n"
    "  maybe kernel: dim(W, 2) <= 11 and dim(W, 3) <= 11 \"the kernel must be at most 11 by 11\" \\\n"
    "    because \"larger ones are not documented\"\n"
    "op Relu\n"
    "  use typed(inputs, floats) ranked(inputs, ..4)\n";

bool write_new_oplist(const char *name, npart_write_callback write, void *payload)
{
    size_t length = strlen(name);
    static const char allowed[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789-";
    bool is_name = length && strspn(name, allowed) == length && strcspn(name, "0123456789-") > 0;
    if (!is_name || name[length - 1] == '-')
        return false;
    /* What cannot be written is told when the output is closed. */
    (void)(write(payload, before_name, sizeof before_name - 1) && write(payload, name, length) &&
           write(payload, after_name, sizeof after_name - 1));
    return true;
}
