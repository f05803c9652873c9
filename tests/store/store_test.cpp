// SPDX-License-Identifier: Apache-2.0
#include "store/store.h"

#include <chrono>
#include <limits>
#include <thread>

#include "model/model_file.h"
#include "predict/prediction_file.h"
#include "store/databases.h"

namespace parcast::store {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class StoreTest : public OnEachDatabase {};
ON_EACH_DATABASE(StoreTest);

TEST_P(StoreTest, OtherParametersOfARecordingReplaceThoseKept) {
  Store store = open();
  recording::Recording recording = small_recording();
  std::vector<Difference> differing;
  ASSERT_TRUE(store.add_recording("/data/wave-1.recording", recording, &differing));
  EXPECT_TRUE(differing.empty());
  recording.parameters = {{"N", 128}};
  ASSERT_TRUE(store.add_recording("/data/wave-1.recording", recording, &differing));
  ASSERT_EQ(differing.size(), 1u);
  EXPECT_EQ(differing[0].text("before", "now"), "N: 64 before, 128 now; dt: 0.1 before, none now");
  EXPECT_EQ(store.list()->front().parameters, (std::map<std::string, double>{{"N", 128}}));
  // Entries of another store are reported as differing, and the stored ones stay.
  Entry other = store.list()->front();
  other.parameters = {{"N", 256}};
  const auto taken = store.take({other, other});
  ASSERT_TRUE(taken) << error_of(taken);
  EXPECT_EQ(taken->fresh, 0u);
  ASSERT_EQ(taken->differing.size(), 2u);
  EXPECT_EQ(taken->differing[0].text("here", "there"), "N: 128 here, 256 there");
  EXPECT_EQ(store.list()->front().parameters, (std::map<std::string, double>{{"N", 128}}));
  // The same entry twice in one call is no difference.
  Entry fresh = other;
  fresh.digest = std::string(64, 'c');
  EXPECT_TRUE(store.take({fresh, fresh})->differing.empty());
  EXPECT_TRUE(store.check()) << error_of(store.check());
}

TEST_P(StoreTest, KeepsEachNounWithItsColumns) {
  Store store = open();
  ASSERT_TRUE(store.add_recording("/data/wave-1.recording", small_recording()));
  ASSERT_TRUE(store.add_model("/data/wave.model.json", small_model()));
  ASSERT_TRUE(store.add_machine("/data/here.machine.toml", small_machine()));
  const auto prediction =
      store.add_prediction(small_prediction(256, 4, 3.25), small_model(), small_machine());
  ASSERT_TRUE(prediction) << error_of(prediction);
  ASSERT_TRUE(store.add_measurement(run_number(1)));

  const auto all = store.list();
  ASSERT_TRUE(all);
  ASSERT_EQ(all->size(), 5u);
  const Entry& recording = all->at(0);
  EXPECT_EQ(recording.kind, Kind::recording);
  EXPECT_EQ(recording.digest, std::string(64, 'a'));
  EXPECT_EQ(recording.path, "/data/wave-1.recording");
  EXPECT_EQ(recording.processes, 2);
  EXPECT_EQ(recording.seconds, 1.75);
  EXPECT_EQ(recording.began, "2026-11-21T08:00:00Z");
  EXPECT_EQ(recording.parameters, (std::map<std::string, double>{{"N", 64}, {"dt", 0.1}}));
  EXPECT_THAT(all->at(1).sources, ElementsAre("aaaa", "bbbb"));
  EXPECT_EQ(all->at(1).content, "");

  const auto shown = store.show(prediction->substr(0, 8));
  ASSERT_TRUE(shown) << error_of(shown);
  EXPECT_EQ(shown->digest, *prediction);
  EXPECT_EQ(shown->content, predict::to_json(small_prediction(256, 4, 3.25)));
  EXPECT_EQ(shown->seconds, 3.25);
  EXPECT_EQ(shown->low, 0.9 * 3.25);
  EXPECT_EQ(shown->high, 1.1 * 3.25);
  EXPECT_EQ(shown->level, 0.9);
  EXPECT_EQ(shown->model_digest, all->at(1).digest);
  EXPECT_EQ(shown->machine_digest, all->at(2).digest);
  const auto model = store.show(shown->model_digest);
  ASSERT_TRUE(model);
  EXPECT_EQ(model->content, program::to_json(small_model()));
  EXPECT_TRUE(store.check()) << error_of(store.check());
}

TEST_P(StoreTest, ACalibrationStandsBesideItsMachine) {
  Store store = open();
  const auto machine =
      store.add_calibration("/data/here.machine.toml", small_machine(), "all that was measured\nend\n");
  ASSERT_TRUE(machine) << error_of(machine);
  EXPECT_EQ(*machine, *store.add_machine("/data/here.machine.toml", small_machine()));
  const auto all = store.list("calibrations");
  ASSERT_TRUE(all);
  ASSERT_EQ(all->size(), 1u);
  EXPECT_EQ(all->at(0).machine_digest, *machine);
  EXPECT_EQ(all->at(0).machine, small_machine().name);
  EXPECT_EQ(store.show(all->at(0).digest)->content, "all that was measured\nend\n");
  ASSERT_TRUE(store.tag(*all, {"kept"}));
  EXPECT_TRUE(store.check()) << error_of(store.check());

  const Folder folder;
  auto other = Store::open(folder.file("other.db"));
  ASSERT_TRUE(other);
  const auto merged = other->merge(store);
  ASSERT_TRUE(merged) << error_of(merged);
  EXPECT_EQ(merged->fresh, 2u);
  EXPECT_EQ(other->show(all->at(0).digest)->content, "all that was measured\nend\n");
  auto changed = *other->show(all->at(0).digest);
  changed.content += "more";
  EXPECT_FALSE(other->take({changed})) << "its digest tells";

  const auto removed = store.remove(*store.list("machines"), false);
  ASSERT_TRUE(removed) << error_of(removed);
  EXPECT_EQ(removed->size(), 2u) << "a machine's calibration goes with it";
  EXPECT_TRUE(store.check()) << error_of(store.check());
  ASSERT_TRUE(other->remove(*other->list("calibrations"), false));
  EXPECT_EQ(other->list()->size(), 1u) << "and without it the machine stays";
}

TEST_P(StoreTest, AddingAgainKeepsTheFirstTimeAndTheNewestPath) {
  Store store = open();
  const auto first = store.add_prediction(small_prediction(256, 4, 3.25), small_model(), small_machine());
  const auto before = store.list("predictions");
  std::this_thread::sleep_for(std::chrono::milliseconds(2));
  const auto second = store.add_prediction(small_prediction(256, 4, 3.25), small_model(), small_machine());
  ASSERT_TRUE(first && second && before);
  EXPECT_EQ(*first, *second);
  const auto after = store.list("prediction");
  ASSERT_TRUE(after);
  ASSERT_EQ(after->size(), 1u);
  EXPECT_EQ(after->at(0).stored_at, before->at(0).stored_at);

  ASSERT_TRUE(store.add_machine("/old/here.machine.toml", small_machine()));
  ASSERT_TRUE(store.add_machine("/new/here.machine.toml", small_machine()));
  ASSERT_TRUE(store.add_prediction(small_prediction(512, 4, 9), small_model(), small_machine()));
  const auto machines = store.list("machines");
  ASSERT_TRUE(machines);
  ASSERT_EQ(machines->size(), 1u);
  EXPECT_EQ(machines->at(0).path, "/new/here.machine.toml");
}

TEST_P(StoreTest, ADifferentModelGivesADifferentPrediction) {
  Store store = open();
  program::Model other = small_model();
  other.sources[0].digest = "cccc";
  const auto a = store.add_prediction(small_prediction(256, 4, 3.25), small_model(), small_machine());
  const auto b = store.add_prediction(small_prediction(256, 4, 3.25), other, small_machine());
  ASSERT_TRUE(a && b);
  EXPECT_NE(*a, *b);
}

TEST_P(StoreTest, EveryDoubleComesBackAsItWas) {
  Store store = open();
  const std::map<std::string, double> values{{"a", 0.1},
                                             {"b", 1e-300},
                                             {"c", -1.0 / 3},
                                             {"d", 9007199254740993.0},
                                             {"e'; DROP TABLE models; --", 5e300}};
  Measurement m = run_number(0);
  m.point.parameters = values;
  m.seconds = 1.0000000000000002;
  ASSERT_TRUE(store.add_measurement(m));
  const auto rows = store.list("measurements");
  ASSERT_TRUE(rows);
  EXPECT_EQ(rows->at(0).parameters, values);
  EXPECT_EQ(rows->at(0).seconds, 1.0000000000000002);
}

TEST_P(StoreTest, NamesAreCheckedWithAGuess) {
  Store store = open();
  EXPECT_THAT(error_of(store.list("predictons")), HasSubstr("did you mean predictions?"));
  EXPECT_THAT(error_of(store.show("zz")), HasSubstr("is not an identifier"));
  EXPECT_THAT(error_of(store.show("ab")), HasSubstr("nothing in the store begins with ab"));
}

TEST_P(StoreTest, AnAmbiguousIdentifierListsTheCandidates) {
  Store store = open();
  auto recording = small_recording();
  ASSERT_TRUE(store.add_recording("/a", recording));
  recording.digest = std::string(63, 'a') + "b";
  ASSERT_TRUE(store.add_recording("/b", recording));
  EXPECT_THAT(error_of(store.show("aaa")), HasSubstr("2 entries begin with aaa"));
  const auto exact = store.show(recording.digest);
  ASSERT_TRUE(exact);
  EXPECT_EQ(exact->path, "/b");
}

TEST_P(StoreTest, AFailedBatchKeepsNothing) {
  Store store = open();
  auto bad = run_number(2);
  bad.seconds = std::numeric_limits<double>::quiet_NaN();  // NULL to SQLite, a number to PostgreSQL
  EXPECT_FALSE(store.add_measurements({run_number(1), bad}));
  const auto rows = store.list();
  ASSERT_TRUE(rows);
  EXPECT_TRUE(rows->empty());
  EXPECT_TRUE(store.add_measurements({run_number(1), run_number(2)}));
  EXPECT_EQ(store.list()->size(), 2u);
}

TEST_P(StoreTest, ListsOldestFirst) {
  Store store = open();
  for (int i = 0; i < 5; ++i) ASSERT_TRUE(store.add_measurement(run_number(9 - i)));
  const auto rows = store.list("measurements");
  ASSERT_TRUE(rows);
  for (int i = 0; i < 5; ++i) EXPECT_EQ(rows->at(static_cast<std::size_t>(i)).parameters.at("N"), 64 + 9 - i);
}

}  // namespace
}  // namespace parcast::store
