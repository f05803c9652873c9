// SPDX-License-Identifier: Apache-2.0
// Fortran programs with the three bindings: known totals, lines of the program as places, the same results as
// without the recorder.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <ostream>
#include <set>
#include <sstream>

#include "launch.h"

namespace parcast::record_tests {
namespace {

using namespace recording;

Recording record_program(const Scratch& scratch, const Job& job) {
  const Outcome outcome = run_recorded(scratch, job);
  EXPECT_EQ(outcome.exit_code, 0) << outcome.errors;
  auto result = recorded(scratch);
  EXPECT_TRUE(result) << (result ? "" : to_string(result.error()));
  return result ? std::move(*result) : Recording{};
}

std::multiset<std::string> lines_of(const std::string& text) {
  std::istringstream stream(text);
  std::multiset<std::string> lines;
  for (std::string line; std::getline(stream, line);) lines.insert(line);
  return lines;
}

std::string path_of(const RankRecording& rank, const Event& event) {
  const Site& site = rank.sites[event.site];
  return site.module == kNoModule ? "" : rank.modules[site.module].path;
}

struct Binding {
  Mpi mpi;
  std::string program;
  int processes;
};
void PrintTo(const Binding& binding, std::ostream* out) {
  *out << binding.program << " on " << binding.processes << " under " << name_of(binding.mpi);
}

Job job_of(const Binding& binding) {
  return {binding.processes, program(binding.program, binding.mpi), "", "", binding.mpi};
}

// The result of a program, recorded once for all tests of a process.
struct RecordedProgram {
  Scratch scratch;
  Outcome outcome;
  Result<Recording> recording = Recording{};
};

class Fortran : public testing::TestWithParam<Binding> {
 protected:
  void SetUp() override {
    static std::map<std::string, RecordedProgram> all;
    const auto [found, is_new] = all.try_emplace(testing::PrintToString(GetParam()));
    run_ = &found->second;
    if (is_new) {
      run_->outcome = run_recorded(run_->scratch, job_of(GetParam()));
      run_->recording = recorded(run_->scratch);
    }
    ASSERT_EQ(run_->outcome.exit_code, 0) << run_->outcome.errors;
    ASSERT_TRUE(run_->recording) << to_string(run_->recording.error());
  }
  const Recording& recording() const { return *run_->recording; }

