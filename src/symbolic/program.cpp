// SPDX-License-Identifier: Apache-2.0
// Runs a flat program tile by tile.

#include "symbolic/program.h"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "symbolic/instruction.h"
#include "symbolic/kernel.h"

namespace parcast::symbolic {

namespace {

// 1 KiB per register: about thirty registers fit in a first-level cache.
constexpr std::size_t kTile = 128;

class Tile {
 public:
  Tile(std::span<const Instruction> code, std::size_t inputs, std::size_t registers)
      : code_(code), workspace_((registers - inputs) * kTile), registers_(registers) {
    for (std::size_t i = inputs; i < registers; ++i) registers_[i] = workspace_.data() + (i - inputs) * kTile;
  }

  void set_input(std::size_t input, const double* values) { registers_[input] = values; }
  void set_width(std::size_t width) { width_ = width; }
  void run() { run(0, code_.size()); }

  /// An infinite result is stored as missing.
  void store(std::uint32_t from, double* to) const {
    for (std::size_t i = 0; i < width_; ++i)
      to[i] = std::isfinite(registers_[from][i]) ? registers_[from][i] : kernel::kNone;
  }

 private:
  void run(std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      execute(code_[i], i);
      if (code_[i].opcode == Opcode::series) i += code_[i].length;
    }
  }

  // All registers except the inputs point into the workspace.
  double* writable(std::uint32_t r) { return const_cast<double*>(registers_[r]); }

  template <class Function>
  void unary(const Instruction& in, Function function) {
    double* __restrict const target = writable(in.target);
    const double* __restrict const a = registers_[in.a];
    for (std::size_t i = 0; i < width_; ++i) target[i] = function(a[i]);
  }

  template <class Function>
  void binary(const Instruction& in, Function function) {
    double* __restrict const target = writable(in.target);
    const double* const a = registers_[in.a];
    const double* const b = registers_[in.b];
    for (std::size_t i = 0; i < width_; ++i) target[i] = function(a[i], b[i]);
  }

  void execute(const Instruction& in, std::size_t at) {
    const double immediate = in.immediate;
    switch (in.opcode) {
      case Opcode::constant:
        return std::fill_n(writable(in.target), width_, immediate), void();
      case Opcode::add:
        return binary(in, [](double a, double b) { return a + b; });
      case Opcode::multiply:
        return binary(in, [](double a, double b) { return a * b; });
      case Opcode::divide:
        return binary(in, kernel::divide);
      case Opcode::offset:
        return unary(in, [immediate](double a) { return a + immediate; });
      case Opcode::scale:
        return unary(in, [immediate](double a) { return a * immediate; });
      case Opcode::divide_by:
        return unary(in, [immediate](double a) { return a / immediate; });
      case Opcode::square_root:
        return unary(in, kernel::square_root);
      case Opcode::cube_root:
        return unary(in, kernel::cube_root);
      case Opcode::power:
        return unary(in, [immediate](double a) { return kernel::fractional_power(a, immediate); });
      case Opcode::floor:
        return unary(in, [](double a) { return std::floor(a); });
      case Opcode::ceil:
        return unary(in, [](double a) { return std::ceil(a); });
      case Opcode::modulo:
        return binary(in, kernel::modulo);
      case Opcode::minimum:
        return binary(in, kernel::minimum);
      case Opcode::maximum:
        return binary(in, kernel::maximum);
      case Opcode::log2:
        return unary(in, kernel::log2);
      case Opcode::select:
        return select(in);
      case Opcode::series:
        return series(in, at);
    }
  }

  void select(const Instruction& in) {
    double* __restrict const target = writable(in.target);
    const double* const a = registers_[in.a];
    const double* const b = registers_[in.b];
    const double* const c = registers_[in.c];
    for (std::size_t i = 0; i < width_; ++i) target[i] = kernel::select(a[i], b[i], c[i]);
  }

  // All points of the tile iterate together until the one with the most terms is done.
  void series(const Instruction& in, std::size_t at) {
    double* const total = writable(in.target);
    double* const index = writable(in.index);
    double* const count = writable(in.count);
    double most = 0;
    for (std::size_t i = 0; i < width_; ++i) {
      count[i] = kernel::term_count(registers_[in.a][i], registers_[in.b][i]);
      index[i] = std::ceil(registers_[in.a][i]);
      total[i] = std::isnan(count[i]) ? kernel::kNone : 0;
      most = std::max(most, count[i]);  // NaN never replaces it
    }
    for (double done = 0; done < most; ++done) {
      run(at + 1, at + 1 + in.length);
      for (std::size_t i = 0; i < width_; ++i) {
        if (done < count[i]) total[i] += registers_[in.c][i];
        // stays inside the range, so that a nested series cannot become huge
        if (done + 1 < count[i]) ++index[i];
      }
    }
  }

  std::span<const Instruction> code_;
  std::vector<double> workspace_;
  std::vector<const double*> registers_;
  std::size_t width_ = 0;
};

}  // namespace

void FlatProgram::evaluate(std::span<const double> points, std::size_t count,
                           std::span<double> results) const {
  assert(points.size() == input_count() * count && results.size() == output_count() * count);
  Tile tile(code_->instructions, code_->inputs, code_->registers);
  for (std::size_t begin = 0; begin < count; begin += kTile) {
    tile.set_width(std::min(kTile, count - begin));
    for (std::size_t i = 0; i < code_->inputs; ++i) tile.set_input(i, points.data() + i * count + begin);
    tile.run();
    for (std::size_t i = 0; i < code_->outputs.size(); ++i)
      tile.store(code_->outputs[i], results.data() + i * count + begin);
  }
}

}  // namespace parcast::symbolic
