// SPDX-License-Identifier: Apache-2.0
#include "source/counts/counted_program.h"

#include <gmock/gmock.h>

#include <cmath>
#include <fstream>
#include <sstream>

#include "build_model/build.h"
#include "model/binding.h"
#include "model/work.h"
#include "observations/testing/synthetic_runs.h"
#include "source/counts/equations.h"

namespace parcast::program {
namespace {

using recording::Recording;
using ::testing::Contains;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

struct CountedProcess {
  int n = 0, steps = 0, p = 0, r = 0;
  std::vector<std::uint64_t> counters;
  std::vector<std::array<std::int64_t, 4>> probes;
};

// Returns the additions up to the end of each row, over all rows of a process and all steps, as the fixture's
// program executes them.
double triangle(int n, int steps, int p, int r) {
  double sum = 0;
  const int rows = n / p + (r < n % p);
  for (int i = 0; i < rows; ++i) sum += n - i;
  return steps * sum;
}

// Recordings of the program of tests/pass/fixtures/rows.c with the counters of real runs; all of its
// computing follows a barrier.
class OfRows : public ::testing::Test {
 protected:
  void SetUp() override {
    std::ifstream file(PARCAST_SOURCE_DIR "/tests/pass/fixtures/rows.facts", std::ios::binary);
    std::stringstream text;
    text << file.rdbuf();
    facts = text.str();
    auto read = facts::read_facts(facts, "rows.facts");
    ASSERT_TRUE(read) << to_string(read.error());
    modules = *std::move(read);
    std::ifstream counted(PARCAST_SOURCE_DIR "/tests/pass/fixtures/rows.counts");
    for (std::string line; std::getline(counted, line);) {
      std::istringstream words(line);
      CountedProcess process;
      std::size_t counters = 0, probes = 0;
      words >> process.n >> process.steps >> process.p >> process.r >> counters >> probes;
      process.counters.resize(counters);
      process.probes.resize(probes);
      for (auto& counter : process.counters) words >> counter;
      for (auto& probe : process.probes)
        for (auto& word : probe) words >> word;
      ASSERT_TRUE(words) << line;
      processes.push_back(std::move(process));
    }
  }

  static constexpr double kSecondsPerAddition = 3e-9;

  /// `one_tells`: process 0 makes one additional call.
  Recording recorded(int n, int steps, int p, bool one_tells = false) const {
    Recording recording = testing::record("rows", {{"n", n}, {"steps", steps}}, p, [&](testing::Tape& tape) {
      tape.compute(1e-7);
      tape.collective("MPI_Barrier", 33, recording::Pattern::barrier, recording::kNoPeer, 0);
      tape.compute(kSecondsPerAddition * triangle(n, steps, p, tape.rank()));
      if (one_tells && tape.rank() == 0) tape.call("MPI_Iprobe", 35, recording::CallClass::poll);
    });
    recording.facts = facts;
    for (auto& rank : recording.ranks) {
      rank.command = {"rows", std::to_string(n), std::to_string(steps)};
      const auto process = std::ranges::find_if(processes, [&](const CountedProcess& each) {
        return each.n == n && each.steps == steps && each.p == p && each.r == rank.rank;
      });
      EXPECT_NE(process, processes.end());
      rank.counted.kept = true;
      rank.counted.modules = {{modules[0].id, modules[0].counters, modules[0].probes}};
      const auto& barrier = rank.events.front();
      recording::CountedSet set{recording::SetKind::event,
                                static_cast<std::uint16_t>(barrier.call),
                                barrier.region,
                                barrier.site,
                                {{}}};
      for (std::uint32_t i = 0; i < process->counters.size(); ++i)
        if (process->counters[i] != 0) set.modules[0].counters.emplace_back(i, process->counters[i]);
      for (std::uint32_t i = 0; i < process->probes.size(); ++i) {
        const auto& [first, noticed, least, most] = process->probes[i];
        if (noticed != 0)
          set.modules[0].probes.push_back({i, {first, least, most, static_cast<std::uint64_t>(noticed)}});
      }
      rank.counted.sets = {set};
    }
    return recording;
  }

  // Returns the work in a run, from its own counters.
  double work_of(const CountedProcess& process) const {
    std::map<std::string, symbolic::Expression> operations;
    for (const facts::Function& function : modules[0].functions) {
      const auto executions = facts::block_executions(function, process.counters);
      for (std::size_t b = 0; b < function.blocks.size(); ++b)
        for (const auto& [name, count] : function.blocks[b].operations)
          operations[name] =
              operations[name] + symbolic::Expression(count * static_cast<std::int64_t>(executions[b]));
    }
    return *symbolic::evaluate(weighted_work(operations), {});
  }

