/* SPDX-License-Identifier: Apache-2.0
 *
 * The scan: one forward pass over the protobuf wire format with a stack of open messages.
 *
 * What stays is copied in runs as long as possible: `run_start` is the first byte that is wanted but not yet
 * copied, and only leaving something out, or running out of window, ends a run. A message whose contents changed
 * gets its length rewritten when it closes, as a varint of the old width, padded if need be, so that nothing
 * after it moves.
 */
#include <stdio.h>

#include "wire/fields.h"
#include "wire/wire.h"

/* ---- state ----------------------------------------------------------------------------------------------- */

/* Payload fields have numbers up to 11. */
#define PAYLOAD_FIELDS 12

struct frame {
    uint64_t end;     /* of the message, in the input */
    size_t length_at; /* of its length, in the output */
    uint8_t message; /* its row of npart__fields */
    uint8_t length_bytes; /* width of that varint; 0 for the model itself */
    bool changed; /* its length has to be written anew */
    bool has_elided; /* `elided` is of this message */
    /* A bit for each field, of what does not repeat. */
    uint32_t seen;     /* messages; where all is kept */
    uint32_t left_out; /* payloads and texts */
    /* What a tensor or attribute has shown of its payload fields so far. */
    int element_type; /* a tensor's, 0 while it is unknown */
    uint64_t kept_bytes[PAYLOAD_FIELDS];
    struct npart__elided *elided; /* PAYLOAD_FIELDS of them, made once per depth; bytes 0: nothing left out */
};

struct scan {
    struct npart__source *source;
    struct npart__arena *arena;
    const struct npart__wire_options *options;
    struct npart_error *error;
    struct npart__skeleton out;
    size_t capacity; /* of out.data */
    uint64_t position;  /* in the input */
    uint64_t run_start; /* first byte wanted and not copied; == position while nothing is */
    struct frame frames[NPART__LIMIT_DEPTH];
    unsigned depth; /* open frames; 1: the model alone */
    bool graph_seen; /* a field 7 of the model has begun */
    uint64_t bool_bytes; /* of larger BOOL tensors that were kept */
    size_t verbatim_end; /* of the last such record in the output, while it may grow; 0: none may */
};

static npart_status malformed(struct scan *scan, uint64_t at, const char *format, ...) NPART__PRINTF(3, 4);

#define PLACE_BYTES 48
#define TEXT_BYTES 512u    /* that are looked at to tell a text */
#define LEAST_TEXT_BYTES 2u

/* The place of an error as users get it. */
static const char *byte_place(char *place, uint64_t at)
{
    (void)snprintf(place, PLACE_BYTES, "byte %llu", (unsigned long long)at);
    return place;
}

/* Whether what has been read is text: no control characters but those of lines. */
static bool is_text(const struct npart__source *source)
{
    size_t most = source->window_bytes < TEXT_BYTES ? source->window_bytes : TEXT_BYTES;
    for (size_t i = 0; i < most; i++) {
        uint8_t byte = source->window[i];
        if ((byte < 0x20 && !memchr("\t\n\f\r", byte, 4)) || byte == 0x7f)
            return false;
    }
    return most >= LEAST_TEXT_BYTES && (source->window[0] < 0x80 || memcmp(source->window, "\xef\xbb", 2) == 0);
}

/* What begins so is another file, which the message names; NULL: nothing is known of it. */
static const char *other_format(const struct npart__source *source)
{
    static const struct {
        uint8_t at, length;
        const char *bytes, *text;
    } formats[] = {
        {0, 4, "PK\x03\x04", "a zip archive, as PyTorch saves models: export it, or unpack the .onnx file"},
        {0, 2, "\x1f\x8b", "a gzip file: unpack it first"},
        {0, 4, "GGUF", "a GGUF file, of llama.cpp"},
        {8, 2, "{\"", "a safetensors file, which has weights alone: export the model"},
        {0, 4, "\x89HDF", "an HDF5 file: export the model to ONNX first"},
        {4, 4, "TFL3", "a TFLite model: export it to ONNX"},
        {4, 4, "ORTM", "a model in ORT format: name the .onnx file that it was made from"},
        {0, 5, "<?xml", "an XML file: OpenVINO's models are not read here"},
        {0, 1, "<", "a web page: download the file itself, by its raw address"},
        {0, 1, "{", "JSON text"},
    };
    for (size_t i = 0; source->window_offset == 0 && i < NPART__COUNT(formats); i++)
        if (source->window_bytes >= (size_t)formats[i].at + formats[i].length &&
            memcmp(source->window + formats[i].at, formats[i].bytes, formats[i].length) == 0)
            return formats[i].text;
    return source->window_offset == 0 && is_text(source) ? "a text file" : NULL;
}

