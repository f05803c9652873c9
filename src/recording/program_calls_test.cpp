// SPDX-License-Identifier: Apache-2.0
// Classes and calls of a library whose source is known (calls_sample.cpp).
#include "recording/program_calls.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>

namespace parcast::recording {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

const ProgramCalls& sample() {
  static const ProgramCalls calls = [] {
    auto read = read_program_calls(PARCAST_CALLS_SAMPLE);
    EXPECT_TRUE(read) << (read ? "" : read.error().what);
    return read ? without_system(*read) : ProgramCalls{};
  }();
  return calls;
}

const ProgramFunction& function(const std::string& name) {
  static const ProgramFunction none;
  const auto at = std::ranges::find(sample().functions, name, &ProgramFunction::name);
  return at == sample().functions.end() ? none : *at;
}

/// "sample::print:56 2" for each call: who, the line of the first site, how many sites.
std::vector<std::string> calls_of(const std::string& name) {
  std::vector<std::string> out;
  for (const CalledFunction& called : function(name).calls)
    out.push_back(sample().functions[called.function].name + ":" + std::to_string(called.where.line) + " " +
                  std::to_string(called.sites));
  return out;
}

TEST(ProgramCalls, NameClassesTheirBasesAndMethods) {
  const auto at = std::ranges::find(sample().classes, "sample::Square", &ProgramClass::name);
  ASSERT_NE(at, sample().classes.end());
  EXPECT_THAT(at->bases, ElementsAre("sample::Shape"));
  EXPECT_THAT(at->methods, ElementsAre("Square", "area", "side"));
  EXPECT_THAT(at->where.file, HasSubstr("calls_sample.cpp"));
  EXPECT_EQ(at->where.line, 15);
  EXPECT_NE(std::ranges::find(sample().classes, "sample::Shape", &ProgramClass::name),
            sample().classes.end());
}

TEST(ProgramCalls, AreThoseOfTheSource) {
  EXPECT_THAT(calls_of("sample::doubled"), ElementsAre("sample::print:30 1"));
  EXPECT_THAT(calls_of("sample::print"), ElementsAre("printf:26 1"));
  EXPECT_THAT(calls_of("sample::Square::Square"), Contains("sample::doubled:38 1"));
  EXPECT_FALSE(function("printf").has_code);
  EXPECT_TRUE(function("sample::print").has_code);
  EXPECT_EQ(function("sample::doubled").where.line, 29);
}

TEST(ProgramCalls, OfInlinedFunctionsAreTheirs) {
  EXPECT_THAT(calls_of("sample::volume"), Contains("sample::cubed:45 1"));
  EXPECT_THAT(calls_of("sample::cubed"), ElementsAre(HasSubstr("sample::doubled")));
}

/// std::for_each is left out: its caller calls the lambda, which calls an unknown function.
TEST(ProgramCalls, GoThroughTheSystemsFunctions) {
  EXPECT_THAT(calls_of("sample::total"), Contains(HasSubstr("(line 50)::operator()")));
  EXPECT_THAT(calls_of("sample::total"), Contains(HasSubstr("sample::print:51 2")));
  for (const ProgramFunction& each : sample().functions) EXPECT_THAT(each.name, Not(HasSubstr("for_each")));
}

TEST(ProgramCalls, ABuildHasAnIdentity) {
  const std::string id = build_id_of(PARCAST_CALLS_SAMPLE);
  EXPECT_GE(id.size(), 16u);
  EXPECT_EQ(id.find_first_not_of("0123456789abcdef"), std::string::npos);
  EXPECT_EQ(build_id_of("/no/such/file"), "");
}

TEST(ProgramCalls, AFileWithoutDebugDataIsRefused) {
  const std::string path = testing::TempDir() + "no_program";
  std::ofstream(path) << "text";
  const auto text = read_program_calls(path);
  ASSERT_FALSE(text);
  EXPECT_THAT(text.error().what, HasSubstr("has no debug data"));
  EXPECT_EQ(text.error().hint, "compile it with -g");
  EXPECT_FALSE(read_program_calls(path + ".not"));
}

}  // namespace
}  // namespace parcast::recording
