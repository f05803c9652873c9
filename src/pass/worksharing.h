// SPDX-License-Identifier: Apache-2.0
#pragma once
// Finds loops whose rounds are distributed over the threads of an OpenMP team, by the surrounding calls of
// LLVM's OpenMP library (kmp.h: __kmpc_for_static_init_*, __kmpc_dispatch_next_*).

#include <map>
#include <string>

namespace llvm {
class DominatorTree;
class Function;
class Loop;
class LoopInfo;
}  // namespace llvm

namespace parcast::pass {

struct Sharing {
  std::string schedule;  // static, static chunked, dynamic, guided, runtime, auto
  bool chunks = false;   // a round of it is a chunk, whose own loop is inside it
};

std::map<const llvm::Loop*, Sharing> shared_loops(const llvm::Function& function, const llvm::LoopInfo& loops,
                                                  const llvm::DominatorTree& dominators);

}  // namespace parcast::pass
