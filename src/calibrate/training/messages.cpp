// SPDX-License-Identifier: Apache-2.0
#include "calibrate/training/messages.h"

#include <algorithm>
#include <map>
#include <optional>

#include "calibrate/sizes.h"
#include "calibrate/training/pair.h"

namespace parcast::training {
namespace {

constexpr std::int64_t kLargest = 64 << 20;  // bytes of the largest message, if there is time
/// Sizes up to this are measured even on a slow machine: without them a link has no cost per byte.
constexpr std::int64_t kNeeded = 4096;
constexpr std::size_t kMostSizes = 64;  // sizes of a link's curve

/// The leader's plan for one link.
class Training {
 public:
  Training(Pair& pair, std::string link, double seconds)
      : pair_(pair),
        link_(std::move(link)),
        end_(now() + static_cast<Nanoseconds>(seconds * 1e9)),
        total_(seconds) {}

  void run(calibrate::Measurements& into) {
    first_round_trips();
    find_limits();
    overheads(0.35 * total_);
    floods(0.15 * total_);
    overlaps(0.08 * total_);
    more_round_trips();
    report(into);
  }

 private:
  using Series = std::map<std::int64_t, std::vector<double>>;

  double left() const { return static_cast<double>(end_ - now()) * 1e-9; }
  static Nanoseconds ns(double seconds) { return static_cast<Nanoseconds>(seconds * 1e9); }
  static void append(std::vector<double>& to, const std::vector<double>& from) {
    to.insert(to.end(), from.begin(), from.end());
  }

  double half_trip(std::int64_t bytes) const {
    const auto above = message_.lower_bound(bytes);
    if (above != message_.end()) return statistics::median(above->second);
    const auto last = std::prev(message_.end());
    return statistics::median(last->second) * static_cast<double>(bytes) /
           static_cast<double>(std::max<std::int64_t>(last->first, 1));
  }

  void trips(std::int64_t bytes, int repeats) {
    const double known = message_.empty() ? 10e-6 : half_trip(bytes);
    const int count = std::clamp(static_cast<int>(5e-6 / known), 1, 16);
    const auto samples = pair_.lead({Kind::ping_pong, bytes, count, repeats, 0});
    append(message_[bytes], samples.mine);
    append(work_[bytes], samples.work);
  }

  void first_round_trips() {
    pair_.lead({Kind::ping_pong, 0, 4, 20, 0});  // establishes connections and fills caches
    trips(0, 10);
    for (std::int64_t bytes = 1, factor = 2; bytes <= pair_.largest(); bytes *= factor) {
      const double once = 4 * half_trip(bytes) * 2;
      const bool slow = once > std::min(left() / 6, total_ / 20);
      if ((slow && bytes > kNeeded) || (bytes > kUsualMessage && once > total_ / 200)) break;
      factor = slow ? 8 : 2;
      pair_.lead({Kind::ping_pong, bytes, 1, 2, 0});  // the first message of a size registers its buffers
      trips(bytes, 5);
      largest_ = bytes;
    }
  }

  /// Returns whether a send of this size waits for its receive, by majority.
  bool waits(std::int64_t bytes, Kind kind) {
    const double delay = std::max(2e-4, 6 * half_trip(bytes));
    const auto samples = pair_.lead({kind, bytes, 1, 5, ns(delay)}).mine;
    return statistics::median(samples) > 0.6 * delay;
  }

  /// Returns the largest message whose send does not wait, exact to the byte; nothing if no size up to the
  /// largest one waits.
  std::optional<std::int64_t> limit_of(Kind kind) {
    std::int64_t free = 0, waiting = 0;
    for (std::int64_t bytes = 64; bytes <= largest_ && waiting == 0; bytes *= 2)
      (waits(bytes, kind) ? waiting : free) = bytes;
    if (waiting == 0) return std::nullopt;
    while (waiting - free > 1) {
      const std::int64_t middle = free + (waiting - free) / 2;
      (waits(middle, kind) ? waiting : free) = middle;
    }
    return free;
  }

  /// Finds the limits in about 25 tests of five messages each.
  void find_limits() {
    if (25 * 5 * 4 * half_trip(0) > std::max(left() / 2, 0.0)) {
      limit_sought_ = false;
      return;
    }
    eager_limit_ = limit_of(Kind::late_post);
    if (left() > 0.5 * total_) away_limit_ = limit_of(Kind::late_post_away);
  }

  std::int64_t largest_eager() const {
    return std::min({eager_limit_.value_or(largest_), largest_, kUsualMessage});
  }