  std::string facts;
  std::vector<facts::Module> modules;
  std::vector<CountedProcess> processes;
};

// double* x = malloc(n * sizeof *x), line 35
TEST_F(OfRows, AnArrayHasTheBytesThatTheProgramAllocates) {
  const auto arrays = program_arrays({recorded(20, 3, 2)});
  ASSERT_TRUE(arrays) << to_string(arrays.error());
  ASSERT_EQ(arrays->arrays.size(), 1u);
  const Array& x = arrays->arrays[0];
  EXPECT_EQ(x.where, "rows.c:35");
  EXPECT_EQ(x.function, "main");
  EXPECT_EQ(x.allocations, symbolic::Expression(1));
  EXPECT_EQ(x.bytes, symbolic::Expression(8) * parameter_symbol("n"));
  EXPECT_EQ(x.origin, Origin::symbolic);
  EXPECT_EQ(arrays->sizes[0].all, 2 * 160);
  const auto larger = arrays->size_at(x, {{{"n", 1000}, {"steps", 7}}, 3});
  ASSERT_TRUE(larger);
  EXPECT_EQ(larger->most, 8000);
  EXPECT_EQ(larger->all, 24000);
}

TEST_F(OfRows, ArraysNeedAValueOfEveryParameter) {
  const auto arrays = program_arrays({recorded(20, 3, 2)});
  ASSERT_TRUE(arrays);
  const auto size = arrays->size_at(arrays->arrays[0], {{{"n", 1000}}, 3});
  ASSERT_FALSE(size);
  EXPECT_THAT(to_string(size.error()), HasSubstr("steps"));
}

TEST(ProgramArrays, RecordingsWithoutCountsHaveNone) {
  const auto arrays = program_arrays({testing::shallow_water(32, 4, 2)});
  ASSERT_FALSE(arrays);
  EXPECT_THAT(arrays.error().hint, HasSubstr("parcast cc"));
}

TEST_F(OfRows, WorkBehindACallOfLargerRunsFollowsFromOneRecording) {
  const std::vector<Recording> recordings{recorded(20, 3, 2)};
  const auto inputs = check_inputs(recordings);
  ASSERT_TRUE(inputs);
  const Traces traces = reduce(recordings, inputs->order);
  const CountedProgram counted(recordings, *inputs, traces);
  ASSERT_TRUE(counted.any());
  EXPECT_THAT(counted.notices(), IsEmpty());
  ASSERT_EQ(traces.keys[0].name, "MPI_Barrier");
  const auto work = counted.behind(0, symbolic::Expression(1));
  ASSERT_TRUE(work);
  EXPECT_FALSE(work->ambiguous);
  double shares = 0;
  for (const auto& [tier, share] : work->shares) shares += share;
  EXPECT_NEAR(shares, 1, 1e-12);
  EXPECT_FALSE(work->shares.contains(CountTier::measured));
  for (const CountedProcess& process : processes) {
    const auto value = symbolic::evaluate(
        *work->weighted, {{"n", process.n}, {"steps", process.steps}, {"p", process.p}, {"r", process.r}});
    ASSERT_TRUE(value);
    EXPECT_NEAR(*value, work_of(process), 1e-9 * *value) << process.n << ' ' << process.p << ' ' << process.r;
  }
  EXPECT_FALSE(counted.behind(kOutside, {}));  // nothing was counted there
}

TEST_F(OfRows, MarksOfRegionsAreCountedLikeCallsOfMpi) {
  Recording recording = recorded(20, 3, 2);
  const auto replace = [&](const std::string& old, const std::string& by) {
    const std::size_t at = recording.facts.find(old);
    ASSERT_NE(at, std::string::npos) << old;
    recording.facts.replace(at, old.size(), by);
  };
  replace("MPI_Comm_size", "parcast_region_begin");
  replace(" 6058\n", " 6065\n");  // length of the facts
  const std::vector<Recording> recordings{recording};
  const auto inputs = check_inputs(recordings);
  ASSERT_TRUE(inputs);
  const Traces traces = reduce(recordings, inputs->order);
  const CountedProgram counted(recordings, *inputs, traces);
  ASSERT_TRUE(counted.any());
  CallKey key = traces.keys[0];
  key.name = "parcast_region_begin", key.call_class = recording::CallClass::region_begin;
  const auto once = counted.count_of(key, {1, 1}, CountedProgram::Amount::executions);
  ASSERT_TRUE(once);
  EXPECT_EQ(once->expression, symbolic::Expression(1));
  EXPECT_LE(once->origin, Origin::run_constant);
  EXPECT_FALSE(counted.count_of(key, {2, 2}, CountedProgram::Amount::executions));
}

TEST_F(OfRows, OneRecordingTellsTimesOfOtherSizesInAModel) {
  const auto model = build_model({recorded(20, 3, 2)});
  ASSERT_TRUE(model) << to_string(model.error());
  const auto segment = std::ranges::max_element(model->segments, {}, &Segment::share);
  ASSERT_EQ(segment->cost.arguments.size(), 1u);
  ASSERT_EQ(segment->cost.growth->ranges.size(), 1u);
  EXPECT_TRUE(segment->cost.growth->ranges[0].given);
  for (const CountedProcess& process : processes) {
    const auto work =
        symbolic::evaluate(segment->cost.arguments[0],
                           {{"n", process.n}, {"steps", process.steps}, {"p", process.p}, {"r", process.r}});
    ASSERT_TRUE(work);
    const double truth = kSecondsPerAddition * triangle(process.n, process.steps, process.p, process.r);
    // Work outside of the triangle is a fifth of that of the smallest run.
    EXPECT_NEAR(segment->cost.growth->predict(std::vector<double>{*work}), truth, 0.25 * truth)
        << process.n << ' ' << process.p;
  }
}

std::vector<Notice> notices_of(const std::vector<Recording>& recordings) {
  const auto inputs = check_inputs(recordings);
  EXPECT_TRUE(inputs);
  const Traces traces = reduce(recordings, inputs->order);
  const CountedProgram counted(recordings, *inputs, traces);
  EXPECT_FALSE(counted.any());
  return counted.notices();
}

// The bytes streamed between two calls are the bytes per execution of the first call, times the fraction of
// its executions that lead to the second. On some processes this fraction is 0.
TEST_F(OfRows, ProcessesThatNeverComeToASegmentStreamNothingThere) {
  const auto model = build_model({recorded(20, 3, 2, true)});
  ASSERT_TRUE(model) << to_string(model.error());
  int of_some = 0;
  for (const Segment& segment : model->segments) {
    if (!segment.cost.streamed) continue;
    for (int r = 0; r < 2; ++r) {
      const symbolic::Binding at{{"n", 20}, {"steps", 3}, {"p", 2}, {"r", r}};
      const auto executions = symbolic::evaluate(segment.executions.expression, at),
                 bytes = symbolic::evaluate(*segment.cost.streamed, at);
      ASSERT_TRUE(executions && bytes) << symbolic::to_text(*segment.cost.streamed);
      EXPECT_EQ(*executions > 0, *bytes > 0) << r;
      of_some += *executions > 0 ? 0 : 1;
    }
  }
  EXPECT_EQ(of_some, 2) << "behind the barrier the first process goes on to the call, the second to the end";
}

TEST_F(OfRows, FactsThatDoNotFitAreLeftOutAndSaid) {
  Recording recording = recorded(20, 3, 2);
  for (auto& rank : recording.ranks) ++rank.counted.modules[0].counters;
  EXPECT_THAT(notices_of({recording}), Contains(AllOf(Field(&Notice::code, "facts-misfit"),
                                                      Field(&Notice::text, HasSubstr("rows.c counted")))));
}

TEST_F(OfRows, FactsThatCannotBeReadOrAreNotThereAreSaid) {
  Recording recording = recorded(20, 3, 2);
  recording.facts = "junk";
  EXPECT_THAT(notices_of({recording}), Contains(AllOf(Field(&Notice::code, "facts-unreadable"),
                                                      Field(&Notice::text, HasSubstr("record 1")))));
  recording.facts.clear();
  EXPECT_THAT(notices_of({recording}), Contains(AllOf(Field(&Notice::code, "without-facts"),
                                                      Field(&Notice::text, HasSubstr("1 of 1")))));
}

TEST_F(OfRows, RecordingsThatCountedNothingSayNothing) {
  Recording recording = recorded(20, 3, 2);
  for (auto& rank : recording.ranks) rank.counted = {};
  EXPECT_THAT(notices_of({recording}), IsEmpty());
}

TEST_F(OfRows, CountsOfProcessesThatDidNotEndAreLeftOutAndThatIsSaid) {
  Recording cut = recorded(37, 3, 2);
  for (auto& rank : cut.ranks) rank.complete = rank.finalised = false;
  const auto model = build_model({recorded(20, 3, 2), cut});
  ASSERT_TRUE(model) << to_string(model.error());
  EXPECT_THAT(model->notices,
              Contains(AllOf(Field(&Notice::code, "unfinished-counts"),
                             Field(&Notice::text,
                                   HasSubstr("2 of 4 processes that counted ended without MPI_Finalize")))));
  const auto alone = program_equations({cut});
  ASSERT_FALSE(alone);
  EXPECT_THAT(alone.error().what, HasSubstr("2 of 2 processes that counted ended without MPI_Finalize"));
  EXPECT_TRUE(program_equations({recorded(20, 3, 2), cut}));
}

TEST_F(OfRows, ARecordingMadeWithoutThemIsUsedBesideOneWithThem) {
  Recording plain = recorded(37, 3, 2);
  for (auto& rank : plain.ranks) rank.counted = {};
  const auto model = build_model({recorded(20, 3, 2), plain});
  ASSERT_TRUE(model) << to_string(model.error());
  const auto segment = std::ranges::max_element(model->segments, {}, &Segment::share);
  ASSERT_EQ(segment->cost.growth->ranges.size(), 1u);
  EXPECT_EQ(segment->cost.growth->ranges[0].distinct, 2u);
  EXPECT_THAT(model->notices,
              Contains(AllOf(Field(&Notice::code, "partly-counted"),
                             Field(&Notice::text, HasSubstr("1 of 2 recordings counted no blocks")))));
}

}  // namespace
}  // namespace parcast::program
