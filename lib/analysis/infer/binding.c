/* SPDX-License-Identifier: Apache-2.0
 *
 * The main graph's inputs: their declared types, with the sizes that the caller gives. What `--dim` and `--input` ask
 * for arrives here in three forms:
 *
 *   batch=1, 2*h + 1=65      a symbol of the model, or an expression of one, which is solved for it
 *   input_ids.0=1            INPUT.AXIS, for a dynamic dim without a name
 *   input_ids [1,128]        the whole shape of an input, which binds the symbols that it covers
 *
 * A value may be a limit instead of a size (`--dim seq=..512`). Symbols are bound before any expression of them is
 * made: from then on they are plain numbers everywhere in the model, and nothing has to be replaced later.
 *
 * Requests and dims may be many (10,000 symbols in generated models), so both are found by name, never by going through
 * all.
 */
#include "infer/driver.h"

/* ---- names ------------------------------------------------------------------------------------------------ */

/* What the caller asks for, by name and by input: both may be many. */
struct binder {
    struct npart__inference *inference;
    const struct npart__infer_options *options;
    struct npart__arena scratch;
    struct npart__strings words; /* that the model's dims are written with, and their texts as a whole */
    uint32_t *input_of;          /* by name, interned by the graph: a value plus one; 0: no input of that name */
    struct axis_request {
        uint32_t input, axis; /* INPUT.AXIS; NPART_NONE: it is not of that form */
        uint32_t next;        /* of the same input: a binding, or NPART_NONE */
    } *axes;                  /* by binding */
    uint32_t *first_axis;     /* by value: its first binding plus one */
    uint32_t *shape_of;       /* by value: the shape asked for plus one */
};

/* Letters of names that stand between operators: "s0" and "h" in "s0*(h - 1)". */
static bool is_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/* What a symbol may be written with in an expression. */
static bool is_symbol_word(char c)
{
    return is_word(c) || c == '.' || (unsigned char)c >= 0x80;
}

size_t npart__next_word(const char **at, bool of_symbols)
{
    bool (*counts)(char c) = of_symbols ? is_symbol_word : is_word;
    while (**at && !counts(**at))
        (*at)++;
    size_t length = 0;
    while ((*at)[length] && counts((*at)[length]))
        length++;
    return length;
}

/* Whether a dim's text is `name`, or holds it as a word of an expression: "s0 + 1" mentions "s0" and not "s". */
static bool mentions(const char *text, const char *name)
{
    size_t length = strlen(name);
    if (!text || length == 0)
        return false;
    /* A name that itself begins or ends with an operator needs no border there. */
    for (const char *at = strstr(text, name); at; at = strstr(at + 1, name)) {
        bool begins = at == text || !is_word(at[-1]) || !is_word(*name);
        bool ends = !is_word(at[length]) || !is_word(name[length - 1]);
        if (begins && ends)
            return true;
    }
    return false;
}

/* Takes in a dim's text as a whole and all words of it, of both kinds: exporters write symbols with dots and with
 * letters beyond ASCII, which end a plain word. False when out of memory. */
static bool add_words(struct npart__strings *words, const char *text)
{
    /* No copies: the texts live as long as the graph, and this table goes before it. */
    bool ok = npart__intern_text(words, text) != NPART_NONE;
    for (int of_symbols = 0; of_symbols < 2; of_symbols++) {
        const char *at = text;
        for (size_t length; ok && (length = npart__next_word(&at, of_symbols)) > 0; at += length)
            ok = npart__intern(words, at, length, false) != NPART_NONE;
    }
    return ok;
}

/* Cheap, and rejects nearly every name that no dim is written with. */
static bool has_all_words(const struct npart__strings *words, const char *name)
{
    for (size_t length; (length = npart__next_word(&name, false)) > 0; name += length)
        if (npart__strings_find(words, name, length) == NPART_NONE)
            return false;
    return true;
}

/* Whether any dim of the file mentions the name: one look at each text, so it is asked last. */
static bool is_in_a_dim(const struct npart__graph *graph, const char *name)
{
    for (uint32_t i = 0; i < graph->values.count; i++) {
        const struct npart__declared_type *declared = npart__value_at(graph, i)->declared;
        for (uint32_t k = 0; declared && k < declared->rank; k++)
            if (mentions(declared->dims[k].parameter, name))
                return true;
    }
    return false;
}

