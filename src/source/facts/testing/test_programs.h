// SPDX-License-Identifier: Apache-2.0
#pragma once
// Programs of a few blocks, as the compiler pass describes them. Nodes are numbered in their order in the
// text.

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "source/facts/facts.h"

namespace parcast::facts {

/// Returns main with three consecutive blocks, and the given stores, calls, nodes and further functions.
inline std::vector<Module> three_blocks(const std::string& stores, const std::string& calls,
                                        const std::string& nodes, const std::string& more = "") {
  const std::string json = R"({"source":"x.c","counters":2,"probes":0,"functions":[
{"name":"main","shape":"1","arcs":[[1,2],[3,4],[5,6],[0,1,0],[2,3],[4,5],[6,0]],"blocks":[{"at":[],"operations":{}},{"at":[],"operations":{}},{"at":[],"operations":{}}],"stores":[)" +
                           stores + "],\n\"calls\":[" + calls + "],\n\"nodes\":[" + nodes + "]}" + more +
                           "]}";
  auto modules = read_facts("parcast-facts 1 AB " + std::to_string(json.size()) + "\n" + json + "\n", "x");
  EXPECT_TRUE(modules) << to_string(modules.error());
  return modules ? *std::move(modules) : std::vector<Module>{};
}

/// Returns a function of one block that calls `callee`, or calls through a pointer if `callee` is empty.
inline std::string calling(const std::string& name, const std::string& callee) {
  return R"(,{"name":")" + name +
         R"(","shape":"2","arcs":[[1,2],[0,1,1],[2,0]],"blocks":[{"at":[],"operations":{}}],"calls":[{"block":0,"at":[])" +
         (callee.empty() ? "" : R"(,"to":")" + callee + '"') + R"(,"arguments":[]}],"nodes":[]})";
}

}  // namespace parcast::facts
