// SPDX-License-Identifier: Apache-2.0
#include "machine/extrap.h"

#include <algorithm>
#include <vector>

#include "base/number_range.h"
#include "base/text.h"

namespace parcast::machine {
namespace {

constexpr std::array<std::string_view, 5> kServices{"NoInterrupt", "PredefinedPolling", "PeriodicPolling",
                                                    "PredefinedAndPeriodicPolling", "Interrupt"};
constexpr std::array<std::string_view, 5> kExtrapTopologies{"FullyConnected", "Ring", "Shared",
                                                            "RingWithContention", "PipelinedRing"};
constexpr std::array<std::string_view, 2> kAnswers{"False", "True"};
constexpr std::array<std::string_view, 2> kAlgorithms{"Linear", "Logarithmic"};

struct Synonym {
  std::string_view name, represents;
};
/// Names in Speedy's parameter window and files that differ from those in the paper.
constexpr std::array kSynonyms{
    Synonym{"BarrierEntryTime", "EntryTime"}, Synonym{"BarrierExitTime", "ExitTime"},
    Synonym{"BarrierCheckTime", "CheckTime"}, Synonym{"BarrierExitCheckTime", "ExitCheckTime"},
    Synonym{"BarrierModelTime", "ModelTime"}, Synonym{"AtBarriersAndRepliesOnly", "NoInterrupt"},
    Synonym{"Interruptible", "Interrupt"}};

std::string_view usual(std::string_view name) {
  for (const Synonym& synonym : kSynonyms)
    if (synonym.name == name) return synonym.represents;
  return name;
}

Result<double> choice_of(const ExtrapField& field, std::string_view text) {
  const auto named = std::find(field.choices.begin(), field.choices.end(), usual(text));
  if (named != field.choices.end()) return static_cast<double>(named - field.choices.begin());
  const auto number = parse_integer(text);
  if (number && *number >= 0 && *number < static_cast<long long>(field.choices.size()))
    return static_cast<double>(*number);
  const std::vector<std::string> known(field.choices.begin(), field.choices.end());
  const std::string guess = did_you_mean(text, known);
  return Error{std::string(field.name) + " is \"" + std::string(text) + "\", which is none of its values", "",
               guess.empty() ? "known are " + join(known, ", ") : guess};
}

}  // namespace

std::span<const ExtrapField, kExtrapKeys> extrap_fields() {
  using enum ExtrapUnit;
  static const std::array<ExtrapField, kExtrapKeys> fields{{
      {"MipsRatio", ratio, {}},
      {"ProcessMsgType", choice, kServices},
      {"Delta", microseconds, {}},
      {"BytePackTime", microseconds_per_byte, {}},
      {"PackStartupTime", microseconds, {}},
      {"GetMsgTryTime", microseconds, {}},
      {"GetMsgStartupTime", microseconds, {}},
      {"GetMsgTime", microseconds, {}},
      {"MsgProcessingTime", microseconds, {}},
      {"RequestMsgSize", bytes, {}},
      {"CommStartupTime", microseconds, {}},
      {"ByteTransferTime", microseconds_per_byte, {}},
      {"Topology", choice, kExtrapTopologies},
      {"ToNWStartupTime", microseconds, {}},
      {"ByteToNWTransferTime", microseconds_per_byte, {}},
      {"AddMsgStartupTime", microseconds, {}},
      {"AddMsgTryTime", microseconds, {}},
      {"AddMsgTime", microseconds, {}},
      {"EntryTime", microseconds, {}},
      {"ExitTime", microseconds, {}},
      {"CheckTime", microseconds, {}},
      {"ExitCheckTime", microseconds, {}},
      {"ModelTime", microseconds, {}},
      {"BarrierByMsgs", choice, kAnswers},
      {"BarrierMsgSize", bytes, {}},
      {"BarrierAlgorithm", choice, kAlgorithms},
  }};
  return fields;
}

Dimension extrap_dimension(ExtrapKey key) {
  switch (extrap_fields()[static_cast<std::size_t>(key)].unit) {
    case ExtrapUnit::microseconds:
      return Dimension::time;
    case ExtrapUnit::microseconds_per_byte:
      return Dimension::time_per_byte;
    case ExtrapUnit::bytes:
      return Dimension::data;
    case ExtrapUnit::ratio:
    case ExtrapUnit::choice:
      break;
  }
  return Dimension::none;
}

double extrap_measure(ExtrapKey key, double value) {
  const Dimension dimension = extrap_dimension(key);
  return dimension == Dimension::time || dimension == Dimension::time_per_byte ? value / 1e6 : value;
}

std::string_view extrap_name(ExtrapKey key) {
  return extrap_fields()[static_cast<std::size_t>(key)].name;
}

Extrap::Extrap() {
  (*this)[ExtrapKey::mips_ratio] = 1;
  (*this)[ExtrapKey::barrier_by_msgs] = 1;
}

std::optional<ExtrapKey> extrap_key(std::string_view name) {
  const auto fields = extrap_fields();
  const auto found = std::find_if(fields.begin(), fields.end(),
                                  [&](const ExtrapField& field) { return field.name == usual(name); });
  if (found == fields.end()) return std::nullopt;
  return static_cast<ExtrapKey>(found - fields.begin());
}

Result<double> extrap_value(ExtrapKey key, std::string_view text) {
  const ExtrapField& field = extrap_fields()[static_cast<std::size_t>(key)];
  if (field.unit == ExtrapUnit::choice) return choice_of(field, text);
  auto value = parse_double(text);
  if (!value) {
    const auto measured = parse_measure(text, extrap_dimension(key));
    if (!measured)
      return Error{std::string(field.name) + ": " + measured.error().what, "", measured.error().hint};
    value = field.unit == ExtrapUnit::bytes || field.unit == ExtrapUnit::ratio ? *measured : *measured * 1e6;
  }
  if (const auto fault = fault_of(*value); !fault.empty())
    return Error{std::string(field.name) + " is " + std::string(text) + ", " + std::string(fault), "",
                 kRangeHint};
  if (*value < 0)
    return Error{std::string(field.name) + " is " + std::string(text) +
                     ", but a cost, a ratio or a size cannot be negative",
                 "", ""};
  if (key == ExtrapKey::mips_ratio && *value == 0)
    return Error{"MipsRatio is 0: computing would take no time", "",
                 "write for example MipsRatio=0.5 for processors twice as fast"};
  return *value;
}

std::string extrap_text(ExtrapKey key, double value) {
  const ExtrapField& field = extrap_fields()[static_cast<std::size_t>(key)];
  if (field.unit == ExtrapUnit::choice)
    return "\"" + std::string(field.choices[static_cast<std::size_t>(value)]) + "\"";
  return format_exact(value);
}

Extrap extrap_table_1() {
  Extrap out;
  out[ExtrapKey::entry_time] = 5;
  out[ExtrapKey::exit_time] = 5;
  out[ExtrapKey::check_time] = 2;
  out[ExtrapKey::exit_check_time] = 2;
  out[ExtrapKey::model_time] = 10;
  out[ExtrapKey::barrier_by_msgs] = 1;
  out[ExtrapKey::barrier_msg_size] = 16;
  return out;
}

}  // namespace parcast::machine
