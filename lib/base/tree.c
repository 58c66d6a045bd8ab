/* SPDX-License-Identifier: Apache-2.0
 *
 * JSON as a tree (RFC 8259), read with one byte of looking ahead. What is wrong is told in the words of jansson, which
 * read it before.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/stream.h"

#define MOST_DEPTH 2048u
#define SHOWN_BYTES 20u /* of the text that an error is near; of a longer one nothing is shown */
#define FEW_MEMBERS 8u  /* that are looked through one by one */

enum token { TOKEN_END, TOKEN_WRONG, TOKEN_TEXT, TOKEN_INTEGER, TOKEN_REAL, TOKEN_TRUE, TOKEN_FALSE, TOKEN_NULL };

struct reader {
    struct npart__stream *input;
    struct npart__arena *arena;
    size_t most_bytes;
    unsigned flags, depth;
    char pending[5]; /* a character in UTF-8, and a NUL */
    size_t at;       /* in it: what comes next */
    bool is_end;
    struct npart__buffer saved; /* the token as it stands in the file */
    int token;                  /* enum token, or a character of punctuation */
    int64_t integer;
    double real;
    const char *text;
    size_t text_bytes;
    char *problem;
    size_t problem_bytes;
};

/* The first problem stays. */
static void fail(struct reader *reader, const char *problem)
{
    struct npart__buffer *saved = &reader->saved;
    if (*reader->problem)
        return;
    if (saved->size == 0)
        (void)snprintf(reader->problem, reader->problem_bytes, "%s near end of file", problem);
    else if (saved->size <= SHOWN_BYTES)
        (void)snprintf(reader->problem, reader->problem_bytes, "%s near '%.*s'", problem, (int)saved->size,
                       saved->data);
    else
        (void)snprintf(reader->problem, reader->problem_bytes, "%s", problem);
}

static bool fail_with(struct reader *reader, const char *format, unsigned number)
{
    char text[64];
    (void)snprintf(text, sizeof text, format, number);
    fail(reader, text);
    return false;
}

/* Memory that ends is told without a place. False, as a value that cannot be kept. */
static bool lack(struct reader *reader)
{
    if (!*reader->problem)
        (void)snprintf(reader->problem, reader->problem_bytes, "out of memory");
    return false;
}

static bool has_room(struct reader *reader)
{
    if (reader->arena->total_bytes <= reader->most_bytes)
        return true;
    if (!*reader->problem)
        (void)snprintf(reader->problem, reader->problem_bytes, "takes more than %zu MiB of memory",
                       reader->most_bytes >> 20);
    return false;
}

/* ---- characters ---------------------------------------------------------------------------------------------- */

/* Bytes of the character that begins so; 0: none does. */
static size_t character_bytes(unsigned char first)
{
    return first < 0x80 ? 1 : first < 0xc2 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : first < 0xf5 ? 4 : 0;
}

/* Without those of UTF-16's surrogates, those that are longer than they need be, and those past U+10FFFF. */
static bool is_character(const unsigned char *bytes, size_t count)
{
    for (size_t i = 1; i < count; i++)
        if ((bytes[i] & 0xc0) != 0x80)
            return false;
    return !(bytes[0] == 0xe0 && bytes[1] < 0xa0) && !(bytes[0] == 0xed && bytes[1] > 0x9f) &&
           !(bytes[0] == 0xf0 && bytes[1] < 0x90) && !(bytes[0] == 0xf4 && bytes[1] > 0x8f);
}

size_t npart__character_bytes(const char *text)
{
    const unsigned char *bytes = (const unsigned char *)text;
    size_t count = *bytes ? character_bytes(*bytes) : 0;
    return count && is_character(bytes, count) ? count : 0;
}

/* A byte of a whole character; -1 at the end, -2 with the problem where it is none. */
static int next_byte(struct reader *reader)
{
    unsigned char bytes[5] = {0};
    if (reader->at < sizeof reader->pending && reader->pending[reader->at])
        return (unsigned char)reader->pending[reader->at++];
    int first = reader->is_end ? -1 : npart__stream_byte(reader->input);
    reader->is_end = first < 0;
    if (first < 0)
        return -1;
    size_t count = character_bytes((unsigned char)first);
    bytes[0] = (unsigned char)first;
    for (size_t i = 1; i < count; i++) {
        int byte = npart__stream_byte(reader->input);
        bytes[i] = byte < 0 ? 0xff : (unsigned char)byte;
    }
    if (count == 0 || !is_character(bytes, count)) {
        (void)fail_with(reader, "unable to decode byte 0x%x", (unsigned)first);
        return -2;
    }
    memcpy(reader->pending, bytes, sizeof bytes);
    reader->at = 1;
    return first;
}

