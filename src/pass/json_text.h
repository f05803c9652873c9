// SPDX-License-Identifier: Apache-2.0
#pragma once
// Writes JSON as text. llvm::json::OStream examines each character separately, which takes as long as
// deriving the facts. Here, text without escapes is appended in one piece.

#include <string>

#include "llvm/Support/JSON.h"

namespace parcast::pass {

/// Appends a value; an object's names are in order.
void append_json(std::string& text, const llvm::json::Value& value);
/// Appends the members of `object`, each after a comma, to the text of an object that has members and is not
/// yet closed.
void append_members(std::string& text, const llvm::json::Object& object);

}  // namespace parcast::pass
