// SPDX-License-Identifier: Apache-2.0
#include "cli/record_request.h"

#include <gmock/gmock.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace parcast::cli {
namespace {

using testing::HasSubstr;

Result<RecordRequest> request(std::vector<Invocation::Given> given) {
  return record_request(Invocation(std::move(given), {}, {"/no/launcher", "x"}));
}

Error refusal(const std::string& flag, const std::string& value) {
  const auto answer = request({{flag, value}});
  return answer ? Error{"accepted", value, ""} : answer.error();
}

TEST(RecordRequest, TakesWhatIsInOrder) {
  const auto asked = request({{"--name", "lj-2.0"},
                              {"--classes", "user,mpi"},
                              {"--param", "N=64"},
                              {"--param", "P=3"},
                              {"--output", "a/b.recording"}});
  ASSERT_TRUE(asked) << asked.error().what;
  EXPECT_EQ(asked->program, "lj-2.0");
  EXPECT_EQ(asked->classes, "user,mpi");
  EXPECT_EQ(asked->output, "a/b.recording");
  EXPECT_EQ(asked->parameters, (std::map<std::string, double>{{"N", 64}, {"P", 3}}));
  EXPECT_EQ(asked->settings, (Variables{{"PARCAST_PARAM", "N=64,P=3"}}));
}

TEST(RecordRequest, WithoutFlagsTheProgramIsThatOfTheLaunchLine) {
  const auto asked = record_request(Invocation({}, {}, {"mpirun", "-n", "2", "/bin/sh"}));
  ASSERT_TRUE(asked);
  EXPECT_EQ(asked->program, "sh");
  EXPECT_EQ(asked->classes, "");
  EXPECT_TRUE(asked->output.empty());
}

recording::Recording recording_of(const std::string& executable) {
  recording::Recording recording;
  recording.ranks.resize(2);
  recording.ranks[1].modules.emplace_back();
  recording.ranks[1].modules.front().path = executable;
  return recording;
}

std::string name_of(const std::vector<std::string>& launch, const std::string& executable,
                    std::vector<Invocation::Given> given = {}) {
  const auto asked = record_request(Invocation(std::move(given), {}, launch));
  return asked ? recorded_name(*asked, launch, recording_of(executable)) : asked.error().what;
}

TEST(RecordRequest, BehindAWrapperTheNameIsThatOfTheRecordedProgram) {
  EXPECT_EQ(name_of({"mpirun", "-n", "2", "bash", "run.sh"}, "/home/me/lmp"), "lmp");
  EXPECT_EQ(name_of({"mpirun", "-n", "2", "bash", "run.sh"}, "/home/me/lmp", {{"--name", "lj"}}), "lj");
  EXPECT_EQ(name_of({"mpirun", "-n", "2", "bash", "run.sh"}, ""), "bash");
}

TEST(RecordRequest, AnotherNameOfTheProgramAndAScriptThatItInterpretsStay) {
  std::string folder = (std::filesystem::temp_directory_path() / "parcast-request-XXXXXX").string();
  ASSERT_TRUE(::mkdtemp(folder.data()));
  std::filesystem::create_symlink(std::filesystem::canonical("/bin/sh"), folder + "/app");
  EXPECT_EQ(name_of({"mpirun", folder + "/app"}, std::filesystem::canonical("/bin/sh").string()), "app");
  std::ofstream(folder + "/solve.py") << "#!/usr/bin/env sh\n";
  std::filesystem::permissions(folder + "/solve.py", std::filesystem::perms::owner_all);
  EXPECT_EQ(name_of({"mpirun", folder + "/solve.py"}, std::filesystem::canonical("/bin/sh").string()),
            "solve.py");
  EXPECT_EQ(name_of({"mpirun", folder + "/solve.py"}, "/home/me/lmp"), "lmp");
  std::filesystem::remove_all(folder);
}

TEST(RecordRequest, ANameIsNoPath) {
  EXPECT_EQ(refusal("--name", "../../evil").what, "--name \"../../evil\" holds a /");
  EXPECT_EQ(refusal("--name", "a/b").what, "--name \"a/b\" holds a /");
  EXPECT_EQ(refusal("--name", "").what, "--name \"\" is empty");
  EXPECT_EQ(refusal("--name", "-x").what, "--name \"-x\" begins with -");
  EXPECT_EQ(refusal("--name", "..").what, "--name \"..\" begins with .");
  EXPECT_THAT(refusal("--name", std::string(129, 'a')).what, HasSubstr("is longer than 128 bytes"));
  EXPECT_THAT(refusal("--name", "a\x1b[2J").what, HasSubstr("holds a character that is not shown"));
}

TEST(RecordRequest, ParametersThatAModelWouldRefuseAreRefused) {
  for (const std::string name : {"p", "r", "g2_0", "c3_2"}) {
    const Error error = refusal("--param", name + "=7");
    EXPECT_THAT(error.what, HasSubstr("may not be named " + name)) << error.where;
    EXPECT_EQ(error.where, "--param " + name + "=7");
  }
  EXPECT_THAT(refusal("--param", "p=2").hint, HasSubstr("recorded by itself"));
  EXPECT_THAT(refusal("--param", "N").what, HasSubstr("is not NAME=VALUE"));
}

TEST(RecordRequest, TheStackIsLookedAtWhenAskedFor) {
  EXPECT_TRUE(request({})->settings.empty());
  EXPECT_EQ(request({{"--few-system-calls", ""}})->settings, (Variables{{"PARCAST_SYSTEM_CALLS", "few"}}));
  EXPECT_EQ(request({{"--stack", ""}})->settings, (Variables{{"PARCAST_STACK", "on"}}));
}

TEST(RecordRequest, TheBatonIsOneOfThree) {
  for (const std::string kind : {"auto", "off", "always"})
    EXPECT_EQ(request({{"--baton", kind}})->settings, (Variables{{"PARCAST_BATON", kind}}));
  EXPECT_EQ(refusal("--baton", "alway").what, "--baton alway: there is no such kind of baton");
  EXPECT_EQ(refusal("--baton", "alway").hint, "did you mean always?");
  EXPECT_EQ(refusal("--baton", "").hint, "the kinds are auto, off and always");
}

TEST(RecordRequest, UnknownClassesAreRefusedWithTheNearestOne) {
  EXPECT_EQ(refusal("--classes", "mpi,usr").hint, "did you mean user?");
  EXPECT_THAT(refusal("--classes", "mpi,usr").what, HasSubstr("no event class \"usr\""));
  EXPECT_EQ(refusal("--classes", "everything").hint, "the classes are mpi, io, user and memory");
  EXPECT_EQ(refusal("--classes", "").hint, "the classes are mpi, io, user and memory");
}

TEST(RecordRequest, AnEmptyOutputIsRefused) {
  EXPECT_EQ(refusal("--output", "").what, "--output is empty");
}

}  // namespace
}  // namespace parcast::cli
