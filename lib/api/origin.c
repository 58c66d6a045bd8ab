/* SPDX-License-Identifier: Apache-2.0
 *
 * PyTorch's exporters note on each node the Python stack and the module path it came from. Dynamo, as metadata:
 *   pkg.torch.onnx.stack_trace   File "/home/me/model.py", line 41, in forward ...     (the innermost frame last)
 *   pkg.torch.onnx.name_scopes, namespace   the module (lib/plan/module/names.c)
 * TorchScript, in the documentation of the node (with verbose=True), and in its name (lib/analysis/graph/modules.c):
 *   /home/me/model.py(41): forward                                                    (the innermost frame first)
 */
#include "api/api.h"
#include "module/module.h"

/* No system has a longer path; it is told at every node that has it. */
#define MOST_FILE_BYTES 4096u

/* Whose file a frame is in, the most telling last. */
enum owner { OWNER_NONE, OWNER_PACKAGE, OWNER_USER };

/* Points into a trace, which is not terminated after the name. */
struct frame {
    const char *file;
    size_t file_bytes;
    int64_t line;
};

/* The file's name is a part of a longer text and not terminated, so strstr does not do. Windows writes paths
 * with backslashes, so a slash stands for either. `part` is written with slashes. Names are short, so every
 * place is tried. */
static bool contains(const struct frame *frame, const char *part)
{
    size_t length = strlen(part);
    for (size_t i = 0; i + length <= frame->file_bytes; i++) {
        size_t same = 0;
        while (same < length && (frame->file[i + same] == '\\' ? '/' : frame->file[i + same]) == part[same])
            same++;
        if (same == length)
            return true;
    }
    return false;
}

/* Code that PyTorch generates has a name like "<eval_with_key>.42", which is no file; some of its own files
 * stand in traces without the folder that they are installed in. A line of the exporter's own library made no node of
 * the user's, and is told as no place at all; one of another package is, as that may be the model. What is in none of
 * these folders is taken for the user's own. */
static enum owner owner_of(const struct frame *frame)
{
    static const char *const exporters[] = {"-packages/torch/", "-packages/onnxscript/", "-packages/onnx/",
                                            "-packages/tf2onnx/", "-packages/skl2onnx/"};
    static const char *const bare[] = {"torch/", "onnxscript/"}; /* without the folder */
    static const char *const packages[] = {"site-packages/", "dist-packages/", "/lib/python3"};
    if (frame->file_bytes == 0 || frame->file_bytes > MOST_FILE_BYTES || *frame->file == '<')
        return OWNER_NONE;
    for (size_t i = 0; i < sizeof bare / sizeof *bare; i++)
        if (frame->file_bytes > strlen(bare[i]) && memcmp(frame->file, bare[i], strlen(bare[i])) == 0)
            return OWNER_NONE;
    for (size_t i = 0; i < sizeof exporters / sizeof *exporters; i++)
        if (contains(frame, exporters[i]))
            return OWNER_NONE;
    for (size_t i = 0; i < sizeof packages / sizeof *packages; i++)
        if (contains(frame, packages[i]))
            return OWNER_PACKAGE;
    return OWNER_USER;
}

static void put_frame(const struct frame *frame, struct npart_origin *out)
{
    out->file = frame->file;
    out->file_bytes = frame->file_bytes;
    out->line = frame->line;
}

/* The bound keeps a long row of digits from overflowing; no file has so many lines. */
static int64_t number_at(const char *digit)
{
    int64_t line = 0;
    for (; *digit >= '0' && *digit <= '9' && line < INT32_MAX; digit++)
        line = line * 10 + (*digit - '0');
    return line;
}

/* The innermost frame of the most telling owner: of a model from a package, that package's.
 * Frames come with the outermost first, so of one owner the last that is met stays. A name without its end is
 * the end of what can be read: the text was cut. */
static void find_frame(const char *trace, struct npart_origin *out)
{
    static const char opening[] = "File \"", after[] = "\", line ";
    enum owner found = OWNER_NONE;
    for (const char *at = strstr(trace, opening); at; at = strstr(at, opening)) {
        struct frame frame = {.file = at + sizeof opening - 1};
        const char *end = strchr(frame.file, '"');
        if (!end)
            return;
        at = end;
        if (strncmp(end, after, sizeof after - 1) != 0)
            continue;
        frame.file_bytes = (size_t)(end - frame.file);
        frame.line = number_at(end + sizeof after - 1);
        enum owner owner = owner_of(&frame);
        if (owner == OWNER_NONE || owner < found)
            continue;
        found = owner;
        put_frame(&frame, out);
    }
}

/* "FILE.py(LINE): FUNCTION", up to the end of the line. Other programs document nodes in words. A name may hold
 * parentheses itself, so each ".py(" is tried until one has a number and ")" after it. `text` is terminated
 * somewhere after `length`, and no digit is a line feed, so nothing is read past the line. */
static bool read_frame(const char *text, size_t length, struct frame *out)
{
    static const char suffix[] = ".py(";
    for (size_t i = 1; i + sizeof suffix < length; i++) {
        if (memcmp(text + i, suffix, sizeof suffix - 1) != 0)
            continue;
        const char *digits = text + i + sizeof suffix - 1;
        size_t count = strspn(digits, "0123456789");
        if (count == 0 || strncmp(digits + count, "): ", 3) != 0)
            continue;
        *out = (struct frame){.file = text, .file_bytes = i + 3, .line = number_at(digits)};
        return true;
    }
    return false;
}

/* The same of a trace whose first line is the innermost. From the tracer on come the exporter and who called it.
 * So the first frame of an owner stays, and a frame of the user ends the search. A line that is no frame ends
 * the trace; where it is the first, the text is documentation and tells no place. */
static void find_traced_frame(const char *doc, struct npart_origin *out)
{
    enum owner found = OWNER_NONE;
    while (*doc && found != OWNER_USER) {
        size_t length = strcspn(doc, "\n");
        struct frame frame;
        if (!read_frame(doc, length, &frame) || contains(&frame, "torch/jit/_trace.py"))
            return;
        enum owner owner = owner_of(&frame);
        if (owner > found) {
            found = owner;
            put_frame(&frame, out);
        }
        doc += length + (doc[length] == '\n');
    }
}

/* A module whose name is empty is the model itself, and is not told. */
static void put_module(const char *name, size_t length, struct npart_origin *out)
{
    if (length == 0)
        return;
    out->module = name;
    out->module_bytes = length;
}

/* Everything points into the model's own texts, none of it terminated. A node without such notes has an empty
 * origin, which is no failure. Metadata goes before documentation, as a file that has both was made by the newer
 * exporter; and the module that metadata names before that of the node's name, where a tool may have put words
 * in front. */
bool npart_model_node_origin(const npart_model *model, uint32_t node, struct npart_origin *out)
{
    if (!model || node >= model->graph->nodes.count || !NPART__HAS_ROOM(out))
        return false;
    const struct npart__node *at = npart__node_at(model->graph, node);
    const char *trace = npart__node_metadata(at, "pkg.torch.onnx.stack_trace");
    const char *doc = npart__node_doc(at);
    struct npart__module_path module;
    *out = (struct npart_origin){.size = sizeof *out};
    if (trace)
        find_frame(trace, out);
    else if (doc)
        find_traced_frame(doc, out);
    if (npart__module_of_metadata(at, &module))
        put_module(module.text, module.bytes, out);
    if (!out->module && at->module)
        put_module(at->module, strlen(at->module), out);
    return true;
}
