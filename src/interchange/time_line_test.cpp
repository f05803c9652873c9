// SPDX-License-Identifier: Apache-2.0
#include "interchange/time_line.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>

#include "interchange/rank_writer.h"

namespace parcast::interchange {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr std::uint64_t kSecond = 1'000'000'000, kDay = 1'700'000'000 * kSecond;

/// A recording whose ranks have the time when MPI_Init returned on the host's monotonic clock and as time of
/// day.
class Hosts {
 public:
  Hosts() {
    std::string name = (fs::temp_directory_path() / "parcast-line-XXXXXX").string();
    folder = ::mkdtemp(name.data()) ? name : "";
  }
  ~Hosts() { fs::remove_all(folder); }

  struct Rank {
    const char* host;
    std::uint64_t monotonic, day;
  };
  recording::Recording record(const std::vector<Rank>& ranks) {
    for (const Rank& each : ranks) {
      RankFacts facts;
      facts.rank = count_++;
      facts.processes = static_cast<std::int32_t>(ranks.size());
      facts.host = each.host;
      facts.zero = each.monotonic;
      facts.started = each.day;
      auto writer =
          RankWriter::create(folder / ("rank-" + std::to_string(facts.rank) + ".rec"), facts, 1 << 20);
      EXPECT_TRUE(writer.ok());
      const MpiCall* init = find_mpi_call("MPI_Init");
      (*writer)->write(
          {.call = init, .enter = each.monotonic - kSecond, .exit = each.monotonic, .compute = 0});
      EXPECT_TRUE((*writer)->finish(facts, std::nullopt).ok());
    }
    auto recording = recording::read_recording(folder);
    EXPECT_TRUE(recording.ok());
    return std::move(*recording);
  }

  fs::path folder;

 private:
  std::int32_t count_ = 0;
};

TEST(TimeLine, RanksOfAHostShareItsMonotonicClock) {
  Hosts hosts;
  const auto recording = hosts.record({{"a", 50 * kSecond, kDay}, {"a", 50 * kSecond + 300, kDay + 999}});
  const TimeLine line = time_line(recording, hosts.folder);
  EXPECT_THAT(line.zero, ElementsAre(50 * kSecond, 50 * kSecond + 300));
  EXPECT_EQ(line.day, kDay - 50 * kSecond);
  EXPECT_THAT(line.warnings, IsEmpty());
}

TEST(TimeLine, HostsAreAlignedByTheirClocksOfTheDayWhichIsSaid) {
  Hosts hosts;
  const auto recording = hosts.record({{"a", 50 * kSecond, kDay},
                                       {"b", 7000 * kSecond, kDay + 2 * kSecond},
                                       {"b", 7001 * kSecond, kDay + 5 * kSecond}});
  const TimeLine line = time_line(recording, hosts.folder);
  // the second rank of b is placed by the clock of b
  EXPECT_THAT(line.zero, ElementsAre(50 * kSecond, 52 * kSecond, 53 * kSecond));
  EXPECT_THAT(line.warnings, ElementsAre(HasSubstr("2 hosts are aligned by their clocks of the day")));
}

TEST(TimeLine, HostsWithoutAClockOfTheDayAreNotAlignedWhichIsSaid) {
  Hosts hosts;
  const auto recording = hosts.record({{"a", 50 * kSecond, kDay}, {"b", 70 * kSecond, 0}});
  const TimeLine line = time_line(recording, hosts.folder);
  EXPECT_THAT(line.zero, ElementsAre(50 * kSecond, 70 * kSecond));
  EXPECT_THAT(line.warnings, ElementsAre(HasSubstr("could not be aligned")));
}

TEST(TimeLine, NothingComesBeforeItsBeginning) {
  Hosts hosts;
  const auto recording = hosts.record({{"a", 3 * kSecond, kDay}});
  fs::remove(hosts.folder / "rank-0.rec");
  const TimeLine line = time_line(recording, hosts.folder);
  EXPECT_THAT(line.zero, ElementsAre(kSecond));  // MPI_Init began a second earlier
  EXPECT_THAT(line.warnings, ElementsAre(HasSubstr("the clocks of 1 ranks are not known")));
}

}  // namespace
}  // namespace parcast::interchange