  /// Returns sizes up to the eager limit, increasing by `factor`, and the limit itself.
  std::vector<std::int64_t> eager_sizes(std::int64_t first, std::int64_t factor) const {
    std::vector<std::int64_t> sizes;
    for (std::int64_t bytes = first; bytes < largest_eager(); bytes = bytes == 0 ? 64 : bytes * factor)
      sizes.push_back(bytes);
    sizes.push_back(largest_eager());
    return sizes;
  }

  /// Measures sends and receives that do not overlap in time. Few messages at a time, so that no buffer of
  /// the library overflows.
  void overheads(double seconds) {
    const Nanoseconds end = std::min(end_, now() + ns(seconds));
    const auto sizes = eager_sizes(0, 2);
    for (bool first = true; first || now() < end; first = false) {
      bool open = false;
      for (const std::int64_t bytes : sizes) {
        if (now() >= end && !first) break;
        if (resolved(send_[bytes]) && resolved(receive_[bytes])) continue;
        open = true;
        const int count =
            static_cast<int>(std::clamp<std::int64_t>(16384 / std::max<std::int64_t>(bytes, 1), 1, 8));
        const double delay = 2e-5 + (3.0 + count) * half_trip(bytes);
        const int repeats = std::clamp(static_cast<int>(seconds / (4.0 * static_cast<double>(sizes.size()) *
                                                                   (delay + 3 * half_trip(0)))),
                                       3, 50);
        const auto samples = pair_.lead({Kind::late_receive, bytes, count, repeats, ns(delay)});
        append(send_[bytes], samples.mine);
        append(receive_[bytes], samples.theirs);
      }
      if (!open) break;
    }
  }

  void floods(double seconds) {
    const Nanoseconds end = std::min(end_, now() + ns(seconds));
    for (bool first = true; first || now() < end; first = false) {
      bool open = false;
      for (const std::int64_t bytes : eager_sizes(0, 8)) {
        const double cost = kStream * half_trip(bytes);
        if (resolved(flood_[bytes]) || cost > seconds / 4) continue;
        open = true;
        const int repeats = std::clamp(static_cast<int>(seconds / 40 / cost), 3, 30);
        for (const double whole : pair_.lead({Kind::flood, bytes, kStream, repeats, 0}).mine)
          flood_[bytes].push_back(std::max(0.0, whole - half_trip(0)) / kStream);
        if (now() >= end && !first) break;
      }
      if (!open) break;
    }
  }

  /// Measures the overlap of an eager and of a rendezvous message.
  void overlaps(double seconds) {
    const std::int64_t large = std::min(largest_, kRendezvousOverlap);
    overlap("eager", std::min(largest_eager(), large), seconds / 2);
    if (eager_limit_ && large > *eager_limit_) overlap("rendezvous", large, seconds / 2);
  }

  void overlap(const std::string& protocol, std::int64_t bytes, double seconds) {
    const Nanoseconds end = std::min(end_, now() + ns(seconds));
    const double once = 2 * half_trip(bytes);  // two messages at the same time
    std::vector<double> samples;
    for (bool first = true; first || (now() < end && samples.size() < 1000 && !resolved(samples));
         first = false)
      append(samples,
             pair_
                 .lead({Kind::overlap, bytes, 1,
                        std::clamp(static_cast<int>(seconds / 10 / (4 * once)), 3, 20), 0, steps_in(once)})
                 .mine);
    overlaps_[protocol] = samples;
  }

  /// Uses the remaining time: repeats the least precise sizes, and adds sizes between the powers of two.
  void more_round_trips() {
    for (std::int64_t bytes = 48; bytes <= largest_; bytes *= 2) message_.try_emplace(bytes);
    if (eager_limit_ && *eager_limit_ + 1 <= largest_)
      message_.try_emplace(*eager_limit_), message_.try_emplace(*eager_limit_ + 1);
    std::erase_if(message_, [&](const auto& entry) { return entry.first > largest_; });
    bool open = true;
    for (; open && left() > 0; open = add_size() || open) {
      open = false;
      for (auto& [bytes, samples] : message_) {
        if (left() <= 0) break;
        if (resolved(samples) || samples.size() > 3000) continue;
        const double cost = samples.empty() ? trip_between(bytes) : statistics::median(samples);
        if (6 * cost > left()) continue;
        open = true;
        const double slice = total_ / (6.0 * static_cast<double>(message_.size()));
        const int count = std::clamp(static_cast<int>(5e-6 / cost), 1, 16);
        const auto more = pair_.lead({Kind::ping_pong, bytes, count,
                                      std::clamp(static_cast<int>(slice / (2 * cost * count)), 3, 100), 0});
        append(samples, more.mine);
        append(work_[bytes], more.work);
      }
    }
    std::erase_if(message_, [](const auto& entry) { return entry.second.size() < 3; });
  }

