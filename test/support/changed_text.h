/* SPDX-License-Identifier: Apache-2.0
 *
 * Neighbours of a model that is text (support/model_text.h): one number, type, operand, attribute or constant is
 * another, or gone. What a test says of a model is seldom all that can be said of those next to it.
 */
#ifndef TEST_CHANGED_TEXT_H
#define TEST_CHANGED_TEXT_H

/* The `index`-th neighbour, from 0; the caller's to free. NULL when there are no more. */
char *changed_text(const char *model, unsigned index);

#endif
