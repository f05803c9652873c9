// SPDX-License-Identifier: Apache-2.0
#include "cli/mpi_families.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace parcast::cli {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using Families = std::vector<MpiFamily>;

const Families kBoth{MpiFamily::open_mpi, MpiFamily::mpich}, kOpenMpi{MpiFamily::open_mpi},
    kMpich{MpiFamily::mpich};
const std::string kMpichLibrary =
    "libc.so.6 => /lib/libc.so.6\n\tlibmpich.so.12 => /lib/libmpich.so.12 (0x7f)\n";
const std::string kOpenMpiLibrary = "\tlibmpi.so.40 => /lib/libmpi.so.40 (0x7f)\n";

TEST(MpiFamilies, AreToldByTheFilesBesideTheRecorder) {
  std::string name = (fs::temp_directory_path() / "parcast-families-XXXXXX").string();
  const fs::path folder = ::mkdtemp(name.data());
  EXPECT_EQ(families_recorded_by(folder), kBoth);
  std::ofstream(folder / "parcast-record-open_mpi.link") << "";
  EXPECT_EQ(families_recorded_by(folder), kOpenMpi);
  std::ofstream(folder / "parcast-record-mpich.link") << "";
  EXPECT_EQ(families_recorded_by(folder), kBoth);
  fs::remove(folder / "parcast-record-open_mpi.link");
  EXPECT_EQ(families_recorded_by(folder), kMpich);
  fs::remove_all(folder);
}

TEST(MpiFamilies, AProgramOfAFamilyThatIsNotRecordedIsNotBlamed) {
  EXPECT_TRUE(check_libraries(kMpichLibrary, kBoth).good);
  EXPECT_TRUE(check_libraries(kOpenMpiLibrary, kOpenMpi).good);
  const Finding mpich = check_libraries(kMpichLibrary, kOpenMpi);
  EXPECT_FALSE(mpich.good);
  EXPECT_EQ(mpich.text,
            "MPICH or a relative: libmpich.so.12 => /lib/libmpich.so.12 (0x7f): this installation records "
            "programs of Open MPI 4 alone");
  EXPECT_EQ(mpich.hint,
            "to record programs of MPICH and its relatives: install MPICH with its headers (Debian: "
            "libmpich-dev), then build and install Parcast again");
  const Finding open_mpi = check_libraries(kOpenMpiLibrary, kMpich);
  EXPECT_FALSE(open_mpi.good);
  EXPECT_THAT(open_mpi.text, HasSubstr("records programs of MPICH and its relatives alone"));
  EXPECT_THAT(open_mpi.hint, HasSubstr("libopenmpi-dev"));
  EXPECT_THAT(check_libraries("libmpi.so.80 => /lib/libmpi.so.80", kBoth).text, HasSubstr("another MPI"));
  EXPECT_THAT(check_libraries("libc.so.6", kBoth).text, HasSubstr("needs no MPI library"));
}

TEST(MpiFamilies, SoIsItsLauncher) {
  EXPECT_TRUE(check_launcher(Launcher::hydra, "", kBoth).good);
  EXPECT_FALSE(check_launcher(Launcher::hydra, "", kOpenMpi).good);
  EXPECT_THAT(check_launcher(Launcher::hydra, "", kOpenMpi).hint, HasSubstr("libmpich-dev"));
  EXPECT_TRUE(check_launcher(Launcher::open_mpi, "mpirun (Open MPI) 4.1.4", kOpenMpi).good);
  EXPECT_FALSE(check_launcher(Launcher::open_mpi, "mpirun (Open MPI) 4.1.4", kMpich).good);
  EXPECT_FALSE(check_launcher(Launcher::open_mpi, "mpirun (Open MPI) 5.0.1", kBoth).good);
}

TEST(MpiFamilies, RecordNamesTheLauncherOfOneThatIsMissing) {
  EXPECT_EQ(missing_family(Launcher::hydra, kOpenMpi)->text,
            "the launcher starts programs of MPICH and its relatives: this installation records programs of "
            "Open MPI 4 alone");
  EXPECT_FALSE(missing_family(Launcher::hydra, kBoth));
  EXPECT_FALSE(missing_family(Launcher::slurm, kOpenMpi));
}

TEST(MpiFamilies, DoctorNamesThem) {
  EXPECT_EQ(check_families(kBoth).text, "programs of Open MPI 4; MPICH and its relatives");
  EXPECT_EQ(check_families(kBoth).hint, "");
  EXPECT_EQ(check_families(kOpenMpi).text, "programs of Open MPI 4 alone");
  EXPECT_THAT(check_families(kOpenMpi).hint, HasSubstr("libmpich-dev"));
}

}  // namespace
}  // namespace parcast::cli
