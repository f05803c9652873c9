// SPDX-License-Identifier: Apache-2.0
#pragma once
// The parameters of each unit with their names and dimensions in files, diffs and sensitivities. With this
// one table, a new parameter is read, written, listed and compared by adding a row.

#include <array>
#include <string_view>

#include "machine/machine.h"

namespace parcast::machine {

template <class Unit>
struct Field {
  std::string_view name;
  Dimension dimension;
  Parameter Unit::*member;
  enum class Kind { cost, capacity, correction } kind = Kind::cost;  // correction: may be negative
};

inline constexpr std::array kMachineFields{
    Field<Machine>{"core_speed", Dimension::none, &Machine::core_speed, Field<Machine>::Kind::capacity},
    Field<Machine>{"shared_core_speed", Dimension::none, &Machine::shared_core_speed,
                   Field<Machine>::Kind::capacity},
    Field<Machine>{"core_share", Dimension::none, &Machine::core_share, Field<Machine>::Kind::capacity},
    Field<Machine>{"share_period", Dimension::time, &Machine::share_period},
    Field<Machine>{"noise", Dimension::none, &Machine::noise},
    Field<Machine>{"drift", Dimension::none, &Machine::drift},
    Field<Machine>{"page_fault", Dimension::time, &Machine::page_fault},
    Field<Machine>{"first_touch", Dimension::time, &Machine::first_touch},
    Field<Machine>{"first_read", Dimension::time, &Machine::first_read},
    Field<Machine>{"allreduce_overlap", Dimension::none, &Machine::allreduce_overlap,
                   Field<Machine>::Kind::correction},
};

inline constexpr std::array kOperationFields{
    Field<OperationCost>{"dependent", Dimension::time, &OperationCost::dependent},
    Field<OperationCost>{"independent", Dimension::time, &OperationCost::independent},
};

inline constexpr std::array kThreadFields{
    Field<ThreadCost>{"fork_join", Dimension::time, &ThreadCost::fork_join},
    Field<ThreadCost>{"barrier", Dimension::time, &ThreadCost::barrier},
};

inline constexpr std::array kLinkFields{
    Field<Link>{"latency", Dimension::time, &Link::latency},
    Field<Link>{"send_overhead", Dimension::time, &Link::send_overhead},
    Field<Link>{"receive_overhead", Dimension::time, &Link::receive_overhead},
    Field<Link>{"gap", Dimension::time, &Link::gap},
    Field<Link>{"gap_per_byte", Dimension::time_per_byte, &Link::gap_per_byte},
    Field<Link>{"send_overhead_per_byte", Dimension::time_per_byte, &Link::send_overhead_per_byte},
    Field<Link>{"receive_overhead_per_byte", Dimension::time_per_byte, &Link::receive_overhead_per_byte},
    Field<Link>{"eager_limit", Dimension::data, &Link::eager_limit},
    Field<Link>{"rendezvous_latency", Dimension::time, &Link::rendezvous_latency},
    Field<Link>{"rendezvous_gap_per_byte", Dimension::time_per_byte, &Link::rendezvous_gap_per_byte},
    Field<Link>{"eager_overlap", Dimension::none, &Link::eager_overlap, Field<Link>::Kind::correction},
    Field<Link>{"rendezvous_overlap", Dimension::none, &Link::rendezvous_overlap,
                Field<Link>::Kind::correction},
};

inline constexpr std::array kCorrectionFields{
    Field<Link::Correction>{"startup", Dimension::time, &Link::Correction::startup,
                            Field<Link::Correction>::Kind::correction},
    Field<Link::Correction>{"per_byte", Dimension::time_per_byte, &Link::Correction::per_byte,
                            Field<Link::Correction>::Kind::correction},
};

inline constexpr std::array kMemoryFields{
    Field<MemoryLevel>{"capacity", Dimension::data, &MemoryLevel::capacity,
                       Field<MemoryLevel>::Kind::capacity},
    Field<MemoryLevel>{"bandwidth", Dimension::rate, &MemoryLevel::bandwidth,
                       Field<MemoryLevel>::Kind::capacity},
    Field<MemoryLevel>{"shared_bandwidth", Dimension::rate, &MemoryLevel::shared_bandwidth,
                       Field<MemoryLevel>::Kind::capacity},
    Field<MemoryLevel>{"latency", Dimension::time, &MemoryLevel::latency},
};

inline constexpr std::array kMemorySharingFields{
    Field<MemorySharing::Point>{"bandwidth", Dimension::rate, &MemorySharing::Point::bandwidth,
                                Field<MemorySharing::Point>::Kind::capacity},
};

inline constexpr std::array kNetworkFields{
    Field<Network>{"bandwidth", Dimension::rate, &Network::bandwidth, Field<Network>::Kind::capacity},
    Field<Network>{"injection_bandwidth", Dimension::rate, &Network::injection_bandwidth,
                   Field<Network>::Kind::capacity},
    Field<Network>{"global_bandwidth", Dimension::rate, &Network::global_bandwidth,
                   Field<Network>::Kind::capacity},
    Field<Network>{"hop_latency", Dimension::time, &Network::hop_latency},
    Field<Network>{"memory_bandwidth", Dimension::rate, &Network::memory_bandwidth,
                   Field<Network>::Kind::capacity},
};

inline constexpr std::array kPatternFields{
    Field<PatternCost>{"single_startup", Dimension::time, &PatternCost::single_startup},
    Field<PatternCost>{"single_per_byte", Dimension::time_per_byte, &PatternCost::single_per_byte},
};

inline constexpr std::array kPieceFields{
    Field<PatternCost::Piece>{"startup", Dimension::time, &PatternCost::Piece::startup},
    Field<PatternCost::Piece>{"startup_growth", Dimension::time, &PatternCost::Piece::startup_growth},
    Field<PatternCost::Piece>{"per_byte", Dimension::time_per_byte, &PatternCost::Piece::per_byte},
    Field<PatternCost::Piece>{"per_byte_growth", Dimension::time_per_byte,
                              &PatternCost::Piece::per_byte_growth},
};

/// A parameter that a link must have, with a value to show as an example.
struct RequiredOfLink {
  std::string_view name, example;
};
inline constexpr std::array kRequiredOfLink{RequiredOfLink{"latency", "2.1us"},
                                            RequiredOfLink{"gap_per_byte", "0.4ns/B"}};

inline bool known(const Parameter& parameter) {
  return parameter.origin != Origin::unknown;
}

/// Returns a parameter's value with its unit: "2.1us", "65536B", "1.2e10B/s", "0.4ns/B". Reading it back
/// gives the same double.
std::string format_measure(double value, Dimension dimension);
/// Returns the value rounded to six digits in the unit of its text.
double readable(double value, Dimension dimension);

}  // namespace parcast::machine