/* Whether a request names something that the model's dims are written with. Texts are gone through only for expressions
 * of the model's own words, as "s0 + 1" is part of a dim "2*(s0 + 1)" without being one of its words. */
static bool is_symbol_of_model(const struct binder *binder, uint32_t binding)
{
    const char *name = binder->options->bindings[binding].name;
    if (!*name)
        return false;
    if (npart__strings_find_text(&binder->words, name) != NPART_NONE)
        return true;
    return has_all_words(&binder->words, name) && binder->axes[binding].input == NPART_NONE &&
           is_in_a_dim(binder->inference->graph, name);
}

/* The value of a graph input by its name; NPART_NONE: there is none. */
static uint32_t find_input(const struct binder *binder, const char *name, size_t length)
{
    uint32_t id = npart__strings_find(&binder->inference->graph->strings, name, length);
    return id == NPART_NONE ? NPART_NONE : binder->input_of[id] - 1u;
}

/* INPUT.AXIS, for a dim of an input that has no name: `input` is NPART_NONE where the text is not of that form, or the
 * dim is a number or has a name, by which it must then be asked for. The last dot divides, as names of inputs may have
 * dots. */
static struct axis_request parse_input_axis(const struct binder *binder, const char *name)
{
    struct axis_request out = {.input = NPART_NONE, .next = NPART_NONE};
    const char *dot = strrchr(name, '.');
    /* Three digits suffice for any axis, and the number cannot overflow. */
    if (!dot || dot[1] < '0' || dot[1] > '9' || strlen(dot) > 4)
        return out;
    for (const char *digit = dot + 1; *digit; digit++) {
        if (*digit < '0' || *digit > '9')
            return out;
        out.axis = out.axis * 10 + (uint32_t)(*digit - '0');
    }
    uint32_t found = find_input(binder, name, (size_t)(dot - name));
    if (found == NPART_NONE)
        return out;
    const struct npart__declared_type *declared = npart__value_at(binder->inference->graph, found)->declared;
    if (declared && declared->has_rank && out.axis < declared->rank && declared->dims[out.axis].value < 0 &&
        !declared->dims[out.axis].parameter)
        out.input = found;
    return out;
}

/* Of several bindings of one axis the last counts, so each input's are listed from the first on. */
static void list_axes(struct binder *binder)
{
    for (uint32_t i = binder->options->binding_count; i-- > 0;) {
        struct axis_request *request = &binder->axes[i];
        *request = parse_input_axis(binder, binder->options->bindings[i].name);
        if (request->input == NPART_NONE)
            continue;
        request->next = binder->first_axis[request->input] - 1u;
        binder->first_axis[request->input] = i + 1;
    }
}

/* Prepares the look-up of names; without requests, nothing but the two empty tables. False when out of memory. The
 * caller clears `scratch` either way. */
static bool open_binder(struct binder *binder)
{
    const struct npart__graph *graph = binder->inference->graph;
    const struct npart__scope *scope = npart__scope_at(graph, 0);
    npart__arena_init(&binder->scratch, &binder->inference->arena->allocator);
    size_t names = graph->strings.texts.count + (size_t)1, values = graph->values.count + (size_t)1;
    binder->first_axis = npart__arena_zeroed(&binder->scratch, values, sizeof *binder->first_axis);
    binder->shape_of = npart__arena_zeroed(&binder->scratch, values, sizeof *binder->shape_of);
    if (!binder->first_axis || !binder->shape_of)
        return false;
    if (binder->options->binding_count + binder->options->shape_count == 0)
        return true;
    binder->input_of = npart__arena_zeroed(&binder->scratch, names, sizeof *binder->input_of);
    binder->axes =
        npart__arena_zeroed(&binder->scratch, binder->options->binding_count + (size_t)1, sizeof *binder->axes);
    bool ok = binder->input_of && binder->axes && npart__strings_init(&binder->words, &binder->scratch);
    /* Inputs by name. */
    for (uint32_t i = 0; ok && i < scope->input_count; i++) {
        uint32_t value = graph->operands.items[scope->first_input + i];
        /* The name is an id of the graph's strings, of which the table has one place each. */
        binder->input_of[npart__value_at(graph, value)->name] = value + 1;
    }
    /* Words of all dims in the file, of inputs and others. */
    for (uint32_t i = 0; ok && i < graph->values.count; i++) {
        const struct npart__declared_type *declared = npart__value_at(graph, i)->declared;
        for (uint32_t k = 0; ok && declared && k < declared->rank; k++)
            ok = !declared->dims[k].parameter || add_words(&binder->words, declared->dims[k].parameter);
    }
    if (ok)
        list_axes(binder);
    return ok;
}

