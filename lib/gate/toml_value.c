/* SPDX-License-Identifier: Apache-2.0
 *
 * Values of TOML that hold no others.
 */
#include <math.h>
#include <stdlib.h>

#include "gate/toml_reader.h"

/* ---- strings ------------------------------------------------------------------------------------------------ */

static void put(struct npart__toml_reader *reader, const char *bytes, size_t count)
{
    memcpy(reader->text + reader->text_used, bytes, count);
    reader->text_used += count;
}

static void put_character(struct npart__toml_reader *reader, uint32_t code)
{
    char out[4] = "";
    size_t count = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    static const unsigned char first[] = {0, 0, 0xc0, 0xe0, 0xf0};
    for (size_t i = count; i-- > 0; code >>= 6)
        out[i] = (char)(i == 0 ? first[count] | code : 0x80 | (code & 0x3f));
    put(reader, out, count);
}

/* \uXXXX or \UXXXXXXXX, after these two. */
static bool read_code(struct npart__toml_reader *reader, size_t digits)
{
    uint32_t code = 0;
    for (size_t i = 0; i < digits; i++) {
        char c = reader->bytes[reader->at + i];
        bool is_digit = c >= '0' && c <= '9', is_letter = (c | 0x20) >= 'a' && (c | 0x20) <= 'f';
        if (!is_digit && !is_letter)
            return npart__toml_fail(reader, reader->at - 2, "\\%c needs %zu hexadecimal digits", digits == 4
                                    ? 'u' : 'U',
                             digits);
        code = code << 4 | (uint32_t)(is_digit ? c - '0' : (c | 0x20) - 'a' + 10);
    }
    if (code > 0x10ffff || (code >= 0xd800 && code < 0xe000))
        return npart__toml_fail(reader, reader->at - 2, "U+%04X is no character of Unicode", (unsigned)code);
    put_character(reader, code);
    reader->at += digits;
    return true;
}

static size_t skip_blanks(const struct npart__toml_reader *reader, size_t at)
{
    return at + strspn(reader->bytes + at, " \t");
}

/* A backslash at the end of a line joins it to the next character that is no blank. */
static bool skip_joined(struct npart__toml_reader *reader)
{
    size_t at = skip_blanks(reader, reader->at + 1), end = npart__toml_line_end(reader, at);
    if (!end)
        return false;
    for (; end; end = npart__toml_line_end(reader, at))
        at = skip_blanks(reader, at + end);
    reader->at = at;
    return true;
}

static bool read_escape(struct npart__toml_reader *reader, bool is_long)
{
    static const char letters[] = "btnfr\"\\", means[] = "\b\t\n\f\r\"\\";
    char c = reader->bytes[reader->at + 1], shown[24];
    const char *found = c ? strchr(letters, c) : NULL;
    if (is_long && skip_joined(reader))
        return true;
    if (!found && c != 'u' && c != 'U')
        return npart__toml_fail(reader, reader->at,
                                "\\ before %s is no escape; a backslash itself is \\\\, or use '...'",
                         npart__toml_show(reader, reader->at + 1, shown));
    reader->at += 2;
    if (!found)
        return read_code(reader, c == 'u' ? 4 : 8);
    put(reader, &means[found - letters], 1);
    return true;
}

/* Whether the closing quotes stand here; of three, up to two more belong to the text. */
static bool take_closing(struct npart__toml_reader *reader, char quote, bool is_long)
{
    size_t count = 0;
    while (count < 5 && reader->bytes[reader->at + count] == quote)
        count++;
    if (count < (is_long ? 3u : 1u))
        return false;
    if (is_long)
        put(reader, reader->bytes + reader->at, count - 3);
    reader->at += is_long ? count : 1;
    return true;
}

/* One character or escape. */
static bool read_piece(struct npart__toml_reader *reader, char quote, bool is_long, size_t start)
{
    unsigned char c = (unsigned char)reader->bytes[reader->at];
    size_t end = npart__toml_line_end(reader, reader->at);
    char shown[24];
    if (c == '\\' && quote == '"')
        return read_escape(reader, is_long);
    if (reader->at == reader->count || (end && !is_long))
        return npart__toml_fail(reader, start, "the string is not closed; its closing %s must stand %s",
                         is_long ? "quotes" : "quote", is_long ? "after it" : "on the same line");
    if (end) {
        put(reader, "\n", 1);
        reader->at += end;
        return true;
    }
    if ((c < 0x20 && c != '\t') || c == 0x7f)
        return npart__toml_fail(reader, reader->at, "%s must not stand in a string as it is",
                         npart__toml_show(reader, reader->at, shown));
    put(reader, reader->bytes + reader->at++, 1);
    return true;
}

