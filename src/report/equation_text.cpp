// SPDX-License-Identifier: Apache-2.0
#include "report/equation_text.h"

#include "base/text.h"
#include "report/definitions.h"

namespace parcast::report {

Result<std::string> equation_in(const explain::Explanation& explanation, symbolic::Language language,
                                const std::string& region) {
  Definitions out(language);
  out.comment(explanation.prediction.program + " on " + explanation.prediction.machine + ": seconds of " +
              (region.empty() ? "a run" : region) +
              "; p processes, what is on the slowest of them where they differ");
  for (const predict::Warning& warning : explanation.prediction.warnings)
    out.comment("! " + warning.text + (warning.hint.empty() ? "" : "; " + warning.hint));
  std::vector<symbolic::Expression> terms;
  std::vector<std::string> regions;
  for (const explain::Contribution& c : explanation.contributions) {
    for (std::size_t end = c.path.find('/'); end != std::string::npos; end = c.path.find('/', end + 1))
      regions.push_back(c.path.substr(0, end));
    regions.push_back(c.path);
    if (!region.empty() && c.path != region && !c.path.starts_with(region + "/")) continue;
    terms.push_back(c.formula);
    out.comment(c.path + (c.where.empty() ? "" : ", " + c.where));
    out.add("term_" + std::to_string(terms.size()), c.formula);
  }
  if (terms.empty()) {
    const std::string near = did_you_mean(region, regions);
    return Error{"there is no region " + region, "",
                 regions.empty() ? "nothing takes time"
                 : near.empty()  ? "for example " + regions.front()
                                 : near};
  }
  const symbolic::Expression sum = symbolic::sum_of(terms);
  std::vector<std::string> values;
  for (const std::string& symbol : out.add("total", sum)) {
    const auto value = explanation.values.find(symbol);
    values.push_back(value == explanation.values.end() ? symbol : format_exact(value->second));
  }
  const auto total = symbolic::evaluate(sum, explanation.values);
  out.comment("as asked: total(" + join(values, ", ") + ")" + (total ? " = " + format_exact(*total) : ""));
  return out.text();
}

}  // namespace parcast::report
