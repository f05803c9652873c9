// SPDX-License-Identifier: Apache-2.0
#include "model/row_names.h"

#include <gmock/gmock.h>

namespace parcast::program {
namespace {

using testing::ElementsAre;

TEST(RowNames, BeginWithTheRegionAndWhatItIs) {
  const std::vector<RowPlace> rows{{"loop/update/compute before MPI_Sendrecv", "swe.c:143-150"},
                                   {"loop/update/loop/MPI_Sendrecv#2", "swe.c:130"},
                                   {"MPI_Reduce", "swe.c:201"}};
  EXPECT_THAT(row_names(rows, "swe"),
              ElementsAre("update: computing, lines 143-150", "update: MPI_Sendrecv, line 130",
                          "swe: MPI_Reduce, line 201"));
  EXPECT_EQ(common_file(rows), "swe.c");
}

TEST(RowNames, LinesThatRunBackwardsGoFromTheEndOfALoopToItsStart) {
  const std::vector<RowPlace> rows{{"loop/compute before MPI_Irecv", "halo.c:47-35"},
                                   {"loop/compute before MPI_Isend", "halo.c:38-43"}};
  EXPECT_THAT(row_names(rows, "halo"),
              ElementsAre("halo: computing, line 47 to line 35", "halo: computing, lines 38-43"));
}

TEST(RowNames, SeveralFilesAreNamed) {
  const std::vector<RowPlace> rows{{"compute before MPI_Isend", "comm.cc:155-420"},
                                   {"MPI_Allreduce", "main.cc:7"},
                                   {"compute to the end", "a.c:3 - b.c:9"}};
  EXPECT_THAT(row_names(rows, "lulesh"),
              ElementsAre("lulesh: computing, comm.cc:155-420", "lulesh: MPI_Allreduce, main.cc:7",
                          "lulesh: computing, a.c:3 - b.c:9"));
  EXPECT_EQ(common_file(rows), "");
}

TEST(RowNames, WithoutLinesComputingIsNamedByItsEnd) {
  const std::vector<RowPlace> rows{{"eliminate/loop/compute before MPI_Bcast", ""},
                                   {"compute before parcast_region_begin", ""},
                                   {"eliminate/compute before parcast_region_end", ""},
                                   {"repeat N/MPI_Bcast", ""}};
  EXPECT_THAT(row_names(rows, "gauss"),
              ElementsAre("eliminate: computing before MPI_Bcast", "gauss: computing before the next region",
                          "eliminate: computing before the region's end", "gauss: MPI_Bcast"));
}

TEST(RowNames, EqualOnesGetMoreDetailAndInTheEndANumber) {
  const std::vector<RowPlace> rows{{"a/loop/compute before MPI_Send", "x.c:1"},
                                   {"a/loop/compute before MPI_Recv", "x.c:1"},
                                   {"b/MPI_Send", ""},
                                   {"b/loop/MPI_Send", ""},
                                   {"c/MPI_Send", ""},
                                   {"c/MPI_Send#2", ""},
                                   {"d/loop/MPI_Recv", ""},
                                   {"d/loop#2/MPI_Recv", ""},
                                   {"all regions: uneven computing", ""}};
  EXPECT_THAT(
      row_names(rows, "x"),
      ElementsAre("a: computing before MPI_Send, line 1", "a: computing before MPI_Recv, line 1",
                  "b: MPI_Send", "b: MPI_Send, in a loop", "c: MPI_Send", "c: MPI_Send #2",
                  "d: MPI_Recv, in a loop", "d: MPI_Recv, in loop 2", "all regions: uneven computing"));
}

TEST(LinesBetween, LeavesOutTheEndThatIsInParcastsHeader) {
  EXPECT_EQ(lines_between("swe.cpp:143", "parcast.h:71"), "swe.cpp:143");
  EXPECT_EQ(lines_between("parcast.h:70", "parcast.h:71"), "");
  EXPECT_EQ(lines_between("swe.cpp:120", "swe.cpp:131"), "swe.cpp:120-131");
  EXPECT_EQ(lines_between("main at 0x163b", "main at 0x1566"), "main");
  EXPECT_EQ(lines_between("solve(int) at 0x163b", "main at 0x1566"), "solve(int) - main");
}

TEST(RowNames, FunctionsOfAProgramWithoutLinesHaveNoParameters) {
  const std::vector<RowPlace> rows{{"MPI_Waitall", "send(Domain&, double& (Domain::**)(int)) at 0x15e1d"},
                                   {"compute before MPI_Isend", "send(Domain&) - send(Domain&, int)"}};
  EXPECT_THAT(row_names(rows, "x"), ElementsAre("x: MPI_Waitall, send at 0x15e1d", "x: computing, send"));
}

}  // namespace
}  // namespace parcast::program
