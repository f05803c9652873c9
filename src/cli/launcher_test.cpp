// SPDX-License-Identifier: Apache-2.0
#include "cli/launcher.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace parcast::cli {
namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

class ALauncher : public testing::Test {
 protected:
  ALauncher() {
    std::string name = (fs::temp_directory_path() / "parcast-launcher-XXXXXX").string();
    folder_ = ::mkdtemp(name.data());
  }
  ~ALauncher() override { fs::remove_all(folder_); }

  /// Returns a program of that name that prints the given text, as a launcher prints its version.
  std::string that_says(const std::string& name, const std::string& text) {
    std::ofstream(folder_ / name) << "#!/bin/sh\necho '" << text << "'\n";
    fs::permissions(folder_ / name, fs::perms::owner_all);
    return (folder_ / name).string();
  }
  Words passed(Words command) {
    return passing_on(command, {{"LD_PRELOAD", "/r.so"}, {"PARCAST_OUT", "/o"}}, list_);
  }

  fs::path folder_;
  std::string list_;
};

TEST_F(ALauncher, OfOpenMpiIsGivenNames) {
  const std::string mpirun = that_says("mpirun", "mpirun (Open MPI) 4.1.4");
  EXPECT_EQ(passed({mpirun, "-n", "2", "./a"}),
            (Words{mpirun, "-x", "LD_PRELOAD", "-x", "PARCAST_OUT", "-n", "2", "./a"}));
  EXPECT_EQ(passed({"mpirun.openmpi", "./a"}),
            (Words{"mpirun.openmpi", "-x", "LD_PRELOAD", "-x", "PARCAST_OUT", "./a"}));
}

TEST_F(ALauncher, WithAnEnvironmentListInUseHasThatExtendedInsteadOfBothWaysMixed) {
  const std::string mpirun = that_says("mpirun", "mpirun (Open MPI) 4.1.4");
  list_ = "HOME=/x";
  EXPECT_EQ(passed({mpirun, "./a"}), (Words{mpirun, "./a"}));
  EXPECT_EQ(list_, "HOME=/x;LD_PRELOAD;PARCAST_OUT");
}

TEST_F(ALauncher, OfTheHydraKindIsGivenNamesAndValues) {
  const std::string mpiexec = that_says("mpiexec", "HYDRA build details:");
  const Words expected{mpiexec,       "-genv", "LD_PRELOAD", "/r.so", "-genv",
                       "PARCAST_OUT", "/o",    "-n",         "2",     "./a"};
  list_ = "HOME=/x";  // belongs to Open MPI
  EXPECT_EQ(passed({mpiexec, "-n", "2", "./a"}), expected);
  EXPECT_EQ(list_, "HOME=/x");
  EXPECT_EQ(launcher_of(that_says("mpirun", "Intel(R) MPI Library for Linux* OS, Version 2021.8")),
            Launcher::hydra);
}

TEST_F(ALauncher, BehindALinkIsWhatTheLinkLeadsTo) {
  that_says("mpiexec.hydra", "unused");
  fs::create_symlink("mpiexec.hydra", folder_ / "mpirun");
  EXPECT_EQ(launcher_of((folder_ / "mpirun").string()), Launcher::hydra);
}

TEST_F(ALauncher, OfSlurmPassesEverythingUnlessToldWhat) {
  const Words plain{"srun", "-n", "2", "true", "--export=NONE"};
  EXPECT_EQ(passed(plain), plain);
  EXPECT_EQ(passed({"srun", "-n", "2", "--export=HOME", "./a"}),
            (Words{"srun", "-n", "2", "--export=HOME,LD_PRELOAD,PARCAST_OUT", "./a"}));
  EXPECT_EQ(passed({"srun", "--export", "NONE", "./a"}),
            (Words{"srun", "--export", "LD_PRELOAD,PARCAST_OUT", "./a"}));
  const std::string app = that_says("app", "");  // -l has no value
  EXPECT_EQ(passed({"srun", "-l", app, "--export", "data.vtk"}),
            (Words{"srun", "-l", app, "--export", "data.vtk"}));
  ::setenv("SLURM_EXPORT_ENV", "NONE", 1);
  EXPECT_EQ(passed({"srun", "-n", "2", app}),
            (Words{"srun", "--export=LD_PRELOAD,PARCAST_OUT", "-n", "2", app}));
  ::unsetenv("SLURM_EXPORT_ENV");
  EXPECT_EQ(passed({"srun", "--export=ALL,A=1", "./a"}),
            (Words{"srun", "--export=ALL,A=1,LD_PRELOAD,PARCAST_OUT", "./a"}));
}

TEST_F(ALauncher, OfAnUnknownKindIsLeftAlone) {
  for (const Words& command :
       {Words{"./a", "-n", "2"}, Words{"jsrun", "-n", "2", "./a"},
        Words{that_says("mpirun", "something else"), "./a"}, Words{"/no/such/mpirun", "./a"}})
    EXPECT_EQ(passed(command), command);
}

}  // namespace
}  // namespace parcast::cli
