// SPDX-License-Identifier: Apache-2.0
#include "source/counts/arrays.h"

#include <algorithm>
#include <numeric>

#include "base/text.h"
#include "model/place.h"
#include "source/counts/counted_program.h"

namespace parcast::program {
namespace {

/// Returns the values of the parameters in order, or the first one that is missing.
Result<std::vector<double>> ordered(const std::vector<std::string>& parameters, const Point& point) {
  std::vector<double> out;
  for (const std::string& name : parameters) {
    const auto value = point.parameters.find(name);
    if (value == point.parameters.end())
      return Error{"the size of the arrays may depend on " + name, "", "add -s " + name + "=VALUE"};
    out.push_back(value->second);
  }
  return out;
}

Point point_of(const Inputs& inputs, std::size_t run) {
  Point point{{}, inputs.runs[run].processes};
  for (std::size_t v = 0; v < inputs.parameters.size(); ++v)
    point.parameters[inputs.parameters[v]] = inputs.runs[run].parameters[v];
  return point;
}

/// Sets the largest recorded point and the sizes there, and sorts the arrays by these.
Result<void> sort_by_size(ProgramArrays& all, const Inputs& inputs) {
  double most = -1;
  for (const std::size_t run : inputs.order) {
    const Point point = point_of(inputs, run);
    std::vector<ArraySize> sizes;
    double sum = 0;
    for (const Array& array : all.arrays) {
      PARCAST_ASSIGN(const ArraySize size, all.size_at(array, point));
      sizes.push_back(size);
      sum += size.all;
    }
    if (sum <= most) continue;
    most = sum, all.largest = point, all.sizes = std::move(sizes);
  }
  std::vector<std::size_t> order(all.arrays.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::ranges::greater{}, [&](std::size_t k) { return all.sizes[k].all; });
  ProgramArrays sorted = all;
  for (std::size_t k = 0; k < order.size(); ++k)
    sorted.arrays[k] = all.arrays[order[k]], sorted.sizes[k] = all.sizes[order[k]];
  all = std::move(sorted);
  return {};
}

}  // namespace

Result<ArraySize> ProgramArrays::size_at(const Array& array, const Point& point) const {
  PARCAST_ASSIGN(const std::vector<double> values, ordered(parameters, point));
  const symbolic::Expression total = array.total();
  ArraySize out;
  for (std::int32_t rank = 0; rank < point.processes; ++rank) {
    const Place place = place_at(values, point.processes, rank, grids);
    PARCAST_ASSIGN(const double bytes, symbolic::evaluate(total, binding_of(place, parameters, values)));
    if (rank == 0) out.rank_0 = bytes;
    out.most = std::max(out.most, bytes);
    out.all += bytes;
  }
  return out;
}

Result<ProgramArrays> program_arrays(const std::vector<recording::Recording>& recordings) {
  PARCAST_ASSIGN(const Inputs inputs, check_inputs(recordings));
  const Traces traces = reduce(recordings, inputs.order);
  const CountedProgram counted(recordings, inputs, traces);
  if (!counted.any() || !counted.finished())
    return Error{"the recordings do not have the sizes that the program allocates" +
                     (counted.notices().empty() ? std::string() : ": " + counted.notices().back().text),
                 "",
                 "compile it with parcast cc, cxx or fc in place of the compiler (-O1 at least) and record a "
                 "run that reaches MPI_Finalize"};
  ProgramArrays all;
  all.program = recordings[inputs.order.front()].program;
  all.parameters = inputs.parameters;
  all.grids = inputs.grids;
  all.arrays = counted.arrays();
  PARCAST_TRY(sort_by_size(all, inputs));
  return all;
}

}  // namespace parcast::program
