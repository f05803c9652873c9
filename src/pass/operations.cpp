// SPDX-License-Identifier: Apache-2.0
#include "pass/operations.h"

#include <algorithm>
#include <map>

#include "llvm/IR/BasicBlock.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/DerivedTypes.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"

namespace parcast::pass {
namespace {

using namespace llvm;

std::int64_t elements(const Type* type) {
  const auto* vector = dyn_cast<FixedVectorType>(type);
  return vector ? vector->getNumElements() : 1;
}

const char* class_of_call(const CallBase& call) {
  if (isa<DbgInfoIntrinsic>(call)) return nullptr;
  switch (call.getIntrinsicID()) {
    case Intrinsic::not_intrinsic:
      return "call";
    case Intrinsic::fma:
    case Intrinsic::fmuladd:
      return "double_multiply_add";
    case Intrinsic::sqrt:
      return "double_square_root";
    case Intrinsic::fabs:
    case Intrinsic::minnum:
    case Intrinsic::maxnum:
    case Intrinsic::minimum:
    case Intrinsic::maximum:
    case Intrinsic::copysign:
    case Intrinsic::floor:
    case Intrinsic::ceil:
    case Intrinsic::trunc:
    case Intrinsic::rint:
    case Intrinsic::nearbyint:
    case Intrinsic::round:
      return "double_add";
    case Intrinsic::smax:
    case Intrinsic::smin:
    case Intrinsic::umax:
    case Intrinsic::umin:
    case Intrinsic::abs:
    case Intrinsic::ctpop:
    case Intrinsic::ctlz:
    case Intrinsic::cttz:
    case Intrinsic::bswap:
    case Intrinsic::fshl:
    case Intrinsic::fshr:
      return "integer_add";
    case Intrinsic::memcpy:
    case Intrinsic::memmove:
    case Intrinsic::memset:
    case Intrinsic::exp:
    case Intrinsic::exp2:
    case Intrinsic::log:
    case Intrinsic::log2:
    case Intrinsic::log10:
    case Intrinsic::pow:
    case Intrinsic::powi:
    case Intrinsic::sin:
    case Intrinsic::cos:
      return "call";
    default:
      return nullptr;
  }
}

}  // namespace

const char* class_of(const Instruction& instruction) {
  switch (instruction.getOpcode()) {
    case Instruction::FAdd:
    case Instruction::FSub:
    case Instruction::FNeg:
    case Instruction::FCmp:
    case Instruction::SIToFP:
    case Instruction::UIToFP:
    case Instruction::FPToSI:
    case Instruction::FPToUI:
    case Instruction::FPExt:
    case Instruction::FPTrunc:
      return "double_add";
    case Instruction::FMul:
      return "double_multiply";
    case Instruction::FDiv:
    case Instruction::FRem:
      return "double_divide";
    case Instruction::Add:
    case Instruction::Sub:
    case Instruction::And:
    case Instruction::Or:
    case Instruction::Xor:
    case Instruction::Shl:
    case Instruction::LShr:
    case Instruction::AShr:
    case Instruction::ICmp:
    case Instruction::Select:
      return "integer_add";
    case Instruction::Mul:
      return "integer_multiply";
    case Instruction::UDiv:
    case Instruction::SDiv:
    case Instruction::URem:
    case Instruction::SRem:
      return "integer_divide";
    case Instruction::Load:
      return "load";
    case Instruction::Store:
      return "store";
    case Instruction::AtomicRMW:
    case Instruction::AtomicCmpXchg:
      return "atomic";
    case Instruction::Br:
      return cast<BranchInst>(instruction).isConditional() ? "branch" : nullptr;
    case Instruction::Switch:
    case Instruction::IndirectBr:
      return "branch";
    case Instruction::Invoke:
      return "call";
    case Instruction::Call:
      return class_of_call(cast<CallBase>(instruction));
    default:
      return nullptr;
  }
}

bool is_bytes(const std::string& name) {
  return name.ends_with("_bytes");
}

std::map<std::string, std::int64_t> operations_of(const BasicBlock& block, const DataLayout& layout) {
  std::map<std::string, std::int64_t> counts;
  for (const Instruction& instruction : block) {
    const char* name = class_of(instruction);
    if (!name) continue;
    if (const auto* load = dyn_cast<LoadInst>(&instruction)) {
      counts["load"] += elements(load->getType());
      counts["loaded_bytes"] +=
          static_cast<std::int64_t>(layout.getTypeStoreSize(load->getType()).getKnownMinValue());
    } else if (const auto* store = dyn_cast<StoreInst>(&instruction)) {
      counts["store"] += elements(store->getValueOperand()->getType());
      counts["stored_bytes"] += static_cast<std::int64_t>(
          layout.getTypeStoreSize(store->getValueOperand()->getType()).getKnownMinValue());
    } else {
      counts[name] += elements(instruction.getType());
    }
  }
  return counts;
}

namespace {

// Number of elements of the longest vector among an instruction's operands and result, and bits of the
// largest one. For a comparison the compared values count, not its result.
struct Extent {
  std::int64_t lanes = 1;
  std::uint64_t bits = 0;
  bool scalable = false;

  void take(const Type* type) {
    const auto* vector = dyn_cast<VectorType>(type);
    if (!vector) return;
    scalable |= isa<ScalableVectorType>(vector);
    const std::int64_t elements = vector->getElementCount().getKnownMinValue();
    lanes = std::max(lanes, elements);
    const unsigned each = vector->getElementType()->isPointerTy() ? 64 : vector->getScalarSizeInBits();
    bits = std::max<std::uint64_t>(bits, each > 1 ? static_cast<std::uint64_t>(elements) * each : 0);
  }
};

// Returns the class of vector instructions for masked and scattered loads and stores; scattered ones make one
// access per element.
const char* class_in_vectors(const IntrinsicInst& call, bool& one_by_one) {
  switch (call.getIntrinsicID()) {
    case Intrinsic::masked_load:
      return "load";
    case Intrinsic::masked_store:
      return "store";
    case Intrinsic::masked_gather:
      one_by_one = true;
      return "load";
    case Intrinsic::masked_scatter:
      one_by_one = true;
      return "store";
    default:
      return nullptr;
  }
}

}  // namespace

std::optional<Executed> executed_by(const Instruction& instruction, unsigned register_bits) {
  const char* name = class_of(instruction);
  bool one_by_one = false;
  const auto* intrinsic = dyn_cast<IntrinsicInst>(&instruction);
  if (!name && intrinsic) name = class_in_vectors(*intrinsic, one_by_one);
  if (!name) return std::nullopt;
  Extent extent;
  extent.take(instruction.getType());
  for (const Value* operand : instruction.operands()) extent.take(operand->getType());
  const StringRef of = name;
  one_by_one |= of == "integer_divide" || (of == "call" && intrinsic) || register_bits == 0;
  const std::int64_t pieces =
      one_by_one ? extent.lanes
                 : std::max<std::int64_t>(
                       1, static_cast<std::int64_t>((extent.bits + register_bits - 1) / register_bits));
  return Executed{of.str(), {extent.lanes, std::min(pieces, extent.lanes)}, extent.scalable};
}

}  // namespace parcast::pass
