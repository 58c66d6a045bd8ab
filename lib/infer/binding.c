/* SPDX-License-Identifier: Apache-2.0
 *
 * The main graph's inputs: their declared types, with the sizes that the caller gives; and a proposal for the
 * sizes that are still open.
 */
#include <stdio.h>

#include "infer/driver.h"

/* ---- checking what the caller asks for -------------------------------------------------------------------- */

static bool is_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

bool npart__mentions(const char *text, const char *name)
{
    size_t length = strlen(name);
    if (!text || length == 0)
        return false;
    for (const char *at = strstr(text, name); at; at = strstr(at + 1, name)) {
        bool begins = at == text || !is_word(at[-1]) || !is_word(*name);
        bool ends = !is_word(at[length]) || !is_word(name[length - 1]);
        if (begins && ends)
            return true;
    }
    return false;
}

static bool is_symbol_of_model(const struct npart__graph *graph, const char *name)
{
    for (uint32_t i = 0; i < graph->values.count; i++) {
        const struct npart__declared_type *declared = graph->values.items[i].declared;
        for (uint32_t k = 0; declared && k < declared->rank; k++)
            if (npart__mentions(declared->dims[k].parameter, name))
                return true;
    }
    return false;
}

static uint32_t find_input(const struct npart__graph *graph, const char *name, size_t length)
{
    const struct npart__scope *scope = &graph->scopes.items[0];
    for (uint32_t i = 0; i < scope->input_count; i++) {
        uint32_t value = graph->operands.items[scope->first_input + i];
        const char *text = npart__value_name(graph, value);
        if (strlen(text) == length && memcmp(text, name, length) == 0)
            return value;
    }
    return NPART_NONE;
}

/* INPUT.AXIS for a dim of an input that has no name; *value stays NPART_NONE when `name` is not of that form. */
static void parse_input_axis(const struct npart__graph *graph, const char *name, uint32_t *value, uint32_t *axis)
{
    const char *dot = strrchr(name, '.');
    *value = NPART_NONE;
    if (!dot || dot[1] < '0' || dot[1] > '9' || strlen(dot) > 4)
        return;
    uint32_t number = 0;
    for (const char *digit = dot + 1; *digit; digit++) {
        if (*digit < '0' || *digit > '9')
            return;
        number = number * 10 + (uint32_t)(*digit - '0');
    }
    uint32_t found = find_input(graph, name, (size_t)(dot - name));
    if (found == NPART_NONE)
        return;
    const struct npart__declared_type *declared = graph->values.items[found].declared;
    if (declared && declared->has_rank && number < declared->rank && declared->dims[number].value < 0 &&
        !declared->dims[number].parameter) {
        *value = found;
        *axis = number;
    }
}

static npart_status bad_binding(const struct npart__binding_request *request, const char *problem,
                                struct npart_error *error)
{
    return npart__fail(error, NPART_ERROR_ARGUMENT, "", "dim %s=%lld: %s", request->name, (long long)request->value,
                       problem);
}

static bool is_plain(const char *name)
{
    while (is_word(*name))
        name++;
    return *name == '\0';
}

static bool are_sizes(const struct npart__infer_options *options, struct npart_error *error)
{
    for (uint32_t i = 0; i < options->binding_count; i++) {
        const struct npart__binding_request *request = &options->bindings[i];
        if (request->value >= 0 && npart__is_number(request->value))
            continue;
        (void)bad_binding(request, "is no size", error);
        return false;
    }
    return true;
}

/* Before any expression of the symbols is made, so that the limits are known of all. */
static npart_status limit_symbols(struct npart__inference *inference, const struct npart__infer_options *options,
                                  struct npart_error *error)
{
    for (uint32_t i = 0; i < options->binding_count; i++) {
        const struct npart__binding_request *request = &options->bindings[i];
        uint32_t input, axis;
        if (!request->is_limit)
            continue;
        parse_input_axis(inference->graph, request->name, &input, &axis);
        if (input != NPART_NONE)
            continue;
        if (!is_symbol_of_model(inference->graph, request->name))
            return bad_binding(request, "the model has no such dim", error);
        if (!is_plain(request->name))
            return bad_binding(request, "only a name can have a limit", error);
        npart__limit_symbol(&inference->expressions, request->name, strlen(request->name), request->value);
    }
    return NPART_OK;
}

