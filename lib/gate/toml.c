/* SPDX-License-Identifier: Apache-2.0
 *
 * Tables of TOML, and who may add to which.
 */
#include <stdio.h>

#include "gate/toml_reader.h"

#define SLOTS (2 * NPART_MOST_PROJECT_VALUES) /* a power of two */

/* How a table or array came to be decides who may add to it. */
enum origin {
    BY_PATH,    /* a part of a longer heading: a heading of its own may follow */
    BY_HEADING, /* [x], or an element of [[x]]: only longer headings may add */
    BY_DOTS,    /* x in x.y = 1: entries of the same section may add, and longer headings */
    BY_VALUE,   /* {} and []: whole as it stands */
    BY_LIST     /* the array of [[x]] */
};

struct node {
    struct npart__toml value;
    const struct npart__toml_document *document;
    const struct node *container; /* of an entry of a table */
    enum origin origin;
    uint32_t section; /* of BY_DOTS */
    uint32_t depth;
};

struct npart__toml_document {
    struct npart__arena *arena;
    char *bytes, *text;
    struct node *root;
    struct node **entries; /* of all tables, by table and key; SLOTS of them */
    struct npart__hash_key key;
    uint32_t value_count, section_count;
};

struct part {
    const char *key;
    size_t bytes;
    uint32_t at;
};

struct path {
    struct part parts[NPART_MOST_PROJECT_DEPTH];
    uint32_t count;
};

/* ---- problems ----------------------------------------------------------------------------------------------- */

static void find_place(const char *bytes, size_t at, uint32_t *line, uint32_t *column)
{
    size_t start = 0;
    *line = *column = 1;
    for (size_t i = 0; i < at; i++)
        if (bytes[i] == '\n') {
            ++*line;
            start = i + 1;
        }
    for (; start < at; start++)
        *column += ((unsigned char)bytes[start + 1] & 0xc0) != 0x80;
}

bool npart__toml_fail(struct npart__toml_reader *reader, size_t at, const char *format, ...)
{
    struct npart__toml_problem *problem = reader->problem;
    if (*problem->text)
        return false;
    NPART__FORMAT(problem->text, format);
    find_place(reader->bytes, at, &problem->line, &problem->column);
    return false;
}

const char *npart__toml_show(const struct npart__toml_reader *reader, size_t at, char *out)
{
    unsigned char c = (unsigned char)reader->bytes[at];
    if (at >= reader->count)
        (void)snprintf(out, 24, "the end of the file");
    else if (c == '\n' || c == '\r')
        (void)snprintf(out, 24, "the end of the line");
    else if (c < 0x20 || c == 0x7f)
        (void)snprintf(out, 24, "U+%04X", c);
    else
        (void)snprintf(out, 24, "'%.*s'", c < 0x80 ? 1 : c < 0xe0 ? 2 : c < 0xf0 ? 3 : 4, reader->bytes + at);
    return out;
}

static bool fail_at_key(struct npart__toml_reader *reader, const struct part *part, const char *problem)
{
    return npart__toml_fail(reader, part->at, "%.80s %s", part->key, problem);
}

/* ---- the tree ----------------------------------------------------------------------------------------------- */

/* Every value is the first member of its node. */
static struct node *node_of(const struct npart__toml *value)
{
    return (struct node *)(size_t)value;
}

/* The slot of an entry, or the free one where it would be. */
static struct node **slot_of(const struct node *table, const char *key, size_t bytes)
{
    const struct npart__toml_document *document = table->document;
    uint64_t at = npart__mix(npart__hash_bytes(&document->key, key, bytes), (uint64_t)(uintptr_t)table);
    for (;; at++) {
        struct node **slot = &document->entries[at & (SLOTS - 1)];
        const struct node *node = *slot;
        if (!node || (node->container == table && node->value.key_bytes == bytes &&
                      memcmp(node->value.key, key, bytes) == 0))
            return slot;
    }
}

static struct node *find(const struct node *table, const char *key, size_t bytes)
{
    return *slot_of(table, key, bytes);
}

