// SPDX-License-Identifier: Apache-2.0
#include "store/difference.h"

#include <set>

#include "base/text.h"

namespace parcast::store {

std::string Difference::text(std::string_view of_kept, std::string_view of_given) const {
  std::set<std::string> names;
  for (const auto* parameters : {&kept, &given})
    for (const auto& [name, value] : *parameters) names.insert(name);
  const auto shown = [](const std::map<std::string, double>& parameters, const std::string& name) {
    const auto at = parameters.find(name);
    return at == parameters.end() ? std::string("none") : format_exact(at->second);
  };
  std::string out;
  for (const std::string& name : names) {
    const std::string a = shown(kept, name), b = shown(given, name);
    if (a == b) continue;
    out += (out.empty() ? "" : "; ") + name + ": " + a + " " + std::string(of_kept) + ", " + b + " " +
           std::string(of_given);
  }
  return out;
}

}  // namespace parcast::store