static void save(struct reader *reader, int byte)
{
    char character = (char)byte;
    if (byte >= 0)
        npart__append(&reader->saved, &character, 1);
}

static int save_next(struct reader *reader)
{
    int byte = next_byte(reader);
    save(reader, byte);
    return byte;
}

/* Takes back what was saved last: it is the next byte again. */
static void unsave(struct reader *reader, int byte)
{
    if (byte < 0)
        return;
    reader->at--;
    reader->saved.size -= reader->saved.size > 0;
}

/* ---- texts ------------------------------------------------------------------------------------------------------- */

static bool is_hex(int byte)
{
    return (byte >= '0' && byte <= '9') || (byte >= 'a' && byte <= 'f') || (byte >= 'A' && byte <= 'F');
}

/* To the closing quote, whose escapes are of some form. */
static bool scan_text(struct reader *reader)
{
    int byte = save_next(reader);
    while (byte != '"') {
        if (byte == -1)
            fail(reader, "premature end of input");
        if (byte < 0)
            return false;
        if (byte < 0x20) {
            unsave(reader, byte);
            if (byte != '\n')
                return fail_with(reader, "control character 0x%x", (unsigned)byte);
            fail(reader, "unexpected newline");
            return false;
        }
        if (reader->saved.size % 4096 == 0 && !has_room(reader))
            return false;
        bool is_escape = byte == '\\';
        if (is_escape)
            byte = save_next(reader);
        bool is_code = is_escape && byte == 'u';
        for (int i = 0; is_code && i < 4; i++)
            is_code = is_hex(byte = save_next(reader));
        if (is_escape && !is_code && (byte <= 0 || !strchr("\"\\/bfnrt", byte))) {
            fail(reader, "invalid escape");
            return false;
        }
        byte = save_next(reader);
    }
    return true;
}

static unsigned code_of(const char *digits)
{
    char text[5] = {0};
    memcpy(text, digits, 4);
    return (unsigned)strtoul(text, NULL, 16);
}

static char *put_character(char *to, unsigned code)
{
    if (code < 0x80) {
        *to++ = (char)code;
    } else if (code < 0x800) {
        *to++ = (char)(0xc0 | code >> 6);
        *to++ = (char)(0x80 | (code & 0x3f));
    } else if (code < 0x10000) {
        *to++ = (char)(0xe0 | code >> 12);
        *to++ = (char)(0x80 | (code >> 6 & 0x3f));
        *to++ = (char)(0x80 | (code & 0x3f));
    } else {
        *to++ = (char)(0xf0 | code >> 18);
        *to++ = (char)(0x80 | (code >> 12 & 0x3f));
        *to++ = (char)(0x80 | (code >> 6 & 0x3f));
        *to++ = (char)(0x80 | (code & 0x3f));
    }
    return to;
}

/* A code after "\u", of two surrogates one character; moves `*from` past it. */
static bool take_code(struct reader *reader, const char **from, unsigned *code)
{
    char problem[48];
    *code = code_of(*from);
    *from += 4;
    if (*code < 0xd800 || *code > 0xdfff)
        return true;
    bool is_pair = *code < 0xdc00 && (*from)[0] == '\\' && (*from)[1] == 'u';
    unsigned second = is_pair ? code_of(*from + 2) : 0;
    if (is_pair && second >= 0xdc00 && second <= 0xdfff) {
        *from += 6;
        *code = ((*code - 0xd800) << 10) + (second - 0xdc00) + 0x10000;
        return true;
    }
    if (is_pair)
        (void)snprintf(problem, sizeof problem, "invalid Unicode '\\u%04X\\u%04X'", *code, second);
    else
        (void)snprintf(problem, sizeof problem, "invalid Unicode '\\u%04X'", *code);
    fail(reader, problem);
    return false;
}