/* Names first, then expressions, which may be solved for one more name. */
static npart_status bind_symbols(struct npart__inference *inference, const struct npart__infer_options *options,
                                 struct npart_error *error)
{
    npart_status limited = are_sizes(options, error) ? limit_symbols(inference, options, error) : NPART_ERROR_ARGUMENT;
    if (limited != NPART_OK)
        return limited;
    for (int pass = 0; pass < 2; pass++) {
        for (uint32_t i = 0; i < options->binding_count; i++) {
            const struct npart__binding_request *request = &options->bindings[i];
            uint32_t input, axis;
            const char *problem;
            if (request->is_limit || is_plain(request->name) != (pass == 0))
                continue;
            if (!is_symbol_of_model(inference->graph, request->name)) {
                parse_input_axis(inference->graph, request->name, &input, &axis);
                if (input == NPART_NONE)
                    return bad_binding(request, "the model has no such dim", error);
                continue;
            }
            if (!npart__bind_text(&inference->expressions, request->name, request->value, &problem))
                return bad_binding(request, problem, error);
        }
    }
    return NPART_OK;
}

/* ---- facts of the inputs ---------------------------------------------------------------------------------- */

static const struct npart__shape_request *find_shape(const struct npart__infer_options *options, const char *input)
{
    for (uint32_t i = 0; i < options->shape_count; i++)
        if (strcmp(options->shapes[i].input, input) == 0)
            return &options->shapes[i];
    return NULL;
}

/* A whole shape binds the symbols that it covers, so that they hold elsewhere too. */
static npart_status bind_shapes(struct npart__inference *inference, const struct npart__infer_options *options,
                                struct npart_error *error)
{
    const struct npart__graph *graph = inference->graph;
    for (uint32_t i = 0; i < options->shape_count; i++) {
        const struct npart__shape_request *request = &options->shapes[i];
        uint32_t value = find_input(graph, request->input, strlen(request->input));
        if (value == NPART_NONE)
            return npart__fail(error, NPART_ERROR_ARGUMENT, "", "the model has no input \"%s\"", request->input);
        const struct npart__declared_type *declared = graph->values.items[value].declared;
        if (declared && declared->has_rank && declared->rank != request->rank)
            return npart__fail(error, NPART_ERROR_ARGUMENT, "", "input \"%s\" has rank %u, not %u", request->input,
                               declared->rank, request->rank);
        for (uint32_t k = 0; k < request->rank; k++) {
            const char *problem;
            if (request->dims[k] < 0 || !npart__is_number(request->dims[k]))
                return npart__fail(error, NPART_ERROR_ARGUMENT, "", "input \"%s\": %lld is no size", request->input,
                                   (long long)request->dims[k]);
            if (!declared || !declared->has_rank || !declared->dims[k].parameter)
                continue;
            struct npart__binding_request dim = {.name = declared->dims[k].parameter, .value = request->dims[k]};
            if (!npart__bind_text(&inference->expressions, dim.name, dim.value, &problem))
                return bad_binding(&dim, problem, error);
        }
    }
    return NPART_OK;
}

static void override_axes(struct npart__inference *inference, const struct npart__infer_options *options,
                          uint32_t value, int64_t *dims)
{
    for (uint32_t i = 0; i < options->binding_count; i++) {
        uint32_t input, axis = 0;
        parse_input_axis(inference->graph, options->bindings[i].name, &input, &axis);
        if (input == value)
            dims[axis] = options->bindings[i].is_limit
                             ? npart__bounded_symbol(&inference->expressions, options->bindings[i].value)
                             : options->bindings[i].value;
    }
}

/* The caller's shape counts, but a model that was exported for other sizes may not work with these. */
static bool tell_other_sizes(struct npart__inference *inference, uint32_t value, const struct npart__fact *declared,
                             const struct npart__shape_request *shape)
{
    struct npart__buffer text;
    bool differs = false;
    for (uint32_t i = 0; declared->has_rank && i < shape->rank; i++)
        differs |= npart__is_number(declared->dims[i]) && declared->dims[i] != shape->dims[i];
    if (!differs)
        return true;
    struct npart__fact asked = *declared;
    asked.dims = shape->dims;
    npart__buffer_init(&text, inference->arena);
    npart__append_format(&text, "input \"%s\": the file says ", npart__value_name(inference->graph, value));
    npart__append_fact(&text, &inference->expressions, declared);
    npart__append_text(&text, ", asked for is ");
    npart__append_fact(&text, &inference->expressions, &asked);
    return !text.failed && npart__add_finding(inference, "input-shape", npart__buffer_text(&text), "");
}

