// SPDX-License-Identifier: Apache-2.0
#include "machine/tools.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "machine/fields.h"

namespace parcast::machine {
namespace {

struct Letter {
  std::string_view name;
  std::vector<Parameter Link::*> members;
  Dimension dimension;
};

const std::vector<Letter>& letters() {
  static const std::vector<Letter> table{
      {"L", {&Link::latency}, Dimension::time},
      {"o", {&Link::send_overhead, &Link::receive_overhead}, Dimension::time},
      {"os", {&Link::send_overhead}, Dimension::time},
      {"or", {&Link::receive_overhead}, Dimension::time},
      {"g", {&Link::gap}, Dimension::time},
      {"G", {&Link::gap_per_byte, &Link::rendezvous_gap_per_byte}, Dimension::time_per_byte},
      {"O", {&Link::send_overhead_per_byte, &Link::receive_overhead_per_byte}, Dimension::time_per_byte},
      {"S", {&Link::eager_limit}, Dimension::data},
  };
  return table;
}

/// A link that is set to be free in some respect has no measured curve left to follow.
void forget_corrections(Link& link, double value) {
  if (value == 0) link.corrections.clear();
}

Parameter assumed(double value) {
  return {value, 0, 0, Origin::assumed};
}

/// nodes, cores_per_node and the like: plain members of the machine. Nothing when `name` is none of them.
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
    return Result<void>();
  }
  if (name == "name")
    return Error{"the name of a machine is that of its file", "", "write it to " + std::string(text) + ".machine.toml"};
  return std::nullopt;
}

/// "links.network.latency" where the machine has no network yet.
void add_link_for(Machine& machine, std::string_view name) {
  const std::vector<std::string> parts = split(name, '.');
  if (parts.size() != 3 || parts[0] != "links") return;
  if (std::find(kLinkNames.begin(), kLinkNames.end(), parts[1]) == kLinkNames.end()) return;
  const auto known = [&](const auto& field) { return field.name == parts[2]; };
  if (std::any_of(kLinkFields.begin(), kLinkFields.end(), known)) machine.links.try_emplace(parts[1]);
}

Error unknown_name(Machine& machine, const std::string& name) {
  std::vector<std::string> known{
      "nodes", "cores_per_node", "sockets_per_node", "memory_per_node", "cache_line", "page"};
  for (const NamedParameter& named : parameters(machine)) known.push_back(named.name);
  for (const ExtrapField& field : extrap_fields()) known.emplace_back(field.name);
  const std::string guess = did_you_mean(name, known);
  return {"\"" + name + "\" is not a parameter of " + machine.name, "",
          guess.empty() ? "parcast machine show lists them; a link's are links.network.latency and so on"
                        : guess};
}

double difference_quantile() {
  return 1.959963984540054;
}  // of the standard normal at 0.975

}  // namespace

Result<void> set_parameter(Machine& machine, std::string_view assignment) {
  const auto equals = assignment.find('=');
  if (equals == std::string_view::npos || equals == 0)
    return Error{"\"" + std::string(assignment) + "\" is not a parameter with its value", "",
                 "write for example links.network.latency=2us"};
  const std::string name(trim(assignment.substr(0, equals)));
  const std::string_view text = trim(assignment.substr(equals + 1));
  if (const auto done = set_plain(machine, name, text)) return *done;
  if (const auto key = extrap_key(name)) {
    PARCAST_ASSIGN(const double value, extrap_value(*key, text));
    if (!machine.extrap) machine.extrap.emplace();
    (*machine.extrap)[*key] = value;
    return {};
  }
  for (const Letter& letter : letters()) {
    if (name != letter.name) continue;
    if (machine.links.empty())
      return Error{machine.name + " has no links that " + name + " could be set for", "",
                   "add one, for example links.network.latency=2us"};
    const auto value = parse_measure(text, letter.dimension);
    if (!value) return Error{name + ": " + value.error().what, "", value.error().hint};
    for (auto& [link_name, link] : machine.links)
      for (const auto member : letter.members) link.*member = assumed(*value);
    for (auto& [link_name, link] : machine.links) forget_corrections(link, *value);
    return check(machine);
  }
  add_link_for(machine, name);
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

Result<void> check_complete(const Machine& machine) {
  for (const auto& [name, link] : machine.links)
    for (const RequiredOfLink& needed : kRequiredOfLink)
      for (const Field<Link>& field : kLinkFields) {
        if (field.name != needed.name || (link.*field.member).origin != Origin::unknown) continue;
        const std::string missing(needed.name);
        return Error{"links." + name + " has no " + missing, "",
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
  for (std::size_t i = 0; i < kExtrapKeys && (a.extrap || b.extrap); ++i) {
    const auto key = static_cast<ExtrapKey>(i);
    plain("extrap." + std::string(extrap_name(key)), Dimension::none, a.extrap.value_or(Extrap())[key], b.extrap.value_or(Extrap())[key]);
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

std::vector<Difference> changes(const Machine& before, const Machine& after) {
  std::vector<Difference> out = diff(before, after);
  std::erase_if(out, [](const Difference& each) { return each.a == each.b; });
  return out;
}

}  // namespace parcast::machine
