/* SPDX-License-Identifier: Apache-2.0
 *
 * SipHash-1-3, after its specification (J.-P. Aumasson, D. J. Bernstein: SipHash, a fast short-input PRF, 2012): who
 * does not know the key cannot choose texts that fall into one place of a table.
 */
#include <time.h>

#include "base/base.h"
#include "base/platform.h"

/* Not called with 0 or 64 bits, where C has no answer. */
static inline uint64_t rotated(uint64_t word, unsigned bits)
{
    return word << bits | word >> (64 - bits);
}

/* The additions, rotations and exclusive ors of the specification, in its order. By value, so that they stay in
 * registers. */
static inline struct npart__hash sip_round(struct npart__hash hash)
{
    uint64_t a = hash.v[0], b = hash.v[1], c = hash.v[2], d = hash.v[3];
    a += b;
    c += d;
    b = rotated(b, 13) ^ a;
    d = rotated(d, 16) ^ c;
    a = rotated(a, 32) + d;
    c += b;
    d = rotated(d, 21) ^ a;
    b = rotated(b, 17) ^ c;
    return (struct npart__hash){{a, b, rotated(c, 32), d}};
}

static inline struct npart__hash with_word(struct npart__hash hash, uint64_t word)
{
    hash.v[3] ^= word;
    hash = sip_round(hash);
    hash.v[0] ^= word;
    return hash;
}

/* The four constants are the specification's ("somepseudorandomlygeneratedbytes"). */
struct npart__hash npart__hash_begin(const struct npart__hash_key *key)
{
    return (struct npart__hash){{key->low ^ UINT64_C(0x736f6d6570736575), key->high ^ UINT64_C(0x646f72616e646f6d),
                                 key->low ^ UINT64_C(0x6c7967656e657261), key->high ^ UINT64_C(0x7465646279746573)}};
}

void npart__hash_word(struct npart__hash *hash, uint64_t word)
{
    *hash = with_word(*hash, word);
}

/* Three rounds at the end and one for each word, which is what 1-3 in the name stands for. */
uint64_t npart__hash_end(struct npart__hash hash)
{
    hash.v[2] ^= 0xff;
    for (unsigned i = 0; i < 3; i++)
        hash = sip_round(hash);
    return hash.v[0] ^ hash.v[1] ^ hash.v[2] ^ hash.v[3];
}

/* Eight bytes from the lowest up, on any machine. */
static inline uint64_t word_of(const unsigned char *bytes)
{
    return (uint64_t)bytes[0] | (uint64_t)bytes[1] << 8 | (uint64_t)bytes[2] << 16 | (uint64_t)bytes[3] << 24 |
           (uint64_t)bytes[4] << 32 | (uint64_t)bytes[5] << 40 | (uint64_t)bytes[6] << 48 | (uint64_t)bytes[7] << 56;
}

/* The same number as hashing the bytes as the specification says: words from the lowest byte up,
 * and a last one with the length in its highest byte. The length is part of the last word, so a text and the same
 * text with NULs after it have different hashes. */
uint64_t npart__hash_bytes(const struct npart__hash_key *key, const void *data, size_t count)
{
    const unsigned char *bytes = data;
    struct npart__hash hash = npart__hash_begin(key);
    size_t rest = count;
    for (; rest >= 8; rest -= 8, bytes += 8)
        hash = with_word(hash, word_of(bytes));
    uint64_t last = (uint64_t)count << 56;
    if (count >= 8 && rest > 0) /* the rest is the upper part of the last eight bytes */
        last |= word_of(bytes + rest - 8) >> (64 - 8 * rest);
    for (size_t i = 0; count < 8 && i < rest; i++)
        last |= (uint64_t)bytes[i] << 8 * i;
    return npart__hash_end(with_word(hash, last));
}

/* There is no portable source of random numbers without I/O, and a table needs one key only. The
 * hash of what differs between runs is hard enough to guess for a table of names. A guess of it can only make
 * tables slow, as no secret hangs on the key. The two words of `first` are digits of pi, which cannot have
 * been chosen for a purpose. */
void npart__hash_key_init(struct npart__hash_key *key)
{
    /* What is not known outside this process: where it was loaded, where its stack is, and when. */
    static const struct npart__hash_key first = {UINT64_C(0x243f6a8885a308d3), UINT64_C(0x13198a2e03707344)};
    uint64_t seconds, nanoseconds;
    struct npart__hash hash = npart__hash_begin(&first);
    npart__system_time(&seconds, &nanoseconds);
    npart__hash_word(&hash, (uint64_t)(uintptr_t)key);
    npart__hash_word(&hash, (uint64_t)(uintptr_t)&seconds);
    npart__hash_word(&hash, (uint64_t)(uintptr_t)&first);
    npart__hash_word(&hash, seconds);
    npart__hash_word(&hash, nanoseconds);
    npart__hash_word(&hash, (uint64_t)clock());
    key->low = npart__hash_end(hash);
    npart__hash_word(&hash, 1);
    key->high = npart__hash_end(hash);
}
