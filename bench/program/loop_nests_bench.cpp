// SPDX-License-Identifier: Apache-2.0
// parcast_loop_nests_bench COUNT [SEED]: generated programs of loops in loops, with calls that only some
// ranks or some iterations make. A model is built of 16 small recordings of each. Its counts at three larger,
// unseen points are compared with what the program itself does there, call by call and rank by rank. Also
// printed: each count identified alone.
//
//   10000 programs, 63121 counts inside of the family
//                          right    wrong   of these called exact
//   in their loops        97.2 %    2.8 %                 0.011 %
//   alone                 80.1 %   19.9 %                 0.310 %
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "build_model/build.h"
#include "fit_counts/counts.h"
#include "model/binding.h"
#include "observations/inputs.h"
#include "observations/testing/synthetic_runs.h"
#include "observations/traces.h"

using namespace parcast;
using namespace parcast::program;
using program::testing::Tape;

namespace {

struct At {
  std::int64_t n = 0, steps = 0, p = 1;
};

using Amount = std::function<std::int64_t(const At&, std::int64_t rank)>;

/// The ranks or iterations that execute an item.
struct Condition {
  enum class Kind {
    always,
    root,
    others,
    not_first_rank,
    not_last_rank,
    odd_ranks,
    every,
    first,
    not_first,
    last
  } kind = Kind::always;
  std::int64_t every = 1, offset = 0;

  bool holds(const At& at, std::int64_t rank, std::int64_t iteration, std::int64_t iterations) const {
    switch (kind) {
      case Kind::always:
        return true;
      case Kind::root:
        return rank == 0;
      case Kind::others:
        return rank != 0;
      case Kind::not_first_rank:
        return rank > 0;
      case Kind::not_last_rank:
        return rank < at.p - 1;
      case Kind::odd_ranks:
        return rank % 2 == 1;
      case Kind::every:
        return iteration % every == offset;
      case Kind::first:
        return iteration == 0;
      case Kind::not_first:
        return iteration > 0;
      case Kind::last:
        return iteration == iterations - 1;
    }
    return true;
  }
};

struct Item {
  Condition condition;
  int line = 0;
  Amount times;  // for a loop: trips; for a call: consecutive calls
  Amount bytes;  // for a call
  bool collective = false;
  std::vector<Item> body;  // for a loop
};

class Generator {
 public:
  explicit Generator(std::uint64_t seed) : random_(seed) {}

  std::vector<Item> program() {
    std::vector<Item> out;
    for (int k = pick(1, 2); k >= 0; --k) out.push_back(loop(pick(1, 2)));
    return out;
  }

 private:
  int pick(int low, int high) { return std::uniform_int_distribution<int>(low, high)(random_); }

  Amount trips(int which) {
    const int k = pick(1, 3);
    switch (which) {
      case 0:
      case 1:
        return [](const At& at, std::int64_t) { return at.steps; };
      case 2:
        return [k](const At& at, std::int64_t) { return k * at.steps; };
      case 3:
        return [k](const At& at, std::int64_t) { return at.steps - k; };
      case 4:
        return [k](const At& at, std::int64_t) { return at.n - k; };
      case 5:
        return [](const At& at, std::int64_t) { return at.p; };
      case 6:
        return
            [](const At& at, std::int64_t) { return static_cast<std::int64_t>(std::ceil(std::log2(at.p))); };
      default:
        return [k](const At&, std::int64_t) { return 2 * k + 3; };
    }
  }

  Amount size() {
    const int k = pick(1, 4);
    switch (pick(0, 5)) {
      case 0:
        return [k](const At& at, std::int64_t) { return 8 * k * at.n; };
      case 1:
        return [k](const At& at, std::int64_t) { return 8 * (at.n + 2 * k); };
      case 2:
        return [](const At& at, std::int64_t rank) { return 8 * program::testing::block(at.n, at.p, rank); };
      case 3:
        return [k](const At&, std::int64_t) { return 8 * k; };
      case 4:
        return [](const At& at, std::int64_t) { return 8 * (at.n / at.p); };
      default:
        return [](const At& at, std::int64_t) { return 4 * at.n * at.n; };
    }
  }

