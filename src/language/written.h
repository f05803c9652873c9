// SPDX-License-Identifier: Apache-2.0
#pragma once
// Program models written by hand. docs/formats/program.md has the language.
//
//   program trapezoid
//   host program
//   parameter N = 1000, 1000000
//   parameter times = 10
//
//   repeat times
//     broadcast 24 B from host
//     nodes
//       parallel do i = 1..N-1 cyclic
//         compute 12.5 ns "f(a + i h)"
//       reduce 8 B to node 0 among nodes
//     ...

#include <filesystem>
#include <string_view>

#include "model/model.h"

namespace parcast::program::written {

inline constexpr std::string_view kEnding = ".program";

/// Returns the model of a program. `name` is that of the file, printed in errors as file:line:column with the
/// line and a caret. Counts are exact. Costs are assumed, or measured if the text declares them so.
Result<Model> model_of_text(std::string_view text, const std::string& name);
Result<Model> read_program(const std::filesystem::path& path);

}  // namespace parcast::program::written
