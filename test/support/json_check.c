/* SPDX-License-Identifier: Apache-2.0
 *
 * A JSON checker, see json_check.h. Written from the RFC, not from the code under test.
 */
#include "support/json_check.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define MOST_KEYS 512 /* of an object that are compared with each other */
#define MOST_DEPTH 64

struct key {
    const char *text;
    size_t bytes;
};

struct checker {
    const char *text;
    size_t bytes, at;
    unsigned depth;
    const char *problem;
};

static bool fail(struct checker *json, const char *problem)
{
    if (!json->problem)
        json->problem = problem;
    return false;
}

static unsigned char look(const struct checker *json)
{
    return json->at < json->bytes ? (unsigned char)json->text[json->at] : 0;
}

static void blanks(struct checker *json)
{
    while (json->at < json->bytes && memchr(" \t\r\n", json->text[json->at], 4))
        json->at++;
}

static bool take(struct checker *json, const char *token)
{
    size_t length = strlen(token);
    if (json->bytes - json->at < length || memcmp(json->text + json->at, token, length) != 0)
        return false;
    json->at += length;
    return true;
}

static bool is_digit(unsigned char c)
{
    return c >= '0' && c <= '9';
}

static bool digits(struct checker *json)
{
    if (!is_digit(look(json)))
        return fail(json, "expected a digit");
    while (is_digit(look(json)))
        json->at++;
    return true;
}

static bool number(struct checker *json)
{
    (void)take(json, "-");
    if (!take(json, "0") && !digits(json))
        return false;
    if (take(json, ".") && !digits(json))
        return false;
    if (take(json, "e") || take(json, "E")) {
        (void)(take(json, "+") || take(json, "-"));
        return digits(json);
    }
    return true;
}

/* One character beyond ASCII: as many bytes as its first says, its shortest form, no surrogate, within Unicode. */
static bool character(struct checker *json)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    unsigned char first = look(json);
    unsigned length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
    if (first < 0xc0 || first > 0xf7 || json->bytes - json->at < length)
        return fail(json, "a byte that begins no character");
    uint32_t code = first & (0xffu >> (length + 1));
    for (unsigned i = 1; i < length; i++) {
        unsigned char next = (unsigned char)json->text[json->at + i];
        if ((next & 0xc0) != 0x80)
            return fail(json, "a character that breaks off");
        code = code << 6 | (next & 0x3fu);
    }
    if (code < least[length] || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff))
        return fail(json, "no Unicode character");
    json->at += length;
    return true;
}

static bool escape(struct checker *json)
{
    if (take(json, "u")) {
        for (int i = 0; i < 4; i++, json->at++)
            if (!look(json) || !strchr("0123456789abcdefABCDEF", look(json)))
                return fail(json, "expected four hexadecimal digits");
        return true;
    }
    if (!look(json) || !strchr("\"\\/bfnrt", look(json)))
        return fail(json, "no such escape");
    json->at++;
    return true;
}

static bool string(struct checker *json, struct key *out)
{
    if (!take(json, "\""))
        return fail(json, "expected a string");
    size_t begin = json->at;
    while (!take(json, "\"")) {
        unsigned char c = look(json);
        if (json->at >= json->bytes)
            return fail(json, "a string is not closed");
        if (c < 0x20)
            return fail(json, "a control character");
        if (take(json, "\\")) {
            if (!escape(json))
                return false;
        } else if (c >= 0x80) {
            if (!character(json))
                return false;
        } else {
            json->at++;
        }
    }
    if (out)
        *out = (struct key){json->text + begin, json->at - 1 - begin};
    return true;
}

static bool value(struct checker *json);

/* Names that are no UTF-8 and differ may look the same once U+FFFD stands for what is wrong with them. */
static bool is_replaced(const struct key *key)
{
    for (size_t i = 0; i + 3 <= key->bytes; i++)
        if (memcmp(key->text + i, "\xef\xbf\xbd", 3) == 0)
            return true;
    return false;
}

static bool member(struct checker *json, struct key *keys, unsigned *count)
{
    struct key key = {.text = ""};
    blanks(json);
    if (!string(json, &key))
        return false;
    for (unsigned i = 0; i < *count; i++)
        if (keys[i].bytes == key.bytes && memcmp(keys[i].text, key.text, key.bytes) == 0)
            return fail(json, "a key that is there twice");
    if (*count < MOST_KEYS && !is_replaced(&key))
        keys[(*count)++] = key;
    blanks(json);
    return take(json, ":") ? value(json) : fail(json, "expected :");
}

static bool object(struct checker *json)
{
    struct key keys[MOST_KEYS];
    unsigned count = 0;
    blanks(json);
    if (take(json, "}"))
        return true;
    do {
        if (!member(json, keys, &count))
            return false;
    } while (take(json, ","));
    return take(json, "}") || fail(json, "expected , or }");
}

static bool list(struct checker *json)
{
    blanks(json);
    if (take(json, "]"))
        return true;
    do {
        if (!value(json))
            return false;
    } while (take(json, ","));
    return take(json, "]") || fail(json, "expected , or ]");
}

static bool value(struct checker *json)
{
    bool ok;
    if (++json->depth > MOST_DEPTH)
        return fail(json, "nested too deep");
    blanks(json);
    if (take(json, "{"))
        ok = object(json);
    else if (take(json, "["))
        ok = list(json);
    else if (look(json) == '"')
        ok = string(json, NULL);
    else
        ok = take(json, "true") || take(json, "false") || take(json, "null") || number(json);
    json->depth--;
    blanks(json);
    return ok;
}

const char *json_problem(const char *text, size_t bytes, size_t *at)
{
    struct checker json = {.text = text, .bytes = bytes};
    if (value(&json) && json.at != bytes)
        (void)fail(&json, "more than one value");
    *at = json.at;
    return json.problem;
}
