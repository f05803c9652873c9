// SPDX-License-Identifier: Apache-2.0
// Routes and their costs: docs/models/system_graph.md, Routes and Costs of a route.
#include "machine/routes.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "machine/fields.h"
#include "machine/system_tree.h"
#include "machine/topology.h"

namespace parcast::machine {
namespace {

/// A weighted sum of parameters. Errors of the same parameter add up; those of different parameters are
/// independent.
class Sum {
 public:
  void add(const Parameter& parameter, double times) {
    if (!known(parameter)) return;
    value_ += times * parameter.value;
    origin_ = any_ ? weaker(origin_, parameter.origin) : parameter.origin;
    any_ = true;
    samples_ += parameter.samples;
    times_[&parameter] += times;
  }
  Parameter total() const {
    if (!any_) return {};
    double variance = 0;
    for (const auto& [parameter, times] : times_) variance += std::pow(times * parameter->standard_error, 2);
    return {value_, std::sqrt(variance), samples_, origin_};
  }

 private:
  bool any_ = false;
  double value_ = 0;
  std::int64_t samples_ = 0;
  Origin origin_ = Origin::unknown;
  std::map<const Parameter*, double> times_;
};

Parameter summed(const std::vector<Hop>& hops, Parameter Link::*member) {
  Sum sum;
  for (const Hop& hop : hops) sum.add(hop.link->*member, hop.times);
  return sum.total();
}

/// Returns the largest of the known parameters, or the smallest with `least`.
Parameter extreme(const std::vector<Hop>& hops, Parameter Link::*member, bool least) {
  const Parameter* found = nullptr;
  for (const Hop& hop : hops) {
    const Parameter& parameter = hop.link->*member;
    if (known(parameter) &&
        (!found || (least ? parameter.value < found->value : parameter.value > found->value)))
      found = &parameter;
  }
  return found ? *found : Parameter{};
}

const Parameter& rendezvous_gap(const Link& link) {
  return known(link.rendezvous_gap_per_byte) ? link.rendezvous_gap_per_byte : link.gap_per_byte;
}
const Parameter& eager_gap(const Link& link) {
  return link.gap_per_byte;
}

/// Returns the sum over stretches that a message flows through at once of the largest gap in each.
Parameter streamed(const std::vector<Hop>& hops, const Parameter& (*gap_of)(const Link&)) {
  Sum sum;
  const Parameter* slowest = nullptr;
  for (std::size_t i = 0; i < hops.size(); ++i) {
    const Parameter& gap = gap_of(*hops[i].link);
    const bool stored = i > 0 && (hops[i].store_and_forward || hops[i - 1].store_and_forward);
    if (stored && slowest) sum.add(*slowest, 1);
    if (stored || !slowest || gap.value > slowest->value) slowest = &gap;
    if (hops[i].store_and_forward) sum.add(gap, hops[i].times - 1);
  }
  if (slowest) sum.add(*slowest, 1);
  return sum.total();
}

bool same(const Parameter& a, const Parameter& b) {
  return a.value == b.value && a.standard_error == b.standard_error && a.samples == b.samples &&
         a.origin == b.origin;
}

bool same(const Link& a, const Link& b) {
  for (const auto& field : kLinkFields)
    if (!same(a.*field.member, b.*field.member)) return false;
  return std::equal(a.corrections.begin(), a.corrections.end(), b.corrections.begin(), b.corrections.end(),
                    [](const auto& x, const auto& y) {
                      return x.from_bytes == y.from_bytes && same(x.startup, y.startup) &&
                             same(x.per_byte, y.per_byte);
                    });
}

/// A step on the path from the root's child down to a processor: a unit, its position among the joined
/// instances of its parent, and its number in the entire system.
struct Step {
  std::size_t unit = 0;
  std::int64_t position = 0, instance = 0;
};
using Path = std::vector<Step>;

}  // namespace

Link combined(const std::vector<Hop>& hops) {
  if (hops.empty()) return {};
  if (hops.size() == 1 && hops.front().times == 1) return *hops.front().link;
  const Link &first = *hops.front().link, &last = *hops.back().link;
  Link out;
  out.latency = summed(hops, &Link::latency);
  out.send_overhead = first.send_overhead;
  out.send_overhead_per_byte = first.send_overhead_per_byte;
  out.receive_overhead = last.receive_overhead;
  out.receive_overhead_per_byte = last.receive_overhead_per_byte;
  out.gap = extreme(hops, &Link::gap, false);
  out.gap_per_byte = streamed(hops, eager_gap);
  out.eager_limit = extreme(hops, &Link::eager_limit, true);
  out.rendezvous_latency = summed(hops, &Link::rendezvous_latency);
  if (std::any_of(hops.begin(), hops.end(),
                  [](const Hop& hop) { return known(hop.link->rendezvous_gap_per_byte); }))
    out.rendezvous_gap_per_byte = streamed(hops, rendezvous_gap);
  return out;
}

struct Routes::State {
  explicit State(Mapping given) : mapping(std::move(given)), tree(SystemTree::of(mapping.system)) {
    for (std::size_t u = 0; u < units().size(); ++u) {
      const auto gateway = instance_named(mapping.system, tree, u, units()[u].communication.gateway);
      gateways.push_back(gateway && !units()[u].communication.gateway.empty()
                             ? tree.first_position[gateway->unit] + gateway->number
                             : -1);
    }
  }

