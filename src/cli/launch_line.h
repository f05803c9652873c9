// SPDX-License-Identifier: Apache-2.0
#pragma once
// The launch line begins among the words of `parcast record` after --, or with the first word that is no
// flag:
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
/// Splits the words into those of the verb and those of the launch line, which is empty if the verb takes
/// none.
VerbWords divided(const Verb& verb, const std::vector<std::string>& words);

/// Returns a warning if the launch line contains flags that only `verb` has, because they reach the launched
/// program. The hint is the command that was probably intended.
std::optional<Error> misplaced_flags(const Verb& verb, const Invocation& invocation);

}  // namespace parcast::cli
