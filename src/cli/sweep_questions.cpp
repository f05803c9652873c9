// SPDX-License-Identifier: Apache-2.0
#include "cli/sweep_questions.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "base/text.h"

namespace parcast::cli {
namespace {

Result<std::vector<Scale>> scales_from(const std::vector<std::string>& words, const program::Model& model) {
  std::map<std::string, symbolic::SymbolKind, std::less<>> kinds{{"p", symbolic::SymbolKind::processes}};
  for (const auto& parameter : model.parameters) kinds[parameter.name] = symbolic::SymbolKind::parameter;
  std::vector<std::string> names;
  for (const auto& [name, kind] : kinds) names.push_back(name);
  std::vector<Scale> scales;
  for (const std::string& word : words) {
    const auto equals = word.find('=');
    if (equals == std::string::npos || !kinds.contains(word.substr(0, equals))) {
      const std::string near = did_you_mean(word.substr(0, equals), names);
      return Error{"\"" + word + "\" does not scale a parameter of the model", "--scale",
                   near.empty() ? "write for example N=256*p^(1/2)" : near};
    }
    auto value = symbolic::parse(word.substr(equals + 1), kinds);
    if (!value) return Error{"\"" + word + "\": " + value.error().what, "--scale", value.error().hint};
    const std::string name = word.substr(0, equals);
    const auto parameter = std::ranges::find(model.parameters, name, &program::Parameter::name);
    const bool whole =
        parameter == model.parameters.end() ||
        std::ranges::all_of(parameter->values, [](double each) { return each == std::floor(each); });
    scales.push_back({name, *std::move(value), whole});
  }
  return scales;
}

Result<std::vector<Variation>> variations_from(const std::vector<std::string>& words) {
  std::vector<Variation> variations;
  for (const std::string& word : words) {
    auto variation = parse_variation(word);
    if (!variation) return Error{variation.error().what, word, variation.error().hint};
    variations.push_back(*std::move(variation));
  }
  return variations;
}

Result<void> check_given_once(const Asked& base, const std::vector<Variation>& variations,
                              const std::vector<Scale>& scales) {
  std::set<std::string> seen;
  std::vector<std::string> names;
  for (const auto& [name, value] : base.parameters) names.push_back(name);
  if (base.processes > 0) names.push_back("p");
  for (const Variation& variation : variations) names.push_back(variation.name);
  for (const Scale& scale : scales) names.push_back(scale.name);
  for (const std::string& name : names)
    if (!seen.insert(name).second)
      return Error{name + " is given twice", "", "give it once, by -p, -s, --vary or --scale"};
  return {};
}

Result<void> set_value(Asked& asked, const std::string& name, double value) {
  if (name != "p") return asked.parameters[name] = value, Result<void>();
  PARCAST_ASSIGN(asked.processes, process_count(value));
  return {};
}

Result<Asked> asked_at(Asked asked, const std::map<std::string, double>& varied,
                       const std::vector<Scale>& scales) {
  for (const auto& [name, value] : varied) PARCAST_TRY(set_value(asked, name, value));
  symbolic::Binding at(asked.parameters.begin(), asked.parameters.end());
  at["p"] = asked.processes > 0 ? asked.processes : asked.nodes * static_cast<double>(asked.ranks_per_node);
  for (const Scale& scale : scales) {
    PARCAST_ASSIGN(const double value, symbolic::evaluate(scale.value, at));
    PARCAST_TRY(set_value(asked, scale.name, scale.whole ? std::round(value) : value));
  }
  return asked;
}

}  // namespace

Invocation with_lists_varied(Invocation given) {
  const auto is_list = [](const std::string& values) {
    return values.find(',') != std::string::npos || values.find("..") != std::string::npos;
  };
  std::vector<std::string> varied, processes, kept;
  for (const std::string& count : given.values("--processes")) {
    if (is_list(count))
      varied.push_back("p=" + count);
    else
      processes.push_back(count);
  }
  for (const std::string& assignment : given.values("--set")) {
    const std::size_t equals = assignment.find('=');
    if (equals != std::string::npos && is_list(assignment.substr(equals + 1)))
      varied.push_back(assignment);
    else
      kept.push_back(assignment);
  }
  if (varied.empty()) return given;
  std::ranges::copy(given.values("--vary"), std::back_inserter(varied));
  given.replace("--processes", processes);
  given.replace("--set", kept);
  given.replace("--vary", varied);
  return given;
}

Result<SweepAsked> sweep_asked(const Invocation& invocation, const program::Model& model) {
  SweepAsked asked;
  PARCAST_ASSIGN(asked.base, asked_from(invocation));
  PARCAST_ASSIGN(asked.variations, variations_from(invocation.values("--vary")));
  PARCAST_ASSIGN(asked.scales, scales_from(invocation.values("--scale"), model));
  PARCAST_TRY(check_given_once(asked.base, asked.variations, asked.scales));
  return asked;
}

Result<predict::Question> question_at(const SweepAsked& asked, const std::map<std::string, double>& varied,
                                      const program::Model& model) {
  PARCAST_ASSIGN(const Asked at, asked_at(asked.base, varied, asked.scales));
  return question_from(at, model);
}

const std::vector<Flag>& sweep_question_flags() {
  static const std::vector<Flag> flags{
      {"--vary", 0, "K=LIST", "what varies: 1,2,4,...,64 or 1..16 or 64..4096*2 or 0..1/11", true},
      {"--scale", 0, "K=EXPR",
       "a parameter that follows from the others, e.g. 'N=256*p^(1/2)'; rounded where its recorded values "
       "are integers",
       true},
      engine_flag()};
  return flags;
}

}  // namespace parcast::cli
