// SPDX-License-Identifier: Apache-2.0
// Compiles expressions to instructions. Each part has one value. A part inside a series that does not depend
// on the index is computed before the series.

#include <algorithm>
#include <cstring>
#include <unordered_map>

#include "symbolic/instruction.h"
#include "symbolic/lowering.h"

namespace parcast::symbolic {

struct ProgramCompiler {
  using Value = std::uint32_t;

  explicit ProgramCompiler(std::span<const Expression> inputs) : values_(static_cast<Value>(inputs.size())) {
    for (Value i = 0; i < inputs.size(); ++i) inputs_.emplace(inputs[i].name(), i);
    blocks_.emplace_back();
  }

  static FlatProgram finish(std::span<const Expression> outputs, std::span<const Expression> inputs) {
    ProgramCompiler compiler(inputs);
    auto code = std::make_shared<FlatProgram::Code>();
    code->inputs = inputs.size();
    for (const Expression& output : outputs) code->outputs.push_back(compiler.value(output));
    code->instructions = std::move(compiler.blocks_[0].instructions);
    code->registers = allocate_registers(code->instructions, code->outputs, code->inputs, compiler.values_);
    return FlatProgram(std::move(code));
  }

  Value value(const Expression& a) {
    if (a.operation() == Operation::symbol && node_of(a).level == 0) return inputs_.find(a.name())->second;
    const std::size_t outer = std::exchange(block_, block_of(a));
    Value& known = blocks_[block_].values.try_emplace(a.node(), kNone).first->second;
    if (known == kNone) {
      const Value fresh = compute(a);
      blocks_[block_].values[a.node()] = fresh;
      kept_.push_back(a);
    }
    const Value result = blocks_[block_].values[a.node()];
    block_ = outer;
    return result;
  }

  Value constant(double a) { return emit({.opcode = Opcode::constant, .immediate = a}); }
  Value add(Value a, Value b) { return emit({.opcode = Opcode::add, .a = a, .b = b}); }
  Value multiply(Value a, Value b) { return emit({.opcode = Opcode::multiply, .a = a, .b = b}); }
  Value divide(Value a, Value b) { return emit({.opcode = Opcode::divide, .a = a, .b = b}); }
  Value offset(Value a, double b) { return emit({.opcode = Opcode::offset, .a = a, .immediate = b}); }
  Value scale(Value a, double b) { return emit({.opcode = Opcode::scale, .a = a, .immediate = b}); }
  Value divide_by(Value a, double b) { return emit({.opcode = Opcode::divide_by, .a = a, .immediate = b}); }
  Value square_root(Value a) { return emit({.opcode = Opcode::square_root, .a = a}); }
  Value cube_root(Value a) { return emit({.opcode = Opcode::cube_root, .a = a}); }
  Value fractional_power(Value a, double e) {
    return emit({.opcode = Opcode::power, .a = a, .immediate = e});
  }

 private:
  static constexpr Value kNone = ~Value{0};

  // One block per series being compiled, innermost last; the first block is the program itself.
  struct Block {
    std::uint64_t index = 0;  // index of the series, as a bit of Node::loose
    std::vector<Instruction> instructions;
    std::unordered_map<const Node*, Value> values;
  };

  std::size_t block_of(const Expression& a) const {
    std::size_t block = block_;
    while (block > 0 && !(node_of(a).loose & blocks_[block].index)) --block;
    return block;
  }

  Value emit(Instruction instruction) {
    instruction.target = values_++;
    blocks_[block_].instructions.push_back(instruction);
    return instruction.target;
  }

  Value compute(const Expression& a) {
    const std::span<const Expression> o = a.operands();
    switch (a.operation()) {
      case Operation::constant:
      case Operation::real:
        return constant(a.number());
      case Operation::sum:
        return Lowering(*this).sum(a);
      case Operation::product:
      case Operation::power:
        return Lowering(*this).product(a);
      case Operation::floor:
        return emit({.opcode = Opcode::floor, .a = value(o[0])});
      case Operation::ceil:
        return emit({.opcode = Opcode::ceil, .a = value(o[0])});
      case Operation::log2:
        return emit({.opcode = Opcode::log2, .a = value(o[0])});
      case Operation::modulo:
        return fold(Opcode::modulo, o);
      case Operation::minimum:
        return fold(Opcode::minimum, o);
      case Operation::maximum:
        return fold(Opcode::maximum, o);
      case Operation::conditional: {
        const Value condition = value(o[0]), then = value(o[1]), otherwise = value(o[2]);
        return emit({.opcode = Opcode::select, .a = condition, .b = then, .c = otherwise});
      }
      case Operation::series:
        return compile_series(o);
      // an index is known in its block, an input in advance
      case Operation::symbol:
        break;
    }
    return kNone;
  }

  Value fold(Opcode opcode, std::span<const Expression> operands) {
    Value result = value(operands[0]);
    for (const Expression& operand : operands.subspan(1)) {
      const Value next = value(operand);
      result = emit({.opcode = opcode, .a = result, .b = next});
    }
    return result;
  }

  Value compile_series(std::span<const Expression> o) {
    const Value first = value(o[1]), last = value(o[2]);
    Instruction loop{.opcode = Opcode::series, .a = first, .b = last, .index = values_++, .count = values_++};
    const std::size_t outer = block_;
    // The body depends on no index of a block between `outer` and the innermost one. Otherwise the series
    // itself would be placed in that block.
    blocks_.push_back({node_of(o[0]).loose, {}, {{o[0].node(), loop.index}}});
    block_ = blocks_.size() - 1;
    loop.c = value(o[3]);
    const std::vector<Instruction> body = std::move(blocks_.back().instructions);
    blocks_.pop_back();
    block_ = outer;
    loop.length = static_cast<std::uint32_t>(body.size());
    const Value result = emit(loop);
    std::vector<Instruction>& instructions = blocks_[block_].instructions;
    instructions.insert(instructions.end(), body.begin(), body.end());
    return result;
  }

  std::map<std::string, Value, std::less<>> inputs_;
  std::vector<Block> blocks_;
  std::size_t block_ = 0;
  Value values_ = 0;
  // keeps the expressions alive, so that no address in Block::values is reused
  std::vector<Expression> kept_;
};

Result<FlatProgram> FlatProgram::compile(std::span<const Expression> outputs,
                                         std::span<const Expression> inputs) {
  for (const Expression& input : inputs) {
    if (input.operation() != Operation::symbol)
      return Error{"input '" + to_text(input) + "' of a program is no symbol", "", ""};
  }
  for (const Expression& output : outputs) {
    PARCAST_TRY(check_nesting(output));
    for (const Expression& symbol : free_symbols(output)) {
      const bool known =
          std::ranges::any_of(inputs, [&](const Expression& i) { return i.name() == symbol.name(); });
      if (!known)
        return Error{"symbol '" + symbol.name() + "' is no input of the program", "'" + to_text(output) + "'",
                     "list it among the inputs"};
    }
  }
  return ProgramCompiler::finish(outputs, inputs);
}

std::size_t FlatProgram::input_count() const {
  return code_->inputs;
}
std::size_t FlatProgram::output_count() const {
  return code_->outputs.size();
}
std::size_t FlatProgram::instruction_count() const {
  return code_->instructions.size();
}

}  // namespace parcast::symbolic
