// SPDX-License-Identifier: Apache-2.0
#pragma once
// What became of counted loops and blocks when the code was final: how many rounds one instruction does, and how many of a block's operations are
// done together (docs/formats/facts.md, `final`; decision 68).
//
// A loop bears its numbers in its metadata from the counting pass until the end, through copies, versions and remainders. What the loop
// vectoriser made of it is looked at right behind that pass, before unrolling hides it; what else was put in vectors at the end, by the
// places in the source that a block has for itself.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/Support/JSON.h"
#include "pass/operations.h"
#include "pass/shape.h"

namespace llvm {
class BasicBlock;
class DILocation;
class Loop;
class LoopInfo;
class MDNode;
class Module;
class TargetTransformInfo;
}  // namespace llvm

namespace parcast::pass {

class FinalCode {
 public:
  /// Before a function's counters are put in: its blocks and loops are those that its facts tell. `number`: of the function in the module.
  void follow(const llvm::Function& function, int number, const Shape& shape, llvm::ArrayRef<llvm::Loop*> loops, const llvm::LoopInfo& of_blocks,
              const llvm::TargetTransformInfo& target);
  /// Afterwards: its loops bear their numbers.
  void mark(llvm::Function& function) const;

  /// Behind the loop vectoriser.
  void look_at_loops(const llvm::Function& function);
  /// At the end. Takes the marks out again; null where nothing can be told, which is so in what a linker goes on optimising.
  llvm::json::Value finished(llvm::Module& module);

 private:
  struct FollowedLoop {
    llvm::BasicBlock* head = nullptr;
    llvm::MDNode* id = nullptr;   // its metadata, which counters on the way back may displace
    std::optional<std::int64_t> width, interleave;
    std::map<std::string, PackedCount> packed;  // of all its own blocks together
  };
  struct Followed {
    int number = 0;
    unsigned register_bits = 0;
    std::vector<FollowedLoop> loops;
    std::vector<int> loop_of;                              // of blocks: innermost, -1 outside
    std::vector<std::map<std::string, std::int64_t>> operations;  // of blocks
    llvm::DenseMap<const llvm::DILocation*, int> blocks_at;  // -1: several
  };
  struct Copy;

  const Followed* followed(const llvm::Function& function) const;
  static Copy copy_of(const llvm::Loop& loop, unsigned register_bits);
  static void tell(FollowedLoop& loop, const std::vector<Copy>& copies, const std::map<std::string, std::int64_t>& operations);
  static void tell_blocks(const llvm::Function& function, const Followed& of, llvm::json::Array& rows);

  std::map<std::string, Followed> functions_;
};

}  // namespace parcast::pass