static struct node *new_node(struct npart__toml_reader *reader, size_t at)
{
    struct npart__toml_document *document = reader->document;
    if (document->value_count == NPART_MOST_PROJECT_VALUES) {
        (void)npart__toml_fail(reader, at, "there are more than %d values", NPART_MOST_PROJECT_VALUES);
        return NULL;
    }
    struct node *node = npart__arena_zeroed(document->arena, 1, sizeof *node);
    if (!node) {
        (void)npart__toml_fail(reader, at, "out of memory");
        return NULL;
    }
    document->value_count++;
    node->document = document;
    node->value.at = (uint32_t)at;
    return node;
}

static struct node *add_node(struct npart__toml_reader *reader, struct node *container, const struct part *part,
                             size_t at)
{
    struct node *node = container->depth < NPART_MOST_PROJECT_DEPTH ? new_node(reader, at) : NULL;
    if (!node) {
        (void)npart__toml_fail(reader, at, "tables and arrays are nested more than %d deep", NPART_MOST_PROJECT_DEPTH);
        return NULL;
    }
    node->depth = container->depth + 1;
    if (part) {
        node->value.key = part->key;
        node->value.key_bytes = part->bytes;
        node->value.key_at = part->at;
        node->container = container;
        *slot_of(container, part->key, part->bytes) = node;
    }
    struct npart__toml *value = &container->value;
    if (value->as.members.last)
        value->as.members.last->next = &node->value;
    else
        value->as.members.first = &node->value;
    value->as.members.last = &node->value;
    value->as.members.count++;
    return node;
}

static struct node *add_table(struct npart__toml_reader *reader, struct node *container, const struct part *part,
                              size_t at,
                              enum origin origin)
{
    struct node *node = add_node(reader, container, part, at);
    if (node) {
        node->value.kind = NPART__TOML_TABLE;
        node->origin = origin;
        node->section = reader->section;
    }
    return node;
}

/* ---- keys --------------------------------------------------------------------------------------------------- */

static void skip_blanks(struct npart__toml_reader *reader)
{
    reader->at += strspn(reader->bytes + reader->at, " \t");
}

static bool take(struct npart__toml_reader *reader, char c)
{
    bool is_there = reader->bytes[reader->at] == c && reader->at < reader->count;
    reader->at += is_there;
    return is_there;
}

static bool read_part(struct npart__toml_reader *reader, struct part *part)
{
    static const char allowed[] = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-_";
    const char *from = reader->bytes + reader->at;
    char shown[24];
    part->at = (uint32_t)reader->at;
    if (*from == '"' || *from == '\'')
        return npart__toml_read_string(reader, true, &part->key, &part->bytes);
    part->bytes = strspn(from, allowed);
    if (!part->bytes)
        return npart__toml_fail(reader, reader->at, "expected a key, found %s",
                                npart__toml_show(reader, reader->at, shown));
    char *copy = reader->text + reader->text_used;
    memcpy(copy, from, part->bytes);
    copy[part->bytes] = '\0';
    reader->text_used += part->bytes + 1;
    reader->at += part->bytes;
    part->key = copy;
    return true;
}

/* Parts with dots between them, and blanks round all. */
static bool read_path(struct npart__toml_reader *reader, struct path *path)
{
    path->count = 0;
    do {
        skip_blanks(reader);
        if (path->count == NPART_MOST_PROJECT_DEPTH)
            return npart__toml_fail(reader, reader->at, "a key has more than %d parts", NPART_MOST_PROJECT_DEPTH);
        if (!read_part(reader, &path->parts[path->count++]))
            return false;
        skip_blanks(reader);
    } while (take(reader, '.'));
    return true;
}

/* ---- values ------------------------------------------------------------------------------------------------- */

static bool read_value(struct npart__toml_reader *reader, struct node *container, const struct part *part);

/* Blanks, comments and ends of lines. */
static bool skip_comment(struct npart__toml_reader *reader)
{
    char shown[24];
    skip_blanks(reader);
    if (!take(reader, '#'))
        return true;
    while (reader->at < reader->count && !npart__toml_line_end(reader, reader->at)) {
        unsigned char c = (unsigned char)reader->bytes[reader->at];
        if ((c < 0x20 && c != '\t') || c == 0x7f)
            return npart__toml_fail(reader, reader->at, "%s must not stand in a comment",
                             npart__toml_show(reader, reader->at, shown));
        reader->at++;
    }
    return true;
}

