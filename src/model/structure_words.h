// SPDX-License-Identifier: Apache-2.0
#pragma once
// The names of a structure's enumerators in files, like those of the model in model_names.h.

#include "model/model_names.h"
#include "model/structure.h"

namespace parcast::program {

template <>
struct Words<Step::Kind> {
  static constexpr std::array kAll{"operation", "loop", "rounds", "every"};
};
template <>
struct Words<trace::Kind> {
  static constexpr std::array kAll{
      "send",  "receive",    "start_send",  "start_receive", "wait",        "collective",     "read",
      "write", "start_read", "start_write", "probe",         "lock_shared", "lock_exclusive", "unlock"};
};
template <>
struct Words<trace::Mode> {
  static constexpr std::array kAll{"standard", "synchronous", "buffered"};
};
template <>
struct Words<Change> {
  static constexpr std::array kAll{"none", "up", "down", "doubling", "halving", "halved"};
};
template <>
struct Words<Partner::Kind> {
  static constexpr std::array kAll{"none", "any",          "fixed",  "from_last", "offset",
                                   "ring", "exclusive_or", "others", "grid"};
};
template <>
struct Words<Guard::Kind> {
  static constexpr std::array kAll{"all", "first", "not_first", "last",        "not_last", "inner",
                                   "odd", "even",  "second",    "neighboured", "copied"};
};
template <>
struct Words<Members::Kind> {
  static constexpr std::array kAll{"all", "plane", "modulo", "block", "nodes"};
};
template <>
struct Words<ComputingPart::Kind> {
  static constexpr std::array kAll{"sequence", "iteration", "condition"};
};
template <>
struct Words<Tag::Kind> {
  static constexpr std::array kAll{"any", "number", "own_rank", "partners_rank", "round"};
};
template <>
struct Words<Awaited::Which> {
  static constexpr std::array kAll{"all", "oldest", "newest", "ago", "first"};
};

}  // namespace parcast::program
