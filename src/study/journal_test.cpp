// SPDX-License-Identifier: Apache-2.0
#include "study/journal.h"

#include <gtest/gtest.h>

namespace parcast::study {
namespace {

Run run(const std::string& key, RunKind kind = RunKind::design) {
  Run out{.name = "p2-N96." + key, .key = key, .kind = kind, .values = {{"p", 2}, {"N", 96}}};
  out.repeat = 2, out.is_done = true, out.seconds = 1.5, out.launch_seconds = 2.25, out.processes = 2,
  out.is_crowded = true, out.digest = "d";
  return out;
}

TEST(Journal, IsReadAsItWasWritten) {
  Journal journal;
  journal.add(run("a"));
  auto failed = run("b", RunKind::check);
  failed.is_done = false, failed.exit_code = 7, failed.fault = "the program ended with exit code 7",
  failed.hint = "it printed \"x\"";
  journal.add(failed);
  journal.made = {{"app.model.json", "k"}};
  journal.stopped = {"k2", "budget", "why"};
  const auto read = journal_from_json(to_json(journal), "journal.json");
  ASSERT_TRUE(read) << to_string(read.error());
  EXPECT_EQ(*read, journal);
  EXPECT_EQ(to_json(*read), to_json(journal));
}

TEST(Journal, HoldsARunOfAKeyOnceForTheModelAndOnceAsCheck) {
  Journal journal;
  journal.add(run("a"));
  journal.add(run("a", RunKind::check));
  journal.add(run("a", RunKind::advised));
  ASSERT_EQ(journal.runs.size(), 2u);
  EXPECT_EQ(journal.find("a", true)->kind, RunKind::advised);
  EXPECT_EQ(journal.find("a", false)->kind, RunKind::check);
  EXPECT_EQ(journal.find("b", true), nullptr);
}

TEST(Journal, DamageIsAnErrorWithItsPlace) {
  for (const std::string text :
       {"", "{", "[]", "{\"schema\": \"other/1\"}", "{\"schema\": \"parcast.study-journal/1\"}",
        "{\"schema\": \"parcast.study-journal/1\", \"made\": {}, \"runs\": [{\"kind\": \"x\"}]}"}) {
    const auto read = journal_from_json(text, "S/journal.json");
    ASSERT_FALSE(read) << text;
    EXPECT_EQ(read.error().where.substr(0, 14), "S/journal.json") << text;
  }
}

TEST(Journal, RunsAreNamedByTheirValues) {
  EXPECT_EQ(run_name(RunKind::design, {{"N", 1e6}, {"p", 2}}, 1, "0123456789abcdef"), "p2-N1000000.01234567");
  EXPECT_EQ(run_name(RunKind::check, {{"p", 2}}, 1, "0123456789abcdef"), "check-p2.01234567");
  EXPECT_EQ(run_name(RunKind::advised, {{"a", 0.5}}, 3, "0123456789abcdef"), "a0.5-again3.01234567");
  EXPECT_LE(run_name(RunKind::design,
                     {{std::string(64, 'a'), 1}, {std::string(64, 'b'), 1}, {std::string(64, 'c'), 1}}, 1,
                     "0123456789abcdef")
                .size(),
            128u);
}

}  // namespace
}  // namespace parcast::study
