// SPDX-License-Identifier: Apache-2.0
#pragma once
// Systems for tests: a host with a service module and a hypercube, and a cluster as a machine.

#include "machine/system.h"

namespace parcast::machine::test {

inline Parameter assumed(double value, double standard_error = 0) {
  return {value, standard_error, 0, Origin::assumed};
}

inline Link link_of(double latency, double gap_per_byte) {
  Link link;
  link.latency = assumed(latency);
  link.gap_per_byte = assumed(gap_per_byte);
  return link;
}

/// The service module joins the host and the hypercube. Messages from outside enter the cube at its node 0.
inline System hypercube_with_host(std::int64_t nodes) {
  Unit system, host, disk, service, cube, node;
  system.name = "ipsc", host.name = "host", disk.name = "disk", service.name = "service", cube.name = "cube",
  node.name = "node";
  host.parent = service.parent = cube.parent = "ipsc";
  disk.parent = "host", node.parent = "cube";
  node.count = nodes;
  for (Unit* unit : {&system, &cube})
    unit->processing.kind = unit->memory.kind = unit->communication.kind = Decomposition::compound;
  system.input_output.kind = host.input_output.kind = Decomposition::compound;
  system.communication.connections = {{"host", "service", "ethernet", link_of(1e-3, 1e-6)},
                                      {"service", "cube", "", link_of(1e-4, 0.5e-6)}};
  system.communication.forwarding = Forwarding::store_and_forward;
  host.processing = {Decomposition::simple, assumed(1e6), {}};
  host.communication.kind = service.communication.kind = node.communication.kind = Decomposition::simple;
  host.communication.link.send_overhead = assumed(5e-4);
  host.communication.link.receive_overhead = assumed(6e-4);
  service.communication.link.latency = assumed(2e-4);
  node.communication.link.send_overhead = assumed(3e-5);
  node.communication.link.receive_overhead = assumed(4e-5);
  node.processing = {Decomposition::simple, assumed(1e7), {}};
  node.memory = {Decomposition::simple, {MemoryLevel{.name = "memory", .capacity = assumed(8e6)}}};
  disk.input_output = {Decomposition::simple, assumed(1e6), {}, {}};
  cube.communication.topology = Topology::hypercube;
  cube.communication.link = link_of(1e-5, 0.4e-6);
  cube.communication.gateway = "node 0";
  return {"", {system, host, disk, service, cube, node}, 0, {}};
}

/// 16 nodes of two sockets of four cores; two cores share an L3 cache.
inline Machine cluster() {
  Machine machine;
  machine.name = "cluster";
  machine.nodes = 16, machine.cores_per_node = 8, machine.sockets_per_node = 2, machine.memories_per_node = 2;
  machine.memory_per_node = 64e9;
  machine.core_speed = assumed(3e9);
  machine.memory = {MemoryLevel{.name = "L1", .capacity = assumed(32e3)},
                    MemoryLevel{.name = "L3", .capacity = assumed(4e6), .shared_by = 2},
                    MemoryLevel{.name = "memory", .bandwidth = assumed(1e10)}};
  machine.links["core"] = link_of(0.3e-6, 0.1e-9);
  machine.links["node"] = link_of(0.5e-6, 0.2e-9);
  machine.links["network"] = link_of(2e-6, 0.3e-9);
  return machine;
}

}  // namespace parcast::machine::test
