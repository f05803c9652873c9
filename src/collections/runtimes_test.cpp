// SPDX-License-Identifier: Apache-2.0
// The same program by every runtime prints the same.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "collections/testing/recorded_events.h"

namespace parcast::collections {
namespace {

using testing::HasSubstr;

struct Output {
  std::string text;
  int code = 0;
};

Output output_of(const std::string& command) {
  Output out;
  std::FILE* pipe = popen((command + " 2>&1").c_str(), "r");
  char piece[4096];
  for (std::size_t got; pipe && (got = std::fread(piece, 1, sizeof piece, pipe)) > 0;)
    out.text.append(piece, got);
  out.code = pipe ? pclose(pipe) : -1;
  return out;
}

const std::string kProgram = PARCAST_RESULTS;
std::string arguments(int seed, const std::string& name) {
  return " " + std::to_string(seed) + " " + testing::TempDir() + "collections-" + name + ".bin ";
}

TEST(ByEveryRuntime, ResultsAreTheSameToTheBit) {
  for (int processors = 1; processors <= 17; ++processors) {
    const auto by = [&](const std::string& runtime) {
      return output_of(kProgram + arguments(processors, "same") + "--collections " + runtime + ":" +
                       std::to_string(processors));
    };
    const Output fibres = by("cooperative");
    EXPECT_EQ(fibres.code, 0) << fibres.text;
    EXPECT_GT(fibres.text.size(), 1000U);
    EXPECT_EQ(fibres.text, by("threads").text) << processors;
  }
}

#ifdef PARCAST_MPIEXEC
/// Waiting processes yield: there may be more of them than cores.
std::string by_mpi(int processes) {
  return "OMPI_MCA_mpi_yield_when_idle=1 OMPI_ALLOW_RUN_AS_ROOT=1 "
         "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 " PARCAST_MPIEXEC " --oversubscribe " PARCAST_MPIEXEC_N " " +
         std::to_string(processes) + " ";
}

TEST(ByEveryRuntime, ProcessesOfMpiHaveTheResultsOfFibres) {
  for (const int processes : {1, 2, 3, 5}) {
    const Output fibres = output_of(kProgram + arguments(processes, "mpi") +
                                    "--collections cooperative:" + std::to_string(processes));
    const Output processed = output_of(by_mpi(processes) + kProgram + arguments(processes, "mpi"));
    EXPECT_EQ(processed.code, 0);
    EXPECT_EQ(fibres.text, processed.text) << processes;
  }
}

TEST(ByEveryRuntime, ProcessesOfMpiAreRecordedAsFibresAre) {
  const auto recorded = [](const std::string& name, const std::string& launcher, const std::string& runtime) {
    const std::filesystem::path folder =
        testing::TempDir() + "collections-" + name + std::to_string(getpid());
    const Output run = output_of("PARCAST_OUT=" + folder.string() + " " + launcher + kProgram +
                                 arguments(3, name) + runtime);
    EXPECT_EQ(run.code, 0) << run.text;
    auto recording = recording::read_recording(folder);
    EXPECT_TRUE(recording && recording->losses.empty());
    std::filesystem::remove_all(folder);
    return recording ? *recording : recording::Recording{};
  };
  const auto fibres = recorded("fibres", "", "--collections cooperative:3"),
             processes = recorded("processes", by_mpi(3), "");
  ASSERT_EQ(processes.processes, 3);
  for (int rank = 0; rank < 3; ++rank) {
    EXPECT_EQ(events_of(fibres, rank), events_of(processes, rank));
    EXPECT_GT(events_of(fibres, rank).size(), 200U);
  }
}

TEST(ByEveryRuntime, AProcessThatLeavesWhileOthersWaitEndsAll) {
  const Output failed = output_of("timeout 60 env " + by_mpi(3) + kProgram + " leave");
  EXPECT_NE(failed.code, 0);
  EXPECT_THAT(failed.text, HasSubstr("processor 1 leaves the scope of a"));
}

TEST(ByEveryRuntime, AnErrorOfAProcessEndsAll) {
  const Output failed = output_of(by_mpi(3) + kProgram + " 1 /no/such/folder/file");
  EXPECT_NE(failed.code, 0);
  EXPECT_THAT(failed.text, HasSubstr("processor 0: /no/such/folder/file cannot be written"));
}
#endif

}  // namespace
}  // namespace parcast::collections
