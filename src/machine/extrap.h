// SPDX-License-Identifier: Apache-2.0
#pragma once
// The parameters of ExtraP's machine model, under its names and in its units: microseconds, microseconds per byte and bytes
// (Mohr, Shanmugam, Malony 1995; docs/models/extrap.md). One table, so that they are set, read, written and listed alike.

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/text.h"

namespace parcast::machine {

/// In the order of the table, which is that of the paper's parameter groups.
enum class ExtrapKey : std::uint8_t {
  mips_ratio, process_msg_type, delta,                                                      // processor
  byte_pack_time, pack_startup_time, get_msg_try_time, get_msg_startup_time, get_msg_time,  // run-time system
  msg_processing_time, request_msg_size,
  comm_startup_time, byte_transfer_time, topology,                                          // interconnect
  to_nw_startup_time, byte_to_nw_transfer_time, add_msg_startup_time, add_msg_try_time, add_msg_time,  // network interface
  entry_time, exit_time, check_time, exit_check_time, model_time, barrier_by_msgs, barrier_msg_size,   // barrier
  barrier_algorithm,
};
inline constexpr std::size_t kExtrapKeys = 26;

enum class ExtrapUnit : std::uint8_t { ratio, microseconds, microseconds_per_byte, bytes, choice };

struct ExtrapField {
  std::string_view name;                      // MipsRatio
  ExtrapUnit unit = ExtrapUnit::ratio;
  std::span<const std::string_view> choices;  // of a choice: its values 0, 1, ...
};
std::span<const ExtrapField, kExtrapKeys> extrap_fields();
std::string_view extrap_name(ExtrapKey key);

class Extrap {
 public:
  /// Every time 0: computing takes as long as recorded, and all else nothing.
  Extrap();
  double operator[](ExtrapKey key) const { return values_[static_cast<std::size_t>(key)]; }
  double& operator[](ExtrapKey key) { return values_[static_cast<std::size_t>(key)]; }
  bool operator==(const Extrap&) const = default;

 private:
  std::array<double, kExtrapKeys> values_{};
};

/// Also by the names of Speedy's experiment files, in which the barrier's times are called BarrierEntryTime and so on.
std::optional<ExtrapKey> extrap_key(std::string_view name);

/// "12", "12us", "0.1ns/B", "64KiB", "Ring", "1": a bare number is in the unit of the paper. An error where it is none, is
/// negative, or names no choice.
Result<double> extrap_value(ExtrapKey key, std::string_view text);

/// That of its unit.
Dimension extrap_dimension(ExtrapKey key);
/// A value in the unit of the paper in base units.
double extrap_measure(ExtrapKey key, double value);

/// As it is written in a machine file: a number in the unit of the paper, or the name of a choice in quotes.
std::string extrap_text(ExtrapKey key, double value);

/// The barrier of the paper's Table 1, and no other cost.
Extrap extrap_table_1();

}  // namespace parcast::machine