/* ---- checking what the caller asks for -------------------------------------------------------------------- */

/* Always a failure of the caller's argument; what is wrong stands after the request as it was written. */
static npart_status bad_binding(const struct npart_dim_binding *request, const char *problem,
                                struct npart_error *error)
{
    return npart__fail(error, NPART_ERROR_ARGUMENT, "", "dim %s=%lld: %s", request->name, (long long)request->size,
                       problem);
}

/* The name by which --dim takes a dim that has none of its own. */
static const char *name_axis(const struct binder *binder, uint32_t input, uint32_t axis)
{
    return npart__arena_format(binder->inference->arena, "%s.%u", npart__value_name(binder->inference->graph, input),
                               axis);
}

/* The model lacks the dim that a request names. No failure where the caller said so (`may_lack_dims`), as one
 * command line may serve many models; else an error with the nearest names of dynamic dims, to help with misspelt
 * ones. */
static npart_status lack_dim(const struct binder *binder, uint32_t index, struct npart_error *error)
{
    const struct npart_dim_binding *request = &binder->options->bindings[index];
    const struct npart__graph *graph = binder->inference->graph;
    const struct npart__scope *scope = npart__scope_at(graph, 0);
    struct npart__nearest nearest;
    char hint[NPART__HINT_BYTES];
    if (index < binder->options->may_lack_count) {
        binder->options->is_missing[index] = true;
        return NPART_OK;
    }
    npart__nearest_init(&nearest, request->name, strlen(request->name));
    for (uint32_t i = 0; i < scope->input_count; i++) {
        uint32_t value = graph->operands.items[scope->first_input + i];
        const struct npart__declared_type *declared = npart__value_at(graph, value)->declared;
        for (uint32_t k = 0; declared && k < declared->rank; k++) {
            const char *name = declared->dims[k].parameter;
            if (!name && declared->dims[k].value < 0)
                name = name_axis(binder, value, k);
            npart__nearest_offer(&nearest, name ? name : ""); /* which is no name */
        }
    }
    return npart__fail(error, NPART_ERROR_ARGUMENT, "", "dim %s=%s%lld: the model has no such dim%s", request->name,
                       request->is_limit ? ".." : "", (long long)request->size,
                       nearest.first_count ? npart__nearest_hint(&nearest, hint, sizeof hint)
                                           : "; its inputs have no dynamic dimensions");
}

/* A number in the range of the handles would be taken for an expression. */
static bool are_sizes(const struct npart__infer_options *options, struct npart_error *error)
{
    for (uint32_t i = 0; i < options->binding_count; i++) {
        const struct npart_dim_binding *request = &options->bindings[i];
        if (request->size >= 0 && npart__is_number(request->size))
            continue;
        (void)bad_binding(request, "is no size", error);
        return false;
    }
    return true;
}

/* Before any expression of the symbols is made, so that the limits are known of all: the bounds of an atom are worked
 * out once, when it is made (see bounds.c). A limit of INPUT.AXIS is left to override_axes, as such a dim has no name
 * to keep it by. */
static npart_status limit_symbols(const struct binder *binder, struct npart_error *error)
{
    for (uint32_t i = 0; i < binder->options->binding_count; i++) {
        const struct npart_dim_binding *request = &binder->options->bindings[i];
        if (!request->is_limit || binder->axes[i].input != NPART_NONE)
            continue;
        bool is_symbol = is_symbol_of_model(binder, i);
        npart_status status = is_symbol ? NPART_OK : lack_dim(binder, i, error);
        if (status != NPART_OK)
            return status;
        if (!is_symbol)
            continue;
        if (!npart__is_dim_name(&binder->inference->expressions, request->name))
            return bad_binding(request, "only a name can have a limit", error);
        npart__limit_symbol(&binder->inference->expressions, request->name, strlen(request->name), request->size);
    }
    return NPART_OK;
}

/* Names first, then expressions, which may be solved for one more name: with h=4 bound, "h*w"=32 binds w to 8. In the
 * other order it would have two symbols, and could not be solved. */