  RecordedProgram* run_ = nullptr;
};

TEST_P(Fortran, TotalsAreThoseOfTheText) {
  const int p = GetParam().processes;
  ASSERT_EQ(recording().processes, p);
  EXPECT_TRUE(recording().losses.empty());
  const std::map<std::string, std::uint64_t> expected{
      {"MPI_Init_thread", 1}, {"MPI_Irecv", 5},      {"MPI_Send", 5},       {"MPI_Wait", 4},
      {"MPI_Sendrecv", 2},    {"MPI_Isend", 2},      {"MPI_Waitall", 4},    {"MPI_Startall", 3},
      {"MPI_Probe", 1},       {"MPI_Recv", 1},       {"MPI_Waitany", 2},    {"MPI_Barrier", 1},
      {"MPI_Bcast", 2},       {"MPI_Reduce", 1},     {"MPI_Allreduce", 1},  {"MPI_Allgather", 1},
      {"MPI_Alltoallv", 1},   {"MPI_Iallreduce", 1}, {"MPI_Comm_split", 1}, {"MPI_Comm_free", 1},
      {"MPI_Finalize", 1}};
  for (const RankCounts& counts : count(recording())) {
    EXPECT_EQ(counts.calls, expected) << "rank " << counts.rank;
    EXPECT_EQ(counts.messages_sent, 11u);
    EXPECT_EQ(counts.bytes_sent, 8u * (16 + 3 + 2 + 7 + 1 + 1 + 8 + 4) + 3u * 4);
    EXPECT_EQ(counts.collective_bytes, 8u * (5 + 2 + 1 + 1) + 4u * (1 + static_cast<unsigned>(p) + 1));
  }
}

TEST_P(Fortran, PeersAndPlacesAreTheProgramsOwn) {
  const int p = GetParam().processes;
  for (const RankRecording& rank : recording().ranks) {
    std::map<std::string, std::set<std::uint32_t>> places;
    std::multiset<std::uint32_t> started, completed;
    for (const Event& event : rank.events) {
      const std::string& call = recording().calls[event.call].name;
      places[call].insert(event.site);
      EXPECT_EQ(fs::path(path_of(rank, event)).filename(), GetParam().program) << call;
      if (event.request) started.insert(event.request);
      if (call == "MPI_Isend") EXPECT_EQ(event.message.peer, (rank.rank + 1) % p);
    }
    for (const Completion& completion : rank.completions) completed.insert(completion.request);
    EXPECT_EQ(started, completed);
    EXPECT_EQ(places["MPI_Send"].size(), 5u);
    EXPECT_EQ(places["MPI_Irecv"].size(), 5u);
    EXPECT_EQ(places["MPI_Startall"].size(), 1u);
    EXPECT_TRUE(rank.finalised);
  }
}

TEST_P(Fortran, TheProgramPrintsAndReturnsTheSame) {
  const Job job = job_of(GetParam());
  const Outcome &with = run_->outcome, without = run_plain(run_->scratch, job);
  EXPECT_EQ(without.exit_code, 0);
  EXPECT_EQ(lines_of(with.output), lines_of(without.output));
  EXPECT_EQ(lines_of(with.output).size(), static_cast<std::size_t>(job.processes));
}

std::vector<Binding> bindings() {
  std::vector<Binding> out;
  for (const Mpi mpi : families())
    for (const auto& [name, processes] : std::map<std::string, std::vector<int>>{
             {"fortran_mpif", {2, 5}}, {"fortran_mpi", {3}}, {"fortran_mpi_f08", {2, 4}}})
      for (const int p : processes) out.push_back({mpi, name, p});
  return out;
}
INSTANTIATE_TEST_SUITE_P(By, Fortran, testing::ValuesIn(bindings()), [](const auto& each) {
  return each.param.program + "_on_" + std::to_string(each.param.processes) + "_under_" +
         name_of(each.param.mpi);
});

class FortranRegions : public testing::TestWithParam<Mpi> {};

TEST_P(FortranRegions, HaveTheirPathsAndParameters) {
  const Scratch scratch;
  const Mpi mpi = GetParam();
  const Job job{2, program("fortran_regions", mpi), "", "", mpi};
  EXPECT_EQ(run_plain(scratch, job).exit_code, 0);
  const Recording recording = record_program(scratch, job);
  EXPECT_EQ(recording.parameters, (std::map<std::string, double>{{"cells", 4096}}));
  std::vector<std::string> barriers;
  for (const Event& event : recording.ranks[1].events)
    if (recording.calls[event.call].name == "MPI_Barrier")
      barriers.push_back(recording.ranks[1].regions[event.region]);
  EXPECT_EQ(barriers,
            (std::vector<std::string>{"step", "step/inner", "step", "step/inner", "step", "step/inner"}));
}

INSTANTIATE_TEST_SUITE_P(By, FortranRegions, testing::ValuesIn(families()),
                         [](const auto& each) { return name_of(each.param); });

class FortranNames : public testing::TestWithParam<Mpi> {};

TEST_P(FortranNames, OfEveryConventionAreSeenAndToolsAreNot) {
  const Scratch scratch;
  const Mpi mpi = GetParam();
  const Recording recording = record_program(scratch, {2, program("fortran_names", mpi), "", "", mpi});
  for (const RankRecording& rank : recording.ranks) {
    std::set<std::uint32_t> places;
    int known = 0, unknown = 0;
    for (const Event& event : rank.events) {
      if (recording.calls[event.call].name != "MPI_Barrier") continue;
      const bool here = fs::path(path_of(rank, event)).filename() == "fortran_names";
      ++(here ? known : unknown);
      if (here) places.insert(event.site);
    }
    EXPECT_EQ(known, 5);    // four names, and that of C
    EXPECT_EQ(unknown, 1);  // pmpi_barrier_
    EXPECT_EQ(places.size(), 5u);
  }
}

TEST_P(FortranNames, OfAPluginsOwnBindingAreFound) {
  const Scratch scratch;
  const Mpi mpi = GetParam();
  const Job job{2, program("fortran_host", mpi) + " " + program("libfortran_plugin.so", mpi), "", "", mpi};
  EXPECT_EQ(run_plain(scratch, job).exit_code, 0);
  const Recording recording = record_program(scratch, job);
  ASSERT_EQ(recording.ranks.size(), 2u);
  for (const RankCounts& counts : count(recording)) EXPECT_EQ(counts.calls.at("MPI_Barrier"), 1u);
}

INSTANTIATE_TEST_SUITE_P(By, FortranNames, testing::ValuesIn(families()),
                         [](const auto& each) { return name_of(each.param); });

}  // namespace
}  // namespace parcast::record_tests