  Mapping mapping;
  SystemTree tree;
  std::vector<std::int64_t> gateways;  // a position in each unit; -1: none
  std::map<std::vector<std::int64_t>, Route*> known_routes;
  std::deque<Route> routes;
  std::vector<Link> links;
  std::map<std::array<std::size_t, 3>, Passage> passages;
  // Working memory of between().
  Path path_a, path_b;
  std::vector<Hop> hops;
  std::vector<std::int64_t> key;

  const std::vector<Unit>& units() const { return mapping.system.units; }

  void locate(std::int64_t processor, Path& path) const {
    path.clear();
    std::int64_t instance = 0;
    for (std::size_t unit = tree.root; !is_processor(units()[unit]);) {
      for (const std::size_t child : tree.children[unit]) {
        const std::int64_t all = tree.processors[child] * units()[child].count;
        if (processor >= all) {
          processor -= all;
          continue;
        }
        const std::int64_t number = processor / tree.processors[child];
        processor %= tree.processors[child];
        instance = instance * units()[child].count + number;
        path.push_back({child, tree.first_position[child] + number, instance});
        unit = child;
        break;
      }
    }
  }

  std::size_t unit_at(const Path& path, std::size_t depth) const {
    return depth == 0 ? tree.root : path[depth - 1].unit;
  }

  /// Returns the child of `unit` that contains the position.
  std::size_t child_at(std::size_t unit, std::int64_t position) const {
    for (const std::size_t child : tree.children[unit])
      if (tree.first_position[child] >= 0 && position >= tree.first_position[child] &&
          position < tree.first_position[child] + units()[child].count)
        return child;
    return tree.root;
  }

  const Passage& passage_between(std::size_t unit, std::size_t from, std::size_t to) {
    const auto [at, fresh] = passages.try_emplace({unit, from, to});
    if (fresh) at->second = passage(mapping.system, unit, from, to);
    return at->second;
  }

  Joined joined(std::size_t unit) const {
    return {units()[unit].communication.topology, tree.joined[unit], units()[unit].communication.extents};
  }

  void add_hop(std::size_t unit, const Link& link, std::int32_t times) {
    hops.push_back(
        {unit, &link, times, units()[unit].communication.forwarding == Forwarding::store_and_forward});
  }

  void add_interface(std::size_t unit) {
    if (has_interface(mapping.system, tree, unit)) add_hop(unit, units()[unit].communication.link, 1);
  }

  /// Adds the hops from one position inside `unit` to another.
  void cross(std::size_t unit, std::int64_t from, std::int64_t to) {
    const Communication& communication = units()[unit].communication;
    if (from == to) return;
    if (communication.connections.empty())
      return add_hop(unit, communication.link, hops_between(joined(unit), from, to));
    const Passage& way = passage_between(unit, child_at(unit, from), child_at(unit, to));
    for (std::size_t i = 0; i < way.connections.size(); ++i) {
      add_hop(unit, communication.connections[way.connections[i]].link, 1);
      if (i < way.between.size()) add_interface(way.between[i]);
    }
  }

  /// Returns the number of steps that both paths share.
  std::size_t shared() const {
    std::size_t depth = 0;
    while (depth < path_a.size() && depth < path_b.size() && path_a[depth].unit == path_b[depth].unit &&
           path_a[depth].position == path_b[depth].position)
      ++depth;
    return depth;
  }

  /// Adds the hops from the processor of path_a to that of path_b.
  void find_hops() {
    hops.clear();
    const std::size_t common = shared();
    if (common == path_a.size()) return;
    add_interface(path_a.back().unit);
    for (std::size_t depth = path_a.size() - 1; depth > common; --depth)
      if (const std::size_t unit = unit_at(path_a, depth); gateways[unit] >= 0)
        cross(unit, path_a[depth].position, gateways[unit]);
    cross(unit_at(path_a, common), path_a[common].position, path_b[common].position);
    for (std::size_t depth = common + 1; depth < path_b.size(); ++depth)
      if (const std::size_t unit = unit_at(path_b, depth); gateways[unit] >= 0)
        cross(unit, gateways[unit], path_b[depth].position);
    add_interface(path_b.back().unit);
  }

  std::size_t link_number(Link link) {
    const auto at =
        std::find_if(links.begin(), links.end(), [&](const Link& other) { return same(link, other); });
    if (at != links.end()) return static_cast<std::size_t>(at - links.begin());
    links.push_back(std::move(link));
    return links.size() - 1;
  }

  const Route& route() {
    key.clear();
    for (const Hop& hop : hops)
      key.push_back(static_cast<std::int64_t>(hop.unit)),
          key.push_back(reinterpret_cast<std::intptr_t>(hop.link)), key.push_back(hop.times);
    Route*& found = known_routes[key];
    if (found) return *found;
    Route fresh{link_number(combined(hops)), hops, 0};
    for (const Hop& hop : hops) fresh.length += hop.times;
    routes.push_back(std::move(fresh));
    return *(found = &routes.back());
  }