/* An error with the byte of the input where it is. Until a graph has begun, at the outermost
 * level, the file is probably of another format, and the message asks so. */
static npart_status malformed(struct scan *scan, uint64_t at, const char *format, ...)
{
    char place[PLACE_BYTES], text[200];
    NPART__FORMAT(text, format);
    bool is_doubtful = !scan->graph_seen && scan->depth == 1;
    const char *other = is_doubtful ? other_format(scan->source) : NULL;
    if (other)
        return npart__fail(scan->error, NPART_ERROR_MALFORMED, byte_place(place, at), "not an ONNX model, but %s (%s)",
                           other, text);
    return npart__fail(scan->error, NPART_ERROR_MALFORMED, byte_place(place, at), "%s%s", text,
                       is_doubtful ? ": is this an ONNX model?" : "");
}

/* So many fields take some milliseconds. */
#define FIELDS_A_LOOK 65536u

/* ---- output ---------------------------------------------------------------------------------------------- */

/* Room for so many bytes more. The skeleton is one protobuf message, so it may not be larger
 * than these may be, however large the file is. */
static npart_status reserve(struct scan *scan, size_t bytes)
{
    uint64_t limit = scan->options->limit_skeleton_bytes;
    if (!limit)
        limit = NPART__MOST(scan->options->limits, SKELETON_BYTES);
    if (bytes > limit || scan->out.bytes > limit - bytes)
        return npart__fail(scan->error, NPART_ERROR_LIMIT, "",
                           "the model without its weights is larger than %llu bytes (limit skeleton-bytes)",
                           (unsigned long long)limit);
    if (bytes <= scan->capacity - scan->out.bytes)
        return NPART_OK;
    /* Small models fit at once; a large one is mostly weights, so its size says little. */
    uint64_t most_wanted_at_first = (uint64_t)16 << 20;
    size_t wanted = scan->capacity * 2;
    if (!wanted)
        wanted = (size_t)(scan->source->size < most_wanted_at_first ? scan->source->size : most_wanted_at_first) + 64;
    while (wanted - scan->out.bytes < bytes)
        wanted *= 2;
    uint8_t *data = npart__arena_resize(scan->arena, scan->out.data, scan->capacity, wanted);
    if (!data)
        return npart__fail_memory(scan->error);
    scan->out.data = data;
    scan->capacity = wanted;
    return NPART_OK;
}

/* Bytes that are not a run of the input: records of what was left out. */
static npart_status append(struct scan *scan, const void *data, size_t bytes)
{
    npart_status status = reserve(scan, bytes);
    if (status == NPART_OK) {
        memcpy(scan->out.data + scan->out.bytes, data, bytes);
        scan->out.bytes += bytes;
    }
    return status;
}

/* Copies the run up to `position`, which lies in the window. */
static npart_status end_run(struct scan *scan)
{
    size_t bytes = (size_t)(scan->position - scan->run_start);
    npart_status status = NPART_OK;
    if (bytes)
        status = append(scan, scan->source->window + (scan->run_start - scan->source->window_offset), bytes);
    scan->run_start = scan->position;
    return status;
}

/* ---- input ----------------------------------------------------------------------------------------------- */

/* The first byte of the input that is not here yet. */
static uint64_t window_end(const struct scan *scan)
{
    return scan->source->window_offset + scan->source->window_bytes;
}

/* A tag, a length and a number at their longest. */
#define FIELD_HEADER_BYTES 32

/* At the end of the input there is nothing to move to. What the run has so far must be copied
 * first, as the window is where it stands. */
static npart_status move_window(struct scan *scan, size_t bytes)
{
    npart_status status = NPART_OK;
    if (window_end(scan) != scan->source->size) {
        status = end_run(scan);
        if (status == NPART_OK)
            status = npart__source_seek(scan->source, scan->position, bytes, scan->error);
    }
    if (status == NPART_OK && window_end(scan) < scan->position) /* a stream that ended in what was left out */
        return malformed(scan, window_end(scan), "the input ends %llu bytes early",
                         (unsigned long long)(scan->position - window_end(scan)));
    return status;
}

