/* SPDX-License-Identifier: Apache-2.0 */
#include "tool.h"

#include "printed_files.h"

/* What is asked: a word's beginning, of which `kept` bytes stay as they are ("--target=", "hexagon,"). */
struct question {
    const char *text;
    size_t kept;
};

/* Values that the table of options does not spell out. */
static const struct {
    const char *option, *words;
} known_values[] = {
    {"detail", "summary causes nodes tensors"},
    {"runtime", "bare onnxruntime tflite coreml"},
    {"partitioner", "waves runs connected single whole prefix qnn openvino"},
};

static void offer(struct question question, const char *word, size_t length, const char *help)
{
    const char *begun = question.text + question.kept;
    if (strncmp(begun, word, strlen(begun)) == 0 && strlen(begun) <= length)
        print_format(stdout, "%.*s%.*s%s%s\n", (int)question.kept, question.text, (int)length, word,
                     *help ? "\t" : "", help);
}

/* Words with one of these characters between them. */
static void offer_words(struct question question, const char *words, const char *between)
{
    for (size_t length; *words; words += length + strspn(words + length, between)) {
        length = strcspn(words, between);
        offer(question, words, length, "");
    }
}

/* What begins after the last of these characters. */
static struct question after_last(struct question question, char mark)
{
    const char *last = strrchr(question.text + question.kept, mark);
    if (last)
        question.kept = (size_t)(last + 1 - question.text);
    return question;
}

/* ---- targets ----------------------------------------------------------------------------------------------- */

/* The lines "    v73 (aliases) +switch  title" of a description, below "variants". */
static void offer_variants_of(struct question question, char *description)
{
    char *line = strstr(description, "\nvariants");
    line = line ? strchr(line + 1, '\n') : NULL;
    for (char *next; line && (strncmp(line, "\n    ", 5) == 0 || strncmp(line, "\n  * ", 5) == 0); line = next) {
        char *name = line + 5;
        size_t length = strcspn(name, " \n");
        next = strchr(name, '\n');
        if (next)
            *next = '\0';
        char *title = strstr(name, "  ");
        offer(question, name, length, title ? title + 2 : "");
        if (next)
            *next = '\n';
    }
}

static void offer_variants(struct question question, const char *target, size_t length)
{
    npart_oplist *list = NULL;
    struct text text = {0};
    if (npart_oplist_find(&list, text_as("%.*s", (int)length, target), NULL, NULL) == NPART_OK &&
        npart_oplist_describe(list, NULL, text_write, &text, NULL) == NPART_OK)
        offer_variants_of(question, text_kept(&text));
    npart_oplist_free(list);
}

static void offer_targets(struct question question)
{
    question = after_last(question, ',');
    const char *target = question.text + question.kept, *colon = strchr(target, ':');
    if (colon) {
        offer_variants(after_last(question, ':'), target, (size_t)(colon - target));
        return;
    }
    for (size_t i = 0; npart_builtin_oplist(i); i++) {
        const char *name = npart_builtin_oplist(i);
        struct npart_oplist_info info = {.size = sizeof info};
        npart_oplist *list = NULL;
        bool is_known = npart_oplist_find(&list, name, NULL, NULL) == NPART_OK && npart_oplist_info(list, &info);
        offer(question, name, strlen(name), is_known ? info.title : "");
        npart_oplist_free(list);
    }
    offer(question, "all", 3, "every built-in target");
}

/* ---- values ------------------------------------------------------------------------------------------------ */

/* The rows below an option that are words which it takes. */
static bool offer_rows_below(struct question question, const struct option_row *option)
{
    const struct option_row *row;
    size_t first = (size_t)(option - option_at(0)) + 1, at = first;
    for (; (row = option_at(at)) != NULL && !row->name && row->value; at++)
        offer(after_last(question, ','), row->value, strlen(row->value), row->help);
    return at > first;
}

static void offer_values(struct question question, const struct option_row *option)
{
    const char *value = option->value, *equals = strchr(value, '=');
    for (size_t i = 0; i < sizeof known_values / sizeof known_values[0]; i++)
        if (strcmp(known_values[i].option, option->name) == 0) {
            offer_words(question, known_values[i].words, " ");
            return;
        }
    if (offer_rows_below(question, option))
        return;
    if (strncmp(value, "TARGET", 6) == 0)
        offer_targets(question);
    else if (strstr(value, "FOLDER"))
        print_format(stdout, ":folders\n");
    else if (strstr(value, "FILE"))
        print_format(stdout, ":files\n");
    else if (equals && strchr(equals, '|') && strchr(question.text + question.kept, '='))
        offer_words(after_last(question, '='), equals + 1, "|");
    else if (!equals && strchr(value, '|'))
        offer_words(question, value, "|");
}

/* ---- words ------------------------------------------------------------------------------------------------- */

static void offer_options(struct question question, const struct word *word)
{
    const struct option_row *option;
    for (size_t i = 0; (option = option_at(i)) != NULL; i++)
        if (option->name && option_goes_with(option, word))
            offer(question, text_as("--%s", option->name), strlen(option->name) + 2, option->help);
}

static void offer_commands(struct question question)
{
    for (size_t i = 0; word_at(i); i++)
        offer(question, word_at(i)->name, strlen(word_at(i)->name), word_at(i)->summary);
}

bool complete(int count, char **words)
{
    const struct word *word = NULL;
    struct question question = {words[count - 1], 0};
    const struct option_row *option = NULL;
    const char *value;
    bool takes_value = false, only_models = false, is_first = true;
    for (int i = 0; i + 1 < count; i++) {
        bool is_value = takes_value;
        takes_value = false;
        if (is_value)
            continue;
        if (!only_models && words[i][0] == '-' && words[i][1]) {
            only_models = strcmp(words[i], "--") == 0;
            option = find_option(words[i], word, &value);
            takes_value = option && option->value && !value;
            continue;
        }
        if (is_first && !only_models)
            word = find_word(words[i]);
        is_first = false;
    }
    bool is_long = !only_models && strncmp(question.text, "--", 2) == 0;
    if (!takes_value)
        option = is_long ? find_option(question.text, word, &value) : NULL;
    if (takes_value) {
        offer_values(question, option);
    } else if (option && value) {
        question.kept = (size_t)(value - question.text);
        if (option->value)
            offer_values(question, option);
    } else if (!only_models && question.text[0] == '-') {
        offer_options(question, word);
    } else {
        if (is_first && !only_models)
            offer_commands(question);
        bool takes_models = !word || strncmp(word->usage + (word->usage[0] == '['), "MODEL", 5) == 0;
        print_format(stdout, "%s\n", takes_models ? ":models" : ":files");
    }
    return fflush(stdout) == 0;
}

/* Each script does one thing: it gives the words of the line to `npu-partition --complete`, and offers the lines that
 * come back. Bash breaks words at "=" and ":", and wants what follows the last of these. */
const char *completion_script(const char *shell)
{
    static const struct {
        const char *shell, *script;
    } scripts[] = {
        {"bash", TEXT_completion_bash}, {"zsh", TEXT_completion_zsh}, {"fish", TEXT_completion_fish}};
    for (size_t i = 0; i < sizeof scripts / sizeof scripts[0]; i++)
        if (strcmp(scripts[i].shell, shell) == 0)
            return scripts[i].script;
    return NULL;
}
