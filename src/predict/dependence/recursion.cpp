// SPDX-License-Identifier: Apache-2.0
#include "predict/dependence/recursion.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <tuple>

#include "predict/dependence/fold.h"

namespace parcast::dependence {
namespace {

constexpr double kNotYet = -std::numeric_limits<double>::infinity();
constexpr std::size_t kMarginsKept = 300'000;  // per iteration; longer ones are not searched for periods
constexpr std::int32_t kCyclicPeriod = 256;    // largest number of ranks whose cyclic roots are folded

const Cost& of_rank(const std::vector<Cost>& costs, std::int32_t rank) {
  return costs.size() == 1 ? costs.front() : costs[static_cast<std::size_t>(rank)];
}

bool only_local(const std::vector<Step>& steps) {
  return std::all_of(steps.begin(), steps.end(), [](const Step& s) {
    return s.kind == StepKind::local || (s.kind == StepKind::loop && only_local(s.body));
  });
}

void add_times(std::vector<Cost>& sum, const std::vector<Cost>& costs, double times) {
  if (sum.size() < costs.size()) sum.resize(costs.size(), sum.front());
  for (std::size_t r = 0; r < sum.size(); ++r) {
    const Cost& c = of_rank(costs, static_cast<std::int32_t>(r));
    sum[r].compute += times * c.compute;
    sum[r].startup += times * c.startup;
    sum[r].transfer += times * c.transfer;
  }
}

// Merges consecutive local steps, and loops without waits, into one step.
std::vector<Step> simplify(const std::vector<Step>& steps) {
  std::vector<Step> out;
  for (const Step& step : steps) {
    if (step.kind == StepKind::loop && step.trips <= 0) continue;
    Step kept = step;
    if (step.kind == StepKind::loop) kept.body = simplify(step.body);
    if (step.kind == StepKind::loop && only_local(kept.body)) {
      kept = Step{};
      kept.label = step.label;
      for (const Step& inner : simplify(step.body))
        add_times(kept.cost, inner.cost, static_cast<double>(step.trips));
    }
    if (kept.kind == StepKind::local && !out.empty() && out.back().kind == StepKind::local)
      add_times(out.back().cost, kept.cost, 1);
    else
      out.push_back(std::move(kept));
  }
  return out;
}

Result<void> check_step(const Step& step, std::int32_t ranks) {
  const auto fits = [&](std::size_t size) { return size == 1 || size == static_cast<std::size_t>(ranks); };
  if (!fits(step.cost.size()) || !fits(step.delay.size()))
    return Error{"a step has costs for another number of ranks", step.label,
                 "give one cost, or one for each rank"};
  for (const auto* costs : {&step.cost, &step.delay})
    for (const Cost& c : *costs)
      if (!(c.compute >= 0 && c.startup >= 0 && c.transfer >= 0 && std::isfinite(c.total())))
        return Error{"a step has a cost that is negative or not finite", step.label, ""};
  if (!step.partners.empty() && step.partners.size() != static_cast<std::size_t>(ranks))
    return Error{"a step has partners for another number of ranks", step.label, ""};
  for (const auto& list : step.partners)
    for (const std::int32_t partner : list)
      if (partner < 0 || partner >= ranks)
        return Error{"a step names a partner that does not exist: rank " + std::to_string(partner),
                     step.label, ""};
  if (step.root < 0 || (step.root >= ranks && !step.cyclic_root))
    return Error{"a step names a root that does not exist: rank " + std::to_string(step.root), step.label,
                 ""};
  for (const Step& inner : step.body) PARCAST_TRY(check_step(inner, ranks));
  return {};
}

bool has_cyclic_root(const std::vector<Step>& steps) {
  return std::any_of(steps.begin(), steps.end(),
                     [](const Step& s) { return s.cyclic_root || has_cyclic_root(s.body); });
}

std::vector<std::size_t> period_lengths(const std::vector<Step>& body, std::int32_t ranks) {
  std::set<std::size_t> lengths{1, 2, 3, 4, 6};
  if (has_cyclic_root(body) && ranks <= kCyclicPeriod) lengths.insert(static_cast<std::size_t>(ranks));
  return {lengths.begin(), lengths.end()};
}

// Position of each rank within one pass through a list of steps.
struct Pass {
  const std::vector<Step>& steps;
  std::vector<std::size_t> at;
  std::vector<std::vector<double>> entered;  // per step and rank
  std::vector<std::int32_t> arrived;         // per step
  std::vector<double> latest;                // per step, of the ranks that entered
  Pass(const std::vector<Step>& s, std::int32_t ranks)
      : steps(s),
        at(static_cast<std::size_t>(ranks), 0),
        entered(s.size()),
        arrived(s.size(), 0),
        latest(s.size(), kNotYet) {}
};

class Walker {
 public:
  Walker(std::int32_t ranks, const Limits& limits)
      : ranks_(ranks), limits_(limits), now_(static_cast<std::size_t>(ranks)), parts_(now_.size() * 3) {}