/* Brings `bytes` (at most FIELD_HEADER_BYTES) at `position` into the window, or what is left of the input. Where
 * the window has to move, the run is copied first: so a field whose header is needed as a whole before it is
 * looked at can still be left out from its tag on. */
static inline npart_status need(struct scan *scan, size_t bytes)
{
    return scan->position + bytes <= window_end(scan) ? NPART_OK : move_window(scan, bytes);
}

/* At most ten bytes, of which the last may carry one bit only: 9 * 7 + 1 = 64. A varint may not
 * run past its message, even where the next bytes are there. */
static npart_status read_long_varint(struct scan *scan, const char *what, uint64_t *out)
{
    npart_status status = need(scan, 10);
    if (status != NPART_OK)
        return status;
    uint64_t end = window_end(scan), limit = scan->frames[scan->depth - 1].end;
    if (limit < end)
        end = limit;
    const uint8_t *at = scan->source->window + (scan->position - scan->source->window_offset);
    uint64_t value = 0;
    for (unsigned i = 0; i < 10; i++) {
        if (scan->position + i >= end)
            return malformed(scan, scan->position, "%s is cut off", what);
        value |= (uint64_t)(at[i] & 0x7f) << (7 * i);
        if (at[i] < 0x80) {
            if (i == 9 && at[i] > 1)
                return malformed(scan, scan->position, "%s does not fit in 64 bits", what);
            scan->position += i + 1;
            *out = value;
            return NPART_OK;
        }
    }
    return malformed(scan, scan->position, "%s has more than 10 bytes", what);
}

/* Nearly all tags, lengths and numbers of a model are one byte. */
static inline npart_status read_varint(struct scan *scan, const char *what, uint64_t *out)
{
    bool is_there = scan->position < window_end(scan) && scan->position < scan->frames[scan->depth - 1].end;
    uint8_t first = is_there ? scan->source->window[scan->position - scan->source->window_offset] : UINT8_MAX;
    if (first >= 0x80)
        return read_long_varint(scan, what, out);
    *out = first;
    scan->position++;
    return NPART_OK;
}

/* Walks `bytes` forward, copying them as part of the run. A text or payload that stays may be
 * larger than the window, which then moves along it. */
static npart_status keep_bytes(struct scan *scan, uint64_t bytes)
{
    uint64_t end = scan->position + bytes;
    while (window_end(scan) < end) {
        scan->position = window_end(scan);
        npart_status status = need(scan, 1);
        if (status != NPART_OK)
            return status;
        if (window_end(scan) == scan->position)
            return malformed(scan, scan->position, "the input ends %llu bytes early",
                             (unsigned long long)(end - scan->position));
    }
    scan->position = end;
    return NPART_OK;
}

/* A record of a field that does not come again from the input: its header, and as much as `record` has. */
static npart_status append_record(struct scan *scan, uint32_t number, const void *record, size_t bytes)
{
    uint8_t header[2 * VARINT_BYTES];
    size_t header_bytes = put_varint(header, (uint64_t)number << 3 | WIRE_BYTES);
    header_bytes += put_varint(header + header_bytes, bytes);
    npart_status status = append(scan, header, header_bytes);
    return status == NPART_OK ? append(scan, record, bytes) : status;
}

/* Where the range is in the input. One that continues the last, as numbers do that are not packed, is part of it.
 * The last is the end of the output exactly while nothing was copied since. */
static npart_status keep_verbatim(struct scan *scan, uint64_t from, uint64_t end, uint32_t field)
{
    struct npart__verbatim record = {.offset = from, .bytes = end - from, .field = field};
    if (scan->verbatim_end && scan->verbatim_end == scan->out.bytes) {
        struct npart__verbatim last;
        uint8_t *at = scan->out.data + scan->out.bytes - sizeof last;
        memcpy(&last, at, sizeof last);
        if (last.offset + last.bytes == from && last.field == field) {
            last.bytes += record.bytes;
            memcpy(at, &last, sizeof last);
            return NPART_OK;
        }
    }
    npart_status status = append_record(scan, NPART__VERBATIM_FIELD, &record, sizeof record);
    scan->verbatim_end = scan->out.bytes;
    return status;
}

