// SPDX-License-Identifier: Apache-2.0
#include "calibrate/fit_link.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <optional>

#include "calibrate/segments.h"

namespace parcast::calibrate {
namespace {

using machine::Link;
using machine::Parameter;

constexpr std::size_t kEnoughSizes = 5;

std::vector<Observation> table(const std::vector<TablePoint>& points, const std::string& name) {
  std::vector<Observation> out;
  for (const TablePoint& point : points)
    if (point.table == name && point.seconds > 0)
      out.push_back({point.bytes, point.seconds, point.standard_error / point.seconds, 1, point.drift});
  std::sort(out.begin(), out.end(), [](const auto& a, const auto& b) { return a.bytes < b.bytes; });
  return out;
}

std::vector<Observation> between(const std::vector<Observation>& all, double first, double last) {
  std::vector<Observation> out;
  std::copy_if(all.begin(), all.end(), std::back_inserter(out),
               [&](const auto& o) { return o.bytes >= first && o.bytes <= last; });
  return out;
}

Parameter measured(double value, double error, std::size_t samples) {
  return {value, error, static_cast<std::int64_t>(samples), Origin::measured};
}

/// Adds the difference between each piece of the curve and the straight law of its protocol.
void add_corrections(Link& link, const std::vector<Observation>& curve, const Line& law) {
  if (curve.size() < 2) return;
  std::vector<double> starts{curve.front().bytes};
  for (const double at : find_breaks(curve)) starts.push_back(at);
  for (std::size_t k = 0; k < starts.size(); ++k) {
    const double last = k + 1 < starts.size() ? std::nexttoward(starts[k + 1], 0) : HUGE_VAL;
    const auto part = between(curve, starts[k], last);
    const Line line = fit_line(part);
    link.corrections.push_back({link.corrections.empty() ? 0 : starts[k],
                                measured(line.startup - law.startup, line.startup_error, part.size()),
                                measured(line.per_byte - law.per_byte, line.per_byte_error, part.size())});
  }
}

class Fitter {
 public:
  Fitter(std::string name, const std::vector<TablePoint>& points, const std::vector<Value>& values)
      : name_(std::move(name)),
        messages_(table(points, "message-" + name_)),
        sends_(table(points, "send-" + name_)),
        receives_(table(points, "receive-" + name_)),
        floods_(table(points, "flood-" + name_)),
        works_(table(points, "work-" + name_)) {
    for (const Value& value : values)
      if (value.name == "eager_limit-" + name_)
        limit_ = value.value, limit_error_ = value.standard_error;
      else if (value.name == "core_share-" + name_)
        share_ = value.value;
      else if (value.name == "eager_overlap-" + name_)
        fit_.link.eager_overlap = {value.value, value.standard_error, value.samples, Origin::measured};
      else if (value.name == "rendezvous_overlap-" + name_)
        fit_.link.rendezvous_overlap = {value.value, value.standard_error, value.samples, Origin::measured};
  }

  Result<LinkFit> run() {
    if (messages_.empty())
      return Error{"no message was measured over the " + name_ + " link", "",
                   "give calibrate more time: --budget 60s"};
    if (messages_.size() < kEnoughSizes) say_few();
    Link& link = fit_.link;
    const double limit = limit_.value_or(HUGE_VAL);
    const auto eager = between(messages_, 0, limit);
    auto large = between(messages_, std::nexttoward(limit, HUGE_VAL), HUGE_VAL);
    const Line small = fit_line(eager.size() >= 2 ? eager : messages_);
    link.gap_per_byte = measured(small.per_byte, small.per_byte_error, eager.size());
    if (messages_.size() < 2) link.gap_per_byte = {0, 0, 0, Origin::assumed};
    overheads(small, limit);
    add_corrections(link, eager, small);
    if (limit_ && large.size() >= 2) rendezvous(small, large);
    const auto nothing = [](const auto& c) { return c.startup.value == 0 && c.per_byte.value == 0; };
    if (std::all_of(link.corrections.begin(), link.corrections.end(), nothing)) link.corrections.clear();
    gap();
    return std::move(fit_);
  }

