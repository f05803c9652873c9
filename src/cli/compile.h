// SPDX-License-Identifier: Apache-2.0
#pragma once
// What `parcast cc`, `cxx` and `fc` become: a compiler of LLVM 19 with the compiler pass, and the user's words behind it as they
// are, so that whatever they say of debug information holds.
//
//   clang-19 --start-no-unused-arguments -fpass-plugin=/usr/lib/parcast-pass.so -gdwarf-4 -gline-tables-only --end-no-unused-arguments -O2 -c x.c

#include <string>
#include <vector>

#include "base/result.h"

namespace parcast::cli {

enum class Language { c, cxx, fortran };

/// The command for these words, with the compiler that PARCAST_CC, PARCAST_CXX or PARCAST_FC names (no longer set afterwards), or
/// that is on the PATH. An error where no compiler of the right version or no pass is there, or where the words need a module that
/// there is none of for this compiler.
Result<std::vector<std::string>> compile_command(Language language, const std::vector<std::string>& words);

/// This process becomes the command; comes back only where that cannot be started.
Error become(const std::vector<std::string>& command);

/// The verb's exit code where the command could not be started, or was only printed, as a shell reads it: with `--show` as the first word.
int run_compiler(Language language, const std::vector<std::string>& words);

}  // namespace parcast::cli