/* Walks to `end`, leaving everything from `from` on out. The run before `from` is copied first. `field`: whose
 * payload it is; 0: what the graph has no use for. Of a file, what lies past the window is never read. */
static npart_status leave_out(struct scan *scan, uint64_t from, uint64_t end, uint32_t field)
{
    scan->position = from;
    npart_status status = end_run(scan);
    scan->position = scan->run_start = end;
    scan->frames[scan->depth - 1].changed = true;
    if (status == NPART_OK && scan->out.is_whole)
        status = keep_verbatim(scan, from, end, field);
    return status;
}

/* ---- payloads -------------------------------------------------------------------------------------------- */

/* How many bytes of one payload field of this tensor or attribute stay in the skeleton. See wire.h: 4 KiB, but 64
 * KiB of INT64 and of an attribute. */
static uint64_t keep_limit(const struct scan *scan, const struct frame *frame)
{
    uint64_t keep = scan->options->keep_bytes ? scan->options->keep_bytes : NPART__KEEP_BYTES;
    if (frame->message == MESSAGE_ATTRIBUTE)
        return NPART__KEEP_ATTRIBUTE_BYTES;
    /* 7 is INT64; a payload that precedes its type gets the benefit of the doubt. */
    bool maybe_int64 = frame->element_type == NPART__INT64 || frame->element_type == NPART__UNDEFINED;
    return maybe_int64 && keep < NPART__KEEP_INT64_BYTES ? NPART__KEEP_INT64_BYTES : keep;
}

/* Whether the next `bytes` of a payload field stay. Once some were left out, so is the rest. */
static bool stays(struct scan *scan, uint64_t number, uint64_t bytes)
{
    struct frame *frame = &scan->frames[scan->depth - 1];
    uint64_t *kept = &frame->kept_bytes[number];
    if (frame->has_elided && frame->elided[number].bytes)
        return false;
    if (bytes + *kept > keep_limit(scan, frame)) {
        bool is_mask = frame->element_type == NPART__BOOL && bytes <= scan->options->keep_bool_bytes - scan->bool_bytes;
        if (!is_mask)
            return false;
        scan->bool_bytes += bytes;
    }
    *kept += bytes;
    return true;
}

/* Leaves out the payload field whose tag is at `tag_at` and whose `bytes` begin at `start`; `elements` 0 where
 * only reading them would tell. */
static npart_status leave_payload_out(struct scan *scan, uint64_t tag_at, uint64_t number, uint64_t start,
                                      uint64_t bytes, uint64_t elements)
{
    struct frame *frame = &scan->frames[scan->depth - 1];
    if (!frame->elided)
        frame->elided = npart__arena_allocate(scan->arena, PAYLOAD_FIELDS * sizeof *frame->elided);
    if (!frame->elided)
        return npart__fail_memory(scan->error);
    if (!frame->has_elided)
        memset(frame->elided, 0, PAYLOAD_FIELDS * sizeof *frame->elided);
    frame->has_elided = true;
    struct npart__elided *elided = &frame->elided[number];
    if (elided->bytes == 0)
        *elided = (struct npart__elided){.offset = start, .elements = elements, .field = (uint32_t)number};
    else
        /* The sum is known only where that of every part is. */
        elided->elements = elements && elided->elements ? elided->elements + elements : 0;
    elided->bytes += bytes;
    scan->out.elided_bytes += bytes;
    return leave_out(scan, tag_at, start + bytes, (uint32_t)number);
}

/* Of a field that does not repeat the last counts. */
static void forget_payload(struct frame *frame, uint64_t number)
{
    frame->kept_bytes[number] = 0;
    if (frame->has_elided)
        frame->elided[number].bytes = 0;
}

/* The records of what the closing message left out. */
static npart_status append_records(struct scan *scan, const struct frame *frame)
{
    for (unsigned number = 0; number < PAYLOAD_FIELDS; number++) {
        const struct npart__elided *elided = &frame->elided[number];
        if (elided->bytes == 0)
            continue;
        npart_status status = append_record(scan, NPART__ELIDED_FIELD, elided, sizeof *elided);
        if (status != NPART_OK)
            return status;
    }
    return NPART_OK;
}

/* ---- messages -------------------------------------------------------------------------------------------- */

