// SPDX-License-Identifier: Apache-2.0
#pragma once
// The names of the model's enumerators in files. Each list is in the order of its enumeration.

#include <array>
#include <optional>
#include <string_view>

#include "model/model.h"

namespace parcast::program {

template <class T>
struct Words;

template <>
struct Words<NodeKind> {
  static constexpr std::array kAll{"program", "region", "loop", "call"};
};
template <>
struct Words<PeerRelation> {
  static constexpr std::array kAll{"none",       "offset", "offset_ring", "exclusive_or",
                                   "grid_shift", "fixed",  "cyclic_root", "several"};
};
template <>
struct Words<Synchronisation> {
  static constexpr std::array kAll{"none", "global", "from_root", "to_root", "neighbour"};
};
template <>
struct Words<recording::CallClass> {
  static constexpr std::array kAll{
      "none",       "initialise",       "finalise",     "send",         "receive",    "send_receive",
      "start_send", "start_receive",    "wait",         "test",         "probe",      "poll",
      "collective", "start_collective", "communicator", "region_begin", "region_end", "one_sided",
      "epoch",      "input_output"};
};
template <>
struct Words<recording::Pattern> {
  static constexpr std::array kAll{"none",      "barrier",        "broadcast", "reduce",
                                   "allreduce", "gather",         "scatter",   "allgather",
                                   "alltoall",  "reduce_scatter", "scan",      "neighbourhood"};
};

template <class T>
constexpr std::string_view name_of(T value) {
  return Words<T>::kAll[static_cast<std::size_t>(value)];
}

template <class T>
std::optional<T> from_name(std::string_view name) {
  for (std::size_t i = 0; i < Words<T>::kAll.size(); ++i)
    if (name == Words<T>::kAll[i]) return static_cast<T>(i);
  return std::nullopt;
}

}  // namespace parcast::program