  /// `goes_on`: for a loop with many iterations at every point. In other loops, every second iteration may be
  /// a single one at all recorded points.
  Condition condition(bool goes_on) {
    using enum Condition::Kind;
    const int which = pick(0, goes_on ? 15 : 9);
    if (which < 5) return {};
    if (which < 6) return {root};
    if (which < 7) return {others};
    if (which < 8) return {not_first_rank};
    if (which < 9) return {not_last_rank};
    if (which < 10) return {odd_ranks};
    if (which < 13) {
      const std::int64_t every =
          std::vector<std::int64_t>{2, 3, 4, 5, 10}[static_cast<std::size_t>(pick(0, 4))];
      return {Condition::Kind::every, every, pick(0, 1) ? every - 1 : 0};
    }
    return {which == 13 ? first : which == 14 ? not_first : last};
  }

  Item call(bool goes_on) {
    Item item{condition(goes_on), ++lines_, {}, size(), pick(0, 2) == 0, {}};
    const int times = pick(0, 4) == 0 ? 2 : 1;
    item.times = [times](const At&, std::int64_t) { return times; };
    if (item.collective && item.condition.kind != Condition::Kind::every &&
        item.condition.kind != Condition::Kind::first && item.condition.kind != Condition::Kind::not_first &&
        item.condition.kind != Condition::Kind::last)
      item.condition = {};  // all ranks make a collective
    return item;
  }

  Item loop(int depth) {
    const int which = pick(0, 7);
    Item item{condition(false), ++lines_, trips(which), {}, false, {}};
    if (item.condition.kind == Condition::Kind::odd_ranks) item.condition = {};
    for (int k = pick(1, 3); k > 0; --k)
      item.body.push_back(depth > 1 && pick(0, 2) == 0 ? loop(depth - 1) : call(which <= 4));
    for (Item& each : item.body)  // a collective is made by all ranks of the loop
      if (each.collective) item.condition = {};
    return item;
  }

  std::mt19937_64 random_;
  int lines_ = 0;
};

void execute(const std::vector<Item>& items, const At& at, Tape& tape, std::int64_t iteration = 0,
             std::int64_t iterations = 1) {
  for (const Item& item : items) {
    if (!item.condition.holds(at, tape.rank(), iteration, iterations)) continue;
    const std::int64_t times = std::max<std::int64_t>(0, item.times(at, tape.rank()));
    for (std::int64_t k = 0; k < times; ++k) {
      if (!item.body.empty()) {
        execute(item.body, at, tape, k, times);
        continue;
      }
      const auto bytes = static_cast<std::uint64_t>(item.bytes(at, tape.rank()));
      if (item.collective)
        tape.collective("MPI_Allreduce", item.line, recording::Pattern::allreduce, 0, bytes);
      else
        tape.send(item.line, (tape.rank() + 1) % tape.processes(), bytes);
    }
  }
}

recording::Recording record_at(const std::vector<Item>& items, const At& at) {
  return program::testing::record(
      "nests", {{"n", static_cast<double>(at.n)}, {"steps", static_cast<double>(at.steps)}},
      static_cast<std::int32_t>(at.p), [&](Tape& tape) { execute(items, at, tape); });
}

const std::vector<At> kRecorded{{96, 20, 1},  {143, 20, 1}, {201, 20, 1}, {96, 20, 2},
                                {143, 20, 2}, {201, 20, 2}, {96, 20, 3},  {143, 20, 3},
                                {201, 20, 3}, {96, 20, 4},  {143, 20, 4}, {201, 20, 4},
                                {96, 31, 2},  {96, 57, 2},  {143, 31, 2}, {201, 57, 1}};
const std::vector<At> kUnseen{{420, 123, 8}, {333, 77, 6}, {512, 200, 16}};

struct Score {
  std::int64_t counts = 0, right = 0, wrong_exact = 0;

