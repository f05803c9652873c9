// SPDX-License-Identifier: Apache-2.0
#pragma once
// Where the launch line begins among the words of `parcast record`: behind --, or with the first word that is no flag:
//
//   parcast record --param N=256 -- mpirun -n 2 ./app 256
//   parcast record --param N=256 mpirun -n 2 ./app 256

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "cli/verb.h"

namespace parcast::cli {

struct VerbWords {
  std::vector<std::string> own, launch;
};
/// The words of the verb itself, and those of the launch line; none of these where the verb takes none.
VerbWords divided(const Verb& verb, const std::vector<std::string>& words);

/// A warning where flags that only `verb` has stand in the launch line, which takes them; the hint is the command that was meant.
std::optional<Error> misplaced_flags(const Verb& verb, const Invocation& invocation);

}  // namespace parcast::cli
