// SPDX-License-Identifier: Apache-2.0
#pragma once
// The parameters of ExtraP's machine model, with its names and units: microseconds, microseconds per byte and
// bytes (Mohr, Shanmugam, Malony 1995; docs/models/extrap.md). One table serves for setting, reading, writing
// and listing.

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

/// In the order of the table, which follows the paper's parameter groups.
enum class ExtrapKey : std::uint8_t {
  mips_ratio,
  process_msg_type,
  delta,  // processor
  byte_pack_time,
  pack_startup_time,
  get_msg_try_time,
  get_msg_startup_time,
  get_msg_time,  // run-time system
  msg_processing_time,
  request_msg_size,
  comm_startup_time,
  byte_transfer_time,
  topology,  // interconnect
  // network interface
  to_nw_startup_time,
  byte_to_nw_transfer_time,
  add_msg_startup_time,
  add_msg_try_time,
  add_msg_time,
  // barrier
  entry_time,
  exit_time,
  check_time,
  exit_check_time,
  model_time,
  barrier_by_msgs,
  barrier_msg_size,
  barrier_algorithm,
};
inline constexpr std::size_t kExtrapKeys = 26;

enum class ExtrapUnit : std::uint8_t { ratio, microseconds, microseconds_per_byte, bytes, choice };

struct ExtrapField {
  std::string_view name;  // MipsRatio
  ExtrapUnit unit = ExtrapUnit::ratio;
  std::span<const std::string_view> choices;  // for a choice: its values 0, 1, ...
};
std::span<const ExtrapField, kExtrapKeys> extrap_fields();
std::string_view extrap_name(ExtrapKey key);

class Extrap {
 public:
  /// All times are 0: computing takes as long as recorded, and everything else is free.
  Extrap();
  double operator[](ExtrapKey key) const { return values_[static_cast<std::size_t>(key)]; }
  double& operator[](ExtrapKey key) { return values_[static_cast<std::size_t>(key)]; }
  bool operator==(const Extrap&) const = default;

 private:
  std::array<double, kExtrapKeys> values_{};
};

/// Returns the key of a name. Names of Speedy's experiment files, such as BarrierEntryTime for the barrier's
/// times, are accepted too.
std::optional<ExtrapKey> extrap_key(std::string_view name);

/// Reads "12", "12us", "0.1ns/B", "64KiB", "Ring", "1"; a bare number is in the paper's unit. Returns an
/// error if the text is not a value, is negative, or names no choice.
Result<double> extrap_value(ExtrapKey key, std::string_view text);

/// Returns the dimension of the key's unit.
Dimension extrap_dimension(ExtrapKey key);
/// Converts a value from the paper's unit to base units.
double extrap_measure(ExtrapKey key, double value);

/// Returns the text of the value in a machine file: a number in the paper's unit, or the name of a choice in
/// quotes.
std::string extrap_text(ExtrapKey key, double value);

/// Returns the barrier of the paper's Table 1, without any other cost.
Extrap extrap_table_1();

}  // namespace parcast::machine
