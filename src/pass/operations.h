// SPDX-License-Identifier: Apache-2.0
#pragma once
// Counts the operations in one execution of a block, by class; docs/models/operations.md has the classes.

#include <cstdint>
#include <map>
#include <optional>
#include <string>

namespace llvm {
class BasicBlock;
class DataLayout;
class Instruction;
}  // namespace llvm

namespace parcast::pass {

/// Returns class -> number of operations, and the bytes loaded and stored. A vector operation counts once per
/// element.
std::map<std::string, std::int64_t> operations_of(const llvm::BasicBlock& block,
                                                  const llvm::DataLayout& layout);
bool is_bytes(const std::string& name);

/// Returns null when the instruction is no operation.
const char* class_of(const llvm::Instruction& instruction);

/// Operations, and the number of processor instructions that do them.
struct PackedCount {
  std::int64_t operations = 0, instructions = 0;
};
struct Executed {
  std::string name;  // class
  PackedCount packed;
  // a vector whose length the processor determines; `packed` then has its least length
  bool scalable = false;
};
/// Returns the operations of an instruction of final code, on a processor whose vectors have `register_bits`
/// bits. Returns nothing when it is no operation.
std::optional<Executed> executed_by(const llvm::Instruction& instruction, unsigned register_bits);

}  // namespace parcast::pass
