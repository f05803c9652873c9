// SPDX-License-Identifier: Apache-2.0
#pragma once
// The numbers of a system's components with their names and dimensions in files and reports. Those of links
// and memory are in fields.h.

#include "machine/fields.h"
#include "machine/system.h"

namespace parcast::machine {

inline constexpr std::array kProcessingFields{
    Field<Processing>{"speed", Dimension::none, &Processing::speed, Field<Processing>::Kind::capacity},
    Field<Processing>{"shared_speed", Dimension::none, &Processing::shared_speed,
                      Field<Processing>::Kind::capacity},
};
inline constexpr std::array kInputOutputFields{
    Field<InputOutput>{"bandwidth", Dimension::rate, &InputOutput::bandwidth,
                       Field<InputOutput>::Kind::capacity},
    Field<InputOutput>{"latency", Dimension::time, &InputOutput::latency},
    Field<InputOutput>{"capacity", Dimension::data, &InputOutput::capacity,
                       Field<InputOutput>::Kind::capacity},
};

/// Returns the kind of a component that a file leaves out: compound if one of the unit's parts has it, else
/// void.
Decomposition left_out(const System& system, const Unit& unit, Component component);

}  // namespace parcast::machine
