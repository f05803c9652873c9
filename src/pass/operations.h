// SPDX-License-Identifier: Apache-2.0
#pragma once
// What one execution of a block does, by class of operation; classes as in docs/models/operations.md.

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

/// Class -> how many, and the bytes loaded and stored. A vector operation counts once per element.
std::map<std::string, std::int64_t> operations_of(const llvm::BasicBlock& block, const llvm::DataLayout& layout);
bool is_bytes(const std::string& name);

/// Null where it is none.
const char* class_of(const llvm::Instruction& instruction);

/// Operations that are done by so many instructions of the processor.
struct PackedCount {
  std::int64_t operations = 0, instructions = 0;
};
struct Executed {
  std::string name;  // class
  PackedCount packed;
  bool scalable = false;  // a vector whose length the processor decides on: the least that it may be
};
/// Of final code, on a processor whose vectors are of so many bits. Nothing where it is no operation.
std::optional<Executed> executed_by(const llvm::Instruction& instruction, unsigned register_bits);

}  // namespace parcast::pass
