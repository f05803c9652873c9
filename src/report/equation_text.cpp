// SPDX-License-Identifier: Apache-2.0
#include "report/equation_text.h"

#include <map>

#include "base/text.h"
#include "base/visible.h"
#include "report/definitions.h"
#include "report/notes.h"
#include "symbolic/shared_parts.h"

namespace parcast::report {
namespace {

using symbolic::Expression;

constexpr std::size_t kLeastLength = 24;  // characters of a part that gets a name
constexpr std::size_t kLineWidth = 100;

/// Breaks a long line after commas and before operators.
std::string wrapped(const std::string& line) {
  std::string out, rest = line;
  while (rest.size() > kLineWidth) {
    std::size_t at = 0;
    for (std::size_t i = 20; i + 3 < kLineWidth; ++i)
      if (rest[i] == ' ' && (rest[i - 1] == ',' || rest[i + 2] == ' ')) at = i;
    if (at == 0) break;
    out += rest.substr(0, at) + "\n";
    rest = "    " + rest.substr(at + 1);
  }
  return out + rest + "\n";
}

/// Returns "t_broadcast" for the cost of a pattern on the machine, and "part" for everything else.
std::string subject_of(const Expression& part) {
  std::string table;
  for (const Expression& symbol : free_symbols(part)) {
    if (symbol.kind() != symbolic::SymbolKind::machine_cost) continue;
    const std::vector<std::string> words = split(symbol.name(), '.');
    if (words.size() < 3 || words[0] != "patterns" || (!table.empty() && table != words[1])) return "part";
    table = words[1];
  }
  return table.empty() ? "part" : "t_" + table;
}

/// Writes the equation for people: what occurs several times has a name, and numbers of fits have four
/// digits.
std::string equation_for_people(const predict::Prediction& prediction, std::vector<Expression> terms,
                                const std::vector<std::string>& comments) {
  std::map<std::string, std::size_t> used;
  const auto parts =
      symbolic::name_shared_parts(terms, kLeastLength, [&](const Expression& part, std::size_t) {
        const std::string subject = subject_of(part);
        return subject + "_" + std::to_string(++used[subject]);
      });
  std::string text;
  for (const symbolic::NamedPart& part : parts)
    text += wrapped(part.name.name() + " = " + symbolic::readable_text(part.value));
  std::string total;
  for (std::size_t i = 0; i < terms.size(); ++i) {
    const std::string name = "term_" + std::to_string(i + 1);
    text += "# " + comments[i] + "\n" + wrapped(name + " = " + symbolic::readable_text(terms[i]));
    total += (i > 0 ? " + " : "") + name;
  }
  text += wrapped("total = " + total);
  text += "# as asked, with";
  for (const auto& [name, value] : prediction.question.point.parameters)
    text += " " + name + " = " + format_exact(value) + ",";
  return text + " p = " + std::to_string(prediction.question.point.processes) + ": total = ";
}

}  // namespace

Result<std::string> equation_in(const explain::Explanation& explanation, symbolic::Language language,
                                const std::string& region) {
  Definitions out(language);
  const predict::Prediction& prediction = explanation.prediction;
  out.comment(prediction.program + " on " + prediction.machine + ": seconds of " +
              (region.empty() ? "a run" : region) +
              "; p processes, what is on the slowest of them where they differ");
  for (const predict::Warning& warning : prediction.warnings) out.comment("! " + in_full(warning));
  std::vector<Expression> terms;
  std::vector<std::string> regions, comments;
  for (const explain::Contribution& c : explanation.contributions) {
    for (std::size_t end = c.path.find('/'); end != std::string::npos; end = c.path.find('/', end + 1))
      regions.push_back(c.path.substr(0, end));
    regions.push_back(c.path);
    if (!region.empty() && c.path != region && !c.path.starts_with(region + "/")) continue;
    terms.push_back(c.formula);
    comments.push_back(visible(c.path + (c.where.empty() ? "" : ", " + c.where)));
  }
  if (terms.empty()) {
    const std::string near = did_you_mean(region, regions);
    return Error{"there is no region " + region, "",
                 regions.empty() ? "nothing takes time"
                 : near.empty()  ? "for example " + regions.front()
                                 : near};
  }
  const Expression sum = symbolic::sum_of(terms);
  const auto total = symbolic::evaluate(sum, explanation.values);
  if (language == symbolic::Language::text)
    return out.text() + equation_for_people(prediction, std::move(terms), comments) +
           (total ? format_seconds(*total) : "no value") + "\n";
  for (std::size_t i = 0; i < terms.size(); ++i) {
    out.comment(comments[i]);
    out.add("term_" + std::to_string(i + 1), terms[i]);
  }
  std::vector<std::string> values;
  for (const std::string& symbol : out.add("total", sum)) {
    const auto value = explanation.values.find(symbol);
    values.push_back(value == explanation.values.end() ? symbol : format_exact(value->second));
  }
  out.comment("as asked: total(" + join(values, ", ") + ")" + (total ? " = " + format_exact(*total) : ""));
  return out.text();
}

}  // namespace parcast::report
