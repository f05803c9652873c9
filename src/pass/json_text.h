// SPDX-License-Identifier: Apache-2.0
#pragma once
// JSON as text. llvm::json::OStream looks at each character by itself, which takes as long as making the facts; here what needs no escape is
// appended as a whole.

#include <string>

#include "llvm/Support/JSON.h"

namespace parcast::pass {

/// Names of an object in their order.
void append_json(std::string& text, const llvm::json::Value& value);
/// To an object that has members and is not ended: those of another one, each behind a comma.
void append_members(std::string& text, const llvm::json::Object& object);

}  // namespace parcast::pass