/* Between the quotes of what is saved. A text is never longer than its escapes. */
static bool decode_text(struct reader *reader)
{
    static const char letters[] = "bfnrt", controls[] = "\b\f\n\r\t";
    size_t length = reader->saved.size;
    char *text = length >= 2 ? npart__arena_allocate(reader->arena, length) : NULL, *to = text;
    if (!text)
        return lack(reader);
    const char *from = reader->saved.data + 1, *end = reader->saved.data + length - 1;
    while (from < end) {
        unsigned code;
        if (*from != '\\') {
            *to++ = *from++;
            continue;
        }
        const char *letter = strchr(letters, from[1]);
        from += 2;
        if (from[-1] != 'u')
            *to++ = letter ? controls[letter - letters] : from[-1];
        else if (!take_code(reader, &from, &code))
            return false;
        else
            to = put_character(to, code);
    }
    *to = '\0';
    reader->text = text;
    reader->text_bytes = (size_t)(to - text);
    return true;
}

/* ---- other tokens ----------------------------------------------------------------------------------------------- */

static bool is_digit(int byte)
{
    return byte >= '0' && byte <= '9';
}

static int save_digits(struct reader *reader, int byte)
{
    while (is_digit(byte))
        byte = save_next(reader);
    return byte;
}

/* Without the leading zeros that JSON forbids. *is_real: it has a fraction or an exponent. */
static bool scan_number(struct reader *reader, int byte, bool *is_real)
{
    if (byte == '-')
        byte = save_next(reader);
    int first = byte;
    bool is_number = is_digit(byte);
    if (is_number)
        byte = first == '0' ? save_next(reader) : save_digits(reader, byte);
    is_number &= first != '0' || !is_digit(byte);
    if (is_number && byte == '.') {
        reader->saved.size--;
        byte = next_byte(reader);
        if (!is_digit(byte)) {
            reader->at -= byte >= 0;
            return false;
        }
        save(reader, '.');
        save(reader, byte);
        byte = save_digits(reader, save_next(reader));
        *is_real = true;
    }
    if (is_number && (byte == 'e' || byte == 'E')) {
        byte = save_next(reader);
        if (byte == '+' || byte == '-')
            byte = save_next(reader);
        is_number = is_digit(byte);
        byte = save_digits(reader, byte);
        *is_real = true;
    }
    unsave(reader, byte);
    return is_number;
}

static int number_token(struct reader *reader, int first)
{
    bool is_real = false;
    if (!scan_number(reader, first, &is_real))
        return TOKEN_WRONG;
    const char *text = npart__buffer_text(&reader->saved);
    if (reader->saved.failed)
        return TOKEN_WRONG;
    if (is_real) {
        char *end;
        reader->real = npart__read_real(reader->saved.data, &end);
        if (!isinf(reader->real))
            return TOKEN_REAL;
        fail(reader, "real number overflow");
        return TOKEN_WRONG;
    }
    const char *digits = text + (*text == '-');
    uint64_t number = 0, most = (uint64_t)INT64_MAX + (*text == '-');
    for (; *digits; digits++) {
        unsigned digit = (unsigned)(*digits - '0');
        if (number > (most - digit) / 10) {
            fail(reader, *text == '-' ? "too big negative integer" : "too big integer");
            return TOKEN_WRONG;
        }
        number = number * 10 + digit;
    }
    reader->integer = *text == '-' ? (int64_t)(0 - number) : (int64_t)number;
    return TOKEN_INTEGER;
}

static bool is_letter(int byte)
{
    return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z');
}

/* The whole word, which is told where it is none of the three. */
static int word_token(struct reader *reader)
{
    static const struct {
        const char *word;
        enum token token;
    } words[] = {{"true", TOKEN_TRUE}, {"false", TOKEN_FALSE}, {"null", TOKEN_NULL}};
    int byte = save_next(reader);
    while (is_letter(byte))
        byte = save_next(reader);
    unsave(reader, byte);
    const char *text = npart__buffer_text(&reader->saved);
    for (size_t i = 0; i < NPART__COUNT(words); i++)
        if (strcmp(words[i].word, text) == 0)
            return (int)words[i].token;
    return TOKEN_WRONG;
}

static void scan(struct reader *reader)
{
    reader->saved.size = 0;
    int byte = next_byte(reader);
    while (byte == ' ' || byte == '\t' || byte == '\n' || byte == '\r')
        byte = next_byte(reader);
    save(reader, byte);
    if (byte < 0)
        reader->token = byte == -1 ? TOKEN_END : TOKEN_WRONG;
    else if (byte && strchr("{}[]:,", byte))
        reader->token = byte;
    else if (byte == '"')
        reader->token = scan_text(reader) && decode_text(reader) ? TOKEN_TEXT : TOKEN_WRONG;
    else if (is_digit(byte) || byte == '-')
        reader->token = number_token(reader, byte);
    else if (is_letter(byte))
        reader->token = word_token(reader);
    else
        for (reader->token = TOKEN_WRONG; reader->at < sizeof reader->pending && reader->pending[reader->at];
             reader->at++) /* the rest of the character, for the message */
            save(reader, (unsigned char)reader->pending[reader->at]);
}

