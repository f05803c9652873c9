// SPDX-License-Identifier: Apache-2.0
#include "report/arrays_text.h"

#include "base/text.h"
#include "base/visible.h"
#include "model/formula_text.h"
#include "model/run_options.h"
#include "report/table.h"
#include "report/words.h"

namespace parcast::report {

using program::Array;
using program::ArraySize;

namespace {

constexpr double kSmallestArrayShare = 0.001;

/// Returns "3 x 8*N" for an array that is allocated three times, "8*N" for one that is allocated once.
std::string formula_of(const Array& array) {
  if (array.origin == Origin::unknown) return "no formula";
  const std::string bytes = program::formula_text(array.bytes);
  if (array.allocations == symbolic::Expression(1)) return bytes;
  const std::string times = program::formula_text(array.allocations);
  return (times.find(' ') == std::string::npos ? times : "(" + times + ")") + " x " + bytes;
}

std::string bytes_cell(const Array& array, const ArraySize& size) {
  if (array.origin == Origin::unknown) return "";
  return format_bytes(size.most);
}

}  // namespace

ArraySize SizedArrays::sum() const {
  ArraySize all;
  for (const ArraySize& size : sizes) all.rank_0 += size.rank_0, all.most += size.most, all.all += size.all;
  return all;
}

Result<SizedArrays> sized(const program::ProgramArrays& program, const std::optional<program::Point>& asked) {
  if (!asked) return SizedArrays{&program, program.largest, program.sizes};
  SizedArrays out{&program, *asked, {}};
  for (const Array& array : program.arrays) {
    PARCAST_ASSIGN(const ArraySize size, program.size_at(array, *asked));
    out.sizes.push_back(size);
  }
  return out;
}

std::string arrays_text(const SizedArrays& arrays, const Style& style, bool all) {
  const program::ProgramArrays& program = *arrays.program;
  const ArraySize sum = arrays.sum();
  std::string out = bold(style, visible(program.program)) + ", " +
                    counted(static_cast<std::int64_t>(program.arrays.size()), "array") + " as allocated\n\n";
  Table table({{"array"},
               {"bytes of a process", Column::Align::left, Column::Shrink::cut_end},
               {point_text(arrays.point, program.parameters), Column::Align::right},
               {"found"},
               {"function", Column::Align::left, Column::Shrink::cut_end}});
  std::size_t left_out = 0;
  for (std::size_t k = 0; k < program.arrays.size(); ++k) {
    const Array& array = program.arrays[k];
    if (!all && array.origin != Origin::unknown && arrays.sizes[k].all < kSmallestArrayShare * sum.all) {
      ++left_out;
      continue;
    }
    table.add({visible(array.where), formula_of(array), bytes_cell(array, arrays.sizes[k]),
               std::string(to_string(array.origin)), visible(demangled(array.function))});
  }
  out += table.text(style);
  if (left_out > 0) out += dim(style, "  ... " + std::to_string(left_out) + " more, --all") + "\n";
  return out + "\n  " + format_bytes(sum.most) + " in the process with most, " + format_bytes(sum.all) +
         " in " + counted(arrays.point.processes, "process") + "\n";
}

}  // namespace parcast::report