  /// Adds a size between two neighbours where the cost is most uncertain.
  bool add_size() {
    std::vector<calibrate::Observation> curve;
    for (const auto& [bytes, samples] : message_) {
      const Estimate known = estimate(samples);
      if (samples.size() >= 3)
        curve.push_back({static_cast<double>(bytes), known.median, known.standard_error / known.median, 1});
    }
    const auto bytes = message_.size() < kMostSizes ? calibrate::least_sure_size(curve) : std::nullopt;
    return bytes && message_.try_emplace(static_cast<std::int64_t>(*bytes)).second;
  }

  double trip_between(std::int64_t bytes) const {
    for (auto at = message_.lower_bound(bytes); at != message_.end(); ++at)
      if (!at->second.empty()) return statistics::median(at->second);
    return 1e-3;
  }

  void report(calibrate::Measurements& into) const {
    const auto add = [&](const char* what, const Series& series) {
      for (const auto& [bytes, samples] : series)
        if (samples.size() >= 3)
          into.points.push_back(
              point_of(std::string(what) + "-" + link_, 2, static_cast<double>(bytes), samples));
    };
    add("message", message_), add("send", send_), add("receive", receive_), add("flood", flood_);
    add("work", work_);
    if (pair_.share().part < 1) into.values.push_back({"core_share-" + link_, pair_.share().part, 0, 1});
    if (pair_.share().period > 0)
      into.values.push_back({"share_period-" + link_, pair_.share().period, 0, 1});
    if (eager_limit_)
      into.values.push_back({"eager_limit-" + link_, static_cast<double>(*eager_limit_), 0, 5});
    for (const auto& [protocol, samples] : overlaps_)
      if (samples.size() >= 3) into.values.push_back(value_of(protocol + "_overlap-" + link_, samples));
    if (!limit_sought_)
      into.notes.push_back("the budget ended before the search for the eager limit of the " + link_ +
                           " link, so all its messages count as eager; use a longer --budget");
    if (away_limit_ && (!eager_limit_ || *away_limit_ < *eager_limit_))
      into.notes.push_back("a blocking send of more than " + std::to_string(*away_limit_) +
                           " bytes over the " + link_ +
                           " link returns only while its receiver is inside MPI");
    if (largest_ < kUsualMessage)
      into.notes.push_back("the budget ended before messages of more than " + std::to_string(largest_) +
                           " bytes over the " + link_ + " link; use a longer --budget");
  }

  Pair& pair_;
  std::string link_;
  Nanoseconds end_;
  double total_;
  std::int64_t largest_ = 0;
  bool limit_sought_ = true;
  std::optional<std::int64_t> eager_limit_, away_limit_;
  std::map<std::string, std::vector<double>> overlaps_;  // by protocol
  Series message_, send_, receive_, flood_, work_;
};

}  // namespace

std::string link_between(const calibrate::Place& a, const calibrate::Place& b, int sockets) {
  if (a.node != b.node) return "network";
  if (sockets == 1) return "core";
  if (a.socket < 0 || b.socket < 0) return "node";
  return a.socket == b.socket ? "core" : "socket";
}

void measure_messages(Team& team, const std::set<std::string>& known, const Host& host, double seconds,
                      calibrate::Measurements& into) {
  std::map<std::string, int> partners;  // by link: the first process that rank 0 reaches over it
  for (int r = 1; r < team.size(); ++r)
    partners.try_emplace(
        link_between(team.places()[0], team.places()[static_cast<std::size_t>(r)], host.sockets), r);
  std::erase_if(partners, [&](const auto& entry) { return known.contains(entry.first); });
  const std::int64_t largest =
      team.share(std::clamp(static_cast<std::int64_t>(host.memory_allowed / 64), kUsualMessage, kLargest));
  for (const auto& [link, partner] : partners) {
    const bool takes_part = team.rank() == 0 || team.rank() == partner;
    MPI_Comm two = MPI_COMM_NULL;
    MPI_Comm_split(team.communicator(), takes_part ? 0 : MPI_UNDEFINED, team.rank(), &two);
    if (takes_part) {
      const double each = seconds / static_cast<double>(partners.size());
      const double looking = std::clamp(each / 20, 0.05, 0.5);
      Pair pair(two, team.rank() == 0 ? 0 : 1, looking, largest);
      if (team.leads()) {
        Training(pair, link, each - looking).run(into);
        pair.lead({});
      } else {
        pair.follow();
      }
      MPI_Comm_free(&two);
    }
    MPI_Barrier(team.communicator());
  }
}

}  // namespace parcast::training