/* A message that begins after its length. Only its end is noted: whether its length must be
 * rewritten turns out when it closes. */
static npart_status open_message(struct scan *scan, unsigned message, uint64_t bytes, unsigned length_bytes)
{
    uint64_t most = NPART__MOST(scan->options->limits, DEPTH);
    if (scan->depth >= most) {
        char place[PLACE_BYTES];
        return npart__fail(scan->error, NPART_ERROR_LIMIT, byte_place(place, scan->position),
                           "messages are nested deeper than %llu (limit depth)", (unsigned long long)most);
    }
    struct frame *frame = &scan->frames[scan->depth++];
    frame->end = scan->position + bytes;
    /* The length stands right before `position`, in the run that is still to be copied. */
    frame->length_at = scan->out.bytes + (size_t)(scan->position - scan->run_start) - length_bytes;
    frame->message = (uint8_t)message;
    frame->length_bytes = (uint8_t)length_bytes;
    frame->changed = frame->has_elided = false;
    frame->seen = frame->left_out = 0;
    /* Only these two have payloads; clearing the counts of every small message would cost more
     * than reading it. */
    if (message == MESSAGE_TENSOR || message == MESSAGE_ATTRIBUTE) {
        frame->element_type = 0;
        memset(frame->kept_bytes, 0, sizeof frame->kept_bytes);
    }
    return NPART_OK;
}

/* Rewrites the length of a message whose contents changed. Records can make a message longer than it was; then a
 * wider varint may be needed, and what follows it, at most this message, moves. A length of 5 that had two bytes is
 * written 0x85 0x00. */
static npart_status rewrite_length(struct scan *scan, const struct frame *frame)
{
    uint8_t varint[10];
    size_t start = frame->length_at + frame->length_bytes;
    size_t width = put_varint(varint, scan->out.bytes - start);
    if (width > frame->length_bytes) {
        size_t extra = width - frame->length_bytes;
        npart_status status = reserve(scan, extra);
        if (status != NPART_OK)
            return status;
        memmove(scan->out.data + start + extra, scan->out.data + start, scan->out.bytes - start);
        scan->out.bytes += extra;
    } else {
        for (; width < frame->length_bytes; width++) { /* a padded varint means the same */
            varint[width - 1] |= 0x80;
            varint[width] = 0;
        }
    }
    memcpy(scan->out.data + frame->length_at, varint, width);
    return NPART_OK;
}

/* A change within is a change of all messages around it: their lengths have to be rewritten,
 * too. */
static npart_status close_message(struct scan *scan)
{
    struct frame *frame = &scan->frames[--scan->depth];
    scan->verbatim_end = 0; /* what follows is of another message */
    if (!frame->changed)
        return NPART_OK;
    if (scan->depth > 0)
        scan->frames[scan->depth - 1].changed = true;
    npart_status status = end_run(scan);
    if (status == NPART_OK && frame->has_elided)
        status = append_records(scan, frame);
    if (status == NPART_OK && frame->length_bytes)
        status = rewrite_length(scan, frame);
    return status;
}

/* A C string would end at the NUL, and two names could become one. */
static npart_status check_text(struct scan *scan, uint64_t bytes, uint64_t number)
{
    uint64_t start = scan->position, end = start + bytes;
    while (scan->position < end) {
        npart_status status = need(scan, 1);
        if (status != NPART_OK)
            return status;
        uint64_t piece_end = window_end(scan) < end ? window_end(scan) : end;
        if (piece_end == scan->position)
            return malformed(scan, scan->position, "the input ends inside a text");
        const uint8_t *text = scan->source->window + (scan->position - scan->source->window_offset);
        if (memchr(text, 0, (size_t)(piece_end - scan->position)))
            return malformed(scan, start, "%s.%s holds a NUL character",
                             npart__message_name(scan->frames[scan->depth - 1].message),
                             npart__field_name(scan->frames[scan->depth - 1].message, number));
        scan->position = piece_end;
    }
    return NPART_OK;
}

/* Numbers of fixed width fill their field, whether it is kept or not. float_data of 10 bytes would be two and a half
 * floats. */
static bool has_odd_end(unsigned kind, uint64_t bytes)
{
    return (kind == KIND_FIXED32S && bytes % 4) || (kind == KIND_FIXED64S && bytes % 8);
}

