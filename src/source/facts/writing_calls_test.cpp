// SPDX-License-Identifier: Apache-2.0
// Values written by MPI functions. The programs have one block, and their nodes are numbered in their order
// in the text.
#include <gmock/gmock.h>

#include "source/facts/derivation.h"

namespace parcast::facts {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<Module> program(const std::string& nodes, const std::string& stores, const std::string& calls) {
  const std::string json = R"({"source":"x.c","counters":1,"probes":0,"functions":[
{"name":"main","shape":"1","arcs":[[1,2],[0,1,0],[2,0]],"blocks":[{"at":[],"operations":{}}],"stores":[)" +
                           stores + "],\n\"calls\":[" + calls + "],\n\"nodes\":[" + nodes + "]}]}";
  auto modules = read_facts("parcast-facts 1 AB " + std::to_string(json.size()) + "\n" + json + "\n", "x");
  EXPECT_TRUE(modules) << to_string(modules.error());
  return modules ? *std::move(modules) : std::vector<Module>{};
}
std::string call(const std::string& name, const std::string& arguments) {
  return R"({"block":0,"at":[],"to":")" + name + R"(","arguments":[)" + arguments + "]}";
}

struct Seen {
  std::vector<Input> inputs;  // inputs that are a candidate formula on their own
  bool sole = false;
};
Seen given(const std::vector<Module>& modules, NodeNumber node) {
  const auto found = LinkedProgram(modules).candidates({0, 0}, node);
  Seen all{{}, found.sole};
  for (const Formula& formula : found.formulas)
    if (formula->operation == Operation::load) all.inputs.push_back(formula->input);
  return all;
}

// Arguments of a Fortran subroutine are places: 0 the communicator, 1 p, 2 r, 3 the error code, 4 a number of
// dimensions, 5 extents, 6 the grid, 7 coordinates.
constexpr const char* kFortran =
    R"(["local",0],["local",1],["local",2],["local",3],["local",4],["local",5],["local",6],["local",7],["int",32,0],["int",32,2],["int",32,7],
["load",32,1],["load",32,2],["load",32,5],["at",5,4],["load",32,14],["load",32,7],["at",7,4],["load",32,17],["local",19],["load",32,3])";
constexpr NodeNumber kProcesses = 11, kRank = 12, kExtent = 13, kOtherExtent = 15, kCoordinate = 16,
                     kOtherCoordinate = 18, kError = 20;
const std::string kWorld = "[0,0,8]", kTwo = "[0,4,9]", kZeros = ",[0,5,8],[0,14,8]";
const std::string kSize = call("mpi_comm_size_", "0,1,3"), kRanks = call("mpi_comm_rank_", "0,2,3");
const std::string kDims = call("mpi_dims_create_", "1,4,5,3"),
                  kCreate = call("mpi_cart_create_", "0,4,5,19,19,6,3"),
                  kCoords = call("mpi_cart_coords_", "6,2,4,7,3");

TEST(Fortran, RankAndProcessesOfTheCommunicatorOfAll) {
  const auto modules = program(kFortran, kWorld, kSize + "," + kRanks);
  EXPECT_THAT(given(modules, kProcesses).inputs, ElementsAre(Input{InputKind::processes}));
  EXPECT_TRUE(given(modules, kProcesses).sole);
  EXPECT_THAT(given(modules, kRank).inputs, ElementsAre(Input{InputKind::rank}));
  EXPECT_TRUE(given(modules, kRank).sole);
  const auto error = LinkedProgram(modules).candidates({0, 0}, kError);
  EXPECT_EQ(evaluate(error.formulas.at(0), {}), (Value{false, 0, 0}));
}

TEST(Fortran, RankAndProcessesOfAnotherCommunicatorAreThoseOfAllByChance) {
  EXPECT_FALSE(given(program(kFortran, "[0,0,10]", kSize), kProcesses).sole);
  EXPECT_FALSE(
      given(program(kFortran, kWorld, call("mpi_comm_split_", "0,4,4,0,3") + "," + kSize), kProcesses).sole)
      << "it may be another one by then";
  EXPECT_FALSE(given(program(kFortran, kWorld, call("mpi_comm_size_f08_", "6,1,3")), kProcesses).sole);
  EXPECT_TRUE(given(program(kFortran, kWorld, call("pmpi_comm_size_", "0,1,3")), kProcesses).sole);
}

TEST(Fortran, ExtentsAndCoordinatesOfAGridOfAllProcesses) {
  const auto modules = program(kFortran, kWorld + "," + kTwo + kZeros,
                               kSize + "," + kRanks + "," + kDims + "," + kCreate + "," + kCoords);
  EXPECT_THAT(given(modules, kExtent).inputs, ElementsAre(Input{InputKind::grid_extent, 0, 2}));
  EXPECT_THAT(given(modules, kOtherExtent).inputs, ElementsAre(Input{InputKind::grid_extent, 1, 2}));
  EXPECT_THAT(given(modules, kCoordinate).inputs, ElementsAre(Input{InputKind::grid_coordinate, 0, 2}));
  EXPECT_THAT(given(modules, kOtherCoordinate).inputs, ElementsAre(Input{InputKind::grid_coordinate, 1, 2}));
  for (const NodeNumber node : {kExtent, kOtherExtent, kCoordinate, kOtherCoordinate})
    EXPECT_TRUE(given(modules, node).sole) << node;
}

TEST(Grids, OfLocalExtentsThatNobodyKnowsAreNotWhatIsTold) {
  const std::string calls = kSize + "," + kRanks + "," + kDims + "," + kCreate + "," + kCoords;
  // the facts contain all stores of numbers, so the other extents are set in an unknown way
  for (const std::string stores : {"", ",[0,5,8]"}) {
    const auto modules = program(kFortran, kWorld + "," + kTwo + stores, calls);
    for (const NodeNumber node : {kExtent, kCoordinate})
      EXPECT_FALSE(given(modules, node).sole) << node << stores;
  }
}

TEST(Fortran, RankInTheGridIsThatAmongAllProcesses) {
  EXPECT_TRUE(given(program(kFortran, kWorld + "," + kTwo + kZeros,
                            kSize + "," + kDims + "," + kCreate + "," + call("mpi_comm_rank_", "6,2,3")),
                    kRank)
                  .sole);
}

TEST(Grids, OfWhichTheProgramSetsAnExtentAreNotWhatIsTold) {
  const std::string calls = kSize + "," + kRanks + "," + kDims + "," + kCreate + "," + kCoords;
  const auto set = program(kFortran, kWorld + "," + kTwo + ",[0,5,9]", calls);
  for (const NodeNumber node : {kExtent, kOtherExtent, kCoordinate})
    EXPECT_FALSE(given(set, node).sole) << node;
  // divides a number of processes that may be 2
  const auto of_others = program(kFortran, kWorld + "," + kTwo + ",[0,1,9]", calls);
  for (const NodeNumber node : {kExtent, kCoordinate}) EXPECT_FALSE(given(of_others, node).sole) << node;
  const auto by_hand =
      program(kFortran, kWorld + "," + kTwo + ",[0,5,9]", kRanks + "," + kCreate + "," + kCoords);
  EXPECT_FALSE(given(by_hand, kCoordinate).sole);
  EXPECT_THAT(given(program(kFortran, kWorld + ",[0,4,9],[0,4,10]", calls), kExtent).inputs, IsEmpty())
      << "of how many dimensions is not known";
}

TEST(Grids, InCAreTheSame) {
  const std::string nodes =
      R"(["local",0],["local",1],["local",2],["local",3],["local",4],["global","ompi_mpi_comm_world",0],["int",32,2],["int",32,0],["load",32,0],["load",32,1],["pointed",3,0],["load",32,4],["load",32,2],["at",2,4])";
  const auto of = [&](const std::string& reordered) {
    return program(nodes, "[0,2,7],[0,13,7]",
                   call("MPI_Comm_size", "5,0") + "," + call("MPI_Comm_rank", "5,1") + "," +
                       call("MPI_Dims_create", "8,6,2") + "," +
                       call("MPI_Cart_create", "5,6,2,null," + reordered + ",3") + "," +
                       call("MPI_Cart_coords", "10,9,6,4"));
  };
  EXPECT_THAT(given(of("7"), 11).inputs, ElementsAre(Input{InputKind::grid_coordinate, 0, 2}));
  EXPECT_TRUE(given(of("7"), 11).sole);
  EXPECT_TRUE(given(of("7"), 12).sole);
}

// n is 7 before. Then n, or what follows it in the same object, is received.
TEST(Receiving, MayWriteAnotherValue) {
  const std::string nodes =
                        R"(["local",0],["at",0,4],["int",32,7],["load",32,0],["load",32,1],["somewhere"])",
                    both = "[0,0,2],[0,1,2]";
  const auto sole = [&](const std::string& calls, NodeNumber node) {
    return LinkedProgram(program(nodes, both, calls)).candidates({0, 0}, node).sole;
  };
  EXPECT_TRUE(sole("", 3));
  EXPECT_TRUE(sole(call("MPI_Send", "0,2,5,2,2,5"), 3));
  EXPECT_FALSE(sole(call("MPI_Recv", "0,2,5,2,2,5,5"), 3));
  EXPECT_FALSE(sole(call("MPI_Recv", "0,2,5,2,2,5,5"), 4)) << "several may be received";
  EXPECT_TRUE(sole(call("MPI_Recv", "1,2,5,2,2,5,5"), 3));
  EXPECT_FALSE(sole(call("MPI_Recv", "1,2,5,2,2,5,5"), 4));
  EXPECT_FALSE(sole(call("mpi_allreduce_", "5,0,2,5,5,5,5"), 3));
}

/// Returns whether 7, stored at place 1, is the only possible value there despite these calls. 0 is another
/// place, 2 the number, and 4 something else.
bool is_kept_by(const std::string& calls) {
  const std::string nodes = R"(["local",0],["local",1],["int",32,7],["load",32,1],["somewhere"])";
  return LinkedProgram(program(nodes, "[0,1,2]", calls)).candidates({0, 0}, 3).sole;
}

TEST(Receiving, WritesAStatus) {
  EXPECT_FALSE(is_kept_by(call("MPI_Recv", "0,2,4,2,2,4,1")));
  EXPECT_FALSE(is_kept_by(call("mpi_recv_", "0,2,4,2,2,4,1,0")));
  EXPECT_FALSE(is_kept_by(call("MPI_Wait", "4,1")));
  EXPECT_TRUE(is_kept_by(call("MPI_Recv", "0,2,4,2,2,4,4")));
}

TEST(Receiving, OfAPackWritesItsPosition) {
  EXPECT_FALSE(is_kept_by(call("MPI_Unpack", "4,2,1,0,2,4,4")));
  EXPECT_FALSE(is_kept_by(call("MPI_Unpack", "4,2,0,1,2,4,4")));
  EXPECT_TRUE(is_kept_by(call("MPI_Unpack", "1,2,0,4,2,4,4"))) << "from there it is taken";
}

TEST(Handles, ThatAreNumbersAreWritten) {
  EXPECT_FALSE(is_kept_by(call("mpi_isend_", "0,2,4,2,2,4,1,4"))) << "a request";
  EXPECT_TRUE(is_kept_by(call("mpi_isend_", "1,2,4,2,2,4,0,4"))) << "what is sent";
  EXPECT_FALSE(is_kept_by(call("mpi_type_contiguous_", "2,4,1,4")));
  EXPECT_FALSE(is_kept_by(call("MPI_Comm_free", "1")));
  EXPECT_FALSE(is_kept_by(call("mpi_file_open_", "4,4,2,4,1,4")));
}

// A global n that a library writes and the program does not: in every run, or only on one side of a branch.
TEST(Defaults, OfGlobalsMayRemainWhereAWayLeadsPastTheCallThatWrites) {
  const auto sole = [](const std::string& arcs, const std::string& more = "", int block = 1) {
    const std::string reads =
        R"({"block":)" + std::to_string(block) + R"(,"at":[],"to":"MPI_Comm_size","arguments":[0,1]})";
    const std::string json =
        R"({"source":"x.c","counters":1,"probes":0,"functions":[{"name":"main","shape":"1","arcs":[)" + arcs +
        R"(],"blocks":[{"at":[],"operations":{}},{"at":[],"operations":{}},{"at":[],"operations":{}}],"calls":[)" +
        reads + more + R"(],"nodes":[["global","ompi_mpi_comm_world",0],["global","n",0],["load",32,1]]}]})";
    const auto modules =
        read_facts("parcast-facts 1 AB " + std::to_string(json.size()) + "\n" + json + "\n", "x");
    EXPECT_TRUE(modules) << to_string(modules.error());
    return LinkedProgram(*modules).candidates({0, 0}, 2).sole;
  };
  const std::string in_turn = "[1,2],[3,4],[5,6],[0,1,0],[2,3],[4,5],[6,0]", past = in_turn + ",[2,5]";
  EXPECT_TRUE(sole(in_turn));
  EXPECT_FALSE(sole(past));
  EXPECT_TRUE(sole(past, "", 2)) << "both ways lead there";
  EXPECT_TRUE(sole(in_turn + ",[2,0]", R"(,{"block":0,"at":[],"to":"abort","arguments":[]})"))
      << "no run that ends well goes on";
  EXPECT_FALSE(sole(in_turn + ",[2,0]"));
}

TEST(Addresses, AreWrittenByMpi) {
  const std::string nodes = R"(["local",0],["int",64,7],["load",64,0],["somewhere"])";
  const auto sole = [&](const std::string& calls) {
    return LinkedProgram(program(nodes, "[0,0,1]", calls)).candidates({0, 0}, 2).sole;
  };
  EXPECT_TRUE(sole(""));
  EXPECT_FALSE(sole(call("MPI_Get_address", "3,0")));
  EXPECT_FALSE(sole(call("MPI_Address", "3,0")));
}

TEST(Grids, ThatAreWrittenOverAreNotWhatIsTold) {
  const std::string calls = kSize + "," + kDims + "," + kCreate, rank = "," + call("mpi_comm_rank_", "6,2,3");
  EXPECT_TRUE(given(program(kFortran, kWorld + "," + kTwo + kZeros, calls + rank), kRank).sole);
  EXPECT_FALSE(given(program(kFortran, kWorld + "," + kTwo + kZeros,
                             calls + "," + call("mpi_comm_split_", "0,4,4,6,3") + rank),
                     kRank)
                   .sole);
}

TEST(Receiving, ByADatatypeMayBeginBeforeTheAddress) {
  const std::string nodes = R"(["local",0],["at",0,4],["int",32,7],["load",32,0],["somewhere"])";
  const auto sole = [&](const std::string& calls) {
    return LinkedProgram(program(nodes, "[0,0,2]", calls)).candidates({0, 0}, 3).sole;
  };
  const std::string receives = call("MPI_Recv", "1,2,4,2,2,4,4");
  EXPECT_TRUE(sole(receives));
  EXPECT_FALSE(sole(receives + "," + call("MPI_Type_create_hindexed", "2,4,4,4,4")));
}

TEST(Receiving, AtTheBottomIsWhereTheDatatypeSays) {
  const std::string nodes =
      R"(["local",0],["local",1],["int",32,7],["load",32,0],["int",64,0],["somewhere"],["global","mpi_fortran_bottom_",0])";
  const auto sole = [&](const std::string& calls) {
    return LinkedProgram(program(nodes, "[0,0,2]", calls)).candidates({0, 0}, 3).sole;
  };
  const std::string address = call("MPI_Get_address", "0,1") + ",";
  EXPECT_TRUE(sole(address + call("MPI_Recv", "5,2,5,2,2,5,5")));
  EXPECT_FALSE(sole(address + call("MPI_Recv", "4,2,5,2,2,5,5")));
  EXPECT_FALSE(sole(call("mpi_get_address_", "0,1,5") + "," + call("mpi_recv_", "6,2,5,2,2,5,5,5")));
  EXPECT_FALSE(sole(address + call("MPI_Bcast", "4,2,5,2,5")));
}

TEST(Copying, AnObjectAsAWholeMayWriteAnotherValue) {
  const std::string
      nodes = R"(["local",0],["at",0,4],["int",32,7],["load",32,0],["load",32,1],["somewhere"],["int",64,4])",
      both = "[0,0,2],[0,1,2]";
  const auto sole = [&](const std::string& calls, NodeNumber node) {
    return LinkedProgram(program(nodes, both, calls)).candidates({0, 0}, node).sole;
  };
  EXPECT_FALSE(sole(call("memcpy", "0,5,6"), 3));
  EXPECT_TRUE(sole(call("memcpy", "5,0,6"), 3)) << "it is copied from there";
  EXPECT_TRUE(sole(call("memcpy", "1,5,6"), 3));
  EXPECT_FALSE(sole(call("memcpy", "1,5,6"), 4));
}

TEST(Grids, OfGlobalsThatAreSetTo0Before) {
  const std::string nodes =
      R"(["global","dims",0],["local",1],["global","ompi_mpi_comm_world",0],["int",32,0],["int",32,1],["load",32,1],["load",32,0],["int",32,2],["int",64,0])";
  const std::string calls = call("MPI_Comm_size", "2,1") + "," + call("MPI_Dims_create", "5,4,0"),
                    two = call("MPI_Comm_size", "2,1") + "," + call("MPI_Dims_create", "5,7,0");
  EXPECT_TRUE(given(program(nodes, "[0,0,3]", calls), 6).sole);
  EXPECT_FALSE(given(program(nodes, "", calls), 6).sole) << "it may begin with another number";
  EXPECT_FALSE(given(program(nodes, "[0,0,4]", calls), 6).sole);
  EXPECT_FALSE(given(program(nodes, "[0,0,3]", two), 6).sole) << "the second may begin with another number";
  EXPECT_TRUE(given(program(nodes, "[0,0,8]", two), 6).sole) << "both at once";
}

TEST(Grids, OfWhichTheExtentsAreCopiedFromSomewhereAreNotWhatIsTold) {
  const std::string calls = call("memcpy", "5,19,9") + "," + kSize + "," + kDims;
  EXPECT_FALSE(given(program(kFortran, kWorld + "," + kTwo, calls), kExtent).sole)
      << "some of them may be set";
}

// The value of one process, which is the same in all unless it depends on the process.
TEST(Broadcasting, TellsTheOthersWhatIsTheSameInAll) {
  const std::string nodes =
      R"(["local",0],["local",1],["global","ompi_mpi_comm_world",0],["int",32,7],["load",32,1],["load",32,0],["somewhere"])";
  const std::string rank = call("MPI_Comm_rank", "2,1"), broadcast = "," + call("MPI_Bcast", "0,3,6,3,2");
  const auto sole = [&](const std::string& stores, const std::string& calls) {
    return LinkedProgram(program(nodes, stores, calls)).candidates({0, 0}, 5).sole;
  };
  EXPECT_TRUE(sole("[0,0,3]", rank + broadcast));
  EXPECT_TRUE(sole("[0,0,4]", rank));
  EXPECT_FALSE(sole("[0,0,4]", rank + broadcast)) << "it is the root's rank in all of them then";
  // Through a pointer that leads to one place, or to one of two.
  const std::string behind = nodes + R"(,["local",7],["pointed",7,0],["local",9])",
                    through = rank + "," + call("MPI_Bcast", "8,3,6,3,2");
  const auto sole_behind = [&](const std::string& stores) {
    return LinkedProgram(program(behind, stores, through)).candidates({0, 0}, 5).sole;
  };
  EXPECT_TRUE(sole_behind("[0,0,3],[0,7,0]"));
  EXPECT_FALSE(sole_behind("[0,0,3],[0,7,0],[0,7,9]"));
  const auto modules = program(nodes, "[0,0,3]", rank + broadcast);
  EXPECT_FALSE(
      LinkedProgram(modules, {}, {}, [](FunctionPlace, int) { return false; }).candidates({0, 0}, 5).sole)
      << "others may pass another place elsewhere";
}

}  // namespace
}  // namespace parcast::facts
