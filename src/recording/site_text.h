// SPDX-License-Identifier: Apache-2.0
#pragma once
// The place of a call as a text.

#include <string>

#include "recording/recording.h"

namespace parcast::recording {

/// Returns the function. Without debug lines, the address of the call in its executable or library follows,
/// as addr2line takes it, so that calls of one function differ: "solve at 0x1f2a".
std::string function_of(const Site& site);

/// Returns the function in such a text.
std::string without_address(const std::string& function);

/// Returns a function without its parameters, for people: "CommSend at 0x1f2a" for
/// "CommSend(Domain&, int) at 0x1f2a". Overloads become equal.
std::string without_parameters(const std::string& function);

}  // namespace parcast::recording
