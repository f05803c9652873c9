// SPDX-License-Identifier: Apache-2.0
#pragma once
// A machine from the few numbers that its users have: nodes, cores, latency, bandwidth. Machines made this
// way have assumed parameters, without standard errors.

#include <span>
#include <string>
#include <string_view>

#include "machine/machine.h"

namespace parcast::machine {

/// Returns bytes per second of "100Gb/s", "12.5GB/s" or "400Mbit/s": b and bit are bits, B is bytes; k, M, G
/// and T are powers of 1000. The error names the two forms.
Result<double> parse_bandwidth(std::string_view text);

/// Returns the machine of KEY=VALUE words: nodes, cores (of a node), sockets (of a node), latency (of a
/// message between nodes, with a unit of time) and bandwidth. latency and bandwidth are required; every other
/// word goes to set_parameter(). Fails on counts that are no whole numbers of at least 1.
Result<Machine> described_machine(std::span<const std::string> words);

/// Gives a machine the processor of another one: its description, speed, memory, operations and noise, but
/// not its links, patterns, or numbers of nodes and cores.
void take_core(const Machine& from, Machine& machine);

}  // namespace parcast::machine
