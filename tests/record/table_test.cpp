// SPDX-License-Identifier: Apache-2.0
// The table of calls and the generator: a function of mpi.h that is missing in the table stops the build.
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <set>
#include <sstream>

#include "launch.h"

namespace parcast::record_tests {
namespace {

const std::string kFolder = std::string(PARCAST_SOURCE_DIR) + "/src/record/mpi/";

std::vector<std::string> headers() {
  std::istringstream list(PARCAST_HEADERS);
  std::vector<std::string> out;
  for (std::string path; std::getline(list, path, ',');)
    if (!path.empty()) out.push_back(path);
  return out;
}

/// Runs the generator on a copy of a header (with the headers that it includes), with `more` appended.
Outcome generate(const Scratch& scratch, const std::string& header, const std::string& table,
                 const std::string& more = "") {
  fs::create_directories(scratch / "include");
  for (const char* beside : {"mpi_proto.h", "mpio.h"})
    if (fs::exists(fs::path(header).parent_path() / beside))
      fs::copy_file(fs::path(header).parent_path() / beside, scratch / ("include/" + std::string(beside)),
                    fs::copy_options::overwrite_existing);
  std::ofstream(scratch / "include/mpi.h") << slurp(header) << more;
  std::ofstream(scratch / "calls.table") << table;
  return shell(scratch, "cd " + scratch.path().string() + " && " PARCAST_PYTHON " " + kFolder +
                            "generate.py calls.table . family=include/mpi.h");
}

class Table : public testing::TestWithParam<std::string> {};

TEST_P(Table, CoversEveryFunctionOfTheHeader) {
  const Scratch scratch;
  const Outcome outcome = generate(scratch, GetParam(), slurp(kFolder + "calls.table"));
  EXPECT_EQ(outcome.exit_code, 0) << outcome.errors;
  EXPECT_NE(slurp(scratch / "family.c").find("MPI_Neighbor_alltoallw"), std::string::npos);
}

TEST_P(Table, AFunctionThatItLacksStopsTheBuild) {
  const Scratch scratch;
  const Outcome outcome = generate(scratch, GetParam(), slurp(kFolder + "calls.table"),
                                   "\n  int MPI_Brand_new(MPI_Comm comm,\n     int count);\n");
  EXPECT_NE(outcome.exit_code, 0);
  EXPECT_NE(outcome.errors.find("MPI_Brand_new"), std::string::npos) << outcome.errors;
  EXPECT_FALSE(fs::exists(scratch / "family.c"));
}

TEST_P(Table, ARowThatNamesAnArgumentWronglyStopsTheBuild) {
  const Scratch scratch;
  std::string table = slurp(kFolder + "calls.table");
  const std::string right = "send(dest, tag, count, datatype)";
  table.replace(table.find(right, table.find("MPI_Ssend ")), right.size(),
                "send(dest, tag, cuont, datatype)");
  const Outcome outcome = generate(scratch, GetParam(), table);
  EXPECT_NE(outcome.exit_code, 0);
  EXPECT_NE(outcome.errors.find("MPI_Ssend has no argument cuont"), std::string::npos) << outcome.errors;
}

INSTANTIATE_TEST_SUITE_P(Of, Table, testing::ValuesIn(headers()));

TEST(TableOfCalls, AHeaderOfAnotherMpiStopsTheBuild) {
  const Scratch scratch;
  std::ofstream(scratch / "mpi.h") << "int MPI_Send(void);";
  EXPECT_NE(generate(scratch, scratch / "mpi.h", slurp(kFolder + "calls.table")).exit_code, 0);
}

TEST(Library, NeedsNothingButTheCLibrary) {
  const Scratch scratch;
  const Outcome outcome = shell(scratch, "readelf -d " PARCAST_RECORDER " | grep NEEDED");
  EXPECT_EQ(outcome.output.find("libmpi"), std::string::npos);
  EXPECT_EQ(std::count(outcome.output.begin(), outcome.output.end(), '\n'), 1) << outcome.output;
}

TEST(Library, ShowsOnlyWrappersAndItsInterface) {
  const std::set<std::string> interface {
    "parcast_region_begin", "parcast_region_end", "parcast_parameter", "parcast_classes",
        "parcast_probe_begin", "parcast_phase", "pthread_create", "thrd_create"
  };
  const Scratch scratch;
  const Outcome outcome = shell(scratch, "nm -D --defined-only " PARCAST_RECORDER " | awk '{print $3}'");
  std::istringstream names(outcome.output);
  int wrappers = 0;
  for (std::string name; names >> name;) {
    wrappers += name.starts_with("MPI_") && std::islower(static_cast<unsigned char>(name.back()));
    const bool fortran = name.starts_with("mpi_");
    EXPECT_TRUE(name.starts_with("MPI_") || name.starts_with("PMPI_") || fortran || interface.contains(name))
        << name;
  }
  EXPECT_GT(wrappers, 180);
}

}  // namespace
}  // namespace parcast::record_tests
