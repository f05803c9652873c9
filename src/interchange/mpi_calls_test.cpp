// SPDX-License-Identifier: Apache-2.0
#include "interchange/mpi_calls.h"

#include <gtest/gtest.h>

#include <set>

namespace parcast::interchange {
namespace {

using recording::CallClass;
using recording::Pattern;

TEST(MpiCalls, AFunctionIsKnownUnderTheNamesThatToolsGiveIt) {
  for (const char* name : {"MPI_Allreduce", "MPI_Allreduce()", "mpi_allreduce_", "MPI_ALLREDUCE",
                           "PMPI_Allreduce", "MPI_Allreduce_c"}) {
    const MpiCall* call = find_mpi_call(name);
    ASSERT_TRUE(call) << name;
    EXPECT_EQ(call->name, "MPI_Allreduce");
    EXPECT_EQ(call->kind, CallClass::collective);
    EXPECT_EQ(call->pattern, Pattern::allreduce);
  }
  EXPECT_FALSE(find_mpi_call("solve"));
  EXPECT_FALSE(find_mpi_call(""));
}

TEST(MpiCalls, WhatTheRecorderWrapsWithoutAnEventIsNoEventHere) {
  EXPECT_EQ(find_mpi_call("MPI_Comm_rank")->treatment, Treatment::computing);
  EXPECT_EQ(find_mpi_call("MPI_Send_init")->treatment, Treatment::silent);
  EXPECT_EQ(find_mpi_call("MPI_Psend_init")->treatment, Treatment::counted);
  EXPECT_EQ(find_mpi_call("MPI_Init")->kind, CallClass::initialise);
  EXPECT_EQ(find_mpi_call("parcast_classes")->treatment, Treatment::event);
}

TEST(MpiCalls, NamesAreDifferentAndStartKnowsBothDirections) {
  std::set<std::string_view> names;
  for (const MpiCall& call : mpi_calls()) EXPECT_TRUE(names.insert(call.name).second) << call.name;
  EXPECT_GT(names.size(), 400u);
  EXPECT_EQ(receiving(*find_mpi_call("MPI_Startall")).kind, CallClass::start_receive);
  EXPECT_EQ(receiving(*find_mpi_call("MPI_Irecv")).kind, CallClass::start_receive);
}

}  // namespace
}  // namespace parcast::interchange
