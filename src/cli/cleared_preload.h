// SPDX-License-Identifier: Apache-2.0
#pragma once
// The recorder comes into processes by LD_PRELOAD, which a part of the launch line may drop: env -i, sudo, a set-uid wrapper, a script.

#include <optional>
#include <string>
#include <vector>

namespace parcast::cli {

struct ClearedPreload {
  std::string text;  // "env -i clears LD_PRELOAD"
  std::string hint;
};
/// The first such part; nothing where none is seen. A script is a text among the words, or what follows -c; its lines are looked at
/// for LD_PRELOAD and env -i.
std::optional<ClearedPreload> what_clears_preload(const std::vector<std::string>& launch);

}  // namespace parcast::cli