bool npart__toml_read_string(struct npart__toml_reader *reader, bool is_key, const char **out, size_t *count)
{
    size_t start = reader->at, from = reader->text_used;
    char quote = reader->bytes[start];
    bool is_long = reader->bytes[start + 1] == quote && reader->bytes[start + 2] == quote;
    if (is_long && is_key)
        return npart__toml_fail(reader, start, "a key must not have three quotes");
    reader->at += is_long ? 3 : 1;
    if (is_long)
        reader->at += npart__toml_line_end(reader, reader->at);
    while (!take_closing(reader, quote, is_long))
        if (!read_piece(reader, quote, is_long, start))
            return false;
    *out = reader->text + from;
    *count = reader->text_used - from;
    put(reader, "", 1);
    return true;
}

/* ---- numbers ------------------------------------------------------------------------------------------------ */

static bool is_digit_of(char c, unsigned base)
{
    char low = (char)(c | 0x20);
    return base == 16 ? (c >= '0' && c <= '9') || (low >= 'a' && low <= 'f') : c >= '0' && c < (char)('0' + base);
}

/* Digits with single _ between them, copied without these; NULL where there are none, or a _ stands wrong. */
static const char *take_digits(const char *at, unsigned base, char **out)
{
    if (!is_digit_of(*at, base))
        return NULL;
    for (;;) {
        *(*out)++ = *at++;
        if (*at == '_' && !is_digit_of(*++at, base))
            return NULL;
        if (!is_digit_of(*at, base))
            return at;
    }
}

static bool read_based(struct npart__toml_reader *reader, const char *token, size_t length, struct npart__toml *value)
{
    unsigned base = token[1] == 'x' ? 16 : token[1] == 'o' ? 8 : 2;
    char *digits = reader->text + reader->text_used, *end = digits;
    const char *after = take_digits(token + 2, base, &end);
    uint64_t sum = 0;
    if (after != token + length)
        return npart__toml_fail(reader, reader->at, "no number of base %u", base);
    for (; digits < end; digits++) {
        uint64_t digit = (uint64_t)(*digits <= '9' ? *digits - '0' : (*digits | 0x20) - 'a' + 10);
        if (sum > (INT64_MAX - digit) / base)
            return npart__toml_fail(reader, reader->at, "the number has more than 64 bits");
        sum = sum * base + digit;
    }
    value->kind = NPART__TOML_INTEGER;
    value->as.integer = (int64_t)sum;
    return true;
}

static bool read_integer(struct npart__toml_reader *reader, const char *digits, struct npart__toml *value)
{
    bool is_negative = *digits == '-';
    uint64_t sum = 0, most = (uint64_t)INT64_MAX + is_negative;
    for (digits += is_negative; *digits; digits++) {
        uint64_t digit = (uint64_t)(*digits - '0');
        if (sum > (most - digit) / 10)
            return npart__toml_fail(reader, reader->at, "the number has more than 64 bits");
        sum = sum * 10 + digit;
    }
    value->kind = NPART__TOML_INTEGER;
    value->as.integer = is_negative ? (int64_t)(0 - sum) : (int64_t)sum;
    return true;
}

/* Also inf and nan. */
static bool read_number(struct npart__toml_reader *reader, const char *token, size_t length, struct npart__toml *value)
{
    bool has_sign = *token == '+' || *token == '-';
    char *text = reader->text + reader->text_used, *end = text;
    const char *at = token + has_sign;
    if (*token == '-')
        *end++ = '-';
    value->kind = NPART__TOML_FLOAT;
    value->as.number = npart__is_text("nan", at, length - has_sign) ? (double)NAN : (double)INFINITY;
    if (npart__is_text("inf", at, length - has_sign) || npart__is_text("nan", at, length - has_sign)) {
        value->as.number = *token == '-' ? -value->as.number : value->as.number;
        return true;
    }
    char *first = end;
    at = take_digits(at, 10, &end);
    if (at && *first == '0' && end > first + 1)
        return npart__toml_fail(reader, reader->at, "a number must not begin with 0");
    bool is_float = at && (*at == '.' || *at == 'e' || *at == 'E');
    if (at && *at == '.') {
        *end++ = '.';
        at = take_digits(at + 1, 10, &end);
    }
    if (at && (*at == 'e' || *at == 'E')) {
        *end++ = 'e';
        if (*++at == '+' || *at == '-')
            *end++ = *at++;
        at = take_digits(at, 10, &end);
    }
    if (at != token + length)
        return npart__toml_fail(reader, reader->at,
                                "no value: a string needs quotes, a number digits, with single _ between");
    *end = '\0';
    if (!is_float)
        return read_integer(reader, text, value);
    value->as.number = npart__read_real(text, &end);
    return true;
}

/* ---- dates and times ---------------------------------------------------------------------------------------- */