static npart_status bind_symbols(const struct binder *binder, struct npart_error *error)
{
    const struct npart__infer_options *options = binder->options;
    npart_status limited = are_sizes(options, error) ? limit_symbols(binder, error) : NPART_ERROR_ARGUMENT;
    if (limited != NPART_OK)
        return limited;
    for (int pass = 0; pass < 2; pass++) {
        for (uint32_t i = 0; i < options->binding_count; i++) {
            const struct npart_dim_binding *request = &options->bindings[i];
            const char *problem;
            bool is_name = npart__is_dim_name(&binder->inference->expressions, request->name);
            /* Limits were set before; the first pass has the names. */
            if (request->is_limit || is_name != (pass == 0))
                continue;
            bool is_symbol = is_symbol_of_model(binder, i);
            /* Neither a symbol nor INPUT.AXIS, which make_input_fact puts in. */
            bool is_lacking = !is_symbol && binder->axes[i].input == NPART_NONE;
            npart_status status = is_lacking ? lack_dim(binder, i, error) : NPART_OK;
            if (status != NPART_OK)
                return status;
            if (is_symbol &&
                !npart__bind_text(&binder->inference->expressions, request->name, request->size, &problem))
                return bad_binding(request, problem, error);
        }
    }
    return NPART_OK;
}

/* ---- facts of the inputs ---------------------------------------------------------------------------------- */

/* An --input of a name that the model lacks, with the nearest names that it has. */
static npart_status lack_input(const struct npart__graph *graph, const char *name, struct npart_error *error)
{
    const struct npart__scope *scope = npart__scope_at(graph, 0);
    struct npart__nearest nearest;
    char hint[NPART__HINT_BYTES];
    npart__nearest_init(&nearest, name, strlen(name));
    for (uint32_t i = 0; i < scope->input_count; i++)
        npart__nearest_offer(&nearest, npart__value_name(graph, graph->operands.items[scope->first_input + i]));
    return npart__fail(error, NPART_ERROR_ARGUMENT, "", "the model has no input \"%s\"%s", name,
                       npart__nearest_hint(&nearest, hint, sizeof hint));
}

/* A whole shape binds the symbols that it covers, so that they hold elsewhere too. */
static npart_status bind_shapes(const struct binder *binder, struct npart_error *error)
{
    struct npart__inference *inference = binder->inference;
    const struct npart__graph *graph = inference->graph;
    for (uint32_t i = 0; i < binder->options->shape_count; i++) {
        const struct npart_input_shape *request = &binder->options->shapes[i];
        uint32_t value = find_input(binder, request->input, strlen(request->input));
        if (value == NPART_NONE)
            return lack_input(graph, request->input, error);
        if (!binder->shape_of[value]) /* of two the first */
            binder->shape_of[value] = i + 1;
        const struct npart__declared_type *declared = npart__value_at(graph, value)->declared;
        /* A shape may replace sizes that the file declares, never the rank. */
        if (declared && declared->has_rank && declared->rank != request->rank)
            return npart__fail(error, NPART_ERROR_ARGUMENT, "", "input \"%s\" has rank %u, not %u", request->input,
                               declared->rank, request->rank);
        for (uint32_t k = 0; k < request->rank; k++) {
            const char *problem;
            if (request->dims[k] < 0 || !npart__is_number(request->dims[k]))
                return npart__fail(error, NPART_ERROR_ARGUMENT, "", "input \"%s\": %lld is no size", request->input,
                                   (long long)request->dims[k]);
            /* A dim that the file gives as a number is no failure: the caller's shape counts, and make_input_fact tells
             * of it. */
            if (!declared || !declared->has_rank || !declared->dims[k].parameter)
                continue;
            struct npart_dim_binding dim = {.name = declared->dims[k].parameter, .size = request->dims[k]};
            if (!npart__bind_text(&inference->expressions, dim.name, dim.size, &problem))
                return bad_binding(&dim, problem, error);
        }
    }
    return NPART_OK;
}

/* Puts in the sizes that were asked for as INPUT.AXIS. Of several requests for one axis the last is applied last. */
static void override_axes(const struct binder *binder, uint32_t value, int64_t *dims)
{
    for (uint32_t i = binder->first_axis[value] - 1u; i != NPART_NONE; i = binder->axes[i].next) {
        const struct npart_dim_binding *request = &binder->options->bindings[i];
        dims[binder->axes[i].axis] =
            request->is_limit ? npart__bounded_symbol(&binder->inference->expressions, request->size)
                              : request->size;
    }
}

