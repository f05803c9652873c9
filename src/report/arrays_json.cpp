// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "report/arrays_text.h"

namespace parcast::report {

std::string arrays_to_json(const SizedArrays& arrays) {
  const program::ProgramArrays& program = *arrays.program;
  nlohmann::ordered_json json{
      {"schema", "parcast.arrays/1"}, {"program", program.program}, {"p", arrays.point.processes}};
  json["parameters"] = arrays.point.parameters;
  json["arrays"] = nlohmann::ordered_json::array();
  for (std::size_t k = 0; k < program.arrays.size(); ++k) {
    const program::Array& array = program.arrays[k];
    json["arrays"].push_back({{"where", array.where},
                              {"function", array.function},
                              {"allocations", symbolic::to_text(array.allocations)},
                              {"bytes", symbolic::to_text(array.bytes)},
                              {"found", to_string(array.origin)},
                              {"rank_0", arrays.sizes[k].rank_0},
                              {"most", arrays.sizes[k].most},
                              {"all_ranks", arrays.sizes[k].all}});
  }
  const program::ArraySize sum = arrays.sum();
  json["total"] = {{"rank_0", sum.rank_0}, {"most", sum.most}, {"all_ranks", sum.all}};
  return json.dump(1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace parcast::report
