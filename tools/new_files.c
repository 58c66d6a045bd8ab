/* SPDX-License-Identifier: Apache-2.0
 *
 * Files that explain themselves, for who begins one: an op list (new.ops), a project file (new.toml).
 */
#include "tool.h"

#include "printed_files.h"

/* A text with the words in the place of the marks before them, up to a NULL; what cannot be written is told when the
 * output is closed. */
static bool write_filled(struct run *run, const char *text, const char *const *words)
{
    bool is_written = true;
    for (; *words && is_written; words += 2) {
        const char *mark = strstr(text, words[0]);
        is_written = write_output(run, text, (size_t)(mark - text)) && write_text(run, words[1]);
        text = mark + strlen(words[0]);
    }
    return is_written && write_text(run, text);
}

bool write_new_oplist(struct run *run, const char *name)
{
    size_t length = strlen(name);
    static const char allowed[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789-";
    bool is_name = length && strspn(name, allowed) == length && strcspn(name, "0123456789-") > 0;
    if (!is_name || name[length - 1] == '-')
        return false;
    (void)write_filled(run, TEXT_new_ops, (const char *const[]){"@NAME@", name, NULL});
    return true;
}

/* As the project file has it: "./" before it is nothing. */
static const char *plain_path(const char *path)
{
    while (path[0] == '.' && path[1] == '/')
        path += 2 + strspn(path + 2, "/");
    return path;
}

/* As a string of TOML: only quotes, backslashes and control characters are escaped. */
static void add_toml(struct text *text, const char *more)
{
    text_add(text, "\"");
    for (; *more; more++) {
        char piece[8];
        bool is_quoted = *more == '"' || *more == '\\';
        bool is_control = (unsigned char)*more < 0x20 || *more == 0x7f;
        (void)snprintf(piece, sizeof piece, is_quoted ? "\\%c" : is_control ? "\\u%04x" : "%c", *more);
        text_add(text, piece);
    }
    text_add(text, "\"");
}

/* As an array of TOML. */
static const char *array_of(const char *const *texts, int count)
{
    struct text out = {0};
    text_add(&out, "[");
    for (int i = 0; i < count; i++) {
        text_add(&out, i ? ", " : "");
        add_toml(&out, plain_path(texts[i]));
    }
    text_add(&out, "]");
    return text_kept(&out);
}

enum exit_status write_new_config(struct run *run, const struct options *options)
{
    static const char *const target[] = {"hexagon"}, *const path[] = {"**/*.onnx"};
    int target_count = options->target_count, count = options->model_count;
    for (int i = 0; i < count; i++) {
        const char *problem = npart_glob_problem(plain_path(options->models[i]));
        if (!problem)
            continue;
        say("%s: a project file cannot name it: %s", options->models[i], problem);
        return EXIT_USAGE;
    }
    const char *targets = array_of(target_count ? options->targets : target, target_count ? target_count : 1);
    const char *paths = array_of(count ? (const char *const *)options->models : path, count ? count : 1);
    const char *const words[] = {"@TARGETS@", targets, "@PATHS@", paths, NULL};
    return write_filled(run, TEXT_new_toml, words) ? EXIT_FINE : EXIT_OTHER;
}
