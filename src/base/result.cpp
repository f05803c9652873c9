// SPDX-License-Identifier: Apache-2.0
#include "base/result.h"

namespace parcast {

std::string to_string(const Error& error) {
  std::string text;
  if (!error.where.empty()) text += error.where + ": ";
  text += "error: " + error.what;
  if (!error.hint.empty()) text += "\n  " + error.hint;
  return text;
}

}  // namespace parcast
