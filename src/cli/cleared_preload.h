// SPDX-License-Identifier: Apache-2.0
#pragma once
// LD_PRELOAD loads the recorder into processes. A part of the launch line may clear it: env -i, sudo, a
// set-uid wrapper, a script.

#include <optional>
#include <string>
#include <vector>

namespace parcast::cli {

struct ClearedPreload {
  std::string text;  // "env -i clears LD_PRELOAD"
  std::string hint;
};
/// Returns the first such part; nothing if none is found. Script files among the words, and the text after
/// -c, are searched for LD_PRELOAD and env -i.
std::optional<ClearedPreload> what_clears_preload(const std::vector<std::string>& launch);

}  // namespace parcast::cli