static bool make_input_fact(struct npart__inference *inference, const struct npart__infer_options *options,
                            uint32_t value)
{
    const struct npart__graph *graph = inference->graph;
    const struct npart__value *at = &graph->values.items[value];
    const struct npart__shape_request *shape = find_shape(options, npart__value_name(graph, value));
    struct npart__fact *fact = &inference->facts[value];
    if (at->kind == NPART__VALUE_INITIALIZER)
        return true; /* before IR 4 constants had to be listed among the inputs */
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
    if (!(shape || fact->has_rank) || rank > NPART__LIMIT_RANK)
        return true;
    int64_t *dims = npart__arena_allocate(inference->arena, (rank + (size_t)1) * sizeof *dims);
    if (!dims)
        return false;
    for (uint32_t i = 0; i < rank; i++)
        dims[i] = shape ? shape->dims[i] : fact->dims[i];
    if (!shape)
        override_axes(inference, options, value, dims);
    fact->kind = NPART__TYPE_TENSOR;
    fact->has_rank = true;
    fact->rank = (uint16_t)rank;
    fact->dims = dims;
    return true;
}

npart_status npart__bind_inputs(struct npart__inference *inference, const struct npart__infer_options *options,
                                struct npart_error *error)
{
    const struct npart__scope *scope = &inference->graph->scopes.items[0];
    npart_status status = bind_symbols(inference, options, error);
    if (status == NPART_OK)
        status = bind_shapes(inference, options, error);
    inference->expressions.reads_inputs = true;
    for (uint32_t i = 0; status == NPART_OK && i < scope->input_count; i++)
        if (!make_input_fact(inference, options, inference->graph->operands.items[scope->first_input + i]))
            status = npart__fail_memory(error);
    inference->expressions.reads_inputs = false;
    return status == NPART_OK && inference->expressions.failed ? npart__fail_memory(error) : status;
}

/* ---- a proposal ------------------------------------------------------------------------------------------- */

static bool is_batch(const char *name)
{
    static const char *const words[] = {"batch", "Batch", "BATCH"};
    if (strcmp(name, "N") == 0 || strcmp(name, "n") == 0 || strcmp(name, "bs") == 0)
        return true;
    for (size_t i = 0; i < NPART__COUNT(words); i++)
        if (strstr(name, words[i]))
            return true;
    return false;
}

struct proposal {
    struct npart__inference *inference;
    struct NPART__ARRAY(struct npart__binding_request) requests;
};

static bool has_request(const struct proposal *proposal, const char *name)
{
    for (uint32_t i = 0; i < proposal->requests.count; i++)
        if (strcmp(proposal->requests.items[i].name, name) == 0)
            return true;
    return false;
}

static bool request(struct proposal *proposal, const char *name, int64_t value)
{
    struct npart__binding_request made = {.name = name, .value = value};
    return name && (has_request(proposal, name) || NPART__PUSH(proposal->inference->arena, &proposal->requests, made));
}

static const char *symbol_name(const struct npart__inference *inference, int64_t dim)
{
    uint32_t root = npart__root_symbol(&inference->expressions, dim);
    return root == NPART_NONE ? NULL : inference->expressions.symbols.items[root].name;
}

/* Whether `dim` is nothing but one named symbol that no request covers yet. */
static bool is_open_symbol(const struct proposal *proposal, int64_t dim)
{
    const char *name = symbol_name(proposal->inference, dim);
    if (!name || npart__is_number(dim) || has_request(proposal, name))
        return false;
    return npart__same(dim, npart__symbol(&proposal->inference->expressions, name, strlen(name)));
}

/* The value of an expression under the requests so far; false while one of its symbols is open. */
static bool evaluate(const struct proposal *proposal, int64_t dim, int64_t *out)
{
    struct npart__arena arena;
    struct npart__expressions pool;
    struct npart__buffer text;
    const char *problem;
    *out = dim;
    if (npart__is_number(dim))
        return dim > 0;
    npart__arena_init(&arena, &proposal->inference->arena->allocator);
    npart__buffer_init(&text, &arena);
    bool ok = npart__expressions_init(&pool, &arena);
    for (uint32_t i = 0; ok && i < proposal->requests.count; i++)
        ok = npart__bind_text(&pool, proposal->requests.items[i].name, proposal->requests.items[i].value, &problem);
    if (ok) {
        npart__append_dim(&text, &proposal->inference->expressions, dim);
        *out = npart__parse_dim(&pool, npart__buffer_text(&text));
        ok = npart__is_number(*out) && *out > 0;
    }
    npart__arena_clear(&arena);
    return ok;
}

