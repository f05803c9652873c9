// SPDX-License-Identifier: Apache-2.0
#include "calibrate/environment.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace parcast::calibrate {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

const Environment kThen{{"host", "node1"}, {"kernel", "6.1.0"}, {"governor", "performance"}, {"cores", "8"}};

Environment with(const std::string& key, const std::string& value) {
  Environment out = kThen;
  out[key] = value;
  return out;
}

TEST(Environment, IsWhatTheSystemSays) {
  const Environment here = host_environment();
  utsname system{};
  ASSERT_EQ(::uname(&system), 0);
  EXPECT_EQ(here.at("kernel"), system.release);
  EXPECT_EQ(here.at("host"), system.nodename);
  EXPECT_EQ(here.at("cores"), std::to_string(::sysconf(_SC_NPROCESSORS_ONLN)));
  EXPECT_THAT(changes_since(here, here), IsEmpty());
}

TEST(Environment, WhatIsNoLongerSoIsSaid) {
  EXPECT_THAT(changes_since(kThen, kThen), IsEmpty());
  EXPECT_THAT(changes_since(kThen, with("kernel", "6.1.2")),
              ElementsAre("the kernel was 6.1.0 when it was measured, and is 6.1.2"));
  EXPECT_THAT(changes_since(kThen, with("governor", "powersave")),
              ElementsAre("the frequency governor was performance when it was measured, and is powersave"));
  EXPECT_THAT(changes_since(kThen, with("cores", "4")), ElementsAre(HasSubstr("the number of cores was 8")));
}

TEST(Environment, WithoutAGovernorTheFrequencyIsComparedWhereBothKnowIt) {
  const auto at = [](const std::string& frequency) { return with("frequency", frequency); };
  EXPECT_THAT(changes_since(at("2096.017 MHz"), at("2096.017 MHz")), IsEmpty());
  EXPECT_THAT(changes_since(at("2096.017 MHz"), at("2445.404 MHz")),
              ElementsAre("the frequency was 2096.017 MHz when it was measured, and is 2445.404 MHz"));
  EXPECT_THAT(changes_since(at("2096.017 MHz"), at("not known")), IsEmpty());
  EXPECT_THAT(changes_since(at("not known"), at("2096.017 MHz")), IsEmpty());
  const Environment here = host_environment();
  EXPECT_NE(here.contains("governor"), here.contains("frequency"));
}

TEST(Environment, AnotherHostAndAFileThatSaysNothingAreNotCompared) {
  EXPECT_THAT(changes_since(kThen, {{"host", "node2"}, {"kernel", "5.0"}}), IsEmpty());
  EXPECT_THAT(changes_since({}, kThen), IsEmpty());
  Environment partly = kThen;
  partly.erase("governor");  // a host without a governor
  EXPECT_THAT(changes_since(kThen, partly), IsEmpty());
}

TEST(Environment, ALibraryThatWasReplacedOrRemovedIsSaid) {
  const std::filesystem::path file =
      std::filesystem::temp_directory_path() / ("parcast-library-" + std::to_string(::getpid()));
  std::ofstream(file) << "1234";
  const Environment then = with("mpi_library", std::filesystem::canonical(file).string() + ", 4 B");
  EXPECT_THAT(changes_since(then, kThen), IsEmpty());
  std::ofstream(file) << "12345";
  EXPECT_THAT(changes_since(then, kThen), ElementsAre(HasSubstr("is another than when it was measured: ")));
  std::filesystem::remove(file);
  EXPECT_THAT(changes_since(then, kThen), ElementsAre(HasSubstr("is gone: ")));
}

TEST(Environment, ALibraryIsToldByAFunctionOfIt) {
  EXPECT_THAT(library_of("getpid"), HasSubstr("libc"));
  EXPECT_EQ(library_of("no_such_function_anywhere"), "");
}

}  // namespace
}  // namespace parcast::calibrate
