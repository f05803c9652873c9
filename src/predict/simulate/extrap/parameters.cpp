// SPDX-License-Identifier: Apache-2.0
#include "predict/simulate/extrap/parameters.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "predict/simulate/costs.h"

namespace parcast::simulate::extrap {
namespace {

using machine::ExtrapKey;

constexpr double kPerMicrosecond = 1e6;
constexpr double kMostTime = 0x1p57;  // picoseconds: a few of these fit into the longest run
constexpr Time kLeast = 1;            // nothing arrives at the moment it left
constexpr double kMostRate = 0x1p62;

/// Limits a time to the longest run; such a run is refused when a clock reaches it.
Time at_most_the_longest(Wide time) {
  return static_cast<Time>(std::min<Wide>(time, trace::kLongest));
}

class Conversion {
 public:
  explicit Conversion(const machine::Extrap& model) : model_(model) {}

  Time time(ExtrapKey key) { return static_cast<Time>(whole(key, kPerMicrosecond, kMostTime)); }
  Rate rate(ExtrapKey key) {
    return static_cast<Rate>(whole(key, kPerMicrosecond * static_cast<double>(kOne), kMostRate));
  }
  Rate ratio(ExtrapKey key) { return static_cast<Rate>(whole(key, static_cast<double>(kOne), kMostRate)); }
  std::uint64_t bytes(ExtrapKey key) { return static_cast<std::uint64_t>(whole(key, 1, 0x1p53)); }
  template <class Choice>
  Choice choice(ExtrapKey key) {
    return static_cast<Choice>(static_cast<int>(model_[key]));
  }
  const std::optional<Error>& failure() const { return failure_; }

 private:
  double whole(ExtrapKey key, double factor, double most) {
    const double value = model_[key] * factor;
    if (value >= 0 && value <= most) return std::nearbyint(value);
    if (!failure_)
      failure_ = Error{std::string(machine::extrap_name(key)) + " is out of range", "",
                       "a simulated run lasts at most 26 days"};
    return 0;
  }
  const machine::Extrap& model_;
  std::optional<Error> failure_;
};

Parameters convert(Conversion& to) {
  Parameters out;
  out.mips_ratio = to.ratio(ExtrapKey::mips_ratio);
  out.service = to.choice<Service>(ExtrapKey::process_msg_type);
  out.delta = to.time(ExtrapKey::delta);
  out.byte_pack = to.rate(ExtrapKey::byte_pack_time);
  out.pack_startup = to.time(ExtrapKey::pack_startup_time);
  out.get_try = to.time(ExtrapKey::get_msg_try_time);
  out.get_startup = to.time(ExtrapKey::get_msg_startup_time);
  out.get = to.time(ExtrapKey::get_msg_time);
  out.processing = to.time(ExtrapKey::msg_processing_time);
  out.request_bytes = to.bytes(ExtrapKey::request_msg_size);
  out.comm_startup = to.time(ExtrapKey::comm_startup_time);
  out.byte_transfer = to.rate(ExtrapKey::byte_transfer_time);
  out.topology = to.choice<Topology>(ExtrapKey::topology);
  out.to_network_startup = to.time(ExtrapKey::to_nw_startup_time);
  out.byte_to_network = to.rate(ExtrapKey::byte_to_nw_transfer_time);
  out.add_startup = to.time(ExtrapKey::add_msg_startup_time);
  out.add_try = to.time(ExtrapKey::add_msg_try_time);
  out.add = to.time(ExtrapKey::add_msg_time);
  out.entry = to.time(ExtrapKey::entry_time);
  out.exit = to.time(ExtrapKey::exit_time);
  out.check = to.time(ExtrapKey::check_time);
  out.exit_check = to.time(ExtrapKey::exit_check_time);
  out.model = to.time(ExtrapKey::model_time);
  out.barrier_by_messages = to.choice<int>(ExtrapKey::barrier_by_msgs) != 0;
  out.barrier_bytes = to.bytes(ExtrapKey::barrier_msg_size);
  out.barrier = to.choice<BarrierAlgorithm>(ExtrapKey::barrier_algorithm);
  return out;
}

}  // namespace

Time Parameters::packing(std::uint64_t bytes) const {
  return at_most_the_longest(pack_startup + at_rate(bytes, byte_pack));
}
Time Parameters::to_network(std::uint64_t bytes) const {
  return at_most_the_longest(to_network_startup + at_rate(bytes, byte_to_network));
}
Time Parameters::transfer(std::uint64_t bytes) const {
  return at_most_the_longest(std::max<Wide>(kLeast, comm_startup + at_rate(bytes, byte_transfer)));
}

Result<Platform> platform_of(const std::string& name, const machine::Extrap& model) {
  Conversion to(model);
  Platform platform{.name = name, .parameters = convert(to), .assumptions = {}};
  if (to.failure()) return *to.failure();
  if (platform.parameters.polls_periodically() && platform.parameters.delta == 0)
    return Error{"periodic polling needs a period, and Delta is 0", "",
                 "add for example Delta=10 (microseconds)"};
  return platform;
}

}  // namespace parcast::simulate::extrap