  Result<void> walk(const std::vector<Step>& steps);
  Evaluation finish() const;

 private:
  enum class Outcome { passed, blocked };
  Result<bool> sweep(Pass& pass, bool upwards);
  Result<Outcome> try_step(Pass& pass, std::size_t index, std::int32_t rank);
  Result<void> repeat(const Step& loop);
  Snapshot snapshot(std::size_t first_margin) const;
  void restore(const Snapshot& snapshot);
  void spend(std::int32_t rank, const Cost& cost);
  double wait_for(std::int32_t rank, double arrival);
  Outcome receive(const Step& step, std::int32_t rank);
  Outcome exchange(const Pass& pass, std::size_t index, std::int32_t rank);
  Outcome rooted(const Pass& pass, std::size_t index, std::int32_t rank);
  std::int32_t root_of(const Step& step, std::int32_t rank);
  std::string blocked_text(const Pass& pass) const;
  double& now(std::int32_t rank) { return now_[static_cast<std::size_t>(rank)]; }
  void note(double margin) {
    if (depth_ > 0 && limits_.fold) margins_.push_back(margin);
  }

  using Channel = std::tuple<std::int32_t, std::int32_t, std::int32_t>;  // sender, receiver, channel
  std::int32_t ranks_;
  const Limits& limits_;
  std::vector<double> now_;
  std::vector<double> parts_;  // compute, startup, transfer of each rank
  std::map<Channel, std::deque<double>> sent_;
  std::map<const Step*, std::vector<std::int64_t>> turns_;
  std::vector<double> margins_;
  int depth_ = 0;
  std::int64_t evaluated_ = 0;
};

void Walker::spend(std::int32_t rank, const Cost& cost) {
  double* parts = &parts_[static_cast<std::size_t>(rank) * 3];
  parts[0] += cost.compute;
  parts[1] += cost.startup;
  parts[2] += cost.transfer;
  now(rank) += cost.total();
}

// Moves the rank to the arrival if that is later. Returns the seconds waited.
double Walker::wait_for(std::int32_t rank, double arrival) {
  const double waited = std::max(0.0, arrival - now(rank));
  note(arrival - now(rank));
  now(rank) = std::max(now(rank), arrival);
  return waited;
}

Walker::Outcome Walker::receive(const Step& step, std::int32_t rank) {
  if (step.partners.empty()) return Outcome::passed;
  const std::vector<std::int32_t>& senders = step.partners[static_cast<std::size_t>(rank)];
  std::map<Channel, std::size_t> wanted;
  for (const std::int32_t sender : senders) {
    const Channel channel{sender, rank, step.channel};
    const auto queue = sent_.find(channel);
    if (queue == sent_.end() || queue->second.size() <= wanted[channel]++) return Outcome::blocked;
  }
  const Cost& delay = of_rank(step.delay, rank);
  std::vector<double> arrivals;
  for (const std::int32_t sender : senders) {
    std::deque<double>& queue = sent_[{sender, rank, step.channel}];
    arrivals.push_back(queue.front() + delay.total());
    queue.pop_front();
  }
  if (arrivals.empty()) return Outcome::passed;
  const double latest = *std::max_element(arrivals.begin(), arrivals.end());
  for (const double arrival : arrivals) note(latest - arrival);
  const double waited = wait_for(rank, latest);
  if (delay.total() > 0) {
    // The part of the wait during which the message was under way is the message's; the rest is waiting.
    note(waited - delay.total());
    const double share = std::min(waited, delay.total()) / delay.total();
    parts_[static_cast<std::size_t>(rank) * 3 + 1] += share * delay.startup;
    parts_[static_cast<std::size_t>(rank) * 3 + 2] += share * (delay.compute + delay.transfer);
  }
  return Outcome::passed;
}

Walker::Outcome Walker::exchange(const Pass& pass, std::size_t index, std::int32_t rank) {
  const Step& step = pass.steps[index];
  if (step.partners.empty()) return Outcome::passed;
  double latest = now(rank);
  for (const std::int32_t partner : step.partners[static_cast<std::size_t>(rank)]) {
    const double entry = pass.entered[index][static_cast<std::size_t>(partner)];
    if (entry == kNotYet) return Outcome::blocked;
    latest = std::max(latest, entry);
  }
  for (const std::int32_t partner : step.partners[static_cast<std::size_t>(rank)])
    note(latest - pass.entered[index][static_cast<std::size_t>(partner)]);
  wait_for(rank, latest);
  return Outcome::passed;
}

std::int32_t Walker::root_of(const Step& step, std::int32_t rank) {
  if (!step.cyclic_root) return step.root;
  std::vector<std::int64_t>& turns = turns_[&step];
  if (turns.empty()) turns.assign(static_cast<std::size_t>(ranks_), 0);
  return static_cast<std::int32_t>((turns[static_cast<std::size_t>(rank)] + step.root) % ranks_);
}

Walker::Outcome Walker::rooted(const Pass& pass, std::size_t index, std::int32_t rank) {
  const Step& step = pass.steps[index];
  const std::int32_t root = root_of(step, rank);
  const std::vector<double>& entered = pass.entered[index];
  if (step.kind == StepKind::from_root && rank != root) {
    const double entry = entered[static_cast<std::size_t>(root)];
    if (entry == kNotYet) return Outcome::blocked;
    wait_for(rank, entry);
  }
  const bool waits_for_all =
      step.kind == StepKind::global || (step.kind == StepKind::to_root && rank == root);
  if (waits_for_all) {
    if (pass.arrived[index] < ranks_) return Outcome::blocked;
    if (step.kind == StepKind::to_root)
      for (const double entry : entered) note(pass.latest[index] - entry);
    wait_for(rank, pass.latest[index]);
  }
  if (step.cyclic_root) {
    std::int64_t& turn = turns_[&step][static_cast<std::size_t>(rank)];
    turn = (turn + 1) % ranks_;
  }
  return Outcome::passed;
}

Result<Walker::Outcome> Walker::try_step(Pass& pass, std::size_t index, std::int32_t rank) {
  const Step& step = pass.steps[index];
  std::vector<double>& entered = pass.entered[index];
  if (entered.empty()) entered.assign(static_cast<std::size_t>(ranks_), kNotYet);
  if (double& entry = entered[static_cast<std::size_t>(rank)]; entry == kNotYet) {
    entry = now(rank);
    ++pass.arrived[index];
    pass.latest[index] = std::max(pass.latest[index], entry);
  }
  Outcome outcome = Outcome::passed;
  switch (step.kind) {
    case StepKind::local:
      break;
    case StepKind::send:
      break;
    case StepKind::receive:
      outcome = receive(step, rank);
      break;
    case StepKind::exchange:
      outcome = exchange(pass, index, rank);
      break;
    case StepKind::global:
    case StepKind::from_root:
    case StepKind::to_root:
      outcome = rooted(pass, index, rank);
      break;
    case StepKind::loop:
      if (pass.arrived[index] < ranks_) return Outcome::blocked;
      PARCAST_TRY(repeat(step));
      for (std::size_t& at : pass.at) ++at;
      --pass.at[static_cast<std::size_t>(rank)];
      return Outcome::passed;
  }
  if (outcome == Outcome::blocked) return outcome;
  spend(rank, of_rank(step.cost, rank));
  if (step.kind == StepKind::send && !step.partners.empty())
    for (const std::int32_t receiver : step.partners[static_cast<std::size_t>(rank)])
      sent_[{rank, receiver, step.channel}].push_back(now(rank));
  if (++evaluated_ > limits_.rank_steps)
    return Error{"the program is too long to be evaluated step by step", step.label,
                 "ask for fewer processes, or use the closed form"};
  return outcome;
}

Result<bool> Walker::sweep(Pass& pass, bool upwards) {
  bool progress = false;
  for (std::int32_t i = 0; i < ranks_; ++i) {
    const std::int32_t rank = upwards ? i : ranks_ - 1 - i;
    std::size_t& at = pass.at[static_cast<std::size_t>(rank)];
    while (at < pass.steps.size()) {
      PARCAST_ASSIGN(const Outcome outcome, try_step(pass, at, rank));
      if (outcome == Outcome::blocked) break;
      ++at;
      progress = true;
    }
  }
  return progress;
}

std::string Walker::blocked_text(const Pass& pass) const {
  std::string text;
  int named = 0;
  for (std::int32_t rank = 0; rank < ranks_ && named < 4; ++rank) {
    const std::size_t at = pass.at[static_cast<std::size_t>(rank)];
    if (at >= pass.steps.size()) continue;
    text += (named++ > 0 ? ", " : "") + ("rank " + std::to_string(rank)) + " in " +
            (pass.steps[at].label.empty() ? "step " + std::to_string(at) : pass.steps[at].label);
  }
  return text;
}

Result<void> Walker::walk(const std::vector<Step>& steps) {
  Pass pass(steps, ranks_);
  bool upwards = true;
  int idle = 0;
  const auto done = [&] {
    return std::all_of(pass.at.begin(), pass.at.end(), [&](std::size_t at) { return at == steps.size(); });
  };
  while (!done()) {
    PARCAST_ASSIGN(const bool progress, sweep(pass, upwards));
    upwards = !upwards;
    idle = progress ? 0 : idle + 1;
    if (idle == 2)
      return Error{"the ranks wait for each other and none can go on", blocked_text(pass),
                   "a receive has no matching send in the same iteration"};
  }
  return {};
}

Snapshot Walker::snapshot(std::size_t first_margin) const {
  Snapshot out{
      now_, parts_, {margins_.begin() + static_cast<std::ptrdiff_t>(first_margin), margins_.end()}, {}};
  for (const auto& [channel, queue] : sent_) out.times.insert(out.times.end(), queue.begin(), queue.end());
  for (const auto& [step, turns] : turns_) out.turns.insert(out.turns.end(), turns.begin(), turns.end());
  return out;
}

void Walker::restore(const Snapshot& snapshot) {
  std::copy_n(snapshot.times.begin(), now_.size(), now_.begin());
  parts_ = snapshot.parts;
  auto next = snapshot.times.begin() + static_cast<std::ptrdiff_t>(now_.size());
  for (auto& [channel, queue] : sent_)
    for (double& time : queue) time = *next++;
  margins_.insert(margins_.end(), snapshot.margins.begin(), snapshot.margins.end());
}

Result<void> Walker::repeat(const Step& loop) {
  ++depth_;
  History history(period_lengths(loop.body, ranks_));
  bool fold = limits_.fold;
  for (std::int64_t i = 0; i < loop.trips;) {
    const std::size_t first_margin = margins_.size();
    PARCAST_TRY(walk(loop.body));
    ++i;
    fold = fold && margins_.size() - first_margin <= kMarginsKept;
    if (fold && i < loop.trips) {
      history.add(snapshot(first_margin));
      const Jump jump = history.find(loop.trips - i);
      if (jump.periods > 0) {
        restore(history.after(jump));
        history.clear();
        i += jump.periods * static_cast<std::int64_t>(jump.length);
      }
    }
    // An outermost loop has no enclosing loop that uses its margins.
    if (depth_ == 1) margins_.clear();
  }
  --depth_;
  return {};
}

Evaluation Walker::finish() const {
  Evaluation out;
  out.evaluated_steps = evaluated_;
  for (std::size_t r = 0; r < now_.size(); ++r) {
    RankTime t{0, parts_[3 * r], parts_[3 * r + 1], parts_[3 * r + 2], 0};
    const double busy = t.compute + t.startup + t.transfer;
    const double idle = now_[r] - busy;
    // Rounding errors of long sums are not waiting.
    t.wait = idle > 1e-13 * now_[r] ? idle : 0;
    t.end = busy + t.wait;
    out.ranks.push_back(t);
  }
  return out;
}

}  // namespace

std::int32_t Evaluation::slowest() const {
  const auto latest = std::max_element(ranks.begin(), ranks.end(),
                                       [](const RankTime& a, const RankTime& b) { return a.end < b.end; });
  return static_cast<std::int32_t>(latest - ranks.begin());
}

Result<Evaluation> evaluate(const Program& program, const Limits& limits) {
  if (program.ranks < 1) return Error{"a program needs at least one rank", "", ""};
  for (const Step& step : program.steps) PARCAST_TRY(check_step(step, program.ranks));
  const std::vector<Step> steps = simplify(program.steps);
  Walker walker(program.ranks, limits);
  PARCAST_TRY(walker.walk(steps));
  return walker.finish();
}

}  // namespace parcast::dependence
