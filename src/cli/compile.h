// SPDX-License-Identifier: Apache-2.0
#pragma once
// The command that `parcast cc`, `cxx` and `fc` run: a compiler of LLVM 19 with the compiler pass. The user's
// words follow unchanged, so that their options for debug information take precedence.
//
//   clang-19 --start-no-unused-arguments -fpass-plugin=/usr/lib/parcast-pass.so -gdwarf-4 -gline-tables-only
//       --end-no-unused-arguments -O2 -c x.c

#include <string>
#include <vector>

#include "base/result.h"

namespace parcast::cli {

enum class Language { c, cxx, fortran };

/// Returns the command for these words. The compiler is the one that PARCAST_CC, PARCAST_CXX or PARCAST_FC
/// names (the variable is unset afterwards), else the one on the PATH. Fails if there is no compiler of the
/// right version, if the pass is missing, or if the words need a module that does not exist for this
/// compiler.
Result<std::vector<std::string>> compile_command(Language language, const std::vector<std::string>& words);

/// Replaces this process by the command; returns only if the command cannot be started.
Error become(const std::vector<std::string>& command);

/// Runs the compiler. Returns the exit code, in the convention of shells, if the command could not be
/// started, or if it was only printed (`--show` as the first word).
int run_compiler(Language language, const std::vector<std::string>& words);

}  // namespace parcast::cli
