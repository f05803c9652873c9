// SPDX-License-Identifier: Apache-2.0
#pragma once
// The engine `extrap`. As `simulate`, it unrolls the model's structure into a trace, and simulates it on
// ExtraP's machine: the parameters of [extrap]. docs/models/extrap.md.

#include "predict/prediction.h"

namespace parcast::predict {

/// Every rank has a node of its own. The interval is that of the computing times alone: ExtraP's parameters
/// have no errors. Parts are those of the rank that ends last. Fails on a machine without ExtraP's
/// parameters, and when the model has no structure. A deadlock is an answer.
const Engine& extrap_engine();

}  // namespace parcast::predict