static bool skip_lines(struct npart__toml_reader *reader)
{
    size_t end;
    do {
        if (!skip_comment(reader))
            return false;
        end = npart__toml_line_end(reader, reader->at);
        reader->at += end;
    } while (end);
    return true;
}

/* The table that the last part of the path belongs in, by the rules of x.y = 1. */
static struct node *open_dotted(struct npart__toml_reader *reader, struct node *table, const struct path *path)
{
    for (uint32_t i = 0; i + 1 < path->count && table; i++) {
        const struct part *part = &path->parts[i];
        struct node *child = find(table, part->key, part->bytes);
        if (!child) {
            table = add_table(reader, table, part, part->at, BY_DOTS);
            continue;
        }
        bool is_table = child->value.kind == NPART__TOML_TABLE;
        bool is_ours = child->origin == BY_PATH || (child->origin == BY_DOTS && child->section == reader->section);
        if (!is_table || !is_ours) {
            (void)fail_at_key(reader, part, is_table ? "is a table that was made elsewhere: add to it there"
                                                     : "has a value already, which is no table");
            return NULL;
        }
        child->origin = BY_DOTS;
        child->section = reader->section;
        table = child;
    }
    return table;
}

static bool read_entry(struct npart__toml_reader *reader, struct node *table)
{
    struct path path = {.count = 0};
    char shown[24];
    if (!read_path(reader, &path))
        return false;
    const struct part *last = &path.parts[path.count - 1];
    if (!take(reader, '='))
        return npart__toml_fail(reader, reader->at, "expected = after the key, found %s",
                         npart__toml_show(reader, reader->at, shown));
    skip_blanks(reader);
    struct node *parent = open_dotted(reader, table, &path);
    if (!parent)
        return false;
    if (find(parent, last->key, last->bytes))
        return fail_at_key(reader, last, "has a value already");
    return read_value(reader, parent, last);
}

static bool read_inline_table(struct npart__toml_reader *reader, struct node *table)
{
    size_t start = reader->at++;
    uint32_t section = reader->section;
    reader->section = ++reader->document->section_count;
    skip_blanks(reader);
    if (!take(reader, '}')) {
        do {
            if (!read_entry(reader, table))
                return false;
            skip_blanks(reader);
        } while (take(reader, ','));
        if (!take(reader, '}'))
            return npart__toml_fail(reader, npart__toml_line_end(reader, reader->at) ? start : reader->at,
                             npart__toml_line_end(reader, reader->at) ? "a table in { } must stand on one line"
                                                               : "expected , or } in this table");
    }
    reader->section = section;
    return true;
}

static bool read_array(struct npart__toml_reader *reader, struct node *array)
{
    size_t start = reader->at++;
    for (;;) {
        if (!skip_lines(reader))
            return false;
        if (take(reader, ']'))
            return true;
        bool is_read = reader->at < reader->count && read_value(reader, array, NULL) && skip_lines(reader);
        if (reader->at == reader->count)
            return npart__toml_fail(reader, start, "the array is not closed by ]");
        if (!is_read)
            return false;
        if (take(reader, ']'))
            return true;
        if (!take(reader, ','))
            return npart__toml_fail(reader, reader->at, "expected , or ] in this array");
    }
}

static bool read_value(struct npart__toml_reader *reader, struct node *container, const struct part *part)
{
    char c = reader->bytes[reader->at];
    struct node *node = add_node(reader, container, part, reader->at);
    if (!node)
        return false;
    struct npart__toml *value = &node->value;
    node->origin = BY_VALUE;
    value->kind = c == '[' ? NPART__TOML_ARRAY : c == '{' ? NPART__TOML_TABLE : NPART__TOML_STRING;
    if (c == '[')
        return read_array(reader, node);
    if (c == '{')
        return read_inline_table(reader, node);
    if (c == '"' || c == '\'')
        return npart__toml_read_string(reader, false, &value->as.text.bytes, &value->as.text.count);
    return npart__toml_read_scalar(reader, value);
}

