// SPDX-License-Identifier: Apache-2.0
// Runs the same flows over the same links in SimGrid's fluid model and in ours. Compares the end of each
// flow, and the computing time.
//
//   parcast_flows_against_simgrid TOPOLOGY FLOWS SEED      crossbar, torus, fat_tree, dragonfly
//
// In SimGrid every flow has its own hosts. The route between them is the one of our topology, after a link
// with the flow's bound. No latency: SimGrid reduces a flow's share when its latency is long, as TCP does.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <simgrid/s4u.hpp>
#include <string>
#include <vector>

#include "machine/network.h"
#include "predict/simulate/network/flows.h"
#include "predict/simulate/network/topology.h"

namespace {

using namespace parcast;
using namespace parcast::simulate::network;

struct Order {
  Time start = 0;
  std::uint64_t bytes = 0;
  double bound = 0;  // bytes per second
  std::vector<LinkId> way;
};

constexpr double kBandwidth = 10e9;

std::shared_ptr<const Topology> topology_of(const std::string& name) {
  machine::Machine machine;
  machine.nodes = 64;
  machine.network.emplace();
  machine.network->topology = name;
  if (name == "torus") machine.network->dimensions = {4, 4, 4};
  if (name == "fat_tree") machine.network->down = {8, 8}, machine.network->up = {1, 4};
  if (name == "dragonfly")
    machine.network->groups = 9, machine.network->routers_per_group = 4,
    machine.network->nodes_per_router = 2, machine.network->global_links_per_router = 2;
  const auto link = static_cast<Bandwidth>(kBandwidth) * kPerBytePerSecond;
  return make_topology(*machine.network, machine::network_nodes(machine), {link, 2 * link, link / 2});
}

std::vector<Order> random_orders(const Topology& topology, std::size_t count, std::uint64_t seed) {
  std::mt19937_64 draw(seed);
  std::vector<Order> orders(count);
  const auto nodes = static_cast<std::uint64_t>(topology.nodes());
  for (Order& order : orders) {
    const std::uint64_t from = draw() % nodes, to = (from + 1 + draw() % (nodes - 1)) % nodes;
    order.start = static_cast<Time>(draw() % 10'000) * 1'000'000;  // within 10 ms
    order.bytes = 1 + draw() % 20'000'000;
    order.bound = draw() % 2 ? 3e9 : 20e9;
    topology.way(static_cast<std::int32_t>(from), static_cast<std::int32_t>(to), order.way);
  }
  return orders;
}

std::vector<double> ours(const Topology& topology, const std::vector<Order>& orders) {
  std::vector<Bandwidth> capacities;
  for (const auto& link : topology.links()) capacities.push_back(link.capacity);
  Flows flows(capacities);
  std::vector<std::uint32_t> starts(orders.size());
  for (std::uint32_t at = 0; at < starts.size(); ++at) starts[at] = at;
  std::stable_sort(starts.begin(), starts.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return orders[a].start < orders[b].start; });
  std::vector<double> ends(orders.size());
  auto next = starts.begin();
  for (;;) {
    const Time start = next == starts.end() ? kNever : orders[*next].start;
    if (flows.unsettled() && start > flows.time()) flows.settle();
    const Time end = flows.unsettled() ? kNever : flows.next_end();
    if (start == kNever && end == kNever) return ends;
    if (end <= start) {
      for (const std::uint32_t subject : flows.end(end)) ends[subject] = static_cast<double>(end) * 1e-12;
    } else {
      const Order& order = orders[*next];
      flows.start(start, order.bytes, order.way, static_cast<Bandwidth>(order.bound) * kPerBytePerSecond,
                  *next++);
    }
  }
}

std::vector<double> theirs(simgrid::s4u::Engine& engine, const Topology& topology,
                           const std::vector<Order>& orders) {
  namespace s4u = simgrid::s4u;
  auto* zone = s4u::create_full_zone("world");
  std::vector<s4u::Link*> links;
  for (const auto& link : topology.links())
    links.push_back(
        zone->create_link("l" + std::to_string(links.size()),
                          static_cast<double>(link.capacity) / static_cast<double>(kPerBytePerSecond))
            ->set_latency(0.0)
            ->seal());
  std::vector<double> ends(orders.size());
  for (std::size_t at = 0; at < orders.size(); ++at) {
    const Order& order = orders[at];
    auto* from = zone->create_host("f" + std::to_string(at), 1e9)->seal();
    auto* to = zone->create_host("t" + std::to_string(at), 1e9)->seal();
    std::vector<s4u::LinkInRoute> route{
        s4u::LinkInRoute(zone->create_link("b" + std::to_string(at), order.bound)->set_latency(0.0)->seal())};
    for (const LinkId link : order.way) route.emplace_back(links[link]);
    zone->add_route(from->get_netpoint(), to->get_netpoint(), nullptr, nullptr, route, false);
    s4u::Actor::create("a" + std::to_string(at), from, [&ends, &order, at, from, to] {
      s4u::this_actor::sleep_until(static_cast<double>(order.start) * 1e-12);
      s4u::Comm::sendto_async(from, to, order.bytes)->wait();
      ends[at] = s4u::Engine::get_clock();
    });
  }
  zone->seal();
  engine.run();
  return ends;
}

template <class Run>
double seconds_of(Run run) {
  const auto begin = std::chrono::steady_clock::now();
  run();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

}  // namespace

int main(int count, char** words) {
  simgrid::s4u::Engine engine(&count, words);
  for (const char* setting :
       {"network/model:CM02", "network/crosstraffic:0", "network/TCP-gamma:0", "surf/precision:1e-12"})
    simgrid::s4u::Engine::set_config(setting);
  if (count != 4)
    return std::fprintf(stderr, "usage: parcast_flows_against_simgrid TOPOLOGY FLOWS SEED\n"), 2;
  const auto topology = topology_of(words[1]);
  const auto orders =
      random_orders(*topology, std::strtoull(words[2], nullptr, 10), std::strtoull(words[3], nullptr, 10));
  std::vector<double> mine, others;
  const double our_time = seconds_of([&] { mine = ours(*topology, orders); });
  const double their_time = seconds_of([&] { others = theirs(engine, *topology, orders); });
  double worst = 0, latest = 0;  // picoseconds, seconds
  for (std::size_t at = 0; at < orders.size(); ++at) {
    worst = std::max(worst, std::fabs(mine[at] - others[at]) * 1e12);
    latest = std::max(latest, mine[at]);
  }
  std::printf(
      "%-10s %6zu flows   last ends at %.9f s   ends differ by at most %.2f ps   ours %.4f s, SimGrid %.3f "
      "s\n",
      words[1], orders.size(), latest, worst, our_time, their_time);
  return 0;
}
