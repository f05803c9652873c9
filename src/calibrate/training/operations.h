// SPDX-License-Identifier: Apache-2.0
#pragma once
// What single operations cost, by class, and the pages that a process touches first.

#include "calibrate/training/samples.h"
#include "calibrate/training/team.h"

namespace parcast::training {

/// Values operations.CLASS.dependent and .independent, in seconds per operation: each waiting for the result of the one before, and as many
/// beside each other as the core takes (docs/models/operations.md says what each class is). One process.
void measure_operations(double seconds, calibrate::Measurements& into);

/// Values first_touch (a write to a fresh page: fault and clearing) and first_read (a read of one, which the system maps to its page of
/// zeros: the fault alone), in seconds per page, of small pages. One process.
void measure_pages(double seconds, calibrate::Measurements& into);

}  // namespace parcast::training