/* The varints of a packed field that is kept. Those that are left out are not looked at: that would read the
 * weights. */
static npart_status check_packed(struct scan *scan, uint64_t bytes)
{
    uint64_t at = scan->position, end = at + bytes;
    while (scan->position < end) {
        uint64_t value;
        npart_status status = read_varint(scan, "a packed number", &value);
        if (status != NPART_OK)
            return status;
    }
    if (scan->position != end)
        return malformed(scan, at, "packed numbers do not fill their %llu bytes", (unsigned long long)bytes);
    return NPART_OK;
}

/* ---- fields ---------------------------------------------------------------------------------------------- */

struct tag {
    uint64_t at, number; /* place in the input; field number */
    unsigned wire_type;
    struct field field; /* KIND_NONE for a number that the schema lacks */
};

/* By kind, a bit for each wire type that such a field may have. */
static const uint8_t wire_types[] = {
    [KIND_NONE] = 1 << WIRE_VARINT | 1 << WIRE_FIXED64 | 1 << WIRE_BYTES | 1 << WIRE_FIXED32,
    [KIND_VARINT] = 1 << WIRE_VARINT,
    [KIND_FIXED32] = 1 << WIRE_FIXED32,
    [KIND_FIXED64] = 1 << WIRE_FIXED64,
    [KIND_VARINTS] = 1 << WIRE_VARINT | 1 << WIRE_BYTES,
    [KIND_FIXED32S] = 1 << WIRE_FIXED32 | 1 << WIRE_BYTES,
    [KIND_FIXED64S] = 1 << WIRE_FIXED64 | 1 << WIRE_BYTES,
    [KIND_TEXT] = 1 << WIRE_BYTES,
    [KIND_BYTES] = 1 << WIRE_BYTES,
    [KIND_STRINGS] = 1 << WIRE_BYTES,
    [KIND_MESSAGE] = 1 << WIRE_BYTES,
    [KIND_MESSAGES] = 1 << WIRE_BYTES,
};

/* What may be left out above a limit, with a record. */
static bool is_payload(const struct tag *tag)
{
    return tag->field.rule == RULE_TENSOR || tag->field.rule == RULE_ATTRIBUTE;
}

/* A field that is a single number: a varint, or four or eight bytes. Of repeated ones that are
 * not packed each is a field of its own, and counts as one element of its payload. */
static npart_status handle_number(struct scan *scan, const struct tag *tag)
{
    static const uint8_t widths[] = {[WIRE_FIXED64] = 8, [WIRE_FIXED32] = 4};
    struct frame *frame = &scan->frames[scan->depth - 1];
    uint64_t value = 0, start = scan->position;
    npart_status status = NPART_OK;
    if (tag->wire_type == WIRE_VARINT) {
        status = read_varint(scan, "a number", &value);
    } else {
        uint64_t width = widths[tag->wire_type];
        if (width > frame->end - scan->position)
            return malformed(scan, scan->position, "a number is cut off");
        status = keep_bytes(scan, width);
    }
    if (status != NPART_OK)
        return status;
    uint64_t bytes = scan->position - start;
    if (tag->field.rule == RULE_TYPE)
        frame->element_type = (int)value;
    if (tag->field.kind == KIND_NONE) {
        scan->out.skipped_bytes += scan->position - tag->at;
        return leave_out(scan, tag->at, scan->position, 0);
    }
    if (is_payload(tag) && !stays(scan, tag->number, bytes))
        return leave_payload_out(scan, tag->at, tag->number, start, bytes, 1);
    return NPART_OK;
}

/* 0 where only reading the payload would tell. */
static uint64_t element_count(const struct tag *tag, uint64_t bytes)
{
    switch (tag->field.kind) {
    case KIND_FIXED32S:
        return bytes / 4;
    case KIND_FIXED64S:
        return bytes / 8;
    default: /* a string of string_data is one element; varints would have to be counted, raw bytes have no width */
        return tag->field.kind == KIND_STRINGS ? 1 : 0;
    }
}

/* Of what does not repeat the last counts, and what was left out is written after what was kept. So where all is kept,
 * and one was left out, a later one has to be, too. */