/* ---- headings ----------------------------------------------------------------------------------------------- */

/* The table that a part of a heading names, which is not its last. */
static struct node *open_child(struct npart__toml_reader *reader, struct node *table, const struct part *part)
{
    struct node *child = find(table, part->key, part->bytes);
    if (!child)
        return add_table(reader, table, part, part->at, BY_PATH);
    if (child->origin == BY_LIST)
        return node_of(child->value.as.members.last);
    if (child->value.kind == NPART__TOML_TABLE && child->origin != BY_VALUE)
        return child;
    (void)fail_at_key(reader, part, child->value.kind == NPART__TOML_TABLE
                      ? "is a table in { }, to which nothing can be added"
                                                                    : "has a value already, which is no table");
    return NULL;
}

static struct node *open_table(struct npart__toml_reader *reader, struct node *parent, const struct part *part)
{
    struct node *child = find(parent, part->key, part->bytes);
    if (!child)
        return add_table(reader, parent, part, part->at, BY_HEADING);
    if (child->value.kind != NPART__TOML_TABLE || child->origin != BY_PATH) {
        (void)fail_at_key(reader, part, child->origin == BY_LIST ? "is an array of tables: [[...]] adds one to it"
                                        : child->value.kind == NPART__TOML_TABLE ? "is a table that is there already"
                                                                          : "has a value already, which is no table");
        return NULL;
    }
    child->origin = BY_HEADING;
    return child;
}

static struct node *open_element(struct npart__toml_reader *reader, struct node *parent, const struct part *part)
{
    struct node *list = find(parent, part->key, part->bytes);
    if (list && list->origin != BY_LIST) {
        (void)fail_at_key(reader, part, "is no array of tables that [[...]] has made");
        return NULL;
    }
    if (!list) {
        list = add_node(reader, parent, part, part->at);
        if (!list)
            return NULL;
        list->value.kind = NPART__TOML_ARRAY;
        list->origin = BY_LIST;
    }
    return add_table(reader, list, NULL, part->at, BY_HEADING);
}

static struct node *read_heading(struct npart__toml_reader *reader)
{
    struct path path = {.count = 0};
    struct node *table = reader->document->root;
    bool is_element = reader->bytes[reader->at + 1] == '[';
    reader->at += is_element ? 2 : 1;
    reader->section = ++reader->document->section_count;
    if (!read_path(reader, &path))
        return NULL;
    if (!take(reader, ']') || (is_element && !take(reader, ']'))) {
        (void)npart__toml_fail(reader, reader->at, "expected %s after the name of the table", is_element ? "]]" : "]");
        return NULL;
    }
    for (uint32_t i = 0; i + 1 < path.count && table; i++)
        table = open_child(reader, table, &path.parts[i]);
    if (!table)
        return NULL;
    return (is_element ? open_element : open_table)(reader, table, &path.parts[path.count - 1]);
}

/* ---- the document ------------------------------------------------------------------------------------------- */

size_t npart__toml_line_end(const struct npart__toml_reader *reader, size_t at)
{
    if (reader->bytes[at] == '\n')
        return 1;
    return reader->bytes[at] == '\r' && reader->bytes[at + 1] == '\n' ? 2 : 0;
}

/* Bytes of the UTF-8 character there: 0 where it is none. The NUL at the end stops what is cut. */
static size_t character_length(const unsigned char *at)
{
    size_t length = at[0] < 0x80 ? 1 : at[0] < 0xc2 ? 0 : at[0] < 0xe0 ? 2 : at[0] < 0xf0 ? 3 : at[0] < 0xf5 ? 4 : 0;
    for (size_t i = 1; i < length; i++)
        if ((at[i] & 0xc0) != 0x80)
            return 0;
    if ((at[0] == 0xe0 && at[1] < 0xa0) || (at[0] == 0xed && at[1] >= 0xa0) || (at[0] == 0xf0 && at[1] < 0x90) ||
        (at[0] == 0xf4 && at[1] >= 0x90))
        return 0; /* written longer than it is, a half of a pair, or past the last */
    return length;
}

