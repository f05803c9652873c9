// SPDX-License-Identifier: Apache-2.0
#include "cli/checkup.h"

#include <elf.h>
#include <gmock/gmock.h>
#include <unistd.h>

#include <cstring>
#include <fstream>

#include "base/files.h"

// Renamed in a copy of the program: a program that is linked with libmpi.a has such a function of its own.
extern "C" __attribute__((used)) int a_function_that_is_renamed();
extern "C" int a_function_that_is_renamed() {
  return 0;
}

namespace parcast::cli {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

/// Copies of this program, changed where doctor looks.
class AProgram : public testing::Test {
 protected:
  AProgram() {
    std::string name = (fs::temp_directory_path() / "parcast-checkup-XXXXXX").string();
    folder_ = ::mkdtemp(name.data());
    elf_ = read_file("/proc/self/exe").value();
  }
  ~AProgram() override { fs::remove_all(folder_); }

  fs::path written(const std::string& bytes, fs::perms more = fs::perms::none) {
    const fs::path path = folder_ / "app";
    std::ofstream(path, std::ios::binary) << bytes;
    fs::permissions(path, fs::perms::owner_all | more);
    return path;
  }

  fs::path folder_;
  std::string elf_;
};

TEST_F(AProgram, WithTheSetUserBitIsToldToLoseIt) {
  const auto findings = check_program(written(elf_, fs::perms::set_uid));
  EXPECT_FALSE(findings.front().good);
  EXPECT_THAT(findings.front().text, HasSubstr("set-uid"));
  EXPECT_FALSE(findings.front().hint.empty());
}

TEST_F(AProgram, LinkedStaticallyIsTold) {
  Elf64_Ehdr header;
  std::memcpy(&header, elf_.data(), sizeof header);
  for (unsigned i = 0; i < header.e_phnum; ++i) {
    Elf64_Phdr part;
    char* const at = elf_.data() + header.e_phoff + i * sizeof part;
    std::memcpy(&part, at, sizeof part);
    if (part.p_type == PT_INTERP) part.p_type = PT_NULL;
    std::memcpy(at, &part, sizeof part);
  }
  EXPECT_THAT(check_program(written(elf_)).front().text, HasSubstr("statically linked"));
}

/// Returns the program with a function of that name.
std::string defining(std::string elf, const std::string& name) {
  const std::string before = "a_function_that_is_renamed",
                    now = name + std::string(before.size() - name.size(), '\0');
  for (std::size_t at = 0; (at = elf.find(before + '\0', at)) != std::string::npos;)
    elf.replace(at, before.size(), now);
  return elf;
}

TEST_F(AProgram, WithMpiInsideIsToldHowToLinkTheRecorder) {
  for (const char* name : {"MPI_Init", "MPI_Init_thread"}) {
    const auto findings = check_program(written(defining(elf_, name)));
    EXPECT_FALSE(findings.front().good) << name;
    EXPECT_THAT(findings.front().text, HasSubstr("linked into the program"));
    EXPECT_THAT(findings.front().hint, HasSubstr("libparcast-record.a"));
  }
  const auto with = check_program(written(defining(elf_, "parcast_entry_unresolved")));
  EXPECT_TRUE(with.front().good);
  EXPECT_THAT(with.front().text, HasSubstr("with the recorder"));
}

TEST_F(AProgram, WithoutMpiIsTold) {
  const auto findings = check_program(written(elf_));
  EXPECT_THAT(findings.front().text, HasSubstr("needs no MPI library"));
}

TEST_F(AProgram, InALaunchLineIsTheFirstExecutableBehindTheLauncher) {
  const std::string app = written(elf_, fs::perms::set_uid).string();
  const auto hinders = what_hinders({"mpirun", "-hostfile", "/etc/passwd", app, "/etc/passwd"});
  ASSERT_TRUE(hinders);
  EXPECT_EQ(hinders->text.substr(0, app.size()), app);
  EXPECT_THAT(hinders->text, HasSubstr("set-uid"));
  EXPECT_THAT(what_hinders({"mpirun", "-n", "2", "hostname"})->text, HasSubstr("needs no MPI library"));
  EXPECT_FALSE(what_hinders({"mpirun", "-n", "2", "no-such-program"}));
  const std::string script = written("#!/bin/sh\n").string();
  EXPECT_THAT(what_hinders({"mpirun", script})->text, HasSubstr("no ELF file"));
}

}  // namespace
}  // namespace parcast::cli
