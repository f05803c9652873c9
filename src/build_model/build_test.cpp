// SPDX-License-Identifier: Apache-2.0
#include "build_model/build.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "build_model/recorded_runs.h"
#include "model/binding.h"
#include "model/model_file.h"
#include "observations/testing/synthetic_runs.h"

namespace parcast::program {
namespace {

using recording::Recording;

// Counts of one process, taken directly from its events.
struct Truth {
  std::map<std::string, double> calls;
  double messages = 0, bytes = 0, collective_bytes = 0;
};
Truth truth_of(const Recording& recording, const recording::RankRecording& rank) {
  Truth truth;
  for (const auto& event : rank.events) {
    const auto& call = recording.calls[event.call];
    using recording::CallClass;
    if (call.kind == CallClass::region_begin || call.kind == CallClass::region_end) continue;
    ++truth.calls[call.name];
    if (call.kind == CallClass::collective)
      truth.collective_bytes += static_cast<double>(event.message.bytes);
    if ((call.kind == CallClass::send_receive || call.kind == CallClass::send) && event.message.peer >= 0) {
      ++truth.messages;
      truth.bytes += static_cast<double>(event.message.bytes);
    }
  }
  return truth;
}

void expect_counts(const Model& model, const Recording& unseen) {
  const auto predicted = predict_counts(model, {unseen.parameters, unseen.processes});
  ASSERT_TRUE(predicted) << to_string(predicted.error());
  ASSERT_EQ(predicted->size(), unseen.ranks.size());
  for (const auto& rank : unseen.ranks) {
    const PredictedCounts& p = (*predicted)[static_cast<std::size_t>(rank.rank)];
    const Truth truth = truth_of(unseen, rank);
    std::map<std::string, double> calls;
    for (const auto& [name, value] : p.calls) calls[name] = value.value;
    EXPECT_EQ(calls, truth.calls) << "rank " << rank.rank << " of " << unseen.processes;
    EXPECT_EQ(p.messages_sent.value, truth.messages);
    EXPECT_EQ(p.bytes_sent.value, truth.bytes) << "rank " << rank.rank << " of " << unseen.processes;
    EXPECT_EQ(p.collective_bytes.value, truth.collective_bytes)
        << "rank " << rank.rank << " of " << unseen.processes;
    EXPECT_EQ(p.bytes_sent.low, p.bytes_sent.high);
  }
}

TEST(Build, ShallowWaterCountsAreExactAtUnseenSizesAndGrids) {
  std::vector<Recording> recordings;
  for (const int p : {1, 2, 3, 4, 6, 8, 9})
    for (const int n : {32, 45, 64, 100}) recordings.push_back(testing::shallow_water(n, 20, p));
  const auto model = build_model(recordings);
  ASSERT_TRUE(model) << to_string(model.error());
  for (const int p : {16, 25})
    for (const int n : {50, 128}) expect_counts(*model, testing::shallow_water(n, 20, p));
}

/// Conjugate gradients: a product of matrix and vector, for which several processes exchange a halo, and a
/// short update; a dot product at one line after each.
Recording gradients(int n, int steps, std::int32_t p) {
  return testing::record("cg", {{"n", n}, {"steps", steps}}, p, [&](testing::Tape& tape) {
    const auto dot = [&] {
      tape.collective("MPI_Allreduce", 70, recording::Pattern::allreduce, recording::kNoPeer, 8);
    };
    for (int step = 0; step < steps; ++step) {
      if (p > 1) tape.exchange(91, {(tape.rank() + 1) % p, 64}, {(tape.rank() + p - 1) % p, 64});
      tape.compute(2e-8 * n * n / p);
      dot();
      tape.compute(1e-8 * n);
      dot();
    }
  });
}

/// Seconds of computing of rank 0.
double computing_of(const Model& model, const Point& point) {
  const auto at = bind(model, point, 0).value();
  double sum = 0;
  for (const Segment& segment : model.segments) {
    std::vector<double> arguments;
    for (const symbolic::Expression& argument : segment.cost.arguments)
      arguments.push_back(symbolic::evaluate(argument, at).value());
    sum += symbolic::evaluate(segment.executions.expression, at).value() *
           segment.cost.growth->predict(arguments);
  }
  return sum;
}

// From dot to dot one process computes product and update in turn, several processes the update alone.
TEST(Build, WhatOneProcessComputesBetweenTwoCallsIsKeptApartWhereItMakesFewerCalls) {
  std::vector<Recording> recordings;
  for (const int p : {1, 2, 4})
    for (const int n : {100, 200, 400})
      for (const int steps : {10, 20, 30}) recordings.push_back(gradients(n, steps, p));
  const auto model = build_model(recordings);
  ASSERT_TRUE(model) << to_string(model.error());
  const auto seconds = [](double n, double steps, double p) { return steps * (2e-8 * n * n / p + 1e-8 * n); };
  for (const int p : {1, 2, 4, 8})
    for (const double n : {100., 400., 800.}) {
      const double expected = seconds(n, 30, p);
      EXPECT_NEAR(computing_of(*model, {{{"n", n}, {"steps", 30}}, p}), expected, 0.05 * expected)
          << "p = " << p << ", n = " << n;
    }
}

TEST(Build, MemoryThatGrowsDuringTheRunIsFittedApartFromThePeak) {
  std::vector<Recording> recordings;
  for (const int p : {1, 2, 4})
    for (const int n : {100, 200, 400}) {
      recordings.push_back(testing::gauss(n, p));
      for (recording::RankRecording& rank : recordings.back().ranks) {
        const auto data = static_cast<std::uint64_t>(8 * n * n / p);
        rank.peak_memory = 12'000'000 + data;
        rank.usage = {{.region = 0, .peak_growth = data / 2}, {.region = 0, .peak_growth = data / 2}};
      }
    }
  const auto model = build_model(recordings);
  ASSERT_TRUE(model) << to_string(model.error());
  const auto of_larger = [](const Residence& bytes) {
    std::vector<double> at;
    for (const symbolic::Expression& argument : bytes.arguments)
      at.push_back(symbolic::evaluate(argument, {{"n", 800}, {"p", 4}}).value());
    return bytes.growth.predict(at);
  };
  EXPECT_NEAR(of_larger(model->grown), 8 * 800 * 800 / 4., 0.05 * 8 * 800 * 800 / 4.);
  EXPECT_NEAR(of_larger(model->residence), 12e6 + 8 * 800 * 800 / 4., 1e6);
  const auto again = model_from_json(to_json(*model), "model");
  ASSERT_TRUE(again) << to_string(again.error());
  EXPECT_EQ(again->grown.arguments, model->grown.arguments);
}

TEST(Build, GaussianEliminationCountsAreExactAtUnseenSizes) {
  std::vector<Recording> recordings;
  for (const int p : {1, 2, 3, 4, 6, 8, 9})
    for (const int n : {24, 36, 48, 65}) recordings.push_back(testing::gauss(n, p));
  const auto model = build_model(recordings);
  ASSERT_TRUE(model) << to_string(model.error());
  EXPECT_NEAR(model->share_by_origin.at("exact"), 1, 1e-9);
  for (const int p : {16, 25}) expect_counts(*model, testing::gauss(50, p));
}

// Errors ----------------------------------------------------------------------------------------------------

Recording small(int n, std::int32_t processes) {
  return testing::record("small", {{"n", n}}, processes, [&](testing::Tape& tape) {
    for (int i = 0; i < n; ++i) {
      tape.compute(1e-6);
      tape.collective("MPI_Allreduce", 10, recording::Pattern::allreduce, recording::kNoPeer, 8);
    }
  });
}

std::string refusal(const std::vector<Recording>& recordings) {
  const auto model = build_model(recordings);
  EXPECT_FALSE(model);
  return model ? "" : to_string(model.error());
}

std::vector<std::string> codes(const Model& model) {
  std::vector<std::string> all;
  for (const Notice& notice : model.notices) all.push_back(notice.code);
  return all;
}

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(Build, RecordingsOfTwoProgramsAreRefusedByName) {
  const std::string error = refusal({small(4, 2), testing::gauss(8, 2)});
  EXPECT_THAT(error, HasSubstr("small (p = 2, n = 4)"));
  EXPECT_THAT(error, HasSubstr("gauss (p = 2, n = 8)"));
  EXPECT_THAT(error, HasSubstr("different programs"));
}

TEST(Build, TwoProgramsAreRefusedAlsoBehindARecordingThatNamesNone) {
  Recording unnamed = small(4, 1), other = small(4, 3);
  unnamed.executable_digest.clear();
  other.executable_digest = "digest of another build";
  EXPECT_THAT(refusal({unnamed, small(4, 2), other}), HasSubstr("different executables"));
  EXPECT_TRUE(build_model({unnamed, small(4, 2)}));
}

TEST(Build, AParameterThatOneRecordingLacksIsNamed) {
  Recording without = small(4, 2);
  without.parameters.clear();
  const std::string error = refusal({small(4, 1), without});
  EXPECT_THAT(error, HasSubstr("the parameter n is given for small (p = 1, n = 4)"));
  EXPECT_THAT(error, HasSubstr("--param n="));
}

TEST(Build, AParameterMayNotTakeTheNameOfARankOrAnExtent) {
  for (const char* name : {"r", "g2_0", "c3_1"}) {
    Recording recording = small(4, 2);
    recording.parameters[name] = 1;
    EXPECT_THAT(refusal({recording}), HasSubstr(std::string("may not be named ") + name));
  }
}

TEST(Build, AParameterCalledPThatIsTheProcessCountIsNoParameter) {
  Recording one = small(4, 1), two = small(4, 2);
  one.parameters["p"] = 1;
  two.parameters["p"] = 2;
  const auto model = build_model({one, two});
  ASSERT_TRUE(model);
  ASSERT_EQ(model->parameters.size(), 1u);
  EXPECT_EQ(model->parameters[0].name, "n");
  two.parameters["p"] = 3;
  EXPECT_THAT(refusal({one, two}), HasSubstr("may not be named p"));
}

TEST(Build, WithoutRecordingsOrEventsThereIsNoModel) {
  EXPECT_THAT(refusal({}), HasSubstr("no recording"));
  Recording silent = small(4, 2);
  for (auto& rank : silent.ranks) rank.events.clear();
  EXPECT_THAT(refusal({silent}), HasSubstr("no recording holds an event"));
}

TEST(Build, AParameterThatIsNoNumberIsRefused) {
  for (const double value : {std::nan(""), static_cast<double>(INFINITY)}) {
    Recording recording = small(4, 2);
    recording.parameters["n"] = value;
    EXPECT_THAT(refusal({small(4, 1), recording}), HasSubstr("the parameter n"));
  }
}

// Notices ---------------------------------------------------------------------------------------------------

TEST(Build, WhatNeverVariedIsSaid) {
  const auto model = build_model({small(4, 2), small(8, 2), small(9, 2)});
  ASSERT_TRUE(model);
  ASSERT_THAT(codes(*model), Contains("never-varied"));
  for (const Notice& notice : model->notices)
    if (notice.code == "never-varied") {
      EXPECT_THAT(notice.text, HasSubstr("p is 2 in every recording"));
      EXPECT_EQ(notice.hint, "record at another p");
    }
  EXPECT_THAT(codes(*model), Not(Contains("single-recording")));
  const auto single = build_model({small(4, 2)});
  ASSERT_TRUE(single);
  EXPECT_THAT(codes(*single), Contains("single-recording"));
}

TEST(Build, TheOrderOfRecordingsDoesNotMatter) {
  std::vector<Recording> recordings;
  for (const int p : {1, 2, 4})
    for (const int n : {16, 24, 32}) recordings.push_back(testing::shallow_water(n, 20, p, 0.05));
  const auto forward = build_model(recordings);
  std::reverse(recordings.begin(), recordings.end());
  std::swap(recordings[1], recordings[5]);
  const auto shuffled = build_model(recordings);
  ASSERT_TRUE(forward && shuffled);
  EXPECT_EQ(to_json(*forward), to_json(*shuffled));
}

TEST(Build, StartingAndEndingMpiHasNoShareInTheTime) {
  std::vector<Recording> recordings;
  for (const std::int32_t p : {1, 2, 3, 4}) {
    recordings.push_back(testing::record("starts", {{"n", 4}}, p, [&](testing::Tape& tape) {
      tape.call("MPI_Init", 1, recording::CallClass::initialise);
      for (int k = 0; k < (p == 3 ? 7 : 2 * p * p + p % 2); ++k) {
        tape.compute(1e-6);
        tape.collective("MPI_Barrier", 2, recording::Pattern::barrier, recording::kNoPeer, 0);
      }
    }));
    for (auto& rank : recordings.back().ranks) {
      for (std::size_t i = 0; i < rank.events.size(); ++i) {
        rank.events[i].enter += i > 0 ? 1'000'000'000 : 0;
        rank.events[i].exit += 1'000'000'000;  // a second in MPI_Init
      }
      rank.wall += 1'000'000'000;
    }
  }
  const auto model = build_model(recordings);
  ASSERT_TRUE(model) << to_string(model.error());
  EXPECT_LT(model->share_by_origin.at("exact"), 0.5);
  const auto barrier = std::ranges::find(model->nodes, "MPI_Barrier", &Node::label);
  ASSERT_NE(barrier, model->nodes.end());
  EXPECT_EQ(barrier->collective_bytes.origin, Origin::exact);
  EXPECT_TRUE(barrier->collective_bytes.expression.is_zero());
}

TEST(Build, SharesOfTheTimeSumToOne) {
  for (const auto& recordings :
       {std::vector{small(4, 2)},
        std::vector{testing::shallow_water(16, 20, 2, 0.1), testing::shallow_water(32, 20, 4, 0.1)}}) {
    const auto model = build_model(recordings);
    ASSERT_TRUE(model);
    double sum = 0, segments = 0;
    for (const auto& [origin, share] : model->share_by_origin) sum += share;
    for (const Segment& segment : model->segments) segments += segment.share;
    EXPECT_NEAR(sum, 1, 1e-12);
    EXPECT_NEAR(segments, 1, 1e-12);
  }
}

// Returns an outline such as "program(MPI_Init loop(MPI_Send))".
std::string outline(const Model& model, NodeId id = 0) {
  const Node& node = model.nodes[static_cast<std::size_t>(id)];
  std::string text = node.kind == NodeKind::region ? "[" + node.label + "]" : node.label;
  if (node.children.empty()) return text;
  text += "(";
  for (const NodeId child : node.children) text += (text.back() == '(' ? "" : " ") + outline(model, child);
  return text + ")";
}

TEST(Build, TheTreeHoldsRegionsLoopsAndCallsInOrderOfExecution) {
  const auto model = build_model({testing::shallow_water(16, 20, 4)});
  ASSERT_TRUE(model);
  EXPECT_EQ(outline(*model),
            "swe(MPI_Cart_create [setup](parcast_region_begin parcast_region_end) "
            "loop([step](parcast_region_begin loop(MPI_Sendrecv MPI_Sendrecv MPI_Sendrecv MPI_Sendrecv) "
            "parcast_region_end) MPI_Allreduce) MPI_Gather MPI_Reduce MPI_Finalize)");
}

// Of two ranks one has a right neighbour and the other a left one; no rank shows the order of both.
TEST(Build, CallsThatNoProcessMakesBothAreInTheOrderOfTheirLines) {
  const auto recording = testing::record("halo", {}, 2, [](testing::Tape& tape) {
    const auto exchange_with = [&](int line, std::int32_t other) {
      tape.call("MPI_Irecv", line, recording::CallClass::start_receive, {}, {}, {other, 8});
      tape.call("MPI_Isend", line + 1, recording::CallClass::start_send, {}, {other, 8}, {});
    };
    for (int step = 0; step < 5; ++step) {
      tape.collective("MPI_Barrier", 10, recording::Pattern::barrier, recording::kNoPeer, 0);
      exchange_with(tape.rank() == 0 ? 20 : 30, 1 - tape.rank());
      tape.call("MPI_Wait", tape.rank() == 0 ? 40 : 41, recording::CallClass::wait);
    }
    tape.finish();
  });
  const auto model = build_model({recording});
  ASSERT_TRUE(model) << to_string(model.error());
  std::string order;
  for (const Node& node : model->nodes)
    if (node.kind == NodeKind::call) order += node.where.substr(node.where.find(':') + 1) + " ";
  EXPECT_THAT(order, ::testing::StartsWith("10 20 21 30 31 40 41 "));
}

TEST(Build, LoopsCountTheirIterationsAndCallsTheirPartners) {
  std::vector<Recording> recordings;
  for (const int p : {1, 2, 4, 9, 12})
    for (const int steps : {5, 11, 20, 32}) recordings.push_back(testing::shallow_water(24, steps, p));
  const auto model = build_model(recordings);
  ASSERT_TRUE(model);
  std::vector<std::string> trips;
  std::vector<std::vector<std::int64_t>> shifts;
  for (const Node& node : model->nodes) {
    const auto value = value_of(node.executions, bind(*model, {{{"n", 24}, {"steps", 50}}, 4}, 3).value());
    ASSERT_TRUE(value);
    if (node.kind == NodeKind::loop) trips.push_back(std::to_string(static_cast<int>(value->value)));
    if (node.label == "MPI_Allreduce") EXPECT_EQ(value->value, 5);
    if (node.label != "MPI_Sendrecv") continue;
    EXPECT_EQ(node.relation, PeerRelation::grid_shift);
    EXPECT_EQ(node.synchronisation, Synchronisation::neighbour);
    shifts.push_back(node.amounts);
  }
  EXPECT_THAT(trips, ::testing::ElementsAre("50", "150"));
  EXPECT_THAT(shifts, ::testing::ElementsAre(
                          std::vector<std::int64_t>{0, -1, 2, 1}, std::vector<std::int64_t>{0, 1, 2, 1},
                          std::vector<std::int64_t>{1, -1, 2, 1}, std::vector<std::int64_t>{1, 1, 2, 1}));
}

TEST(Build, CallsWaitAsTheirPatternSays) {
  const auto model = build_model({testing::shallow_water(16, 20, 4)});
  ASSERT_TRUE(model);
  const std::map<std::string, Synchronisation> expected{
      {"MPI_Allreduce", Synchronisation::global},     {"MPI_Gather", Synchronisation::to_root},
      {"MPI_Reduce", Synchronisation::to_root},       {"MPI_Sendrecv", Synchronisation::neighbour},
      {"MPI_Cart_create", Synchronisation::global},   {"MPI_Finalize", Synchronisation::global},
      {"parcast_region_begin", Synchronisation::none}};
  for (const Node& node : model->nodes)
    if (expected.contains(node.label)) EXPECT_EQ(node.synchronisation, expected.at(node.label)) << node.label;
}

TEST(Build, ASubcommunicatorsMembersAreItsSize) {
  // Rows of the process grid: at p = 6, two ranks in each of the 3 rows.
  std::vector<Recording> recordings;
  for (const int p : {1, 2, 3, 4, 6, 8, 9}) {
    Recording recording = testing::record("rows", {}, p, [&](testing::Tape& tape) {
      tape.collective("MPI_Allreduce", 10, recording::Pattern::allreduce, recording::kNoPeer, 8, 1);
    });
    const std::int32_t columns = balanced_dimensions(p, 2)[1];
    for (auto& rank : recording.ranks) {
      recording::Communicator row;
      for (std::int32_t k = 0; k < columns; ++k) row.world_ranks.push_back(rank.rank / columns * columns + k);
      rank.communicators.push_back(row);
    }
    recordings.push_back(std::move(recording));
  }
  const auto model = build_model(recordings);
  ASSERT_TRUE(model);
  for (const Node& node : model->nodes) {
    if (node.label != "MPI_Allreduce") continue;
    for (const int p : {1, 2, 3, 4, 6, 8, 9}) {
      const auto members = value_of(node.members, bind(*model, {{}, p}, 0).value());
      ASSERT_TRUE(members);
      EXPECT_EQ(members->value, balanced_dimensions(p, 2)[1]) << "p = " << p;
    }
  }
}

TEST(Build, CallsThatAreNotFollowedAreCountedByName) {
  std::vector<Recording> recordings;
  for (const int p : {1, 2, 3, 4, 6})
    for (const int n : {4, 7, 9, 14}) {
      Recording recording = small(n, p);
      for (auto& rank : recording.ranks) rank.unfollowed = {{"MPI_Put", static_cast<std::uint64_t>(3 * n)}};
      recordings.push_back(std::move(recording));
    }
  const auto model = build_model(recordings);
  ASSERT_TRUE(model);
  const auto predicted = predict_counts(*model, {{{"n", 50}}, 12});
  ASSERT_TRUE(predicted);
  EXPECT_EQ(predicted->back().calls.at("MPI_Put").value, 150);
  EXPECT_EQ(predicted->back().calls.at("MPI_Put").origin, Origin::exact);
}

// Damage ----------------------------------------------------------------------------------------------------

// Removes the last events of some ranks, as in a killed run.
void cut(Recording& recording, std::size_t ranks) {
  for (std::size_t r = 0; r < ranks; ++r) {
    auto& rank = recording.ranks[r];
    rank.events.resize(rank.events.size() / 2);
    rank.finalised = rank.complete = false;
  }
  recording.losses.push_back({"rank 0 ends before MPI_Finalize"});
}

std::string missing_structure(const std::vector<Recording>& recordings) {
  RecordedRuns runs;
  for (const Recording& recording : recordings) runs.add(recording);
  return runs.find_structure().missing.what;
}

TEST(Build, WhereOnlyCutRunsExchangeAnythingThatIsSaid) {
  std::vector<Recording> recordings{testing::gauss(24, 1), testing::gauss(36, 3)};
  cut(recordings[1], 1);
  EXPECT_THAT(missing_structure(recordings), HasSubstr("the only run on two processes or more is not whole"));
  recordings.push_back(testing::gauss(36, 4));
  cut(recordings[2], 4);
  EXPECT_THAT(missing_structure(recordings), HasSubstr("all 2 runs on two processes or more are not whole"));
  recordings.resize(1);
  EXPECT_THAT(missing_structure(recordings), HasSubstr("no run had two processes or more"));
}

TEST(Build, RecordingsTakenOneAfterTheOtherGiveTheModelOfAllTogether) {
  std::vector<Recording> recordings;
  for (const int p : {3, 1, 2})
    for (const int n : {36, 24}) recordings.push_back(testing::gauss(n, p));
  RecordedRuns runs;
  for (const Recording& recording : recordings) runs.add(recording);
  for (const Recording& recording : runs.recordings())
    for (const auto& rank : recording.ranks) EXPECT_TRUE(rank.events.empty() && rank.chapters.empty());
  const auto one_by_one = runs.make_model(), together = build_model(recordings);
  ASSERT_TRUE(one_by_one && together);
  EXPECT_EQ(to_json(*one_by_one), to_json(*together));
}

TEST(Build, ACutRecordingLeavesTheCountsOfTheOthersExact) {
  std::vector<Recording> recordings;
  for (const int p : {1, 2, 3, 4, 6, 8, 9})
    for (const int n : {24, 36, 48, 65}) recordings.push_back(testing::gauss(n, p));
  cut(recordings[9], 1);   // p = 3, n = 36: two ranks are complete
  cut(recordings[14], 4);  // p = 4, n = 48: no rank is complete
  const auto model = build_model(recordings);
  ASSERT_TRUE(model) << to_string(model.error());
  EXPECT_EQ(
      std::count_if(model->sources.begin(), model->sources.end(), [](const Source& s) { return s.damaged; }),
      2);
  std::vector<std::string> texts;
  for (const Notice& notice : model->notices)
    if (notice.code == "damaged-recording") texts.push_back(notice.text);
  EXPECT_THAT(texts, ::testing::ElementsAre(HasSubstr("2 of 3 ranks; rank 0 ends before"),
                                            HasSubstr("0 of 4 ranks")));
  expect_counts(*model, testing::gauss(50, 16));
}

TEST(Build, ASingleCutRecordingIsStillAModel) {
  for (const std::int32_t p : {1, 3}) {
    Recording recording = testing::gauss(20, p);
    cut(recording, static_cast<std::size_t>(p));
    const auto model = build_model({recording});
    ASSERT_TRUE(model);
    EXPECT_THAT(codes(*model), Contains("damaged-recording"));
    for (const Node& node : model->nodes)
      if (node.kind == NodeKind::call && !node.executions.expression.is_zero())
        EXPECT_NE(node.executions.origin, Origin::exact);
    EXPECT_TRUE(predict_counts(*model, {{{"n", 20}}, p}));
    EXPECT_TRUE(model_from_json(to_json(*model), "cut"));
  }
}

TEST(Build, ARankWithoutAFileIsMissedAndSaid) {
  Recording recording = testing::gauss(20, 3);
  recording.ranks.pop_back();
  const auto model = build_model({recording});
  ASSERT_TRUE(model);
  EXPECT_TRUE(model->sources[0].damaged);
  EXPECT_THAT(codes(*model), Contains("damaged-recording"));
}

TEST(Build, WhatRunsDifferByIsThatOfTheirWholeComputing) {
  // Two segments of 1 and 3 ms in each of 40 iterations, in eight runs that are alternately 10 % slow and
  // fast: both segments equally, or in opposite directions.
  const auto found = [](double other) {
    std::vector<recording::Recording> runs;
    for (int k = 0; k < 8; ++k)
      runs.push_back(testing::record("two", {{"n", 10. + k}}, 1, [&](testing::Tape& tape) {
        const double slow = k % 2 ? .1 : -.1;
        for (int i = 0; i < 40; ++i) {
          tape.compute(1e-3 * (1 + other * slow));
          tape.collective("MPI_Barrier", 1, recording::Pattern::barrier, recording::kNoPeer, 0);
          tape.compute(3e-3 * (1 + slow));
          tape.collective("MPI_Allreduce", 2, recording::Pattern::allreduce, recording::kNoPeer, 8);
        }
        tape.finish();
      }));
    const auto model = build_model(runs);
    EXPECT_TRUE(model) << to_string(model.error());
    return model ? model->between_runs : BetweenRuns{};
  };
  // Seven degrees of freedom, and a prior with deviation .03 and relation one half that weighs as two runs.
  // The costs are close to 1 and 3 ms, not exactly there.
  const BetweenRuns alike = found(1), against = found(-1);
  EXPECT_NEAR(alike.deviation, std::sqrt((2 * .0009 + 8 * .01) / 9), .006);
  EXPECT_NEAR(alike.related, 8. / 9, .02);
  EXPECT_NEAR(against.deviation, std::sqrt((2 * .0009 + 8 * .0025) / 9), .006);
  EXPECT_NEAR(against.related, 1. / 9, .02);
}

// 40 ms of computing and a quarter more in which the process had no processor: 20 % of the run.
TEST(Build, TimeOffTheProcessorIsSaid) {
  const auto said = [](double stretched, double share) {
    std::vector<Recording> runs;
    for (const int n : {8, 16, 32}) {
      runs.push_back(testing::record("busy", {{"n", n}}, 1, [&](testing::Tape& tape) {
        for (int i = 0; i < 40; ++i)
          tape.compute(1e-3),
              tape.collective("MPI_Barrier", 1, recording::Pattern::barrier, recording::kNoPeer, 0);
        tape.finish();
      }));
      for (auto& rank : runs.back().ranks) {
        if (n == 16) rank.wall = std::llround(stretched * static_cast<double>(rank.wall));
        rank.processor_share = share;
      }
    }
    const auto model = build_model(runs);
    EXPECT_TRUE(model) << to_string(model.error());
    for (const Notice& notice : model->notices)
      if (notice.code == "off-processor") return notice.text;
    return std::string();
  };
  EXPECT_THAT(said(1.25, 1), ::testing::HasSubstr("off the processor for 20 % of busy (p = 1, n = 16)"));
  EXPECT_EQ(said(1.05, 1), "");
  EXPECT_EQ(said(1.25, 0.5), "");  // a part of a core is expected
}

TEST(Build, RunsOfOnePointThatDoNotDoTheSameLackAParameter) {
  const auto run = [](int steps, std::uint64_t bytes, const char* digest) {
    auto out = testing::record("two", {{"n", 8}}, 2, [&](testing::Tape& tape) {
      for (int i = 0; i < steps; ++i)
        tape.compute(1e-3), tape.exchange(1, {1 - tape.rank(), bytes}, {1 - tape.rank(), bytes});
      tape.finish();
    });
    out.digest = digest;
    return out;
  };
  const auto said = [](const std::vector<Recording>& recordings) {
    const auto model = build_model(recordings);
    EXPECT_TRUE(model) << to_string(model.error());
    return model ? codes(*model) : std::vector<std::string>{};
  };
  EXPECT_THAT(said({run(9, 64, "a"), run(9, 64, "b")}), Not(Contains("unlike-repeats")));
  EXPECT_THAT(said({run(9, 64, "a"), run(12, 64, "b")}), Contains("unlike-repeats"));
  EXPECT_THAT(said({run(9, 64, "a"), run(9, 72, "b")}), Contains("unlike-repeats"));
  // A run that was cut short did less work for another reason, and another size is another point.
  auto cut = run(12, 64, "b");
  cut.ranks[1].complete = false;
  EXPECT_THAT(said({run(9, 64, "a"), cut}), Not(Contains("unlike-repeats")));
  auto other = run(12, 64, "b");
  other.parameters["n"] = 12;
  EXPECT_THAT(said({run(9, 64, "a"), other}), Not(Contains("unlike-repeats")));
}

TEST(Build, ARecordingGivenTwiceIsOneRun) {
  const std::vector<Recording> recordings{small(4, 1), small(4, 2), small(4, 1)};
  const auto model = build_model(recordings);
  ASSERT_TRUE(model);
  EXPECT_EQ(model->sources.size(), 2u);
  EXPECT_THAT(codes(*model), Contains("given-twice"));
}

TEST(Build, EachSourceSaysWithWhichLibraryItWasMade) {
  std::vector<Recording> recordings{small(4, 1), small(4, 2), small(4, 3)};
  recordings[0].mpi_library = "Open MPI v4.1.4", recordings[1].mpi_library = "MPICH Version: 4.0.2";
  const auto model = build_model(recordings);
  ASSERT_TRUE(model);
  ASSERT_EQ(model->sources.size(), 3u);
  EXPECT_EQ(model->sources[0].mpi_library, "Open MPI v4.1.4");
  EXPECT_EQ(model->sources[1].mpi_library, "MPICH Version: 4.0.2");
  EXPECT_EQ(model->sources[2].mpi_library, "");
  EXPECT_EQ(to_json(*model_from_json(to_json(*model), "small")), to_json(*model));
}

TEST(Build, ARunThatFailedIsSaid) {
  auto recording = small(4, 2);
  recording.exit_code = 3;
  const auto model = build_model({recording});
  ASSERT_TRUE(model);
  EXPECT_THAT(codes(*model), Contains("failed-run"));
}

TEST(Build, RecordingsOfOnePointThatDisagreeAreNotExact) {
  std::vector<Recording> recordings;
  for (const int p : {1, 2, 3, 4, 6})
    for (const int n : {4, 7, 9, 14}) recordings.push_back(small(n, p));
  recordings.push_back(small(9, 3));
  recordings.back().digest = "again";
  const auto allreduces = [](const Model& model) {
    const auto at = std::find_if(model.nodes.begin(), model.nodes.end(),
                                 [](const Node& node) { return node.label == "MPI_Allreduce"; });
    return at->executions.origin;
  };
  auto model = build_model(recordings);
  ASSERT_TRUE(model);
  EXPECT_EQ(allreduces(*model), Origin::exact);
  for (auto& rank : recordings.back().ranks) rank.events.erase(rank.events.begin());
  model = build_model(recordings);
  ASSERT_TRUE(model);
  EXPECT_EQ(allreduces(*model), Origin::fitted);
  EXPECT_THAT(codes(*model), Contains("fitted-counts"));
}

}  // namespace
}  // namespace parcast::program
