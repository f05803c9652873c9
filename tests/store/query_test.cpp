// SPDX-License-Identifier: Apache-2.0
// Finding, tagging, removing and merging entries.
#include <algorithm>
#include <chrono>
#include <thread>

#include "store/databases.h"
#include "store/entries_file.h"
#include "store/runs_csv.h"

namespace parcast::store {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

class StoreQuery : public OnEachDatabase {};
ON_EACH_DATABASE(StoreQuery);

Measurement run(const std::string& program, const std::string& machine, double n, int p,
                const std::string& when) {
  return {program, machine, {{{"N", n}}, p}, 0, 0, 0, n / p, when, "", 0};
}

/// Returns N of the runs that a query finds, ascending, since runs stored together are in the order of their
/// digests.
std::vector<double> found(const Store& store, const Query& query) {
  const auto answer = store.find(query);
  if (!answer) ADD_FAILURE() << error_of(answer);
  std::vector<double> out;
  for (const Entry& entry : answer->entries) out.push_back(entry.parameters.at("N"));
  std::sort(out.begin(), out.end());
  return out;
}

TEST_P(StoreQuery, FindsByEachPropertyAndByAllTogether) {
  Store store = open();
  ASSERT_TRUE(store.add_recording("/w", small_recording()));  // N 64, p 2, 2026-11-21T08:00:00Z
  ASSERT_TRUE(
      store.add_measurements({run("wave", "here", 128, 2, "2026-11-21T09:00:00+02:00"),
                              run("wave", "there", 256, 4, "2026-11-22"), run("heat", "here", 512, 8, "")}));
  EXPECT_THAT(found(store, {}), ElementsAre(64, 128, 256, 512));
  EXPECT_THAT(found(store, {.kinds = {Kind::measurement}}), ElementsAre(128, 256, 512));
  EXPECT_THAT(found(store, {.program = "wave"}), ElementsAre(64, 128, 256));
  EXPECT_THAT(found(store, {.machine = "here"}), ElementsAre(128, 512));
  EXPECT_THAT(found(store, {.machine = "some processor"}), ElementsAre(64))
      << "a recording's processor is known by how it begins";
  EXPECT_THAT(found(store, {.processes = Bounds{2, 4}}), ElementsAre(64, 128, 256));
  EXPECT_THAT(found(store, {.processes = Bounds{2.5, 7.5}}), ElementsAre(256));
  EXPECT_THAT(found(store, {.parameters = {{"N", {128, 256}}}}), ElementsAre(128, 256));
  EXPECT_THAT(found(store, {.parameters = {{"N", {.least = 200}}}}), ElementsAre(256, 512));
  EXPECT_THAT(found(store, {.parameters = {{"N", {64, 64}}, {"dt", {0.1, 0.1}}}}), ElementsAre(64));
  EXPECT_THAT(found(store, {.parameters = {{"dt", {}}}}), ElementsAre(64))
      << "a run without the parameter is not meant";
  EXPECT_THAT(found(store, {.program = "wave",
                            .machine = "here",
                            .processes = Bounds{1, 2},
                            .parameters = {{"N", {100, 200}}}}),
              ElementsAre(128));
}

TEST_P(StoreQuery, TimesAreComparedAsMomentsAndUndatedRunsAreCounted) {
  Store store = open();
  ASSERT_TRUE(store.add_measurements({run("wave", "here", 1, 1, "2026-11-21T09:00:00+02:00"),
                                      run("wave", "here", 2, 1, "2026-11-21T08:00:00Z"),
                                      run("wave", "here", 3, 1, "")}));
  const auto answer = store.find({.since = "2026-11-21T07:30:00.000000Z"});
  ASSERT_TRUE(answer);
  ASSERT_EQ(answer->entries.size(), 1u);
  EXPECT_EQ(answer->entries[0].parameters.at("N"), 2);
  EXPECT_EQ(answer->undated, 1);
  EXPECT_THAT(found(store, {.until = "2026-11-21T07:00:00.000000Z"}), ElementsAre(1))
      << "9:00 at +02:00 is 7:00";
}

TEST_P(StoreQuery, NamesThatNothingBearsAreErrorsWithAGuess) {
  Store store = open();
  ASSERT_TRUE(store.add_measurement(run("shallow_water", "cluster", 128, 2, "")));
  EXPECT_THAT(error_of(store.find({.program = "shallow_watr"})),
              HasSubstr("the program shallow_watr\n  did you mean shallow_water?"));
  EXPECT_THAT(error_of(store.find({.machine = "clutser"})), HasSubstr("did you mean cluster?"));
  EXPECT_THAT(error_of(store.find({.parameters = {{"size", {}}}})),
              HasSubstr("nothing in the store has the parameter size\n  there are N"));
  EXPECT_THAT(error_of(store.find({.tag = "base"})), HasSubstr("nothing in the store has the tag base"));
  EXPECT_TRUE(store.find({.program = "shallow_water", .processes = Bounds{3, 3}}))
      << "known names without a run in common are an empty answer";
}

TEST_P(StoreQuery, TagsFindEntriesAndMayBeRepeated) {
  Store store = open();
  ASSERT_TRUE(store.add_measurements(
      {run("wave", "here", 1, 1, ""), run("wave", "here", 2, 1, ""), run("wave", "here", 3, 1, "")}));
  const auto all = store.list();
  ASSERT_TRUE(store.tag({all->at(0), all->at(2)}, {"base", "quiet"}));
  ASSERT_TRUE(store.tag({all->at(0)}, {"base"}));
  EXPECT_THAT(store.list()->at(0).tags, ElementsAre("base", "quiet"));
  EXPECT_EQ(*store.tags(), (std::map<std::string, std::int64_t>{{"base", 2}, {"quiet", 2}}));
  EXPECT_THAT(found(store, {.tag = "base"}),
              UnorderedElementsAre(all->at(0).parameters.at("N"), all->at(2).parameters.at("N")));
  ASSERT_TRUE(store.untag({all->at(0)}, {"base"}));
  ASSERT_TRUE(store.untag({all->at(0)}, {"base"})) << "what is gone may be removed again";
  EXPECT_EQ(store.tags()->at("base"), 1);
  EXPECT_THAT(error_of(store.untag({all->at(0)}, {"bose"})), HasSubstr("did you mean base?"));
  for (const char* bad : {"", "two words", "a,b", "a\nb"})
    EXPECT_THAT(error_of(store.tag({all->at(0)}, {bad})), HasSubstr("is not a tag")) << bad;
}

TEST_P(StoreQuery, WhatAPredictionRestsOnIsRemovedWithItOrNotAtAll) {
  Store store = open();
  auto recording = small_recording();
  recording.digest = "aaaa";  // named by small_model() as its source
  ASSERT_TRUE(store.add_recording("/w", recording));
  ASSERT_TRUE(store.add_measurement(run_number(1)));
  const auto digest = store.add_prediction(small_prediction(256, 4, 3.25), small_model(), small_machine());
  ASSERT_TRUE(digest);
  const auto of = [&](Kind kind) { return store.find({.kinds = {kind}})->entries; };
  for (const Kind kind : {Kind::model, Kind::machine, Kind::recording})
    EXPECT_THAT(error_of(store.remove(of(kind), false)),
                HasSubstr("is what prediction " + digest->substr(0, 12) + " rests on; nothing was removed"));
  EXPECT_EQ(store.list()->size(), 5u);

  ASSERT_TRUE(store.tag(of(Kind::recording), {"base"}));
  EXPECT_EQ(store.remove(of(Kind::recording), true)->size(), 1u)
      << "a model names its recordings whether they are there or not";
  EXPECT_EQ(of(Kind::prediction).size(), 1u);
  EXPECT_THAT(*store.tags(), IsEmpty());
  EXPECT_EQ(store.remove(of(Kind::machine), true)->size(), 2u);
  EXPECT_THAT(of(Kind::prediction), IsEmpty());
  EXPECT_EQ(store.remove(of(Kind::model), false)->size(), 1u);
  EXPECT_TRUE(store.check()) << error_of(store.check());
  EXPECT_EQ(store.list()->size(), 1u);
}

TEST_P(StoreQuery, ChosenTogetherAPredictionAndItsModelGo) {
  Store store = open();
  ASSERT_TRUE(store.add_prediction(small_prediction(256, 4, 3.25), small_model(), small_machine()));
  EXPECT_EQ(store.remove(*store.list(), false)->size(), 3u);
  EXPECT_THAT(*store.list(), IsEmpty());
}

std::string whole(const Store& store) {
  const auto all = store.find({}, Content::with);
  return all ? *entries_to_json(all->entries) : error_of(all);
}

void fill(Store& store, int from) {
  ASSERT_TRUE(store.add_recording("/data/w", small_recording()));
  ASSERT_TRUE(store.add_prediction(small_prediction(from, 4, 3.25), small_model(), small_machine()));
  ASSERT_TRUE(store.add_measurements({run_number(from), run_number(from + 1)}));
}

TEST_P(StoreQuery, MergingTakesAllInOnceWithEarliestTimesAndAllTags) {
  Store a = open("a");
  fill(a, 100);
  std::this_thread::sleep_for(std::chrono::milliseconds(2));
  Store b = open("b");
  fill(b, 200);
  ASSERT_TRUE(a.tag({a.list("recordings")->at(0)}, {"ours"}));
  ASSERT_TRUE(b.tag({b.list("recordings")->at(0)}, {"theirs"}));
  Store c = open("c");
  ASSERT_TRUE(c.merge(a) && c.merge(b));
  EXPECT_EQ(c.list("recordings")->at(0).stored_at, a.list("recordings")->at(0).stored_at)
      << "the earlier time stays";
  const auto taken = b.merge(a);
  ASSERT_TRUE(taken) << error_of(taken);
  EXPECT_EQ(taken->entries, 6u);
  EXPECT_EQ(taken->fresh, 3u) << "a prediction and two runs; recording, model and machine are known";
  EXPECT_TRUE(b.check()) << error_of(b.check());
  EXPECT_THAT(b.list("recordings")->at(0).tags, ElementsAre("ours", "theirs"));
  EXPECT_EQ(b.list("recordings")->at(0).stored_at, a.list("recordings")->at(0).stored_at);
  const std::string once = whole(b);
  EXPECT_EQ(b.merge(a)->fresh, 0u);
  EXPECT_EQ(whole(b), once);
  ASSERT_TRUE(a.merge(b));
  EXPECT_EQ(whole(a), once) << "both hold the same now, in the same order";
  EXPECT_EQ(whole(c), once) << "whichever way they came together";
}

TEST_P(StoreQuery, StoresOfBothDatabasesMerge) {
  Store here = open("a");
  fill(here, 100);
  auto file = Store::open(folder_.file("other.db"));
  ASSERT_TRUE(file);
  ASSERT_TRUE(file->merge(here));
  EXPECT_EQ(whole(*file), whole(here));
}

TEST_P(StoreQuery, WhatIsExportedIsImportedUnchanged) {
  Store a = open("a"), b = open("b");
  fill(a, 100);
  ASSERT_TRUE(a.tag(*a.list("measurements"), {"base"}));
  auto entries = entries_from_json(whole(a), "a.json");
  ASSERT_TRUE(entries) << error_of(entries);
  ASSERT_TRUE(b.take(std::move(*entries)));
  EXPECT_EQ(whole(b), whole(a));

  Store c = open("c");
  const auto runs = [](const Store& store) {
    return *entries_to_json(store.find({.kinds = kRuns}, Content::with)->entries);
  };
  const auto csv = parse_csv(runs_to_csv(a.find({})->entries), "a.csv");
  ASSERT_TRUE(csv);
  auto read = runs_from_csv(*csv);
  ASSERT_TRUE(read) << error_of(read);
  ASSERT_TRUE(c.take(std::move(*read)));
  EXPECT_EQ(runs(c), runs(a));
  EXPECT_EQ(c.list()->size(), 3u);
}

TEST_P(StoreQuery, DamagedImportsAreRefusedWhole) {
  Store a = open("a"), b = open("b");
  fill(a, 100);
  auto entries = a.find({}, Content::with)->entries;
  entries[1].content += " ";
  EXPECT_THAT(error_of(b.take(entries)), HasSubstr("model " + entries[1].digest.substr(0, 12) +
                                                   " is damaged: its content has another digest"));
  EXPECT_THAT(*b.list(), IsEmpty());
  execute("a", "UPDATE machines SET content = 'x'");
  EXPECT_THAT(error_of(a.check()), HasSubstr("is damaged: its content has another digest"));
}

}  // namespace
}  // namespace parcast::store
