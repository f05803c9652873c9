// SPDX-License-Identifier: Apache-2.0
#pragma once
// Times of collectives on a system written by hand, for the closed form. Each collective is interpreted once,
// by the messages of its algorithm over the routes of the system, at no bytes and at the bytes of a call.
// docs/models/communication.md.

#include "machine/machine.h"
#include "predict/prediction.h"

namespace parcast::predict {

/// Adds a table to `flat`, of `given` without its system, for each pattern of the model that all ranks call
/// and no table prices. Nothing changes where `given` has no system, and where a pattern cannot be
/// interpreted.
void price_collectives(const program::Model& model, const machine::Machine& given, const Question& question,
                       machine::Machine& flat);

}  // namespace parcast::predict