/* So many digits; `at` is moved past them. */
static bool take_number(const char **at, int digits, int low, int high, int *out)
{
    *out = 0;
    for (int i = 0; i < digits; i++, (*at)++) {
        if (**at < '0' || **at > '9')
            return false;
        *out = *out * 10 + (**at - '0');
    }
    return *out >= low && *out <= high;
}

static bool take_sign(const char **at, char sign)
{
    bool is_there = **at == sign;
    *at += is_there;
    return is_there;
}

static int days_of(int year, int month)
{
    static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    bool is_leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
    return month == 2 && is_leap ? 29 : days[month - 1];
}

static bool take_date(const char **at, struct npart__toml_time *time)
{
    return take_number(at, 4, 1, 9999, &time->year) && take_sign(at, '-') &&
           take_number(at, 2, 1, 12, &time->month) && take_sign(at, '-') &&
           take_number(at, 2, 1, days_of(time->year, time->month), &time->day);
}

/* Digits of a fraction after the sixth are dropped. */
static bool take_time(const char **at, struct npart__toml_time *time)
{
    if (!take_number(at, 2, 0, 23, &time->hour) || !take_sign(at, ':') || !take_number(at, 2, 0, 59, &time->minute) ||
        !take_sign(at, ':') || !take_number(at, 2, 0, 59, &time->second))
        return false;
    if (!take_sign(at, '.'))
        return true;
    size_t digits = strspn(*at, "0123456789");
    for (size_t i = 0; i < 6; i++)
        time->microsecond = time->microsecond * 10 + (i < digits ? (*at)[i] - '0' : 0);
    *at += digits;
    return digits > 0;
}

static bool take_offset(const char **at, struct npart__toml_time *time)
{
    int hours, minutes, sign = **at == '-' ? -1 : 1;
    if (take_sign(at, 'Z') || take_sign(at, 'z'))
        return true;
    if ((!take_sign(at, '+') && !take_sign(at, '-')) || !take_number(at, 2, 0, 23, &hours) || !take_sign(at, ':') ||
        !take_number(at, 2, 0, 59, &minutes))
        return false;
    time->offset_minutes = sign * (hours * 60 + minutes);
    return true;
}

static bool read_time(struct npart__toml_reader *reader, const char *token, size_t length, struct npart__toml *value)
{
    const char *at = token, *end = token + length;
    struct npart__toml_time *time = &value->as.time;
    bool has_date = token[2] != ':';
    value->kind = has_date ? NPART__TOML_LOCAL_DATE : NPART__TOML_LOCAL_TIME;
    *time = (struct npart__toml_time){0};
    bool is_valid = has_date ? take_date(&at, time) : take_time(&at, time);
    if (is_valid && has_date && at < end) {
        value->kind = NPART__TOML_LOCAL_DATE_TIME;
        is_valid = (take_sign(&at, 'T') || take_sign(&at, 't') || take_sign(&at, ' ')) && take_time(&at, time);
        if (is_valid && at < end) {
            value->kind = NPART__TOML_OFFSET_TIME;
            is_valid = take_offset(&at, time);
        }
    }
    return (is_valid && at == end) ||
           npart__toml_fail(reader, reader->at, "no valid date or time; they are written 2026-12-31, 23:59:59, or "
                                         "2026-12-31T23:59:59Z");
}

/* ---- all of them -------------------------------------------------------------------------------------------- */

static size_t token_length(const char *token)
{
    static const char allowed[] = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ+-_.:";
    size_t length = strspn(token, allowed);
    bool is_date = length == 10 && token[4] == '-' && token[7] == '-';
    if (is_date && token[10] == ' ' && token[11] >= '0' && token[11] <= '9')
        length += 1 + strspn(token + 11, allowed);
    return length;
}

bool npart__toml_read_scalar(struct npart__toml_reader *reader, struct npart__toml *value)
{
    const char *token = reader->bytes + reader->at;
    size_t length = token_length(token), digits = strspn(token, "0123456789");
    bool is_true = npart__is_text("true", token, length), is_read = true;
    char shown[24];
    if (!length)
        return npart__toml_fail(reader, reader->at, "expected a value, found %s",
                                npart__toml_show(reader, reader->at, shown));
    if (is_true || npart__is_text("false", token, length)) {
        value->kind = NPART__TOML_BOOLEAN;
        value->as.boolean = is_true;
    } else if ((digits == 4 && token[4] == '-') || (digits == 2 && token[2] == ':')) {
        is_read = read_time(reader, token, length, value);
    } else if (token[0] == '0' && length > 1 && strchr("xob", token[1])) {
        is_read = read_based(reader, token, length, value);
    } else {
        is_read = read_number(reader, token, length, value);
    }
    reader->at += is_read ? length : 0;
    return is_read;
}