static bool must_follow(struct scan *scan, const struct tag *tag)
{
    const struct frame *frame = &scan->frames[scan->depth - 1];
    bool follows = tag->number < FIELD_NUMBERS && frame->left_out >> tag->number & 1;
    scan->out.is_whole &= !follows || scan->options->keeps_all;
    return follows && scan->options->keeps_all;
}

/* Of what does not repeat alone: of repeated payloads stays() leaves out whatever follows. */
static void note_left_out(struct frame *frame, const struct tag *tag)
{
    if (tag->field.kind == KIND_BYTES || tag->field.kind == KIND_TEXT)
        frame->left_out |= UINT32_C(1) << tag->number;
}

/* Two of a message that does not repeat are one, as protobuf has it. protobuf-c loses the unknown fields of the first,
 * and so the records of what was left out there. No exporter writes that. */
static npart_status check_single(struct scan *scan, const struct tag *tag)
{
    struct frame *frame = &scan->frames[scan->depth - 1];
    uint32_t bit = UINT32_C(1) << tag->number;
    char place[PLACE_BYTES];
    if (frame->seen & bit && !scan->options->keeps_all)
        scan->out.is_whole = false;
    else if (frame->seen & bit)
        return npart__fail(scan->error, NPART_ERROR_LIMIT, byte_place(place, tag->at),
                           "%s.%s stands there twice: such a file cannot be edited",
                           npart__message_name(frame->message), npart__field_name(frame->message, tag->number));
    frame->seen |= bit;
    return NPART_OK;
}

/* What a length-delimited field holds stays: walk it as its kind asks. */
static npart_status walk_bytes(struct scan *scan, const struct tag *tag, uint64_t bytes, unsigned length_bytes)
{
    switch (tag->field.kind) {
    case KIND_MESSAGE:
    case KIND_MESSAGES:
        if (tag->field.child == MESSAGE_GRAPH && scan->depth == 1)
            scan->graph_seen = true;
        scan->out.may_have_external |= scan->frames[scan->depth - 1].message == MESSAGE_TENSOR;
        return open_message(scan, tag->field.child, bytes, length_bytes);
    case KIND_TEXT:
        return check_text(scan, bytes, tag->number);
    case KIND_VARINTS:
        return check_packed(scan, bytes);
    default:
        return keep_bytes(scan, bytes);
    }
}

/* A field with a length (wire type 2): a message, a text, bytes, or packed numbers. protobuf-c
 * takes no length of more than five bytes, so neither does the scan. */
static npart_status handle_bytes(struct scan *scan, const struct tag *tag)
{
    struct frame *frame = &scan->frames[scan->depth - 1];
    uint64_t length_at = scan->position, bytes = 0;
    npart_status status = read_varint(scan, "a length", &bytes);
    if (status != NPART_OK)
        return status;
    unsigned length_bytes = (unsigned)(scan->position - length_at);
    if (length_bytes > 5)
        return malformed(scan, length_at, "a length has more than 5 bytes");
    if (bytes > frame->end - scan->position)
        return malformed(scan, tag->at, "%s.%s says %llu bytes where %llu are left",
                         npart__message_name(frame->message), npart__field_name(frame->message, tag->number),
                         (unsigned long long)bytes,
                         (unsigned long long)(frame->end - scan->position));
    if (has_odd_end(tag->field.kind, bytes))
        return malformed(scan, scan->position, "packed numbers do not fill their %llu bytes",
                         (unsigned long long)bytes);
    /* raw_data does not repeat: a second one replaces the first, as in every protobuf reader. */
    if (is_payload(tag) && tag->field.kind == KIND_BYTES)
        forget_payload(frame, tag->number);
    bool must_go = must_follow(scan, tag);
    if (is_payload(tag) && (must_go || !stays(scan, tag->number, bytes))) {
        note_left_out(frame, tag);
        return leave_payload_out(scan, tag->at, tag->number, scan->position, bytes, element_count(tag, bytes));
    }
    bool is_training = tag->field.rule == RULE_SKIP;
    bool is_long_prose = tag->field.rule == RULE_PROSE && (must_go || bytes > NPART__KEEP_TEXT_BYTES);
    if (is_long_prose)
        note_left_out(frame, tag);
    if (is_training || is_long_prose || tag->field.kind == KIND_NONE) {
        scan->out.training_info_bytes += is_training ? bytes : 0;
        scan->out.skipped_bytes += bytes;
        return leave_out(scan, tag->at, scan->position + bytes, 0);
    }
    if (tag->field.kind == KIND_MESSAGE && scan->out.is_whole)
        status = check_single(scan, tag);
    return status == NPART_OK ? walk_bytes(scan, tag, bytes, length_bytes) : status;
}