static bool check_encoding(struct npart__toml_reader *reader)
{
    for (size_t at = 0, length; at < reader->count; at += length) {
        length = character_length((const unsigned char *)reader->bytes + at);
        if (!length)
            return npart__toml_fail(reader, at, "byte 0x%02x is not UTF-8", (unsigned char)reader->bytes[at]);
    }
    return true;
}

static bool read_lines(struct npart__toml_reader *reader)
{
    struct node *table = reader->document->root;
    char shown[24];
    if (strncmp(reader->bytes, "\xef\xbb\xbf", 3) == 0)
        reader->at = 3; /* the mark that some editors put first */
    for (;;) {
        if (!skip_lines(reader))
            return false;
        if (reader->at == reader->count)
            return true;
        if (reader->bytes[reader->at] == '[')
            table = read_heading(reader);
        else if (!read_entry(reader, table))
            return false;
        if (!table || !skip_comment(reader))
            return false;
        if (reader->at < reader->count && !npart__toml_line_end(reader, reader->at))
            return npart__toml_fail(reader, reader->at, "expected the end of the line, found %s",
                             npart__toml_show(reader, reader->at, shown));
    }
}

static bool start(struct npart__toml_document *document, const char *bytes, size_t count)
{
    struct npart__arena *arena = document->arena;
    document->bytes = npart__arena_copy_text(arena, bytes, count);
    document->text = npart__arena_allocate(arena, count + 1);
    document->entries = npart__arena_zeroed(arena, SLOTS, sizeof *document->entries);
    document->root = npart__arena_zeroed(arena, 1, sizeof *document->root); /* not counted as a value */
    if (!document->bytes || !document->text || !document->entries || !document->root)
        return false;
    npart__hash_key_init(&document->key);
    document->root->document = document;
    document->root->value.kind = NPART__TOML_TABLE;
    document->root->origin = BY_HEADING;
    return true;
}

const struct npart__toml_document *npart__toml_read(struct npart__arena *arena, const char *bytes, size_t count,
                                                    struct npart__toml_problem *problem)
{
    *problem = (struct npart__toml_problem){0};
    if (count > NPART_MOST_PROJECT_BYTES) {
        (void)snprintf(problem->text, sizeof problem->text, "the file has more than %d bytes",
                       NPART_MOST_PROJECT_BYTES);
        return NULL;
    }
    struct npart__toml_document *document = npart__arena_zeroed(arena, 1, sizeof *document);
    if (document)
        document->arena = arena;
    if (!document || !start(document, bytes, count)) {
        (void)snprintf(problem->text, sizeof problem->text, "out of memory");
        return NULL;
    }
    struct npart__toml_reader reader = {.bytes = document->bytes, .count = count, .text = document->text,
                                        .document = document, .problem = problem};
    return check_encoding(&reader) && read_lines(&reader) ? document : NULL;
}

const struct npart__toml *npart__toml_root(const struct npart__toml_document *document)
{
    return &document->root->value;
}

const struct npart__toml *npart__toml_find(const struct npart__toml *table, const char *key)
{
    const struct node *found = find(node_of(table), key, strlen(key));
    return found ? &found->value : NULL;
}

void npart__toml_place(const struct npart__toml_document *document, uint32_t at, uint32_t *line, uint32_t *column)
{
    find_place(document->bytes, at, line, column);
}

const char *npart__toml_kind_text(enum npart__toml_kind kind)
{
    static const char *const texts[NPART__TOML_KINDS] = {
        [NPART__TOML_STRING] = "a string", [NPART__TOML_INTEGER] = "an integer", [NPART__TOML_FLOAT] = "a float",
        [NPART__TOML_BOOLEAN] = "true or false", [NPART__TOML_OFFSET_TIME] = "a date with a time",
        [NPART__TOML_LOCAL_DATE_TIME] = "a date with a time", [NPART__TOML_LOCAL_DATE] = "a date",
            [NPART__TOML_LOCAL_TIME] = "a time",
        [NPART__TOML_ARRAY] = "an array", [NPART__TOML_TABLE] = "a table"};
    return texts[kind];
}
