// SPDX-License-Identifier: Apache-2.0
#include "store/entries_file.h"

#include <gmock/gmock.h>

namespace parcast::store {
namespace {

using testing::HasSubstr;

Entry full_entry() {
  Entry out;
  out.kind = Kind::prediction;
  out.digest = "abcd", out.stored_at = "2026-11-21T08:35:47.123456Z", out.tool_version = "0.1.0";
  out.program = "wave \"x\"\n", out.machine = "h\xC3\xB6her", out.path = "/a/b";
  out.parameters = {{"N", 0.1}, {"dt", 1e-29}, {"", -1.0 / 3}};
  out.processes = 4, out.nodes = 2, out.ranks_per_node = 3, out.threads = 5;
  out.seconds = 1.0000000000000002, out.low = 5e29, out.high = 3, out.level = 0.9;
  out.engine = "equation", out.model_digest = "m", out.machine_digest = "n", out.sources = {"q", "p"};
  out.began = "yesterday", out.tags = {"base", "quiet"}, out.content = "{\"a\": [1,\n2]}";
  return out;
}

TEST(EntriesFile, EveryMemberComesBackAsItWas) {
  const auto text = entries_to_json({full_entry(), Entry{.digest = "ef"}});
  ASSERT_TRUE(text);
  const auto read = entries_from_json(*text, "e.json");
  ASSERT_TRUE(read) << to_string(read.error());
  ASSERT_EQ(read->size(), 2u);
  const Entry want = full_entry(), &got = read->front();
  EXPECT_EQ(got.kind, want.kind);
  EXPECT_EQ(got.digest, want.digest);
  EXPECT_EQ(got.stored_at, want.stored_at);
  EXPECT_EQ(got.tool_version, want.tool_version);
  EXPECT_EQ(got.program, want.program);
  EXPECT_EQ(got.machine, want.machine);
  EXPECT_EQ(got.path, want.path);
  EXPECT_EQ(got.parameters, want.parameters);
  EXPECT_EQ(got.processes, want.processes);
  EXPECT_EQ(got.nodes, want.nodes);
  EXPECT_EQ(got.ranks_per_node, want.ranks_per_node);
  EXPECT_EQ(got.threads, want.threads);
  EXPECT_EQ(got.seconds, want.seconds);
  EXPECT_EQ(got.low, want.low);
  EXPECT_EQ(got.high, want.high);
  EXPECT_EQ(got.level, want.level);
  EXPECT_EQ(got.engine, want.engine);
  EXPECT_EQ(got.model_digest, want.model_digest);
  EXPECT_EQ(got.machine_digest, want.machine_digest);
  EXPECT_EQ(got.sources, want.sources);
  EXPECT_EQ(got.began, want.began);
  EXPECT_EQ(got.tags, want.tags);
  EXPECT_EQ(got.content, want.content);
  EXPECT_EQ(*entries_to_json(*read), *text);
}

TEST(EntriesFile, ErrorsNameEntryAndMember) {
  const auto error = [](const std::string& entries) {
    const auto read = entries_from_json(
        "{\"schema\": \"parcast.store-export/1\", \"entries\": [" + entries + "]}", "e.json");
    return read ? "no error" : to_string(read.error());
  };
  const std::string good = R"({"kind": "recording", "digest": "ab"})";
  EXPECT_EQ(error(good), "no error");
  EXPECT_THAT(error(good + R"(, {"kind": "recording", "digest": "ab", "proceses": 4})"),
              HasSubstr("e.json, entry 2: error: member proceses is not known\n  did you mean processes?"));
  EXPECT_THAT(error(R"({"digest": "ab"})"), HasSubstr("no kind or no digest"));
  EXPECT_THAT(error(R"({"kind": "song", "digest": "ab"})"), HasSubstr("kind \"song\" is not known"));
  EXPECT_THAT(error(R"({"kind": "model", "digest": "ab", "processes": 1.5})"),
              HasSubstr("processes is not a whole number"));
  EXPECT_THAT(error(R"({"kind": "model", "digest": "ab", "processes": -1})"),
              HasSubstr("processes is not a whole number"));
  EXPECT_THAT(error(R"({"kind": "model", "digest": "ab", "parameters": {"N": "64"}})"),
              HasSubstr("parameter N is not a number"));
  EXPECT_THAT(error(R"({"kind": "model", "digest": "ab", "parameters": {"N": 1e-200}})"),
              HasSubstr("parameter N is not a number: 0, or from 1e-30 to 1e30"));
  EXPECT_THAT(error(R"({"kind": "model", "digest": "ab", "tags": "x"})"),
              HasSubstr("tags is not a list of texts"));
  EXPECT_THAT(error("7"), HasSubstr("entry 1: error: the entry is not an object"));
}

TEST(EntriesFile, WhatIsNoExportIsRefused) {
  const auto error = [](const std::string& text) {
    return to_string(entries_from_json(text, "e.json").error());
  };
  EXPECT_THAT(error("{"), HasSubstr("e.json: error: the file is not JSON at byte"));
  EXPECT_THAT(error("[]"), HasSubstr("the file is not an export of a store"));
  EXPECT_THAT(error(R"({"schema": "parcast.store/1", "entries": []})"),
              HasSubstr("its schema is parcast.store-export/1"));
  EXPECT_THAT(error(R"({"schema": "parcast.store-export/1", "entries": [{"seconds": 1e999}]})"),
              HasSubstr("beyond the range of a double"));
}

TEST(EntriesFile, BytesThatAreNotUtf8AreRefusedRatherThanChanged) {
  Entry odd = full_entry();
  odd.program = "bad\xFF";
  EXPECT_THAT(to_string(entries_to_json({odd}).error()),
              HasSubstr("prediction abcd holds a name with bytes that are not UTF-8"));
}

}  // namespace
}  // namespace parcast::store
