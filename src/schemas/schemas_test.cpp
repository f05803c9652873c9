// SPDX-License-Identifier: Apache-2.0
// tests/schemas/run.py validates what the verbs print; here: the files themselves.
#include "schemas/schemas.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

namespace parcast::schemas {
namespace {

using Json = nlohmann::json;

TEST(Schemas, AreSortedAndNamedAfterTheirDocument) {
  const auto all = documents();
  ASSERT_GT(all.size(), 40u);
  EXPECT_TRUE(std::ranges::is_sorted(all, {}, &Document::name));
  for (const Document& each : all) {
    EXPECT_EQ(each.schema, "parcast." + each.name + "/1");
    EXPECT_FALSE(each.description.empty()) << each.name;
  }
}

TEST(Schemas, HoldAllDefinitionsThatTheyReferToAndNoOthers) {
  for (const Document& each : documents()) {
    const auto text = schema_of(each.name);
    ASSERT_TRUE(text) << to_string(text.error());
    const Json schema = Json::parse(*text);
    const Json definitions = schema.value("$defs", Json::object());
    for (const auto& [name, definition] : definitions.items())
      EXPECT_NE(text->find("\"#/$defs/" + name + "\""), std::string::npos) << each.name << ": " << name;
    for (std::size_t at = 0; (at = text->find("\"#/$defs/", at)) != std::string::npos;) {
      const std::size_t begin = at + 9, end = text->find('"', begin);
      EXPECT_TRUE(schema["$defs"].contains(text->substr(begin, end - begin))) << each.name;
      at = end;
    }
  }
}

TEST(Schemas, AreFoundByShortAndByFullName) {
  EXPECT_EQ(*schema_of("prediction"), *schema_of("parcast.prediction/1"));
  EXPECT_EQ(Json::parse(*schema_of("error"))["required"],
            Json::array({"schema", "what", "where", "hint", "exit"}));
}

TEST(Schemas, WrongNamesGetASuggestion) {
  EXPECT_EQ(schema_of("predction").error().hint, "did you mean prediction?");
  EXPECT_EQ(schema_of("xyzzy").error().hint, "see parcast schema");
  EXPECT_EQ(schema_of("parcast.model/9").error().what,
            "this version of Parcast has parcast.model/1, not parcast.model/9");
}

}  // namespace
}  // namespace parcast::schemas
