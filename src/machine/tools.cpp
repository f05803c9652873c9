// SPDX-License-Identifier: Apache-2.0
#include "machine/tools.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <limits>
#include <utility>

#include "base/text.h"
#include "machine/fields.h"
#include "machine/memory_sharing.h"
#include "machine/network.h"
#include "machine/system_tree.h"

namespace parcast::machine {
namespace {

/// A name for a parameter of every link: a letter of LogGPS, or the parameter's own name.
struct OfEveryLink {
  std::string_view name;
  std::vector<Parameter Link::*> members;
  Dimension dimension;
};

std::vector<OfEveryLink> letters_of_loggps() {
  return {
      {"L", {&Link::latency}, Dimension::time},
      {"o", {&Link::send_overhead, &Link::receive_overhead}, Dimension::time},
      {"os", {&Link::send_overhead}, Dimension::time},
      {"or", {&Link::receive_overhead}, Dimension::time},
      {"g", {&Link::gap}, Dimension::time},
      {"G", {&Link::gap_per_byte, &Link::rendezvous_gap_per_byte}, Dimension::time_per_byte},
      {"O", {&Link::send_overhead_per_byte, &Link::receive_overhead_per_byte}, Dimension::time_per_byte},
      {"S", {&Link::eager_limit}, Dimension::data},
  };
}

const std::vector<OfEveryLink>& of_every_link() {
  static const std::vector<OfEveryLink> table = [] {
    std::vector<OfEveryLink> all = letters_of_loggps();
    for (const Field<Link>& field : kLinkFields)
      if (field.kind != Field<Link>::Kind::correction)
        all.push_back({field.name, {field.member}, field.dimension});
    return all;
  }();
  return table;
}

/// Returns the known parameters of hops of the machine's system of such a name.
std::vector<NamedParameter> of_hops(Machine& machine, const OfEveryLink& of) {
  std::vector<NamedParameter> out;
  if (!machine.system) return out;
  for (NamedParameter& named : parameters(machine)) {
    if (!named.name.starts_with("system.") || named.name.find(".communication.") == std::string::npos ||
        named.parameter->origin == Origin::unknown)
      continue;
    for (const auto member : of.members)
      for (const Field<Link>& field : kLinkFields)
        if (field.member == member && named.name.ends_with("." + std::string(field.name)))
          out.push_back(named);
  }
  return out;
}

/// Removes the corrections of a link if a parameter is set to 0: the measured curve no longer applies.
void forget_corrections(Link& link, double value) {
  if (value == 0) link.corrections.clear();
}

Parameter assumed(double value) {
  return {value, 0, 0, Origin::assumed};
}

/// Sets plain members of the machine such as nodes and cores_per_node. Empty if `name` is another.
std::optional<Result<void>> set_plain(Machine& machine, std::string_view name, std::string_view text) {
  struct Whole {
    std::string_view name;
    std::int32_t Machine::*member;
  };
  for (const Whole& whole :
       {Whole{"nodes", &Machine::nodes}, Whole{"cores_per_node", &Machine::cores_per_node},
        Whole{"sockets_per_node", &Machine::sockets_per_node}}) {
    if (name != whole.name) continue;
    const auto value = parse_integer(text);
    if (!value || *value < 1 || *value > std::numeric_limits<std::int32_t>::max())
      return Error{std::string(name) + " is \"" + std::string(text) + "\", but must be a whole number from 1",
                   "", ""};
    machine.*whole.member = static_cast<std::int32_t>(*value);
    return Result<void>();
  }
  struct Size {
    std::string_view name;
    double Machine::*member;
  };
  for (const Size& size : {Size{"memory_per_node", &Machine::memory_per_node},
                           Size{"cache_line", &Machine::cache_line}, Size{"page", &Machine::page}}) {
    if (name != size.name) continue;
    const auto value = parse_measure(text, Dimension::data);
    if (!value) return Error{std::string(name) + ": " + value.error().what, "", value.error().hint};
    machine.*size.member = *value;
    return check(machine);
  }
  if (name == "name")
    return Error{"the name of a machine is that of its file", "",
                 "write it to " + std::string(text) + ".machine.toml"};
  return std::nullopt;
}

constexpr std::string_view kCollectives = "collectives.";

/// Sets "collectives.allreduce=ring".
Result<void> set_collective(Machine& machine, const std::string& name, std::string_view text) {
  const std::string called = name.substr(kCollectives.size());
  const auto pattern = pattern_from(called);
  if (!pattern || algorithms_of(*pattern).empty()) {
    std::vector<std::string> known;
    for (const std::string_view each : simulated_patterns()) known.emplace_back(each);
    const std::string near = did_you_mean(called, known);
    return Error{"\"" + called + "\" is not a collective that is simulated", "",
                 near.empty() ? "known are " + join(known, ", ") : near};
  }
  PARCAST_ASSIGN(machine.collectives[*pattern], algorithms_from(*pattern, text));
  return {};
}

/// Sets "memory_sharing.by=socket". Empty if `name` is another.
std::optional<Result<void>> set_memory_domain(Machine& machine, std::string_view name,
                                              std::string_view text) {
  if (name != "memory_sharing.by") return std::nullopt;
  if (text != "node" && text != "socket")
    return Error{"\"" + std::string(text) + "\" shares no memory", "", "known are node, socket"};
  if (!machine.memory_sharing) machine.memory_sharing.emplace();
  machine.memory_sharing->by_socket = text == "socket";
  return Result<void>();
}

/// Adds the link for "links.network.latency" if the machine has none with that name.
void add_link_for(Machine& machine, std::string_view name) {
  const std::vector<std::string> parts = split(name, '.');
  if (parts.size() != 3 || parts[0] != "links") return;
  if (std::find(kLinkNames.begin(), kLinkNames.end(), parts[1]) == kLinkNames.end()) return;
  const auto known = [&](const auto& field) { return field.name == parts[2]; };
  if (std::any_of(kLinkFields.begin(), kLinkFields.end(), known)) machine.links.try_emplace(parts[1]);
}

/// Sets "network.topology=torus", "network.dimensions=4x4", "network.groups=9". Empty if `name` is another.
std::optional<Result<void>> set_shape(Machine& machine, std::string_view name, std::string_view text) {
  if (!name.starts_with("network.")) return std::nullopt;
  if (!machine.network) machine.network.emplace();
  Network& network = *machine.network;
  const std::string_view key = name.substr(8);
  if (key == "topology") {
    const std::string before = std::exchange(network.topology, std::string(text));
    // numbers of the old topology's shape do not apply to the new one
    for (const ShapeField& field : shape_fields()) {
      if (before == network.topology) break;
      if (field.count)
        network.*field.count = 0;
      else
        (network.*field.list).clear();
    }
    return Result<void>();
  }
  for (const ShapeField& field : shape_fields()) {
    if (key != field.name) continue;
    std::vector<std::int32_t> numbers;
    for (const std::string& part : split(text, 'x')) {
      const auto value = parse_integer(part);
      if (!value || *value < 1 || *value > std::numeric_limits<std::int32_t>::max() ||
          (field.count && !numbers.empty()))
        return Error{std::string(name) + " is \"" + std::string(text) + "\", but must be " +
                         (field.count ? "a whole number from 1" : "whole numbers from 1, such as 4x4"),
                     "", ""};
      numbers.push_back(static_cast<std::int32_t>(*value));
    }
    if (field.count)
      network.*field.count = numbers.front();
    else
      network.*field.list = numbers;
    return Result<void>();
  }
  return std::nullopt;
}

Error not_multiplied(const Machine& machine, const std::string& name) {
  return {name + " of " + machine.name + " is not known, so that it cannot be multiplied", "",
          "give its value: " + name + "=VALUE"};
}

/// Multiplies a known parameter, its error and its covariances by `factor`. Returns whether it is known.
bool multiply(Machine& machine, const std::string& name, Parameter& parameter, double factor) {
  if (parameter.origin == Origin::unknown) return false;
  parameter.value *= factor;
  parameter.standard_error *= factor;
  parameter.origin = Origin::assumed;
  for (auto& [names, covariance] : machine.covariance)
    for (const std::string* each : {&names.first, &names.second})
      if (*each == name) covariance *= factor;
  return true;
}

/// Multiplies nodes, memory_per_node, MipsRatio and the like. Empty if `name` is another.
std::optional<Result<void>> multiply_plain(Machine& machine, const std::string& name, double factor) {
  for (const std::string_view whole : {"nodes", "cores_per_node", "sockets_per_node"})
    if (name == whole) {
      const std::int32_t now = name == "nodes"            ? machine.nodes
                               : name == "cores_per_node" ? machine.cores_per_node
                                                          : machine.sockets_per_node;
      return set_plain(machine, name, format_exact(now * factor));
    }
  for (double Machine::*size : {&Machine::memory_per_node, &Machine::cache_line, &Machine::page}) {
    if (name != (size == &Machine::memory_per_node ? "memory_per_node"
                 : size == &Machine::page          ? "page"
                                                   : "cache_line"))
      continue;
    if (!(machine.*size > 0)) return Result<void>(not_multiplied(machine, name));
    machine.*size *= factor;
    return Result<void>();
  }
  if (const auto key = extrap_key(name)) {
    if (!machine.extrap) return Result<void>(not_multiplied(machine, name));
    if (extrap_fields()[static_cast<std::size_t>(*key)].unit == ExtrapUnit::choice)
      return Result<void>(
          Error{name + " is a choice, which cannot be multiplied", "", "give its value: " + name + "=VALUE"});
    const auto value = extrap_value(*key, format_exact((*machine.extrap)[*key] * factor));
    if (!value) return Result<void>(value.error());
    (*machine.extrap)[*key] = *value;
    return Result<void>();
  }
  return std::nullopt;
}

bool is_in_another_case(std::string_view a, std::string_view b) {
  return std::ranges::equal(
      a, b, [](unsigned char x, unsigned char y) { return std::tolower(x) == std::tolower(y); });
}

Error unknown_name(Machine& machine, const std::string& name) {
  std::vector<std::string> known{"nodes",      "cores_per_node", "sockets_per_node", "memory_per_node",
                                 "cache_line", "page",           "bandwidth"};
  for (const NamedParameter& named : parameters(machine)) known.push_back(named.name);
  for (const OfEveryLink& each : of_every_link())
    // Every mistake of one letter is like a letter, except another case.
    if (each.name.size() > 2 || is_in_another_case(name, each.name)) known.emplace_back(each.name);
  for (const ShapeField& field : shape_fields()) known.push_back("network." + std::string(field.name));
  known.emplace_back("network.topology");
  known.emplace_back("memory_sharing.by");
  known.emplace_back("memory_sharing.2.bandwidth");
  for (const ExtrapField& field : extrap_fields()) known.emplace_back(field.name);
  const std::string guess = did_you_mean(name, known);
  if (name == "bandwidth")
    return {"bandwidth is kept as its inverse, the time per byte", "",
            "G/2 doubles the bandwidth of all links"};
  return {"\"" + name + "\" is not a parameter of " + (machine.name.empty() ? "a machine" : machine.name), "",
          guess.empty() ? "parcast machine show lists them; a link's are links.network.latency and so on"
                        : guess};
}

double difference_quantile() {
  return 1.959963984540054;
}  // of the standard normal at 0.975

/// Adds differences between the numbers of shapes. Those of a list are numbered from 0, by level or
/// dimension.
void diff_shapes(const Network& a, const Network& b, std::vector<Difference>& out) {
  const auto known = [](double value) { return value > 0 ? std::optional(value) : std::nullopt; };
  const auto add = [&](const std::string& name, double x, double y) {
    if (x > 0 || y > 0) out.push_back({"network." + name, Dimension::none, known(x), known(y), x == y});
  };
  const auto at = [](const std::vector<std::int32_t>& list, std::size_t index) {
    return index < list.size() ? list[index] : 0;
  };
  for (const ShapeField& field : shape_fields()) {
    const std::string name(field.name);
    if (field.count) add(name, a.*field.count, b.*field.count);
    if (field.list)
      for (std::size_t index = 0; index < std::max((a.*field.list).size(), (b.*field.list).size()); ++index)
        add(name + "." + std::to_string(index), at(a.*field.list, index), at(b.*field.list, index));
  }
}

}  // namespace

namespace {

/// Multiplies known parameters: "L*2", "core_speed/1.5".
Result<void> multiply_by(Machine& machine, const std::string& name, double factor) {
  if (const auto done = multiply_plain(machine, name, factor)) return *done;
  bool found = false, known = false;
  const auto one = [&](const std::string& dotted, Parameter& parameter) {
    found = true, known = multiply(machine, dotted, parameter, factor) || known;
  };
  for (const OfEveryLink& of : of_every_link()) {
    if (name != of.name) continue;
    for (auto& [link_name, link] : machine.links)
      for (const auto member : of.members)
        for (const Field<Link>& field : kLinkFields)
          if (field.member == member) one("links." + link_name + "." + std::string(field.name), link.*member);
    for (const NamedParameter& hop : of_hops(machine, of)) one(hop.name, *hop.parameter);
  }
  for (const NamedParameter& named : parameters(machine))
    if (named.name == name) one(name, *named.parameter);
  const bool of_links = std::any_of(of_every_link().begin(), of_every_link().end(),
                                    [&](const OfEveryLink& each) { return each.name == name; });
  if (!found && !of_links) return unknown_name(machine, name);
  if (!known) return not_multiplied(machine, name);
  if (factor == 0)
    for (auto& [link_name, link] : machine.links)
      if (of_links || name.starts_with("links." + link_name + ".")) forget_corrections(link, 0);
  return check(machine);
}

/// Returns the end of the name in "L=2us", "L*2" and "L/2".
std::size_t end_of_name(std::string_view assignment) {
  return assignment.find_first_of("=*/");
}

Result<void> apply_setting(Machine& machine, std::string_view assignment) {
  const auto sign = end_of_name(assignment);
  if (sign == std::string_view::npos || sign == 0)
    return Error{"\"" + std::string(assignment) + "\" is not NAME=VALUE", "",
                 "write for example links.network.latency=2us, or L*2"};
  const std::string name(trim(assignment.substr(0, sign)));
  const std::string_view text = trim(assignment.substr(sign + 1));
  if (assignment[sign] != '=') {
    const auto factor = parse_double(text);
    const bool inverse = assignment[sign] == '/';
    if (!factor || !std::isfinite(*factor) || *factor < 0 || (inverse && *factor == 0))
      return Error{"\"" + std::string(assignment) + "\": " + std::string(text) + " is not a factor of " +
                       (inverse ? "more than 0" : "0 or more"),
                   "", "write for example " + name + "*1.5"};
    return multiply_by(machine, name, inverse ? 1 / *factor : *factor);
  }
  if (const auto done = set_plain(machine, name, text)) return *done;
  if (name.starts_with(kCollectives)) return set_collective(machine, name, text);
  if (const auto done = set_shape(machine, name, text)) return *done;
  if (const auto done = set_memory_domain(machine, name, text)) return *done;
  if (const auto key = extrap_key(name)) {
    PARCAST_ASSIGN(const double value, extrap_value(*key, text));
    if (!machine.extrap) machine.extrap.emplace();
    (*machine.extrap)[*key] = value;
    return {};
  }
  for (const OfEveryLink& of : of_every_link()) {
    if (name != of.name) continue;
    if (machine.links.empty() && !machine.system)
      return Error{machine.name + " has no links that " + name + " could be set for", "",
                   "add one, for example links.network.latency=2us"};
    const auto value = parse_measure(text, of.dimension);
    if (!value) return Error{name + ": " + value.error().what, "", value.error().hint};
    for (auto& [link_name, link] : machine.links)
      for (const auto member : of.members) link.*member = assumed(*value);
    for (const NamedParameter& hop : of_hops(machine, of)) *hop.parameter = assumed(*value);
    for (auto& [link_name, link] : machine.links) forget_corrections(link, *value);
    return check(machine);
  }
  add_link_for(machine, name);
  if (const std::int32_t cores = cores_of_shared_bandwidth(name); cores > 0)
    shared_bandwidth_of(machine, cores);
  for (const NamedParameter& named : parameters(machine)) {
    if (named.name != name) continue;
    const auto value = parse_measure(text, named.dimension);
    if (!value) return Error{name + ": " + value.error().what, "", value.error().hint};
    *named.parameter = assumed(*value);
    for (auto& [link_name, link] : machine.links)
      if (name.starts_with("links." + link_name + ".")) forget_corrections(link, *value);
    return check(machine);
  }
  return unknown_name(machine, name);
}

}  // namespace

std::string assigned_name(std::string_view assignment) {
  return std::string(trim(assignment.substr(0, end_of_name(assignment))));
}

Result<void> set_parameter(Machine& machine, std::string_view assignment) {
  if (machine.sources.empty()) return apply_setting(machine, assignment);
  const Machine before = machine;
  PARCAST_TRY(apply_setting(machine, assignment));
  for (const Difference& each : changes(before, machine))
    if (!source_of(before, each.name).empty())
      machine.sources[each.name] = "changed by " + std::string(trim(assignment));
  return {};
}

Result<Dimension> dimension_of(const Machine& machine, const std::string& name) {
  for (const std::string_view plain : {"nodes", "cores_per_node", "sockets_per_node"})
    if (name == plain) return Dimension::none;
  for (const std::string_view size : {"memory_per_node", "cache_line", "page"})
    if (name == size) return Dimension::data;
  for (const OfEveryLink& of : of_every_link())
    if (name == of.name) return of.dimension;
  Machine with_link = machine;
  add_link_for(with_link, name);
  if (const std::int32_t cores = cores_of_shared_bandwidth(name); cores > 0)
    shared_bandwidth_of(with_link, cores);
  for (const NamedParameter& named : parameters(with_link))
    if (named.name == name) return named.dimension;
  return unknown_name(with_link, name);
}

Result<void> check_complete(const Machine& machine) {
  PARCAST_TRY(check_network(machine));
  PARCAST_TRY(check_memory_sharing(machine));
  for (const auto& [name, link] : machine.links)
    for (const RequiredOfLink& needed : kRequiredOfLink)
      for (const Field<Link>& field : kLinkFields) {
        if (field.name != needed.name || (link.*field.member).origin != Origin::unknown) continue;
        const std::string missing(needed.name);
        return Error{
            "links." + name + " has no " + missing, "",
            "set it too, for example links." + name + "." + missing + "=" + std::string(needed.example)};
      }
  return {};
}

std::vector<Difference> diff(const Machine& a, const Machine& b) {
  Machine left = a, right = b;
  std::vector<Difference> out;
  const auto plain = [&](std::string name, Dimension dimension, double x, double y) {
    out.push_back({std::move(name), dimension, x, y, x == y});
  };
  plain("nodes", Dimension::none, a.nodes, b.nodes);
  plain("cores_per_node", Dimension::none, a.cores_per_node, b.cores_per_node);
  plain("sockets_per_node", Dimension::none, a.sockets_per_node, b.sockets_per_node);
  plain("memory_per_node", Dimension::data, a.memory_per_node, b.memory_per_node);
  plain("cache_line", Dimension::data, a.cache_line, b.cache_line);
  plain("page", Dimension::data, a.page, b.page);
  diff_shapes(a.network.value_or(Network{}), b.network.value_or(Network{}), out);
  for (std::size_t i = 0; i < kExtrapKeys && (a.extrap || b.extrap); ++i) {
    const auto key = static_cast<ExtrapKey>(i);
    plain("extrap." + std::string(extrap_name(key)), Dimension::none, a.extrap.value_or(Extrap())[key],
          b.extrap.value_or(Extrap())[key]);
  }
  const auto theirs = known_parameters(right), ours = known_parameters(left);
  const auto add = [&](const NamedParameter& named) {
    const auto x = ours.find(named.name), y = theirs.find(named.name);
    Difference difference{named.name, named.dimension, {}, {}, false};
    if (x != ours.end()) difference.a = x->second.value;
    if (y != theirs.end()) difference.b = y->second.value;
    if (difference.a && difference.b)
      difference.within_intervals =
          std::fabs(*difference.a - *difference.b) <=
          difference_quantile() * std::hypot(x->second.standard_error, y->second.standard_error);
    out.push_back(std::move(difference));
  };
  for (const NamedParameter& named : parameters(left))
    if (named.parameter->origin != Origin::unknown) add(named);
  for (const NamedParameter& named : parameters(right))
    if (named.parameter->origin != Origin::unknown && !ours.contains(named.name)) add(named);
  return out;
}

namespace {

/// Empty if no point is in both tables. Also empty if all points are equal: both tables are then one
/// measurement, and their coefficients are comparable.
std::optional<TableDifference> table_difference(const PatternCost& a, const PatternCost& b) {
  TableDifference out{a.name};
  std::vector<double> ratios;
  for (const CostPoint& x : a.points) {
    const auto same = [&](const CostPoint& y) { return y.processes == x.processes && y.bytes == x.bytes; };
    const auto y = std::find_if(b.points.begin(), b.points.end(), same);
    if (y == b.points.end() || !(x.seconds > 0) || !(y->seconds > 0)) continue;
    ++out.points;
    out.agreeing += std::fabs(x.seconds - y->seconds) <=
                    difference_quantile() * std::hypot(x.standard_error, y->standard_error);
    ratios.push_back(y->seconds / x.seconds);
  }
  const bool one = a.points.size() == b.points.size() && ratios.size() == a.points.size() &&
                   std::all_of(ratios.begin(), ratios.end(), [](double ratio) { return ratio == 1; });
  if (ratios.empty() || one) return std::nullopt;
  std::sort(ratios.begin(), ratios.end());
  const std::size_t middle = ratios.size() / 2;
  out.ratio = ratios.size() % 2 == 1 ? ratios[middle] : (ratios[middle - 1] + ratios[middle]) / 2;
  return out;
}

/// Returns whether the parameter is of a correction, such as "links.core.2.startup".
bool is_correction_of(const std::string& name, const std::string& link) {
  const std::string prefix = "links." + link + ".";
  return name.starts_with(prefix) && name.size() > prefix.size() && name[prefix.size()] >= '0' &&
         name[prefix.size()] <= '9';
}

}  // namespace

Comparison compare(const Machine& a, const Machine& b) {
  Comparison out{diff(a, b), {}};
  constexpr std::string_view kMessages = "message-";
  for (const PatternCost& left : a.patterns) {
    const auto right = std::find_if(b.patterns.begin(), b.patterns.end(),
                                    [&](const PatternCost& each) { return each.name == left.name; });
    const auto difference = right == b.patterns.end() ? std::nullopt : table_difference(left, *right);
    if (!difference) continue;
    out.tables.push_back(*difference);
    const std::string prefix = "patterns." + left.name + ".",
                      link = left.name.starts_with(kMessages) ? left.name.substr(kMessages.size()) : "";
    std::erase_if(out.parameters, [&](const Difference& each) {
      return each.name.starts_with(prefix) || (!link.empty() && is_correction_of(each.name, link));
    });
  }
  return out;
}

std::vector<Difference> changes(const Machine& before, const Machine& after) {
  std::vector<Difference> out = diff(before, after);
  std::erase_if(out, [](const Difference& each) { return each.a == each.b; });
  return out;
}

double operations_per_second(const Machine& machine) {
  if (machine.core_speed.value > 0 || !machine.system) return machine.core_speed.value;
  const SystemTree tree = SystemTree::of(*machine.system);
  std::int64_t most = 0;
  double speed = 0;
  for (std::size_t unit = 0; unit < tree.instances.size(); ++unit) {
    const Unit& found = machine.system->units[unit];
    if (!is_processor(found) || found.processing.speed.origin == Origin::unknown ||
        tree.instances[unit] <= most)
      continue;
    most = tree.instances[unit], speed = found.processing.speed.value;
  }
  return speed;
}

bool has_same_core(const Machine& there, const Machine& here) {
  const Parameter &a = there.core_speed, &b = here.core_speed;
  return a.value > 0 && a.standard_error > 0 && a.value == b.value && a.standard_error == b.standard_error;
}

Result<double> compute_ratio(const Machine& there, const Machine& here) {
  if (here.name == ideal_machine().name || there.name == ideal_machine().name) return 1.0;
  for (const Machine* machine : {&there, &here})
    if (!(machine->core_speed.value > 0))
      return Error{"the core speed of " + machine->name + " is not known", "",
                   "calibrate it, or set core_speed in its file"};
  return there.core_speed.value / here.core_speed.value;
}

std::string without_savings(const Machine& machine) {
  if (!has_core_share(machine)) return "";
  return "processes have " + format_significant(100 * machine.core_share.value, 2) +
         " % of a core: what they save of it while they wait is counted for messages and for uneven "
         "computing only, so that runs of much waiting come out too long";
}

}  // namespace parcast::machine