/* Sizes that must be equal for the model to work: a lone symbol follows the other side. */
static bool follow_assumptions(struct proposal *proposal)
{
    struct npart__inference *inference = proposal->inference;
    for (uint32_t i = 0; i < inference->assumptions.count; i++) {
        int64_t sides[2] = {inference->assumptions.items[i].left, inference->assumptions.items[i].right}, value;
        for (int k = 0; k < 2; k++) {
            if (npart__is_named(&inference->expressions, sides[1 - k]) && is_open_symbol(proposal, sides[k]) &&
                evaluate(proposal, sides[1 - k], &value) &&
                !request(proposal, symbol_name(inference, sides[k]), value))
                return false;
        }
    }
    return true;
}

/* The size to try for a dim or symbol that is no greater than `most`. */
static int64_t sensible(int64_t size, bool batch, int64_t most)
{
    int64_t wanted = batch ? 1 : size;
    return wanted < most ? wanted : most;
}

/* The symbols of a formula, each with a size of its own. */
static bool propose_parts(struct proposal *proposal, int64_t dim, int64_t size)
{
    struct npart__expressions *pool = &proposal->inference->expressions;
    struct npart__buffer text;
    npart__buffer_init(&text, proposal->inference->arena);
    npart__append_dim(&text, pool, dim);
    const char *formula = npart__buffer_text(&text);
    for (uint32_t i = 0; i < pool->input_symbols.count; i++) {
        const struct npart__symbol *symbol = &pool->symbols.items[pool->input_symbols.items[i]];
        if (!symbol->is_bound && npart__mentions(formula, symbol->name) && !has_request(proposal, symbol->name) &&
            (!request(proposal, symbol->name, sensible(size, is_batch(symbol->name), symbol->most)) ||
             !follow_assumptions(proposal)))
            return false;
    }
    return true;
}

/* One dim of an input. Batches are proposed first, as others may follow them. */
static bool propose_dim(struct proposal *proposal, uint32_t value, uint32_t axis, int64_t size, bool batch_only)
{
    struct npart__inference *inference = proposal->inference;
    const struct npart__fact *fact = &inference->facts[value];
    int64_t dim = fact->dims[axis];
    const char *name = symbol_name(inference, dim);
    bool is_lone = npart__lone_symbol(&inference->expressions, dim) != NPART_NONE;
    bool batch = name ? is_lone && is_batch(name) : axis == 0 && fact->rank > 1;
    int64_t wanted = sensible(size, batch, npart__upper_bound(&inference->expressions, dim));
    if (npart__is_number(dim) || batch_only != batch)
        return true;
    if (!name) {
        name = npart__arena_format(inference->arena, "%s.%u", npart__value_name(inference->graph, value), axis);
        return name && request(proposal, name, wanted);
    }
    if (!is_lone)
        return propose_parts(proposal, dim, size);
    return !is_open_symbol(proposal, dim) ||
           (request(proposal, name, wanted) && follow_assumptions(proposal));
}

/* Inputs in order; a dim that appears on the other side of an assumption waits for it. */
static bool propose_inputs(struct proposal *proposal, int64_t size, bool batch_only)
{
    struct npart__inference *inference = proposal->inference;
    const struct npart__scope *scope = &inference->graph->scopes.items[0];
    for (uint32_t i = 0; i < scope->input_count; i++) {
        uint32_t value = inference->graph->operands.items[scope->first_input + i];
        for (uint32_t axis = 0; axis < inference->facts[value].rank; axis++)
            if (!propose_dim(proposal, value, axis, size, batch_only))
                return false;
    }
    return true;
}

struct npart__binding_request *npart__propose_binding(struct npart__inference *inference, int64_t size,
                                                      uint32_t *count)
{
    struct proposal proposal = {.inference = inference};
    *count = 0;
    bool ok = propose_inputs(&proposal, size, true) && follow_assumptions(&proposal) &&
              propose_inputs(&proposal, size, false) &&
              NPART__RESERVE(inference->arena, &proposal.requests, 1);
    if (!ok || inference->expressions.failed)
        return NULL;
    *count = proposal.requests.count;
    return proposal.requests.items;
}
