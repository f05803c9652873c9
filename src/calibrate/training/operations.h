// SPDX-License-Identifier: Apache-2.0
#pragma once
// Measures the cost of single operations, by class, and of pages that a process touches first.

#include "calibrate/training/samples.h"
#include "calibrate/training/team.h"

namespace parcast::training {

/// Values operations.CLASS.dependent and .independent, in seconds per operation. Dependent: each operation
/// waits for the result of the previous one. Independent: as many in parallel as the core allows.
/// docs/models/operations.md defines the classes. One process.
void measure_operations(double seconds, calibrate::Measurements& into);

/// Values first_touch and first_read, in seconds per page, for small pages. first_touch is a write to a fresh
/// page: fault and clearing. first_read is a read of one, which the system maps to its page of zeros: only
/// the fault. One process.
void measure_pages(double seconds, calibrate::Measurements& into);

}  // namespace parcast::training