/* ---- values ------------------------------------------------------------------------------------------------------ */

static bool read_value(struct reader *reader, struct npart__tree *out);

struct members NPART__ARRAY(struct npart__tree_member);

/* Where the key's place is, or a free one. */
static uint32_t *slot_of(const struct npart__tree_object *object, const struct npart__tree_member *members,
                         const char *key, uint32_t bytes)
{
    uint64_t at = npart__hash_bytes(&object->key, key, bytes);
    for (;; at++) {
        uint32_t *slot = &object->slots[at & (object->slot_count - 1)];
        const struct npart__tree_member *member = *slot ? &members[*slot - 1] : NULL;
        if (!member || (member->key_bytes == bytes && memcmp(member->key, key, bytes) == 0))
            return slot;
    }
}

/* Grows with the members, which stay at most half as many as the slots. */
static bool index_members(struct reader *reader, struct npart__tree_object *object, const struct members *members)
{
    uint32_t count = members->count;
    if (count <= FEW_MEMBERS || count < object->slot_count / 2)
        return true;
    if (!object->slots)
        npart__hash_key_init(&object->key);
    object->slot_count = object->slot_count ? object->slot_count * 2 : 4 * FEW_MEMBERS;
    object->slots = npart__arena_zeroed(reader->arena, object->slot_count, sizeof *object->slots);
    for (uint32_t i = 0; object->slots && i < count; i++)
        *slot_of(object, members->items, members->items[i].key, members->items[i].key_bytes) = i + 1;
    return object->slots || lack(reader);
}

/* The place of a member; `count` where there is none. */
static uint32_t find_member(const struct npart__tree_object *object, const struct npart__tree_member *members,
                            uint32_t count, const char *key, uint32_t bytes)
{
    if (object->slots) {
        uint32_t slot = *slot_of(object, members, key, bytes);
        return slot ? slot - 1 : count;
    }
    uint32_t i = 0;
    while (i < count && !(members[i].key_bytes == bytes && memcmp(members[i].key, key, bytes) == 0))
        i++;
    return i;
}

/* A key, which is the token, and what follows it. Of a key that is there already the value is replaced. */
static bool read_member(struct reader *reader, struct npart__tree_object *object, struct members *members)
{
    struct npart__tree_member member = {.key = reader->text, .key_bytes = (uint32_t)reader->text_bytes};
    bool has_nul = memchr(reader->text, '\0', reader->text_bytes) != NULL;
    uint32_t place = has_nul ? 0 : find_member(object, members->items, members->count, member.key, member.key_bytes);
    bool is_new = place == members->count;
    if (has_nul)
        fail(reader, "NUL byte in object key not supported");
    else if (!is_new && (reader->flags & NPART__TREE_IS_STRICT))
        fail(reader, "duplicate object key");
    if (*reader->problem)
        return false;
    scan(reader);
    if (reader->token != ':') {
        fail(reader, "':' expected");
        return false;
    }
    scan(reader);
    if (!read_value(reader, &member.value))
        return false;
    if (!is_new) {
        members->items[place].value = member.value;
        return true;
    }
    if (!NPART__PUSH(reader->arena, members, member))
        return lack(reader);
    if (object->slots)
        *slot_of(object, members->items, member.key, member.key_bytes) = members->count;
    return index_members(reader, object, members);
}

static bool read_object(struct reader *reader, struct npart__tree *out)
{
    struct npart__tree_object *object = npart__arena_zeroed(reader->arena, 1, sizeof *object);
    struct members members = {0};
    if (!object)
        return lack(reader);
    scan(reader);
    bool is_empty = reader->token == '}';
    while (!is_empty) {
        if (reader->token != TOKEN_TEXT) {
            fail(reader, "string or '}' expected");
            return false;
        }
        if (!read_member(reader, object, &members))
            return false;
        scan(reader);
        if (reader->token != ',')
            break;
        scan(reader);
    }
    if (reader->token != '}') {
        fail(reader, "'}' expected");
        return false;
    }
    object->members = members.items;
    *out = (struct npart__tree){.kind = NPART__TREE_OBJECT, .count = members.count, .is.object = object};
    return true;
}

