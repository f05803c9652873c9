// SPDX-License-Identifier: Apache-2.0
#include "cli/fortran_modules.h"

#include <gtest/gtest.h>

namespace parcast::cli {
namespace {

TEST(FortranModules, AreUsedInEveryWayThatTheLanguageHas) {
  for (const char* line :
       {"use mpi_f08", "  USE MPI_F08 ! all", "use, intrinsic :: mpi_f08", "use :: mpi_f08, only: MPI_Comm",
        "use mpi_f08; implicit none", "      use mpi_f08,only:x\r\n"})
    EXPECT_TRUE(uses_module(std::string("program p\n") + line + "\nend\n", "mpi_f08")) << line;
}

TEST(FortranModules, AreNotThoseOfLongerNamesOrInComments) {
  for (const char* line :
       {"use mpi_f08_types", "use mpi", "! use mpi_f08", "useless = mpi_f08", "call use(mpi_f08)",
        "use my, only: mpi_f08", "print *, 'use mpi_f08'", "use, intrinsic"})
    EXPECT_FALSE(uses_module(std::string("program p\n") + line + "\nend\n", "mpi_f08")) << line;
}

TEST(FortranModules, AreOpenWhereThePreprocessorDecides) {
  EXPECT_FALSE(uses_module("#ifdef NEW\nuse mpi_f08\n#else\nuse mpi\n#endif\n", "mpi_f08"));
  EXPECT_TRUE(uses_module("#ifdef NEW\n#if 1\n#endif\n#endif\nuse mpi_f08\n", "mpi_f08"));
}

}  // namespace
}  // namespace parcast::cli