/* One field at `position`: its tag, then what the table says of it. Tags are of 32 bits and at
 * most five bytes, as protobuf-c reads no others. Wire types 3 and 4 (start and end of a group)
 * are in no ONNX message. */
static npart_status scan_field(struct scan *scan)
{
    struct frame *frame = &scan->frames[scan->depth - 1];
    struct tag tag = {.at = scan->position};
    uint64_t key = 0;
    npart_status status = need(scan, FIELD_HEADER_BYTES);
    if (status == NPART_OK)
        status = read_varint(scan, "a field tag", &key);
    if (status != NPART_OK)
        return status;
    tag.number = key >> 3;
    tag.wire_type = (unsigned)(key & 7);
    if (tag.number < FIELD_NUMBERS)
        tag.field = npart__fields[frame->message][tag.number];
    if (tag.number == 0 || !(wire_types[KIND_NONE] >> tag.wire_type & 1) || key > UINT32_MAX ||
        scan->position - tag.at > 5)
        return malformed(scan, tag.at, "%llu is no protobuf field tag", (unsigned long long)key);
    if (!(wire_types[tag.field.kind] >> tag.wire_type & 1))
        return malformed(scan, tag.at, "%s.%s has wire type %u", npart__message_name(frame->message),
                         npart__field_name(frame->message, tag.number), tag.wire_type);
    return tag.wire_type == WIRE_BYTES ? handle_bytes(scan, &tag) : handle_number(scan, &tag);
}

/* At the end of the innermost message? A stream's own end shows only when reading on finds nothing. */
static npart_status at_end(struct scan *scan, bool *out)
{
    const struct frame *frame = &scan->frames[scan->depth - 1];
    *out = scan->position >= frame->end;
    if (*out || scan->depth > 1 || scan->position < window_end(scan))
        return NPART_OK;
    npart_status status = need(scan, 1);
    *out = status == NPART_OK && window_end(scan) <= scan->position;
    return status;
}

/* The frames are some 13 KB, too much for the stack of a thread of the caller's. On failure the
 * skeleton's memory goes back at once, the rest with the arena. */
npart_status npart__wire_scan(struct npart__source *source, const struct npart__wire_options *options,
                              struct npart__arena *arena, struct npart__skeleton *out, struct npart_error *error)
{
    struct scan *scan = npart__arena_zeroed(arena, 1, sizeof *scan);
    if (!scan)
        return npart__fail_memory(error);
    scan->source = source;
    scan->arena = arena;
    scan->options = options;
    scan->error = error;
    scan->out.is_whole = options->keeps_all || options->keeps_what_it_can;
    /* A few bytes tell an empty input from one that begins; the first field asks for more. */
    npart_status status = npart__source_seek(source, 0, 16, error);
    if (status == NPART_OK && source->window_bytes == 0)
        status = npart__fail(error, NPART_ERROR_MALFORMED, "byte 0", "the input is empty");
    /* The model is a message without a length of its own: it ends with the input. */
    scan->frames[0].end = source->size;
    scan->frames[0].message = MESSAGE_MODEL;
    scan->depth = 1;
    for (uint32_t fields = 0; status == NPART_OK; fields++) {
        bool ended;
        /* Fields that are left out take time, but no memory, whose want would end it. */
        if (fields % FIELDS_A_LOOK == 0 && npart__is_late(arena)) {
            status = npart__fail_memory(error);
            break;
        }
        status = at_end(scan, &ended);
        if (status != NPART_OK)
            break;
        if (!ended) {
            status = scan_field(scan);
        } else if (scan->depth == 1) {
            status = end_run(scan);
            break;
        } else {
            status = close_message(scan);
        }
    }
    if (status == NPART_OK && !scan->graph_seen)
        status = npart__fail(error, NPART_ERROR_MALFORMED, "", "holds no graph: not an ONNX model");
    scan->out.input_bytes = scan->position;
    scan->out.limits = options->limits;
    if (status == NPART_OK)
        *out = scan->out;
    else
        npart__arena_release(arena, scan->out.data);
    return status;
}
