/* SPDX-License-Identifier: Apache-2.0
 *
 * The words of all closed sets, as JSON has them: npart_*_text, from include/records.table.
 */
#include "base/base.h"
#include "npu_partition/report.h"
#include "record_words.h"
