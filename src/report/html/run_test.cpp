// SPDX-License-Identifier: Apache-2.0
#include "report/html/run.h"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "report/html/base64.h"
#include "timeline/from_recording.h"

namespace parcast::report::html {
namespace {

using recording::CallClass;
using recording::Event;
using recording::Pattern;
using recording::Recording;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

constexpr std::uint16_t kSend = 0, kReceive = 1, kAllreduce = 2;
constexpr std::int64_t kMs = 1'000'000;
const std::string kBad = "</script><script>alert(1)</script>";

Event event(std::uint16_t call, std::int64_t enter, std::int64_t exit, std::int64_t compute,
            std::uint32_t region) {
  Event made;
  made.call = call, made.enter = enter * kMs, made.exit = exit * kMs, made.compute = compute * kMs;
  made.region = region;
  return made;
}

/// Rank 0 computes 10 ms in main/solve and 20 ms outside, sends for 1 ms, and is 4 ms in the reduction. Rank
/// 1 computes 4 ms in main/solve and 16 ms outside, receives for 8 ms, and is 7 ms in the reduction.
Recording run() {
  Recording made;
  made.program = "made", made.processes = 2, made.parameters = {{"N", 7}};
  made.calls = {{"MPI_Send", CallClass::send, Pattern::none},
                {"MPI_Recv", CallClass::receive, Pattern::none},
                {"MPI_Allreduce", CallClass::collective, Pattern::allreduce}};
  Event send = event(kSend, 10, 11, 10, 1), receive = event(kReceive, 4, 12, 4, 1);
  send.message = {1, 7, 800};
  receive.received = {0, 7, 800};
  for (const std::vector<Event>& events :
       {std::vector{send, event(kAllreduce, 31, 35, 20, 0)}, {receive, event(kAllreduce, 28, 35, 16, 0)}}) {
    recording::RankRecording rank;
    rank.rank = static_cast<std::int32_t>(made.ranks.size());
    rank.regions = {"", "main/solve"};
    rank.communicators.resize(1);
    rank.sites = {{}, {.function = "solve", .file = "src/solve.c", .line = 12}};
    rank.sites[0].function = "main";
    rank.events = events;
    rank.events[0].site = 1;
    rank.wall = 35 * kMs;
    for (const Event& each : events) rank.total_compute += each.compute;
    rank.host = "node" + std::to_string(rank.rank);
    made.ranks.push_back(rank);
  }
  return made;
}

RunReport report() {
  RunReport out;
  out.recording = run();
  out.views.push_back({"recorded", timeline::from_recording(out.recording, {{0, 0}, true, {}})});
  out.traffic.emplace(2, std::vector<program::Pair>{{0, 1, 1, 800}});
  out.version = "1", out.command = "parcast report made.recording";
  return out;
}

TEST(RunSummary, DividesTheTimeOfTheMeanRank) {
  const std::string html = run_summary(report());
  EXPECT_THAT(html, HasSubstr("<strong>35.0 ms</strong>"));
  // (30 + 20) / 2 of 35 ms; (1 + 8) / 2; (4 + 7) / 2
  EXPECT_THAT(html, HasSubstr("compute 71 %, point to point 13 %, collectives 16 %."));
  EXPECT_THAT(html, HasSubstr("<strong>83 %</strong>"));  // load balance 25 / 30
}

TEST(RunRegions, ComputingAndCallsAreInTheirRegions) {
  const std::string html = run_regions(report());
  // of both ranks together: 14 ms of computing and 9 ms in calls of 70 ms
  EXPECT_THAT(html,
              HasSubstr("data-value=\"made\"><span class=\"indent\" style=\"--depth:0\"></span><b>made</b>"
                        "</th><td class=\"number\" data-value=\"0.035\">35.0 ms"));
  EXPECT_THAT(html, HasSubstr("data-value=\"main/solve/computing\""));
  EXPECT_THAT(html, HasSubstr("<td class=\"number\" data-value=\"0.007\">7.00 ms</td><td class=\"number\" "
                              "data-value=\"0.200000\">"));
  EXPECT_THAT(html, HasSubstr("<td class=\"number\" data-value=\"0.004\">4.00 ms"));  // MPI_Recv
  EXPECT_THAT(html, HasSubstr("solve.c:12"));
}

TEST(RunRanks, UnevenComputingIsWhatTheSlowestHasOverTheMean) {
  const std::vector<RegionBalance> balance = balance_of_regions(run());
  ASSERT_EQ(balance.size(), 2u);
  EXPECT_EQ(balance[0].region, "main/solve");
  EXPECT_DOUBLE_EQ(balance[0].mean, 0.007);
  EXPECT_DOUBLE_EQ(balance[0].most, 0.010);
  EXPECT_DOUBLE_EQ(balance[0].least, 0.004);
  EXPECT_EQ(balance[0].slowest, 0);
  EXPECT_DOUBLE_EQ(balance[1].lost(), 0.002);
  EXPECT_THAT(run_ranks(report()), HasSubstr("<td class=\"number\" data-value=\"0.003\">3.00 ms"));
}

TEST(RunRanks, AreRowsOfABarChart) {
  // Of 35 ms on an axis of 632 units, 30 ms of computing are 541.71 wide.
  const std::string html = run_ranks(report());
  EXPECT_THAT(html, HasSubstr("rank 0, computing: 30 ms"));
  EXPECT_THAT(html, HasSubstr("rank 1, point to point: 8 ms"));
}

TEST(RunCalls, TheLongestComesFirst) {
  const std::string html = run_calls(report());
  EXPECT_LT(html.find("MPI_Allreduce"), html.find("MPI_Recv"));
  EXPECT_THAT(html, HasSubstr("data-value=\"0.011\">11.0 ms"));
  EXPECT_THAT(html, HasSubstr("data-value=\"800\">800 B"));
}

TEST(RunCommunication, DividesMessagesByHosts) {
  EXPECT_THAT(run_communication(report()),
              HasSubstr("between hosts</th><td class=\"number\" data-value=\"1\">1"));
  RunReport one_host = report();
  one_host.recording.ranks[1].host = "node0";
  EXPECT_THAT(run_communication(one_host), Not(HasSubstr("between hosts")));
}

TEST(Timelines, ShowWhatIsOnTheCriticalPath) {
  const std::string html = timelines(report().views);
  EXPECT_THAT(html,
              HasSubstr("class=\"fill-red\""));  // rank 1 waits 6 ms for the message, 3 ms in the reduction
  EXPECT_THAT(html, HasSubstr("<title>critical path</title>"));
  // All of it is on rank 0: 10 ms in main/solve, 20 ms outside.
  EXPECT_THAT(html,
              HasSubstr("<th scope=\"row\">computing</th><td>outside of regions</td><td class=\"number\" "
                        "data-value=\"0.02\">20.0 ms"));
  EXPECT_THAT(
      html, HasSubstr("<td>MPI_Recv</td><td>main/solve</td><td class=\"number\" data-value=\"0.004\">4.00 ms"
                      "</td><td class=\"number\" data-value=\"0.006\">6.00 ms"));
  EXPECT_EQ(timelines({}), "");
}

std::string bytes_of(const std::string& text) {
  const std::string digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  unsigned group = 0, bits = 0;
  for (const char c : text) {
    if (c == '=') break;
    group = group << 6 | static_cast<unsigned>(digits.find(c)), bits += 6;
    if (bits >= 8) bits -= 8, out += static_cast<char>(group >> bits & 255);
  }
  return out;
}

std::vector<std::uint64_t> numbers_of(const std::string& text) {
  std::vector<std::uint64_t> out;
  std::uint64_t value = 0;
  int shift = 0;
  for (const char c : bytes_of(text)) {
    value |= static_cast<std::uint64_t>(c & 127) << shift, shift += 7;
    if (!(c & 128)) out.push_back(value), value = 0, shift = 0;
  }
  return out;
}

TEST(TimelinesJson, HoldsTheSpans) {
  const auto json = nlohmann::json::parse(timelines_json(report().views));
  EXPECT_EQ(json["schema"], "parcast.timeline/1");
  const auto& timeline = json["timelines"][0];
  EXPECT_EQ(timeline["length"], 35 * kMs);
  EXPECT_EQ(timeline["lanes"][0], nlohmann::json::parse("[0, 0, \"node0\", 4]"));
  const std::vector<std::uint64_t> spans = numbers_of(timeline["spans"]);
  // computing 10 ms in region 1; MPI_Send is name 1, point to point activity 1
  EXPECT_THAT(std::vector(spans.begin(), spans.begin() + 8),
              ElementsAre(0, 0, 10 * kMs, 1, 1 | 1 << 3, 0, kMs, 1));
  // lanes, times (signed numbers are doubled), bytes, tag
  EXPECT_THAT(numbers_of(timeline["messages"]), ElementsAre(0, 1, 20 * kMs, 4 * kMs, 800, 14));
  EXPECT_EQ(timelines_json({}), "");
}

TEST(Base64, IsThatOfRfc4648) {
  EXPECT_EQ(base64(""), "");
  EXPECT_EQ(base64("f"), "Zg==");
  EXPECT_EQ(base64("fo"), "Zm8=");
  EXPECT_EQ(base64("foobar"), "Zm9vYmFy");
}

TEST(RunPage, TextOfARecordingCannotBecomeMarkup) {
  RunReport hostile = report();
  Recording& recording = hostile.recording;
  recording.program = recording.machine_summary = recording.mpi_library = recording.started = kBad;
  recording.command = {kBad};
  for (auto& rank : recording.ranks) {
    rank.host = rank.regions[1] = kBad, rank.sites[1].file = kBad;
    rank.usage = {{.region = 1, .minor_faults = 3}};
  }
  recording.calls[0].name = kBad;
  hostile.views = {{kBad, timeline::from_recording(recording, {{0, 0}, true, {kBad}})}};
  hostile.warnings = {kBad}, hostile.command = hostile.version = kBad;
  hostile.files = {{kBad, kBad, kBad}};
  const std::string html = page(document_of(hostile));
  EXPECT_THAT(html, Not(HasSubstr("<script>alert")));
  EXPECT_THAT(html, HasSubstr("&lt;script&gt;alert(1)&lt;/script&gt;"));
  EXPECT_THAT(html, HasSubstr("\\u003c/script>"));
  EXPECT_THAT(html, Not(HasSubstr("<section id=\"phases\">")));  // there are none
}

}  // namespace
}  // namespace parcast::report::html