  std::string name(const Step& step) const {
    return units()[step.unit].name +
           (tree.instances[step.unit] > 1 ? " " + std::to_string(step.instance) : "");
  }

  /// Returns the name of the instance at a position of the unit that `path` passes at that depth.
  std::string name_at(const Path& path, std::size_t depth, std::int64_t position) const {
    const std::size_t unit = unit_at(path, depth), child = child_at(unit, position);
    const std::int64_t above = depth == 0 ? 0 : path[depth - 1].instance;
    return name({child, position, above * units()[child].count + position - tree.first_position[child]});
  }

  void note_crossing(const Path& path, std::size_t depth, std::int64_t from, std::int64_t to,
                     std::vector<std::string>& out) {
    const std::size_t unit = unit_at(path, depth);
    const Communication& communication = units()[unit].communication;
    if (from == to) return;
    if (!communication.connections.empty()) {
      const Passage& way = passage_between(unit, child_at(unit, from), child_at(unit, to));
      for (std::size_t i = 0; i < way.connections.size(); ++i) {
        if (const std::string& connection = communication.connections[way.connections[i]].name;
            !connection.empty())
          out.push_back(connection);
        if (i < way.between.size()) out.push_back(name_at(path, depth, tree.first_position[way.between[i]]));
      }
      return;
    }
    std::vector<std::string> passed;
    for (const std::int64_t position : way_between(joined(unit), from, to))
      passed.push_back(name_at(path, depth, position));
    const std::string here = depth == 0 ? units()[unit].name : name(path[depth - 1]);
    out.push_back(here + (passed.empty() ? ""
                                         : " (" + std::to_string(passed.size() + 1) + " hops by " +
                                               join(passed, ", ") + ")"));
  }

  std::vector<std::string> tell() {
    std::vector<std::string> out{path_a.empty() ? units()[tree.root].name : name(path_a.back())};
    const std::size_t common = shared();
    if (common == path_a.size()) return out;
    for (std::size_t depth = path_a.size() - 1; depth > common; --depth) {
      const std::int64_t gateway = gateways[unit_at(path_a, depth)];
      if (gateway < 0 || gateway == path_a[depth].position) continue;
      note_crossing(path_a, depth, path_a[depth].position, gateway, out);
      out.push_back(name_at(path_a, depth, gateway));
    }
    note_crossing(path_a, common, path_a[common].position, path_b[common].position, out);
    for (std::size_t depth = common + 1; depth < path_b.size(); ++depth) {
      const std::int64_t gateway = gateways[unit_at(path_b, depth)];
      if (gateway < 0 || gateway == path_b[depth].position) continue;
      out.push_back(name_at(path_b, depth, gateway));
      note_crossing(path_b, depth, gateway, path_b[depth].position, out);
    }
    out.push_back(name(path_b.back()));
    return out;
  }

  void locate_both(std::int32_t rank_a, std::int32_t rank_b) {
    locate(mapping.processor_of[static_cast<std::size_t>(rank_a)], path_a);
    locate(mapping.processor_of[static_cast<std::size_t>(rank_b)], path_b);
  }
};

Routes::Routes(std::unique_ptr<State> state) : state_(std::move(state)) {}
Routes::Routes(Routes&&) noexcept = default;
Routes& Routes::operator=(Routes&&) noexcept = default;
Routes::~Routes() = default;

Result<Routes> Routes::of(Mapping mapping) {
  for (const Violation& violation : validate(mapping.system))
    return Error{
        (violation.unit.empty() ? "the system" : "the unit " + violation.unit) + " " + violation.what,
        mapping.system.name, violation.hint};
  return Routes(std::make_unique<State>(std::move(mapping)));
}

const Route& Routes::between(std::int32_t rank_a, std::int32_t rank_b) {
  state_->locate_both(rank_a, rank_b);
  state_->find_hops();
  return state_->route();
}

const std::vector<Link>& Routes::links() const {
  return state_->links;
}

std::vector<std::string> Routes::stations(std::int32_t rank_a, std::int32_t rank_b) {
  state_->locate_both(rank_a, rank_b);
  return state_->tell();
}

std::string Routes::text(std::int32_t rank_a, std::int32_t rank_b) {
  return join(stations(rank_a, rank_b), " -> ");
}

std::string Routes::place(std::int32_t rank) const {
  Path path;
  state_->locate(state_->mapping.processor_of[static_cast<std::size_t>(rank)], path);
  return path.empty() ? state_->units()[state_->tree.root].name : state_->name(path.back());
}

std::vector<std::int64_t> Routes::surroundings(std::int32_t rank) const {
  Path path;
  state_->locate(state_->mapping.processor_of[static_cast<std::size_t>(rank)], path);
  std::vector<std::int64_t> out;
  if (!path.empty()) path.pop_back();
  for (const Step& step : path)
    out.push_back(static_cast<std::int64_t>(step.unit)), out.push_back(step.instance);
  return out;
}

const Mapping& Routes::mapping() const {
  return state_->mapping;
}

}  // namespace parcast::machine