static bool read_list(struct reader *reader, struct npart__tree *out)
{
    struct NPART__ARRAY(struct npart__tree) items = {0};
    scan(reader);
    bool is_empty = reader->token == ']';
    while (!is_empty && reader->token != TOKEN_END) {
        struct npart__tree item;
        if (!read_value(reader, &item))
            return false;
        if (!NPART__PUSH(reader->arena, &items, item))
            return lack(reader);
        scan(reader);
        if (reader->token != ',')
            break;
        scan(reader);
    }
    if (reader->token != ']') {
        fail(reader, "']' expected");
        return false;
    }
    *out = (struct npart__tree){.kind = NPART__TREE_LIST, .count = items.count, .is.items = items.items};
    return true;
}

static bool read_text(struct reader *reader, struct npart__tree *out)
{
    if (memchr(reader->text, '\0', reader->text_bytes)) {
        fail(reader, "\\u0000 is not allowed without JSON_ALLOW_NUL");
        return false;
    }
    *out = (struct npart__tree){.kind = NPART__TREE_TEXT, .count = (uint32_t)reader->text_bytes,
                                .is.text = reader->text};
    return true;
}

/* What the token begins, which has been scanned. */
static bool read_value(struct reader *reader, struct npart__tree *out)
{
    bool is_read = true;
    if (reader->arena->failed || reader->saved.failed)
        return lack(reader);
    if (!has_room(reader))
        return false;
    if (++reader->depth > MOST_DEPTH) {
        fail(reader, "maximum parsing depth reached");
        return false;
    }
    *out = (struct npart__tree){.kind = NPART__TREE_NULL};
    switch (reader->token) {
    case '{': is_read = read_object(reader, out); break;
    case '[': is_read = read_list(reader, out); break;
    case TOKEN_TEXT: is_read = read_text(reader, out); break;
    case TOKEN_INTEGER: out->kind = NPART__TREE_INTEGER; out->is.integer = reader->integer; break;
    case TOKEN_REAL: out->kind = NPART__TREE_REAL; out->is.real = reader->real; break;
    case TOKEN_TRUE: out->kind = NPART__TREE_TRUE; break;
    case TOKEN_FALSE: out->kind = NPART__TREE_FALSE; break;
    case TOKEN_NULL: break;
    default:
        fail(reader, reader->token == TOKEN_WRONG ? "invalid token" : "unexpected token");
        is_read = false;
    }
    reader->depth--;
    return is_read;
}

const struct npart__tree *npart__tree_read(struct npart__stream *input, struct npart__arena *arena, unsigned flags,
                                           size_t most_bytes, char *problem, size_t bytes)
{
    struct reader reader = {.input = input, .arena = arena, .most_bytes = most_bytes, .flags = flags,
                            .problem = problem, .problem_bytes = bytes};
    struct npart__tree *root = npart__arena_zeroed(arena, 1, sizeof *root);
    *problem = '\0';
    if (!root)
        return lack(&reader) ? root : NULL;
    npart__buffer_init(&reader.saved, arena);
    scan(&reader);
    if (reader.token != '{' && reader.token != '[')
        fail(&reader, "'[' or '{' expected");
    bool is_read = !*problem && read_value(&reader, root);
    if (is_read && !(flags & NPART__TREE_GOES_ON)) {
        scan(&reader);
        is_read = reader.token == TOKEN_END;
        if (!is_read)
            fail(&reader, "end of file expected");
    }
    npart__buffer_release(&reader.saved);
    return is_read && (!arena->failed || lack(&reader)) ? root : NULL;
}

/* ---- what is asked of it ----------------------------------------------------------------------------------------- */

const struct npart__tree *npart__tree_get(const struct npart__tree *object, const char *key)
{
    uint32_t count = npart__tree_members(object);
    if (count == 0)
        return NULL;
    const struct npart__tree_object *in = object->is.object;
    uint32_t at = find_member(in, in->members, count, key, (uint32_t)strlen(key));
    return at < count ? &in->members[at].value : NULL;
}

const struct npart__tree *npart__tree_member(const struct npart__tree *object, const char *key)
{
    const struct npart__tree *value = npart__tree_get(object, key);
    return npart__tree_is(value, NPART__TREE_NULL) ? NULL : value;
}

const char *npart__tree_text(const struct npart__tree *object, const char *key)
{
    return npart__tree_string(npart__tree_get(object, key));
}
