// SPDX-License-Identifier: Apache-2.0
// Linear scan: a register is free after the last instruction that reads its value. Values that a series reads
// from outside live until the series ends, since the body runs repeatedly.

#include <algorithm>

#include "symbolic/instruction.h"

namespace parcast::symbolic {

namespace {

class Allocator {
 public:
  Allocator(std::vector<Instruction>& instructions, std::size_t inputs, std::size_t values)
      : code_(instructions), inputs_(inputs), defined_(values, 0), last_use_(values, 0), place_(values, 0) {
    for (std::size_t i = 0; i < inputs; ++i) place_[i] = static_cast<std::uint32_t>(i);
    next_ = static_cast<std::uint32_t>(inputs);
  }

  std::size_t run(std::vector<std::uint32_t>& outputs) {
    find_lifetimes(outputs);
    std::vector<std::vector<std::uint32_t>> ending(code_.size() + 1);
    for (std::size_t value = inputs_; value < last_use_.size(); ++value) {
      ending[last_use_[value]].push_back(static_cast<std::uint32_t>(value));
    }
    for (std::size_t i = 0; i < code_.size(); ++i) {
      assign(code_[i]);
      for (const std::uint32_t value : ending[i]) free_.push_back(place_[value]);
    }
    for (Instruction& instruction : code_) rename(instruction);
    for (std::uint32_t& output : outputs) output = place_[output];
    return next_;
  }

 private:
  struct Loop {
    std::size_t begin, end;  // the series instruction, the last one of its body
  };

  void define(std::uint32_t value, std::size_t at) { defined_[value] = last_use_[value] = at; }

  void use(std::uint32_t value, std::size_t at) {
    for (const Loop& loop : loops_) {
      if (defined_[value] < loop.begin || value < inputs_) at = std::max(at, loop.end);
    }
    last_use_[value] = std::max(last_use_[value], at);
  }

  void find_lifetimes(const std::vector<std::uint32_t>& outputs) {
    for (std::size_t i = 0; i < code_.size(); ++i) {
      std::erase_if(loops_, [&](const Loop& loop) { return loop.end < i; });
      const Instruction& instruction = code_[i];
      const int reads = operand_count(instruction.opcode);
      if (reads > 0) use(instruction.a, i);
      if (reads > 1) use(instruction.b, i);
      if (reads > 2) use(instruction.c, i);
      define(instruction.target, i);
      if (instruction.opcode == Opcode::series) define_series(instruction, i);
    }
    for (const std::uint32_t output : outputs) last_use_[output] = code_.size();
    for (const auto& [series, end] : endings_) use_at_end(code_[series].c, end);
  }

  void define_series(const Instruction& instruction, std::size_t at) {
    const std::size_t end = at + instruction.length;
    define(instruction.index, at);
    define(instruction.count, at);
    for (const std::uint32_t value : {instruction.target, instruction.index, instruction.count})
      last_use_[value] = end;
    loops_.push_back({at, end});
    endings_.emplace_back(at, end);
  }

  void use_at_end(std::uint32_t value, std::size_t end) {
    last_use_[value] = std::max(last_use_[value], end);
  }

  std::uint32_t take() {
    if (free_.empty()) return next_++;
    const std::uint32_t place = free_.back();
    free_.pop_back();
    return place;
  }

  void assign(const Instruction& instruction) {
    place_[instruction.target] = take();
    if (instruction.opcode != Opcode::series) return;
    place_[instruction.index] = take();
    place_[instruction.count] = take();
  }

  void rename(Instruction& instruction) const {
    for (std::uint32_t* value : {&instruction.target, &instruction.a, &instruction.b, &instruction.c,
                                 &instruction.index, &instruction.count}) {
      *value = place_[*value];
    }
  }

  std::vector<Instruction>& code_;
  std::size_t inputs_;
  std::vector<std::size_t> defined_, last_use_;
  std::vector<std::uint32_t> place_, free_;
  std::uint32_t next_ = 0;
  std::vector<Loop> loops_;
  std::vector<std::pair<std::size_t, std::size_t>> endings_;
};

}  // namespace

std::size_t allocate_registers(std::vector<Instruction>& instructions, std::vector<std::uint32_t>& outputs,
                               std::size_t inputs, std::size_t values) {
  return Allocator(instructions, inputs, values).run(outputs);
}

}  // namespace parcast::symbolic
