// SPDX-License-Identifier: Apache-2.0
#include "structure/measure.h"

#include <algorithm>
#include <cmath>

#include "base/checked.h"
#include "structure/each_step.h"
#include "structure/step_text.h"

namespace parcast::program {

using trace::Item;
using trace::Kind;
using trace::Operation;

namespace {

bool is_message(Kind kind) {
  return kind != Kind::wait && kind != Kind::collective;
}

constexpr std::size_t kMostSamples = 4096;

/// Compares operations except for communicators, places and requests, whose indices differ between traces.
bool alike(const Operation& a, const Operation& b) {
  if (a.kind != b.kind || a.mode != b.mode || a.pattern != b.pattern || a.uneven != b.uneven) return false;
  if (a.kind == Kind::wait) return true;
  // The length of the message depends on which sender comes first.
  const bool by_chance = trace::looks_for_envelope(a.kind) && a.peer == trace::kAny;
  if (a.bytes != b.bytes && !by_chance) return false;
  return is_message(a.kind) ? a.peer == b.peer && a.tag == b.tag : a.root == b.root;
}

}  // namespace

/// A sink of Unroller that follows a recorded sequence.
class MeasuredRank {
 public:
  MeasuredRank(Measuring& into, const Structure& structure, std::uint32_t rank)
      : into_(into),
        structure_(structure),
        rank_(rank),
        of_(into.tokens_.ranks[rank]),
        trace_(into.tokens_.runs[of_.run].trace),
        walker_(trace_.sequences[trace_.sequence_of[static_cast<std::size_t>(of_.place.r)]]) {
    advance();
  }

  void operation(const Step& step, const StepValues& values, const Operation& made, std::int64_t round) {
    if (problem_) return;
    const bool here =
        next_ &&
        into_.tokens_.keys[into_.tokens_.key_of[of_.run][walker_.item().index()]].place == step.place &&
        next_->kind == step.operation;
    if (step.operation == Kind::wait && !here) return;
    if (step.operation == Kind::collective && !here &&
        is_alone(step.members, into_.tokens_.places_of[of_.run], of_.place))
      return;
    Operation expected = made;
    if (step.root_change != 0 && here)
      expected.root = static_cast<std::int32_t>(floor_modulo<std::int64_t>(
          values.root + step.root_change * round, static_cast<std::int64_t>(members(*next_))));
    if (!here || !alike(expected, *next_)) {
      problem_ =
          Error{name_of_step(structure_, step) + " does not follow the rules found",
                "rank " + std::to_string(of_.place.r) + " of p = " + std::to_string(of_.place.p),
                "record at three or more process counts, and at three or more values of each parameter"};
      return;
    }
    count(step.id, entered_);
    entered_ = 0;
    ++done_;
    if (step.operation == Kind::wait) wait(step);
    if (trace::begins_request(step.operation)) requests_.begin(step.id);
    advance();
  }

  void leave_out(const Step&, const StepValues&) {}

  bool loop(std::int64_t rounds, const std::function<void()>& body, bool enters) {
    const std::uint64_t before = done_;
    for (std::int64_t k = 0; k < rounds && !problem_; ++k) round(body, enters && k == 0);
    return done_ > before;
  }
  void rounds(std::int64_t rounds, const std::function<void(std::int64_t)>& body) {
    bool begun = false;
    for (std::int64_t k = 0; k < rounds && !problem_; ++k) begun = round([&] { body(k); }, !begun) || begun;
  }

  Result<void> finish() {
    if (problem_) return *problem_;
    if (next_)
      return Error{"rank " + std::to_string(of_.place.r) + " goes on with " +
                       into_.tokens_.describe(into_.tokens_.key_of[of_.run][walker_.item().index()]) +
                       " where the rules found end",
                   "p = " + std::to_string(of_.place.p), "record at three or more values of each parameter"};
    count(structure_.step_count, 0);
    return {};
  }

 private:
  bool round(const std::function<void()>& body, bool enters) {
    const std::uint64_t before = done_;
    entered_ += enters;
    body();
    if (done_ == before) entered_ -= enters;
    return done_ > before;
  }

  std::size_t members(const Operation& operation) const {
    return operation.communicator == 0 ? static_cast<std::size_t>(trace_.ranks)
                                       : trace_.communicators[operation.communicator].members.size();
  }

  void advance() {
    next_ = nullptr;
    while (walker_.next()) {
      if (walker_.item().what() == Item::What::operation) {
        next_ = &trace_.operations[walker_.item().index()];
        return;
      }
      computed_ += static_cast<double>(walker_.item().time()) * 1e-12;
    }
  }

  void count(std::uint32_t step, std::uint32_t loops) {
    Measuring::Time& time = into_.times_[{step, last_, loops}][rank_];
    time.seconds += computed_;
    ++time.executions;
    if (time.first.size() < kMostSamples) time.first.push_back({std::llround(computed_ * 1e9), false});
    computed_ = 0;
    last_ = step;
  }