  void add(bool is_right, bool is_exact) {
    ++counts;
    right += is_right;
    wrong_exact += !is_right && is_exact;
  }
  void print(const char* name) const {
    const auto share = [&](std::int64_t of) {
      return 100.0 * static_cast<double>(of) / static_cast<double>(std::max<std::int64_t>(counts, 1));
    };
    std::printf("%-20s %7.2f %% %7.2f %% %22.3f %%\n", name, share(right), share(counts - right),
                share(wrong_exact));
  }
};

struct Unseen {
  Point point;
  Traces traces;
};

/// Returns whether a count is right for every rank of every unseen point.
bool is_right(const Model& model, const Count& count, const std::vector<Unseen>& unseen,
              const std::function<std::int64_t(const Trace&)>& truth) {
  for (const Unseen& at : unseen)
    for (const Trace& trace : at.traces.traces) {
      const auto binding = bind(model, at.point, trace.rank);
      const auto value = binding ? value_of(count, *binding) : Result<CountValue>(binding.error());
      if (!value || std::llround(value->value) != truth(trace)) return false;
    }
  return true;
}

class Bench {
 public:
  void add(std::uint64_t seed, bool verbose) {
    const std::vector<Item> items = Generator(seed).program();
    std::vector<recording::Recording> recordings;
    for (const At& at : kRecorded) recordings.push_back(record_at(items, at));
    std::vector<Unseen> unseen;
    std::vector<recording::Recording> larger;
    for (const At& at : kUnseen) {
      larger.clear();
      larger.push_back(record_at(items, at));
      unseen.push_back({{{{"n", static_cast<double>(at.n)}, {"steps", static_cast<double>(at.steps)}},
                         static_cast<std::int32_t>(at.p)},
                        reduce(larger, {0})});
    }
    const auto model = build_model(recordings);
    if (!model) {
      std::fprintf(stderr, "seed %llu: %s\n", static_cast<unsigned long long>(seed),
                   to_string(model.error()).c_str());
      std::exit(1);
    }
    const auto inputs = check_inputs(recordings);
    const Traces traces = reduce(recordings, inputs->order);
    CountBuilder alone(inputs->parameters, inputs->runs, inputs->grids, traces);
    for (const Node& node : model->nodes) {
      if (node.kind != NodeKind::call || node.label == "MPI_Finalize") continue;
      check(*model, node, node.executions, "executions", traces, alone, unseen, seed, verbose,
            [](const CallTotals& of) { return of.executions; });
      if (node.pattern == recording::Pattern::none)
        check(*model, node, node.bytes, "bytes", traces, alone, unseen, seed, verbose,
              [](const CallTotals& of) { return of.bytes; });
      else
        check(*model, node, node.collective_bytes, "bytes", traces, alone, unseen, seed, verbose,
              [](const CallTotals& of) { return of.collective_bytes; });
    }
    ++programs_;
  }

  bool print() const {
    std::printf("%lld programs, %lld counts at %zu unseen points\n%-20s %9s %9s %24s\n",
                static_cast<long long>(programs_), static_cast<long long>(relative_.counts), kUnseen.size(),
                "", "right", "wrong", "of these called exact");
    relative_.print("in their loops");
    alone_.print("alone");
    return relative_.wrong_exact * 1000 <= relative_.counts;
  }

 private:
  template <class Get>
  void check(const Model& model, const Node& node, const Count& count, const char* what,
             const Traces& recorded, CountBuilder& alone, const std::vector<Unseen>& unseen,
             std::uint64_t seed, bool verbose, Get get) {
    const auto value_in = [&](const Traces& of, const Trace& trace) -> std::int64_t {
      for (const auto& [key, totals] : trace.calls)
        if (of.keys[static_cast<std::size_t>(key)].where == node.where) return get(totals);
      return 0;
    };
    std::size_t which = 0;
    const auto truth = [&](const Trace& trace) { return value_in(unseen[which].traces, trace); };
    const auto right = [&](const Count& of) {
      for (which = 0; which < unseen.size(); ++which)
        if (!is_right(model, of, {unseen[which]}, truth)) return false;
      return true;
    };
    std::vector<std::int64_t> values;
    for (const Trace& trace : recorded.traces) values.push_back(value_in(recorded, trace));
    const bool ours = right(count);
    relative_.add(ours, count.origin <= Origin::exact);
    const Count by_itself = alone.build(values, true);
    alone_.add(right(by_itself), by_itself.origin <= Origin::exact);
    if (!verbose || ours) return;
    std::printf("seed %llu %s %s: %s, %s;", static_cast<unsigned long long>(seed), node.where.c_str(), what,
                symbolic::readable_text(count.expression).c_str(),
                std::string(to_string(count.origin)).c_str());
    for (const Trace& trace : unseen.front().traces.traces)
      if (trace.rank < 8)
        std::printf(" %lld", static_cast<long long>(value_in(unseen.front().traces, trace)));
    std::printf("\n");
  }

  Score relative_, alone_;
  std::int64_t programs_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2 || argc > 4)
    return std::fprintf(stderr, "usage: parcast_loop_nests_bench COUNT [SEED [verbose]]\n"), 2;
  const std::int64_t count = std::strtoll(argv[1], nullptr, 10);
  const std::uint64_t seed = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1;
  Bench bench;
  for (std::int64_t k = 0; k < count; ++k) {
    bench.add(seed + static_cast<std::uint64_t>(k), argc > 3);
    if (k % 500 == 499)
      std::fprintf(stderr, "%lld of %lld\n", static_cast<long long>(k + 1), static_cast<long long>(count));
  }
  return bench.print() ? 0 : 1;
}
