// SPDX-License-Identifier: Apache-2.0
#include "source/counts/polling.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "source/counts/inside.h"

namespace parcast::program {
namespace {

using facts::FunctionPlace;

bool asks(std::string_view name) {
  static constexpr std::array kNames{"MPI_Test",   "MPI_Testany", "MPI_Testsome",          "MPI_Testall",
                                     "MPI_Iprobe", "MPI_Improbe", "MPI_Request_get_status"};
  static constexpr std::array kOfFortran{
      "mpi_test_",   "mpi_testany_", "mpi_testsome_",          "mpi_testall_",
      "mpi_iprobe_", "mpi_improbe_", "mpi_request_get_status_"};
  if (name.starts_with("PMPI_") || name.starts_with("pmpi_")) name.remove_prefix(1);
  return std::ranges::find(kNames, name) != kNames.end() ||
         std::ranges::find(kOfFortran, name) != kOfFortran.end();
}

}  // namespace

std::set<BlockPlace> polling_blocks(const std::vector<facts::Module>& modules,
                                    const facts::LinkedProgram& program) {
  std::vector<BlockPlace> asking;  // blocks still to process
  for (int m = 0; m < static_cast<int>(modules.size()); ++m)
    for (int f = 0; f < static_cast<int>(modules[static_cast<std::size_t>(m)].functions.size()); ++f)
      for (const facts::Call& call : program.at({m, f}).calls)
        if (call.to && asks(*call.to)) asking.push_back({{m, f}, call.block});
  std::set<BlockPlace> polling;
  std::set<FunctionPlace> once;  // functions that test outside of their loops
  while (!asking.empty()) {
    const auto [place, block] = asking.back();
    asking.pop_back();
    const facts::Function& function = program.at(place);
    const std::optional<int> loop = function.blocks[static_cast<std::size_t>(block)].loop;
    if (!loop) {
      if (once.insert(place).second) std::ranges::move(program.callers(place), std::back_inserter(asking));
      continue;
    }
    if (function.loops[static_cast<std::size_t>(*loop)].rounds) continue;
    for (int b = 0; b < static_cast<int>(function.blocks.size()); ++b)
      if (inside(function, b, *loop)) polling.insert({place, b});
  }
  // A testing function may call another one that tests. Repeat until no block is added.
  for (bool more = true; more;) {
    more = false;
    for (const FunctionPlace place : once) {
      const auto callers = program.callers(place);
      if (callers.empty() || program.may_be_called_elsewhere(place) ||
          !std::ranges::all_of(callers, [&](const BlockPlace& caller) { return polling.contains(caller); }))
        continue;
      for (int b = 0; b < static_cast<int>(program.at(place).blocks.size()); ++b)
        more = polling.insert({place, b}).second || more;
    }
  }
  return polling;
}

}  // namespace parcast::program
