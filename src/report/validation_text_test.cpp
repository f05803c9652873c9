// SPDX-License-Identifier: Apache-2.0
#include "report/validation_text.h"

#include <gmock/gmock.h>

#include "report/store_text.h"

namespace parcast::report {
namespace {

using testing::HasSubstr;

store::ValidatedPoint point(const char* program, double n, int p, double predicted, double measured) {
  store::ValidatedPoint out;
  out.program = program, out.machine = "here", out.engine = "equation";
  out.parameters = {{"N", n}, {"steps", 100}};
  out.processes = p, out.predicted = predicted, out.low = 0.9 * predicted, out.high = 1.1 * predicted,
  out.level = 0.9;
  out.measured = out.fastest = out.slowest = measured, out.runs = 5;
  out.error = (predicted - measured) / measured;
  out.hit = out.low <= measured && measured <= out.high;
  return out;
}

store::Validation two_points() {
  store::Validation out;
  out.points = {point("wave", 256, 4, 10, 10.5), point("wave", 512, 4, 40, 50)};
  out.all = store::summarize(out.points);
  out.programs = {store::summarize(out.points, "wave")};
  out.unanswered = {{"wave", "", {{"N", 512}}, 8, 9, 5}};
  out.notes = {"measured_at without a time zone was read as UTC"};
  return out;
}

TEST(ValidationText, ShowsPointsErrorsAndCoverageBesideTheNominalOne) {
  EXPECT_EQ(validation_text(two_points(), {}),
            "wave on here, steps = 100: predictions stored before 10 runs\n"
            "\n"
            "  p    N  predicted  interval          measured  runs    error\n"
            "  4  256     10.0 s  9.00 s .. 11.0 s    10.5 s     5   -4.8 %  hit\n"
            "  4  512     40.0 s  36.0 s .. 44.0 s    50.0 s     5  -20.0 %  missed\n"
            "\n"
            "  |error|    median 12.4 %, 90 % below 18.5 %, worst 20.0 %; mean -12.4 %\n"
            "  intervals  hold 50.0 % of 2 points, should hold 90.0 %; width 18 % of the time, interval "
            "score 138 %\n"
            "  ! 1 of 3 points have no prediction:\n"
            "    line 9: wave, p = 8, N = 512\n"
            "  ! measured_at without a time zone was read as UTC\n");
}

TEST(ValidationText, SeveralProgramsAreSummedUpEach) {
  auto validation = two_points();
  validation.published = true;
  validation.points.push_back(point("heat", 256, 4, 10, 10));
  validation.all = store::summarize(validation.points);
  validation.programs = {store::summarize({validation.points[2]}, "heat"), validation.programs[0]};
  validation.mean_of_programs = 0.062;
  const std::string text = validation_text(validation, {});
  EXPECT_THAT(text, HasSubstr("2 programs on here, steps = 100: against published data"));
  EXPECT_THAT(text, HasSubstr("  heat          1           0.0 %       0.0 %   0.0 %   +0.0 %      100%\n"
                              "  wave          2          12.4 %      18.5 %  20.0 %  -12.4 %       50%\n"
                              "  mean over programs of the median |error|: 6.2 %\n"));
}

store::Entry entry() {
  store::Entry out;
  out.kind = store::Kind::prediction;
  out.digest = std::string(64, 'a');
  out.stored_at = "2026-11-21T08:35:47.123456Z", out.tool_version = "0.1.0";
  out.program = "wave", out.machine = "here", out.engine = "equation";
  out.parameters = {{"N", 256}};
  out.processes = 4, out.nodes = 1, out.ranks_per_node = 4, out.threads = 1;
  out.seconds = 3.25, out.low = 3, out.high = 3.5, out.level = 0.9;
  out.model_digest = "bb", out.machine_digest = "cc";
  return out;
}

TEST(StoreText, ListsAndShows) {
  auto machine = entry();
  machine.kind = store::Kind::machine;
  machine.parameters.clear(), machine.processes = 0, machine.path = "/data/here.machine.toml";
  EXPECT_EQ(store_list_text({entry(), machine}, {}),
            "id            kind        stored (UTC)           time  what                           file\n"
            "aaaaaaaaaaaa  prediction  2026-11-21 08:35:47  3.25 s  wave, p = 4, N = 256, on here\n"
            "aaaaaaaaaaaa  machine     2026-11-21 08:35:47          here                           "
            "/data/here.machine.toml\n");
}

TEST(StoreText, AMeasurementNeedNotNameItsProgram) {
  auto measured = entry();
  measured.kind = store::Kind::measurement;
  measured.program.clear(), measured.machine.clear();
  EXPECT_THAT(store_list_text({measured}, {}), HasSubstr("3.25 s  p = 4, N = 256\n"));
}

TEST(StoreText, AnEmptyStoreSaysSo) {
  EXPECT_EQ(store_list_text({}, {}), "nothing is stored\n");
}

TEST(StoreText, AnEntryShowsEverythingAndItsContent) {
  auto one = entry();
  one.content = "{}";
  EXPECT_EQ(store_entry_text(one, {}),
            "prediction aaaaaaaaaaaa  wave, p = 4, N = 256, on here\n"
            "\n"
            "  digest    " +
                std::string(64, 'a') +
                "\n"
                "  stored    2026-11-21T08:35:47.123456Z by version 0.1.0\n"
                "  seconds   3.25\n"
                "  interval  3 .. 3.5 (90.0 %)\n"
                "  engine    equation\n"
                "  placed    1 node of 4 processes, 1 thread\n"
                "  model     bb\n"
                "  machine   cc\n"
                "\n"
                "{}\n");
}

}  // namespace
}  // namespace parcast::report
