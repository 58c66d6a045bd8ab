/* SPDX-License-Identifier: Apache-2.0
 *
 * How much text goes into a line of a picture. A picture is drawn without knowing the reader's fonts, so widths are
 * those of a common one by classes of characters, and a little more.
 */
#include "report/picture.h"

/* In units of the font's size. The first byte of a character tells its class: below 0x80 it is the character, from
 * 0xe0 on one of three bytes or more (scripts of East Asia, signs), between them a letter of two bytes, which is as
 * wide as most letters. 0.58 is for what is in no class: most small letters and the digits. */
static double width_of(unsigned char first)
{
    static const struct {
        const char *characters;
        double width;
    } classes[] = {
        {" !',./:;I[\\]ijl|", 0.30}, {"\"()*-`frt{}", 0.38}, {"mwMW@%", 0.90}, {"ABCDEGHKNOPQRSTUVXYZ&+<=>~", 0.72},
    };
    if (first >= 0xe0) /* three bytes and more: as wide as they can be */
        return 1.05;
    for (size_t i = 0; i < NPART__COUNT(classes); i++)
        if (first && strchr(classes[i].characters, first))
            return classes[i].width;
    return 0.58;
}

/* Not called at the end of a text. The NUL is no byte of a character's rest, so it ends there. */
static size_t next_character(const char *text, size_t at)
{
    for (at++; ((unsigned char)text[at] & 0xc0) == 0x80; at++)
        continue;
    return at;
}

/* At least one character, however narrow the line is, so that who goes on with the rest comes to an end. All bytes
 * where the text fits. */
size_t npart__fitting_bytes(const char *text, double width)
{
    size_t at = 0, blank = 0;
    while (text[at]) {
        width -= width_of((unsigned char)text[at]);
        if (width < 0)
            return blank ? blank : at ? at : next_character(text, 0);
        if (text[at] == ' ')
            blank = at;
        at = next_character(text, at);
    }
    return at;
}

/* Blanks at which a line is broken are left out. Dots take one unit of width at most, for which the last line is
 * measured again. */
void npart__wrap_text(struct npart__arena *arena, const char *text, double width, uint32_t most,
                      npart__line_callback tell, void *payload, enum npart__line_kind kind)
{
    struct npart__buffer line = {.arena = arena};
    for (uint32_t i = 0; i < most && *text && !arena->failed; i++) {
        size_t bytes = npart__fitting_bytes(text, width);
        bool is_cut = i + 1 == most && text[bytes];
        if (is_cut)
            bytes = npart__fitting_bytes(text, width - 1);
        line.size = 0;
        npart__append(&line, text, bytes);
        npart__append_text(&line, is_cut ? "..." : "");
        tell(payload, kind, npart__buffer_text(&line));
        text += bytes;
        text += strspn(text, " ");
    }
    npart__buffer_release(&line);
}
