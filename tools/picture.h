/* SPDX-License-Identifier: Apache-2.0
 *
 * --format png: what --format dot writes, as Graphviz' dot draws it. That is the only program that the tool ever
 * starts, and only for this format: with fixed arguments, without a shell.
 */
#ifndef TOOL_PICTURE_H
#define TOOL_PICTURE_H

#include "run.h"

npart_status picture_open(struct run *run, struct npart_error *error);
/* Keeps what is to be drawn; the payload is the run. */
bool picture_write(void *payload, const char *text, size_t bytes);
/* Draws it, when it is whole, and writes the image; nothing is written of one that is not there. Tells what went wrong.
 * Nothing happens where no picture was opened. */
void picture_close(struct run *run, bool is_whole);

#endif