/* The caller's shape counts, but a model that was exported for other sizes may not work with these. */
static bool tell_other_sizes(struct npart__inference *inference, uint32_t value, const struct npart__fact *declared,
                             const struct npart_input_shape *shape)
{
    struct npart__buffer text = {.arena = inference->arena};
    /* Only numbers can differ: a dim with a name was bound to what is asked for. */
    bool differs = false;
    for (uint32_t i = 0; declared->has_rank && i < shape->rank; i++)
        differs |= npart__is_number(declared->dims[i]) && declared->dims[i] != shape->dims[i];
    if (!differs)
        return true;
    /* The declared type with the other sizes, to be printed. */
    struct npart__fact asked = *declared;
    asked.dims = shape->dims;
    npart__append_format(&text, "input \"%s\": the file says ", npart__value_name(inference->graph, value));
    npart__append_fact(&text, &inference->expressions, declared);
    npart__append_text(&text, ", asked for is ");
    npart__append_fact(&text, &inference->expressions, &asked);
    return npart__add_finding(inference, "input-shape", npart__made_text(&text), "");
}

/* What is known of an input: its declared type, then the caller's whole shape, else single axes of it. An input without
 * a declared shape gets its rank from the caller's. False when out of memory. */
static bool make_input_fact(const struct binder *binder, uint32_t value)
{
    struct npart__inference *inference = binder->inference;
    const struct npart__value *at = npart__value_at(inference->graph, value);
    const struct npart_input_shape *shape =
        binder->shape_of[value] ? &binder->options->shapes[binder->shape_of[value] - 1] : NULL;
    struct npart__fact *fact = &inference->facts[value];
    if (at->kind == NPART__VALUE_INITIALIZER)
        return true; /* before IR 4 constants had to be listed among the inputs */
    /* The file's declaration, unless it says less than the default tensor of an input that has one. */
    if (at->declared) {
        const struct npart__fact *declared = npart__fact_of_declared(inference, at->declared);
        if (!declared)
            return false;
        bool keeps_tensor = fact->kind == NPART__TYPE_TENSOR && !declared->has_rank;
        if (!keeps_tensor)
            *fact = *declared;
    }
    if (shape && !tell_other_sizes(inference, value, fact, shape))
        return false;
    uint32_t rank = shape ? shape->rank : fact->rank;
    if (!(shape || fact->has_rank) || rank > NPART__MOST(binder->inference->graph->limits, RANK))
        return true;
    int64_t *dims = npart__arena_allocate(inference->arena, (rank + (size_t)1) * sizeof *dims);
    if (!dims)
        return false;
    for (uint32_t i = 0; i < rank; i++)
        dims[i] = shape ? shape->dims[i] : fact->dims[i];
    /* A whole shape comes before sizes by INPUT.AXIS, if both are asked for. */
    if (!shape)
        override_axes(binder, value, dims);
    fact->kind = NPART__TYPE_TENSOR;
    fact->has_rank = true;
    fact->rank = (uint16_t)rank;
    fact->dims = dims;
    return true;
}

/* In order: the tables to look names up in; symbols that are asked for by name, then by expression; symbols that whole
 * shapes give; and the facts of the inputs, in which a bound symbol is its number. */
npart_status npart__bind_inputs(struct npart__inference *inference, const struct npart__infer_options *options,
                                struct npart_error *error)
{
    const struct npart__scope *scope = npart__scope_at(inference->graph, 0);
    struct binder binder = {.inference = inference, .options = options};
    npart_status status = open_binder(&binder) ? NPART_OK : npart__fail_memory(error);
    if (status == NPART_OK)
        status = bind_symbols(&binder, error);
    if (status == NPART_OK)
        status = bind_shapes(&binder, error);
    /* Symbols that are named from here on are sizes of inputs: at least 1, unless the name speaks of a cache. */
    inference->expressions.reads_inputs = true;
    for (uint32_t i = 0; status == NPART_OK && i < scope->input_count; i++)
        if (!make_input_fact(&binder, inference->graph->operands.items[scope->first_input + i]))
            status = npart__fail_memory(error);
    inference->expressions.reads_inputs = false;
    for (uint32_t i = 0; status == NPART_OK && i < options->given_count; i++)
        inference->facts[options->given[i].input].known = options->given[i].known;
    /* The tables were for names; facts and symbols are in the inference's own arena. */
    npart__arena_clear(&binder.scratch);
    return status == NPART_OK && inference->expressions.failed ? npart__fail_memory(error) : status;
}
