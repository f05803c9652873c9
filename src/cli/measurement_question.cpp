// SPDX-License-Identifier: Apache-2.0
#include "cli/measurement_question.h"

#include <algorithm>
#include <set>

#include "base/text.h"
#include "cli/inputs.h"

namespace parcast::cli {
namespace {

/// Splits "p=64,128,n=1000" into "p=64,128" and "n=1000": a part without a name continues the list before it.
std::vector<std::string> lists_in(const std::string& text) {
  std::vector<std::string> lists;
  for (const std::string& part : split(text, ',')) {
    if (lists.empty() || part.find('=') != std::string::npos) {
      lists.push_back(part);
    } else {
      lists.back() += "," + part;
    }
  }
  return lists;
}

/// Returns the only value of a parameter that never varies.
std::optional<double> only_value(const fit::Measurements& data, std::size_t parameter) {
  std::optional<double> only;
  for (const fit::Kernel& kernel : data.kernels)
    for (const auto& point : kernel.points) {
      if (only && *only != point[parameter]) return std::nullopt;
      only = point[parameter];
    }
  return only;
}

/// Fails on values of a column that has another number in all rows.
Result<void> check_constant(const Variation& asked, double constant, const std::string& flag) {
  const auto other = std::ranges::find_if(asked.values, [&](double value) { return value != constant; });
  if (other == asked.values.end()) return {};
  return Error{asked.name + " is " + format_exact(constant) + " in every row, so its effect at " +
                   format_exact(*other) + " is unknown",
               flag, "measure at other values of " + asked.name + ", or leave it out"};
}

}  // namespace

Result<std::vector<Variation>> lists_from(const std::string& flag, const std::string& text,
                                          const fit::Measurements& data) {
  std::vector<Variation> variations;
  for (const std::string& list : lists_in(text)) {
    auto variation = parse_variation(list);
    if (!variation) return Error{variation.error().what, flag, variation.error().hint};
    if (const auto constant = data.constants.find(variation->name); constant != data.constants.end()) {
      PARCAST_TRY(check_constant(*variation, constant->second, flag));
      continue;
    }
    if (std::ranges::find(data.parameters, variation->name) == data.parameters.end()) {
      const std::string near = did_you_mean(variation->name, data.parameters);
      return Error{"\"" + variation->name + "\" is no parameter of the data", flag,
                   "they have " + join(data.parameters, ", ") + (near.empty() ? "" : "; " + near)};
    }
    if (std::ranges::any_of(variations, [&](const Variation& v) { return v.name == variation->name; }))
      return Error{variation->name + " is given twice", flag,
                   "give it once, with several values as a list: p=64,128"};
    variations.push_back(*std::move(variation));
  }
  return variations;
}

Result<fit::Points> points_from(const std::string& flag, const std::string& text,
                                const fit::Measurements& data) {
  PARCAST_ASSIGN(std::vector<Variation> variations, lists_from(flag, text, data));
  for (std::size_t j = 0; j < data.parameters.size(); ++j) {
    const std::string& name = data.parameters[j];
    if (std::ranges::any_of(variations, [&](const Variation& v) { return v.name == name; })) continue;
    const auto only = only_value(data, j);
    if (!only) return Error{name + " has no value", flag, "the data vary it: add " + name + "=..."};
    variations.push_back({name, {*only}});
  }
  fit::Points points;
  for (const auto& at : cross(variations)) {
    points.emplace_back();
    for (const std::string& name : data.parameters) points.back().push_back(at.at(name));
  }
  return points;
}

namespace {

// Returns the different eager limits of a machine's links, ascending.
Result<std::vector<double>> eager_limits(const std::string& flag, const std::string& name) {
  const auto machine = load_machine(name);
  if (!machine)
    return Error{"\"" + name + "\" is neither a number nor a machine", flag,
                 "give the largest value of the law before, as bytes=65536, or a machine with eager limits"};
  std::set<double> limits;
  for (const auto& [between, link] : machine->links)
    if (link.eager_limit.origin != Origin::unknown && link.eager_limit.value > 0)
      limits.insert(link.eager_limit.value);
  if (limits.empty())
    return Error{"the machine " + machine->name + " has no eager limit", flag,
                 "give the largest value of the law before, as bytes=65536"};
  return std::vector<double>(limits.begin(), limits.end());
}

}  // namespace

Result<std::vector<fit::Change>> changes_from(const std::string& flag, const std::string& text,
                                              const fit::Measurements& data) {
  const auto equals = text.find('=');
  if (equals == std::string::npos)
    return Error{"\"" + text + "\" names no value", flag, "for example bytes=65536"};
  const std::string name = text.substr(0, equals), value = text.substr(equals + 1);
  if (std::ranges::find(data.parameters, name) == data.parameters.end()) {
    const std::string near = did_you_mean(name, data.parameters);
    return Error{"\"" + name + "\" is no parameter of the data", flag,
                 near.empty() ? "they have " + join(data.parameters, ", ") : near};
  }
  std::vector<double> limits;
  if (const auto number = parse_double(value)) {
    limits.push_back(*number);
  } else {
    PARCAST_ASSIGN(limits, eager_limits(flag, value));
  }
  std::vector<fit::Change> out;
  for (const double limit : limits) out.push_back({name, limit});
  return out;
}

Result<fit::Statistic> statistic_from(const Invocation& invocation) {
  static const std::vector<std::pair<std::string, fit::Statistic>> known{{"mean", fit::Statistic::mean},
                                                                         {"median", fit::Statistic::median},
                                                                         {"min", fit::Statistic::minimum},
                                                                         {"max", fit::Statistic::maximum}};
  const std::string name = invocation.value("--of").value_or("mean");
  std::vector<std::string> names;
  for (const auto& [each, statistic] : known) {
    if (each == name) return statistic;
    names.push_back(each);
  }
  const std::string near = did_you_mean(name, names);
  return Error{"repetitions have no \"" + name + "\"", "--of",
               near.empty() ? "take " + join(names, ", ") : near};
}

Result<double> level_from(const Invocation& invocation) {
  const auto level = invocation.value("--level");
  if (!level) return 0.9;
  const auto number = parse_double(*level);
  if (!number || *number <= 0 || *number >= 1)
    return Error{"\"" + *level + "\" is not between 0 and 1", "--level", "take for example 0.9"};
  return *number;
}

bool matches(const std::string& text, const std::string& pattern) {
  const std::vector<std::string> pieces = split(pattern, '*');
  if (pieces.size() == 1) return text.find(pattern) != std::string::npos;
  if (!text.starts_with(pieces.front())) return false;
  std::size_t at = pieces.front().size();
  for (std::size_t k = 1; k + 1 < pieces.size(); ++k) {
    at = text.find(pieces[k], at);
    if (at == std::string::npos) return false;
    at += pieces[k].size();
  }
  return text.size() >= at + pieces.back().size() && text.ends_with(pieces.back());
}

}  // namespace parcast::cli