  void wait(const Step& step) {
    std::vector<std::uint64_t> numbers;
    for (const std::uint32_t distance : trace_.request_sets[next_->requests])
      numbers.push_back(requests_.begun() - distance + 1);
    std::ranges::sort(numbers);
    std::map<std::uint32_t, std::vector<std::uint64_t>> open;
    for (const auto& request : requests_.open()) open[request.step].push_back(request.number);
    const auto [wait, is_new] = into_.waits_.try_emplace(step.id);
    const auto& ago = trace_.request_sets[next_->requests];
    if (is_new)
      wait->second.ago = ago;
    else
      wait->second.always = wait->second.always && wait->second.ago == ago;
    wait->second.first = wait->second.first && numbers.size() == 1 && !requests_.open().empty() &&
                         requests_.open().front().number == numbers.front();
    auto& possible = wait->second.possible;
    for (const auto& [begun, of_step] : open) {
      std::vector<std::uint64_t> taken;
      for (const std::uint64_t number : of_step)
        if (std::ranges::binary_search(numbers, number)) taken.push_back(number);
      unsigned fits = taken.empty() ? Measuring::kNone : 0;
      if (taken.size() == of_step.size()) fits |= Measuring::kAll;
      if (taken.size() == 1 && taken.front() == of_step.front()) fits |= Measuring::kOldest;
      if (taken.size() == 1 && taken.front() == of_step.back()) fits |= Measuring::kNewest;
      unsigned& left = possible.emplace(begun, Measuring::kAny).first->second;
      left &= fits;
      if (left == 0 && !wait->second.refuted_by) wait->second.refuted_by = rank_;
    }
    requests_.remove(numbers);
  }

  Measuring& into_;
  const Structure& structure_;
  std::uint32_t rank_;
  const RankOfRun& of_;
  const trace::Trace& trace_;
  trace::Walker walker_;
  const Operation* next_ = nullptr;
  double computed_ = 0;
  std::uint32_t entered_ = 0, last_ = structure_.step_count;
  std::uint64_t done_ = 0;
  OpenRequests requests_;
  std::optional<Error> problem_;
};

Result<void> Measuring::add(std::uint32_t rank, const Structure& structure,
                            const std::vector<StepValues>& values) {
  MeasuredRank measured(*this, structure, rank);
  Unroller unroller(values, tokens_.ranks[rank].place, measured);
  unroller.go(structure.steps);
  return measured.finish();
}

namespace {

template <class Visit>
Result<void> change_steps(std::vector<Step>& steps, Visit visit) {
  for (Step& step : steps) {
    PARCAST_TRY(visit(step));
    PARCAST_TRY(change_steps(step.body, visit));
  }
  return {};
}

/// Returns ": some of those that MPI_Irecv (main.c:12) began, and not others".
std::string begun_by(Structure& structure, std::uint32_t begun) {
  std::string out;
  for_each_step(structure.steps, [&](const Step& step) {
    if (step.id == begun)
      out = ": in some executions some of those that " + name_of_step(structure, step) + " began";
  });
  return out;
}

}  // namespace

std::string Measuring::describe_rank(std::uint32_t rank) const {
  const RankOfRun& of = tokens_.ranks[rank];
  return tokens_.describe_run(of.run) + ": rank " + std::to_string(of.place.r);
}

Result<void> Measuring::describe_waits(Structure& structure) const {
  return change_steps(structure.steps, [&](Step& step) -> Result<void> {
    if (step.kind != Step::Kind::operation || step.operation != Kind::wait) return {};
    const auto found = waits_.find(step.id);
    if (found == waits_.end()) return {};
    const auto& [by_step, ago, always, first, refuted_by] = found->second;
    if (std::ranges::any_of(by_step, [](const auto& each) { return each.second == 0; })) {
      if (always)
        for (const std::uint32_t distance : ago) step.awaited.push_back({distance, Awaited::Which::ago});
      else if (first)
        step.awaited.push_back({0, Awaited::Which::first});
      if (!step.awaited.empty()) return {};
    }
    for (const auto& [begun, possible] : by_step) {
      if (possible & kNone) continue;
      if (possible == 0)
        return Error{
            "which requests " + name_of_step(structure, step) + " waits for follows no rule" +
                begun_by(structure, begun),
            refuted_by ? describe_rank(*refuted_by) : "",
            "known are all open ones that a call began, its oldest and its newest, the oldest of all, and "
            "those begun always equally long ago; what depends on which message comes first has no rule"};
      step.awaited.push_back({begun, possible & kAll      ? Awaited::Which::all
                                     : possible & kOldest ? Awaited::Which::oldest
                                                          : Awaited::Which::newest});
    }
    return {};
  });
}

std::optional<std::uint64_t> first_unlike(const trace::Trace& recorded, const trace::Sequence& of,
                                          const trace::Trace& made, const trace::Sequence& by) {
  trace::Walker a(of), b(by);
  const auto next = [](trace::Walker& walker, const trace::Trace& in) -> const Operation* {
    while (walker.next())
      if (walker.item().what() == Item::What::operation) return &in.operations[walker.item().index()];
    return nullptr;
  };
  for (std::uint64_t number = 0;; ++number) {
    const Operation *x = next(a, recorded), *y = next(b, made);
    if (!x && !y) return std::nullopt;
    if (!x || !y || !alike(*x, *y)) return number;
    if (x->kind == Kind::wait && recorded.request_sets[x->requests] != made.request_sets[y->requests])
      return number;
    const auto members = [](const trace::Trace& in, const Operation& operation) {
      return in.communicators[operation.communicator].members;
    };
    if (x->kind == Kind::collective && x->communicator + y->communicator > 0) {
      auto p = members(recorded, *x), q = members(made, *y);
      if (p.empty()) p = recorded.communicators[0].members;
      if (!p.empty() && !q.empty() && p != q) return number;
    }
  }
}

}  // namespace parcast::program
