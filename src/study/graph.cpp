// SPDX-License-Identifier: Apache-2.0
// Predictions over one or two axes.
#include <algorithm>
#include <cmath>

#include "base/plain_number.h"
#include "base/text.h"
#include "base/vary.h"
#include "machine/extrap.h"
#include "machine/fields.h"
#include "machine/tools.h"
#include "study/answer.h"

namespace parcast::study {
namespace {

/// One value of an axis.
struct Tick {
  std::optional<double> value;            // of p or of a parameter of the runs
  std::vector<Axis> set;                  // of the machine
  std::optional<predict::Varied> varied;  // its value on an axis; nothing for a name
};
using Ticks = std::vector<Tick>;

Error at_graph(const Error& error) {
  return {error.what, "--graph", error.hint};
}

bool are_multiples(const std::string& values) {
  return values.find('*') == 0;
}

/// Parses "*1,*2,*4", or "*1..*8*2" as factors from 1 to 8.
Result<std::vector<double>> factors_of(const Axis& axis) {
  std::string plain = axis.values;
  for (const std::string sign : {",*", "..*"})
    for (std::size_t at; (at = plain.find(sign)) != std::string::npos;) plain.erase(at + sign.size() - 1, 1);
  auto parsed = parse_variation(axis.name + "=" + plain.substr(1));
  if (!parsed) return at_graph(parsed.error());
  return std::move(parsed->values);
}

Result<Ticks> ticks_of_runs(const Axis& axis, const Values& ask) {
  std::vector<double> values;
  if (are_multiples(axis.values)) {
    const auto present = ask.find(axis.name);
    if (present == ask.end())
      return Error{axis.name + " has no present value that could be multiplied", "--graph",
                   "give its values, or ask for one with --ask"};
    PARCAST_ASSIGN(values, factors_of(axis));
    for (double& value : values) value *= present->second;
  } else {
    auto parsed = parse_variation(axis.name + "=" + axis.values);
    if (!parsed) return at_graph(parsed.error());
    values = std::move(parsed->values);
  }
  Ticks out;
  for (const double value : values) {
    if (axis.name == "p" && (value != std::floor(value) || value < 1 || value > 1e9))
      return Error{"p = " + format_plain(value) + " is not a number of processes", "--graph",
                   "take whole numbers from 1"};
    out.push_back({.value = value});
  }
  return out;
}

/// ExtraP's parameters, whose bare numbers are in the units of its paper; names of choices lie on no axis.
Result<Ticks> ticks_of_extrap(const machine::Machine& machine, const Axis& axis, machine::ExtrapKey key) {
  const auto tick = [&](double value) {
    return Tick{
        .set = {{axis.name, format_exact(value)}},
        .varied = predict::Varied{machine::extrap_measure(key, value), machine::extrap_dimension(key)}};
  };
  Ticks out;
  const bool is_choice =
      machine::extrap_fields()[static_cast<std::size_t>(key)].unit == machine::ExtrapUnit::choice;
  if (is_choice) {
    for (const std::string& word : split(axis.values, ','))
      out.push_back({.set = {{axis.name, std::string(trim(word))}}});
  } else if (are_multiples(axis.values)) {
    if (!machine.extrap)
      return Error{axis.name + " has no present value that could be multiplied", "--graph",
                   "give its values, or set it first: --set " + axis.name + "=VALUE"};
    PARCAST_ASSIGN(const std::vector<double> factors, factors_of(axis));
    for (const double factor : factors) out.push_back(tick((*machine.extrap)[key] * factor));
  } else {
    const auto parsed = parse_variation(axis.name + "=" + axis.values, [&](const std::string& text) {
      return machine::extrap_value(key, text);
    });
    if (!parsed) return at_graph(parsed.error());
    for (const double value : parsed->values) out.push_back(tick(value));
  }
  return out;
}

/// Returns the value of a parameter of the machine that has it by this name.
std::optional<double> value_in(machine::Machine machine, const std::string& name) {
  for (const machine::NamedParameter& each : machine::parameters(machine))
    if (each.name == name) return each.parameter->value;
  return std::nullopt;
}

Result<Ticks> ticks_of_links(const machine::Machine& machine, const Axis& axis) {
  const auto dimension = machine::dimension_of(machine, axis.name);
  Ticks out;
  if (are_multiples(axis.values)) {
    PARCAST_ASSIGN(const std::vector<double> factors, factors_of(axis));
    for (const double factor : factors) {
      Tick tick{.set = {{axis.name, "*" + format_exact(factor)}}};
      const auto present = value_in(machine, axis.name);
      tick.varied = present && dimension ? predict::Varied{*present * factor, *dimension}
                                         : predict::Varied{factor, Dimension::none};
      out.push_back(std::move(tick));
    }
  } else if (dimension) {
    const auto parsed = parse_variation(axis.name + "=" + axis.values, [&](const std::string& text) {
      return parse_measure(text, *dimension);
    });
    if (!parsed) return at_graph(parsed.error());
    for (const double value : parsed->values)
      out.push_back({.set = {{axis.name, machine::format_measure(value, *dimension)}},
                     .varied = predict::Varied{value, *dimension}});
  } else {
    for (const std::string& word : split(axis.values, ','))
      out.push_back({.set = {{axis.name, std::string(trim(word))}}});  // names, such as topologies
  }
  return out;
}

Result<Ticks> ticks_of_machine(const machine::Machine& machine, const Axis& axis) {
  const auto key = machine::extrap_key(axis.name);
  PARCAST_ASSIGN(Ticks out, key ? ticks_of_extrap(machine, axis, *key) : ticks_of_links(machine, axis));
  for (const Tick& tick : out)
    if (const auto set = with_parameters(machine, tick.set); !set) return at_graph(set.error());
  return out;
}

Result<Ticks> ticks_of(const machine::Machine& machine, const Axis& axis, const Values& ask,
                       const std::vector<std::string>& names) {
  const bool of_runs = axis.name == "p" || std::ranges::find(names, axis.name) != names.end();
  return of_runs ? ticks_of_runs(axis, ask) : ticks_of_machine(machine, axis);
}

/// Crosses the ticks of all axes.
Result<std::vector<std::vector<std::pair<std::string, Tick>>>> crossed(
    const machine::Machine& machine, const std::vector<Axis>& axes, const Values& ask,
    const std::vector<std::string>& names) {
  constexpr std::size_t kMostPoints = 10'000;
  std::vector<std::vector<std::pair<std::string, Tick>>> points{{}};
  for (const Axis& axis : axes) {
    PARCAST_ASSIGN(const Ticks ticks, ticks_of(machine, axis, ask, names));
    if (points.size() * ticks.size() > kMostPoints)
      return Error{"the graph has more than " + std::to_string(kMostPoints) + " points", "--graph",
                   "give fewer values"};
    std::vector<std::vector<std::pair<std::string, Tick>>> next;
    for (const auto& point : points)
      for (const Tick& tick : ticks) {
        next.push_back(point);
        next.back().emplace_back(axis.name, tick);
      }
    points = std::move(next);
  }
  return points;
}

}  // namespace

Result<void> check_axes(const machine::Machine& machine, const std::vector<Axis>& axes, const Values& ask,
                        const std::vector<std::string>& names) {
  PARCAST_TRY(crossed(machine, axes, ask, names));
  return {};
}

Result<std::vector<predict::Prediction>> graph_of(const Asking& asking, const std::vector<Axis>& axes,
                                                  const Values& ask, const std::vector<std::string>& names) {
  PARCAST_ASSIGN(const auto points, crossed(*asking.machine, axes, ask, names));
  std::vector<predict::Prediction> out;
  for (const auto& point : points) {
    Values values = ask;
    std::vector<Axis> set;
    std::map<std::string, predict::Varied> varied;
    std::string named;
    for (const auto& [name, tick] : point) {
      if (tick.value) values[name] = *tick.value;
      set.insert(set.end(), tick.set.begin(), tick.set.end());
      if (tick.varied)
        varied[name] = *tick.varied;
      else if (!tick.value)
        named += ", " + name + " = " + tick.set.front().values;
    }
    PARCAST_ASSIGN(const machine::Machine machine, with_parameters(*asking.machine, set));
    Asking here = asking;
    here.machine = &machine;
    PARCAST_ASSIGN(predict::Prediction prediction, predict_at(here, values));
    prediction.question.machine = varied;
    prediction.machine += named;
    out.push_back(std::move(prediction));
  }
  return out;
}

}  // namespace parcast::study
