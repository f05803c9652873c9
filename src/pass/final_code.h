// SPDX-License-Identifier: Apache-2.0
#pragma once
// Finds what became of counted loops and blocks in the final code: how many rounds one instruction does, and
// how many of a block's operations are done together (docs/formats/facts.md, `final`; decision 68).
//
// A loop carries its number in its metadata from the counting pass until the end, through copies, versions
// and remainders. The loop vectoriser's result is examined right after that pass, before unrolling obscures
// it. Other vector code is examined at the end, by the source places that only one block has.

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
  /// Call it before a function's counters are inserted: its blocks and loops are those of its facts.
  /// `number`: index of the function in the module.
  void follow(const llvm::Function& function, int number, const Shape& shape,
              llvm::ArrayRef<llvm::Loop*> loops, const llvm::LoopInfo& of_blocks,
              const llvm::TargetTransformInfo& target);
  /// Call it afterwards: adds numbers to the function's loops.
  void mark(llvm::Function& function) const;

  /// Call it after the loop vectoriser.
  void look_at_loops(const llvm::Function& function);
  /// Call it at the end. Removes the marks. Returns null when nothing can be recorded, as in modules that a
  /// linker optimises further.
  llvm::json::Value finished(llvm::Module& module);

 private:
  struct FollowedLoop {
    llvm::BasicBlock* head = nullptr;
    llvm::MDNode* id = nullptr;  // its metadata, which counters on the back edge may displace
    std::optional<std::int64_t> width, interleave;
    std::map<std::string, PackedCount> packed;  // of all its own blocks together
  };
  struct Followed {
    int number = 0;
    unsigned register_bits = 0;
    std::vector<FollowedLoop> loops;
    std::vector<int> loop_of;                                     // innermost loop of each block, -1: none
    std::vector<std::map<std::string, std::int64_t>> operations;  // of each block
    llvm::DenseMap<const llvm::DILocation*, int> blocks_at;       // -1: several blocks
  };
  struct Copy;

  const Followed* followed(const llvm::Function& function) const;
  static Copy copy_of(const llvm::Loop& loop, unsigned register_bits);
  static void tell(FollowedLoop& loop, const std::vector<Copy>& copies,
                   const std::map<std::string, std::int64_t>& operations);
  static void note_blocks(const llvm::Function& function, const Followed& of, llvm::json::Array& rows);

  std::map<std::string, Followed> functions_;
};

}  // namespace parcast::pass
