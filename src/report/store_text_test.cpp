// SPDX-License-Identifier: Apache-2.0
#include "report/store_text.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace parcast::report {
namespace {

store::Entry run(const char* digest, double n, double seconds) {
  store::Entry out;
  out.kind = store::Kind::measurement;
  out.digest = digest, out.program = "wave", out.machine = "here", out.processes = 4, out.seconds = seconds;
  out.parameters = {{"N", n}};
  out.began_at = "2026-11-21T08:35:47.000000Z";
  return out;
}

TEST(StoreText, RunsHaveAColumnPerParameter) {
  auto first = run("3fa9c1d2e0b411", 64, 1.25), second = run("77aac1d2e0b411", 128, 10);
  first.tags = {"base", "quiet"};
  second.parameters = {{"dt", 0.5}};
  second.began_at = "";
  EXPECT_EQ(store_runs_text({first, second}, {}),
            "id            program  p   N   dt  seconds  begun (UTC)          machine  tags\n"
            "3fa9c1d2e0b4  wave     4  64         1.250  2026-11-21 08:35:47  here     base quiet\n"
            "77aac1d2e0b4  wave     4      0.5    10.00                       here\n");
  EXPECT_EQ(store_runs_text({}, {}), "no run is stored that answers this\n");
}

TEST(StoreText, SaysWhatBecameOfRecordings) {
  AddedRecordings added;
  added.kept = {{"a.recording", "3fa9c1d2e0b411", true, true},
                {"b.recording", "77aac1d2e0b411", false, true}};
  EXPECT_EQ(added_text(added.kept[0]), "3fa9c1d2e0b4  kept   a.recording\n");
  EXPECT_EQ(added_text(added.kept[1]), "77aac1d2e0b4  known  b.recording\n");
  EXPECT_EQ(added_summary(added), "2 recordings kept, 1 of them known before");
  added.refused = {{"c.recording", "broken"}};
  EXPECT_EQ(added_summary(added), "2 recordings kept, 1 of them known before, 1 not");
  const auto json = nlohmann::json::parse(added_to_json(added));
  EXPECT_EQ(json["kept"][1]["new"], false);
  EXPECT_EQ(json["refused"][0]["why"], "broken");
}

TEST(StoreText, AWholeStoreNamesFilesThatAreGone) {
  const StoreChecked checked{{{"model", 1}, {"recording", 2}}, {"/data/a.recording"}};
  EXPECT_EQ(checked_text(checked, "parcast.db", {}),
            "parcast.db is intact: 1 model, 2 recordings\n  ! /data/a.recording is no longer there\n");
  EXPECT_EQ(nlohmann::json::parse(checked_to_json(checked))["entries"]["recording"], 2);
}

TEST(StoreText, TagsAndMergesAreCounted) {
  EXPECT_EQ(tags_text({{"base", 12}, {"quiet", 1}}, {}), "tag    entries\nbase        12\nquiet        1\n");
  EXPECT_EQ(taken_text({6, 3}, "b.db", "a.db"), "6 entries of b.db, 3 of them new to a.db\n");
  EXPECT_EQ(taken_text({1, 0}, "b.db", "a.db"), "1 entry of b.db, 0 of them new to a.db\n");
}

}  // namespace
}  // namespace parcast::report