 private:
  /// Sets o_s and o_r from their tables; L is the rest of half a round trip. In a round trip the processes
  /// mostly wait, so they pay o_s and o_r as on an entire core.
  void overheads(const Line& small, double limit) {
    Link& link = fit_.link;
    const auto sends = between(sends_, 0, limit), receives = between(receives_, 0, limit);
    const Line send = fit_line(sends), receive = received(fit_line(receives), send, limit);
    double send_overhead = send.startup, receive_overhead = receive.startup;
    const double overheads = share_ * (send_overhead + receive_overhead);
    if (overheads > small.startup) {
      const double part = small.startup / overheads;
      send_overhead *= part, receive_overhead *= part;
      fit_.notes.push_back(name_ +
                           " link: the overheads of both sides overlap and exceed half a round trip, so the "
                           "latency is 0 and the overheads divide that time");
    }
    if (overheads == 0)
      fit_.notes.push_back(name_ + " link: the overheads were not measured, so the latency contains them");
    link.send_overhead = measured(send_overhead, send.startup_error, sends.size());
    link.receive_overhead = measured(receive_overhead, receive.startup_error, receives.size());
    const double latency_error =
        std::hypot(small.startup_error, share_ * std::hypot(send.startup_error, receive.startup_error));
    link.latency = measured(std::max(0.0, small.startup - share_ * (send_overhead + receive_overhead)),
                            latency_error, messages_.size());
    // L = T - share (o_s + o_r), so the errors of both enter with the opposite sign.
    if (send.startup_error > 0)
      fit_.covariance.push_back({"latency", "send_overhead", -share_ * std::pow(send.startup_error, 2)});
    if (receive.startup_error > 0)
      fit_.covariance.push_back(
          {"latency", "receive_overhead", -share_ * std::pow(receive.startup_error, 2)});
    if (share_ < 1) say_share();
    // Neither side can be occupied for longer than the transfer of the bytes.
    link.send_overhead_per_byte =
        measured(std::min(send.per_byte, small.per_byte), send.per_byte_error, sends.size());
    link.receive_overhead_per_byte =
        measured(std::min(receive.per_byte, small.per_byte), receive.per_byte_error, receives.size());
  }

  /// Returns the overhead of a receive. A receive that has to wait uses the processor for longer than one
  /// whose message has arrived, because it sleeps and is woken. This can be measured if waiting itself uses
  /// no processor time: the work of a ping-pong minus the send.
  Line received(const Line& there, const Line& send, double limit) const {
    const auto works = between(works_, 0, limit);
    if (works.size() < 2) return there;
    Line waited = fit_line(works);
    waited.startup = std::max(there.startup, waited.startup - send.startup);
    waited.per_byte = std::max(there.per_byte, waited.per_byte - send.per_byte);
    waited.startup_error = std::hypot(waited.startup_error, send.startup_error);
    waited.per_byte_error = std::hypot(waited.per_byte_error, send.per_byte_error);
    return waited;
  }

  void say_few() {
    const std::string few = messages_.size() == 1
                                ? "one size of message was"
                                : std::to_string(messages_.size()) + " sizes of messages were";
    fit_.notes.push_back("only " + few + " measured over the " + name_ + " link, so its costs are rough" +
                         (messages_.size() == 1 ? " and a byte counts as free" : "") +
                         "; measure again with a longer --budget, or while the machine is quiet");
  }

  void say_share() {
    char text[240];
    std::snprintf(text, sizeof text,
                  "%s link: the processes had %.0f %% of a core; the overheads are those of a process that "
                  "always computes, and one that mostly waits pays as little as %.0f %% of them",
                  name_.c_str(), 100 * share_, 100 * share_);
    fit_.notes.emplace_back(text);
  }

  void rendezvous(const Line& small, const std::vector<Observation>& large) {
    Link& link = fit_.link;
    Line law = fit_line(large);
    link.eager_limit = measured(*limit_, limit_error_, large.size());
    const double handshake = law.startup - small.startup,
                 error = std::hypot(law.startup_error, small.startup_error);
    if (handshake < 2 * error)
      fit_.notes.push_back(name_ + " link: the switch to rendezvous at " +
                           std::to_string(static_cast<long long>(*limit_)) +
                           " bytes has no start-up cost beyond the noise");
    link.rendezvous_latency = measured(std::max(0.0, handshake), error, large.size());
    link.rendezvous_gap_per_byte = measured(law.per_byte, law.per_byte_error, large.size());
    law.startup = std::max(law.startup, small.startup);
    add_corrections(link, large, law);
  }

  /// Sets the time between messages of a stream. A gap below the overheads cannot be observed.
  void gap() {
    if (floods_.empty()) return;
    Link& link = fit_.link;
    const Line flood = fit_line(between(floods_, 0, limit_.value_or(HUGE_VAL)));
    link.gap = measured(flood.startup, flood.startup_error, floods_.size());
    const double overhead = std::max(link.send_overhead.value, link.receive_overhead.value);
    if (flood.startup <= overhead * 1.05 + 2 * flood.startup_error)
      fit_.notes.push_back(name_ +
                           " link: a stream of messages was no slower than the overhead of each, so the gap "
                           "is at most the value given");
  }

  std::string name_;
  std::vector<Observation> messages_, sends_, receives_, floods_, works_;
  std::optional<double> limit_;
  double limit_error_ = 0;
  double share_ = 1;  // share of a core of a computing process
  LinkFit fit_;
};

}  // namespace

Result<LinkFit> fit_link(const std::string& name, const std::vector<TablePoint>& points,
                         const std::vector<Value>& values) {
  return Fitter(name, points, values).run();
}

}  // namespace parcast::calibrate
