// SPDX-License-Identifier: Apache-2.0
#pragma once
// The code of a flat program. Registers 0 .. inputs-1 are the columns of the points; the others are tiles of
// workspace.

#include <cstdint>
#include <vector>

#include "symbolic/program.h"

namespace parcast::symbolic {

enum class Opcode : std::uint8_t {
  constant,  // target = immediate
  add,       // target = a + b; likewise the next two
  multiply,
  divide,
  offset,     // target = a + immediate
  scale,      // target = a * immediate
  divide_by,  // target = a / immediate
  square_root,
  cube_root,
  power,  // target = a ^ immediate, fractional
  floor,
  ceil,
  modulo,
  minimum,
  maximum,
  log2,
  select,  // target = a >= 0 ? b : c
  series,  // target = sum of c, computed by the next `length` instructions, for `index` = a .. b
};

struct Instruction {
  Opcode opcode = Opcode::constant;
  std::uint32_t target = 0, a = 0, b = 0, c = 0;
  std::uint32_t index = 0, count = 0, length = 0;  // series; `count` holds its number of terms
  double immediate = 0;
};

struct FlatProgram::Code {
  std::vector<Instruction> instructions;
  std::vector<std::uint32_t> outputs;
  std::size_t inputs = 0;
  std::size_t registers = 0;  // inputs included
};

/// Returns the number of operands a, b, c that an instruction reads.
constexpr int operand_count(Opcode opcode) {
  switch (opcode) {
    case Opcode::constant:
      return 0;
    case Opcode::add:
    case Opcode::multiply:
    case Opcode::divide:
    case Opcode::modulo:
    case Opcode::minimum:
    case Opcode::maximum:
    case Opcode::series:
      return 2;  // c of a series is read at its end
    case Opcode::select:
      return 3;
    default:
      return 1;
  }
}

/// Maps the compiler's registers, which hold one value each, to as few as possible. Inputs keep theirs.
/// Returns the number of registers.
std::size_t allocate_registers(std::vector<Instruction>& instructions, std::vector<std::uint32_t>& outputs,
                               std::size_t inputs, std::size_t values);

}  // namespace parcast::symbolic
