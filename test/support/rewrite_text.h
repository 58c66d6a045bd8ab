/* SPDX-License-Identifier: Apache-2.0
 *
 * What a rewrite makes of a model, from text to text.
 */
#ifndef TEST_REWRITE_TEXT_H
#define TEST_REWRITE_TEXT_H

/* The model (support/model_text.h) after a rewrite was tried once at every node of its ops, in the file's order. A line
 * a node, bodies indented below it, then new initializers:
 *
 *     y/isnan-eq/Equal = Equal(x, x)
 *     y = Not(y/isnan-eq/Equal)
 *     init y/gathernd/constant int64[2] = 2 3
 *
 * "same" where the rewrite did nothing. Ends the test program on any failure. The text is the caller's to free. Done
 * again with allocations failing in turn, those of which no earlier call has tried (counted.h); and on neighbours of
 * the model (changed_text.h), of which what is made must be a model, too. */
char *rewritten(const char *model, const char *rewrite);
/* Of the call before, how equal the model is: the weakest class of a site, "bits-if"; NULL: nothing was done. */
const char *rewritten_class(void);
/* Several in turn: "if-const fold". */
char *rewritten_by(const char *model, const char *rewrites);
/* The same for a model that is a neighbour itself, of one that a test gives to the others: nothing is done again. */
char *rewritten_alone(const char *model, const char *rewrites);

#endif
