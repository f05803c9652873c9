// SPDX-License-Identifier: Apache-2.0
// parcast-cc, and by other names parcast-cxx and parcast-fc: `parcast cc` in one word. It is a separate
// program because a build starts it for every file: loading parcast's libraries takes a tenth of a small
// compilation.
#include <algorithm>
#include <cstdio>
#include <exception>

#include "cli/compile.h"
#include "cli/messages.h"

int main(int argc, char** argv) {
  using namespace parcast::cli;
  const std::string program = argc > 0 ? argv[0] : "";
  const Language language = program.ends_with("cxx")  ? Language::cxx
                            : program.ends_with("fc") ? Language::fortran
                                                      : Language::c;
  try {
    return run_compiler(language, std::vector<std::string>(argv + std::min(argc, 1), argv + argc));
  } catch (const std::exception& failed) {
    say_error({std::string("the compiler could not be started: ") + failed.what(), program, ""});
  }
  return kFailed;
}
