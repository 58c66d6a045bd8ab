/* SPDX-License-Identifier: Apache-2.0
 *
 * Numbers that several threads count. Counting up needs no order, as whoever counts holds a reference already; counting
 * down orders what was written before with what frees (C11, 7.17.3).
 */
#ifndef NPART_BASE_COUNTER_H
#define NPART_BASE_COUNTER_H

#include <stddef.h>

#if defined(__STDC_NO_ATOMICS__)
typedef unsigned npart__counter; /* handles of one thread only */
typedef size_t npart__size_counter;
#define NPART__ADD(counter, by) (*(counter) += (by)) /* the new number, here and below */
#define NPART__SUBTRACT(counter, by) (*(counter) -= (by))
#define NPART__STORE(counter, value) ((void)(*(counter) = (value)))
#define NPART__LOAD(counter) (*(counter))
#else
#include <stdatomic.h>
typedef atomic_uint npart__counter;
typedef atomic_size_t npart__size_counter;
#define NPART__ADD(counter, by) (atomic_fetch_add_explicit((counter), (by), memory_order_relaxed) + (by))
#define NPART__SUBTRACT(counter, by) (atomic_fetch_sub_explicit((counter), (by), memory_order_acq_rel) - (by))
#define NPART__STORE(counter, value) atomic_store_explicit((counter), (value), memory_order_relaxed)
#define NPART__LOAD(counter) atomic_load_explicit((counter), memory_order_relaxed)
#endif

#endif
