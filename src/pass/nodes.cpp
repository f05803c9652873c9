// SPDX-License-Identifier: Apache-2.0
#include "pass/nodes.h"

#include <cmath>

#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/bit.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/GlobalAlias.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Operator.h"
#include "llvm/Support/raw_ostream.h"
#include "pass/json_text.h"

namespace parcast::pass {
namespace {

using namespace llvm;

// at greater depth a value counts as one from elsewhere
constexpr int kDeepest = 24;

unsigned bits_of(const Type* type) {
  return type->isIntegerTy() ? type->getIntegerBitWidth() : type->isPointerTy() ? 64 : 0;
}

StringRef name_of(SCEVTypes type) {
  switch (type) {
    case scTruncate:
      return "trunc";
    case scZeroExtend:
      return "zext";
    case scSignExtend:
      return "sext";
    case scAddExpr:
      return "add";
    case scMulExpr:
      return "mul";
    case scUDivExpr:
      return "udiv";
    case scUMaxExpr:
      return "umax";
    case scSMaxExpr:
      return "smax";
    case scUMinExpr:
      return "umin";
    case scSMinExpr:
      return "smin";
    case scSequentialUMinExpr:
      return "umin";
    default:
      return "";
  }
}

/// Returns the signed version of an operation on numbers whose highest bit is never set: signed numbers do
/// not wrap.
StringRef of_signed(StringRef name) {
  return name == "zext"     ? "sext"
         : name == "umax"   ? "smax"
         : name == "umin"   ? "smin"
         : name == "udiv"   ? "sdiv"
         : name == "uitofp" ? "sitofp"
                            : name;
}

StringRef name_of_intrinsic(Intrinsic::ID id) {
  switch (id) {
    case Intrinsic::smax:
      return "smax";
    case Intrinsic::smin:
      return "smin";
    case Intrinsic::umax:
      return "umax";
    case Intrinsic::umin:
      return "umin";
    case Intrinsic::abs:
      return "abs";
    case Intrinsic::floor:
      return "floor";
    case Intrinsic::ceil:
      return "ceil";
    case Intrinsic::trunc:
      return "ftrunc";
    case Intrinsic::rint:
    case Intrinsic::nearbyint:
      return "rint";
    case Intrinsic::round:
      return "round";
    case Intrinsic::sqrt:
      return "sqrt";
    case Intrinsic::fabs:
      return "fabs";
    case Intrinsic::log2:
      return "log2";
    case Intrinsic::log:
      return "log";
    case Intrinsic::pow:
      return "pow";
    case Intrinsic::exp:
      return "exp";
    case Intrinsic::minnum:
      return "fmin";
    case Intrinsic::maxnum:
      return "fmax";
    case Intrinsic::fmuladd:
      return "fmuladd";
    default:
      return "";
  }
}

json::Value exactly(const APInt& value) {
  if (value.getSignificantBits() <= 64) return value.getSExtValue();
  SmallString<40> text;
  value.toStringSigned(text);
  return std::string(text.str());
}

}  // namespace

StringRef called_by(const CallBase& call) {
  const Value* called = call.getCalledOperand()->stripPointerCasts();
  if (const auto* alias = dyn_cast<GlobalAlias>(called); alias && !alias->isInterposable())
    called = alias->getAliaseeObject();
  return isa_and_nonnull<Function>(called) || isa_and_nonnull<GlobalAlias>(called) ? called->getName()
                                                                                   : StringRef();
}

int Nodes::add(json::Array node) {
  std::string key;  // text of the node, element by element
  for (const json::Value& element : node) {
    if (const auto number = element.getAsInteger()) {
      key.append(1, 'n').append(reinterpret_cast<const char*>(&*number), sizeof *number);
    } else {
      key.push_back('t');
      append_json(key, element);
    }
  }
  const auto [at, fresh] = numbers_.try_emplace(key, static_cast<int>(table_.size()));
  if (fresh) table_.push_back(std::move(node));
  return at->getValue();
}

// Allocates the array once: llvm::json::Value may throw when moved, so a growing array copies all its
// elements.
json::Array Nodes::take_table() {
  json::Array all;
  all.reserve(table_.size());
  for (json::Array& row : table_) all.push_back(std::move(row));
  return all;
}

int Nodes::join(StringRef name, unsigned bits, const std::vector<int>& operands) {
  json::Array node{name.str(), bits};
  for (const int operand : operands) node.push_back(operand);
  return add(std::move(node));
}

int Nodes::source(Value* value, json::Array node) {
  const int number = static_cast<int>(table_.size());
  // a new node, since another load from the same place may give a different value
  table_.push_back(std::move(node));
  known_[value] = number;
  if (value->getType()->isIntegerTy() && value->getType()->getIntegerBitWidth() <= 64)
    sources_.emplace(number, value);
  return number;
}

std::optional<int> Nodes::of(const SCEV* evolution) {
  if (const auto found = given_.find(evolution); found != given_.end()) return found->second;
  if (!evolution->getType()->isIntegerTy() || depth_ > kDeepest) return std::nullopt;
  struct Deeper {
    int& depth;
    explicit Deeper(int& d) : depth(++d) {}
    ~Deeper() { --depth; }
  } deeper(depth_);
  if (const auto* constant = dyn_cast<SCEVConstant>(evolution))
    return add(json::Array{"int", bits_of(constant->getType()), exactly(constant->getAPInt())});
  if (const auto* unknown = dyn_cast<SCEVUnknown>(evolution)) return of(unknown->getValue());
  json::Array node;
  if (const auto* recurrence = dyn_cast<SCEVAddRecExpr>(evolution)) {
    const auto loop = loops_.find(recurrence->getLoop());
    if (loop == loops_.end()) return std::nullopt;
    node = json::Array{"recurrence", bits_of(recurrence->getType()), loop->second};
  } else {
    const StringRef name = name_of(evolution->getSCEVType());
    if (name.empty()) return std::nullopt;
    const bool never_negative = all_of(
        evolution->operands(), [&](const SCEV* operand) { return evolution_.isKnownNonNegative(operand); });
    node = json::Array{never_negative ? of_signed(name) : name, bits_of(evolution->getType())};
  }
  for (const SCEV* operand : evolution->operands()) {
    const std::optional<int> number = of(operand);
    if (!number) return std::nullopt;
    node.push_back(*number);
  }
  return given_[evolution] = add(std::move(node));
}

int Nodes::of(Value* value) {
  return describe(value, 0);
}

int Nodes::describe(Value* value, int depth) {
  if (const auto found = known_.find(value); found != known_.end()) return found->second;
  Type* type = value->getType();
  if (const auto* number = dyn_cast<ConstantInt>(value))
    return add(json::Array{"int", number->getBitWidth(), exactly(number->getValue())});
  if (const auto* number = dyn_cast<ConstantFP>(value)) {
    SmallString<40> text;
    number->getValueAPF().bitcastToAPInt().toString(text, 16, false, false);
    return add(json::Array{"float", static_cast<unsigned>(type->getPrimitiveSizeInBits().getFixedValue()),
                           std::string(text.str())});
  }
  if (type->isPointerTy()) return place(value);
  if (const auto* argument = dyn_cast<Argument>(value))
    return source(value, json::Array{"argument", bits_of(type), argument->getArgNo()});
  if (auto* phi = dyn_cast<PHINode>(value))
    if (const std::optional<int> known = describe_phi(*phi, depth)) return known_[value] = *known;
  auto* instruction = dyn_cast<Instruction>(value);
  if (!instruction) return source(value, json::Array{"untold", bits_of(type), "constant"});
  if (auto* load = dyn_cast<LoadInst>(instruction))
    return source(value, json::Array{"load", bits_of(type), place(load->getPointerOperand())});
  const auto operands = [&] {
    std::vector<int> numbers;
    for (Value* operand : instruction->operand_values()) numbers.push_back(describe(operand, depth + 1));
    return numbers;
  };
  const bool scalar = type->isIntegerTy() || type->isFloatingPointTy();
  if (scalar && depth < kDeepest) {
    // Until its operands are described, a value is its own node: the description of a phi that depends on
    // itself ends there.
    if (isa<BinaryOperator>(instruction) || isa<CastInst>(instruction) || isa<FreezeInst>(instruction) ||
        isa<SelectInst>(instruction) || instruction->getOpcode() == Instruction::FNeg)
      if (!(isa<CastInst>(instruction) && !(instruction->getOperand(0)->getType()->isIntegerTy() ||
                                            instruction->getOperand(0)->getType()->isFloatingPointTy())))
        return known_[value] = [&] {
          const auto* widened = dyn_cast<PossiblyNonNegInst>(instruction);
          json::Array node{widened && widened->hasNonNeg() ? of_signed(instruction->getOpcodeName())
                                                           : StringRef(instruction->getOpcodeName()),
                           bits_of(type)
                               ? bits_of(type)
                               : static_cast<unsigned>(type->getPrimitiveSizeInBits().getFixedValue())};
          if (isa<CastInst>(instruction))
            node[1] = static_cast<unsigned>(type->getPrimitiveSizeInBits().getFixedValue());
          for (const int operand : operands()) node.push_back(operand);
          return add(std::move(node));
        }();
    if (auto* comparison = dyn_cast<ICmpInst>(instruction);
        comparison && comparison->getOperand(0)->getType()->isIntegerTy())
      return known_[value] = join(("icmp " + CmpInst::getPredicateName(comparison->getPredicate())).str(),
                                  bits_of(comparison->getOperand(0)->getType()), operands());
  }
  if (auto* call = dyn_cast<CallBase>(instruction)) {
    const StringRef callee = called_by(*call);
    if (scalar && depth < kDeepest)
      if (const StringRef name = name_of_intrinsic(call->getIntrinsicID()); !name.empty()) {
        json::Array node{name, static_cast<unsigned>(type->getPrimitiveSizeInBits().getFixedValue())};
        for (Value* operand : call->args()) node.push_back(describe(operand, depth + 1));
        return known_[value] = add(std::move(node));
      }
    json::Array node{"call", bits_of(type), callee};
    if (!callee.empty() && depth < kDeepest)
      for (Value* operand : call->args())
        if (operand->getType()->isIntegerTy() || operand->getType()->isFloatingPointTy() ||
            operand->getType()->isPointerTy())
          node.push_back(describe(operand, depth + 1));
    return source(value, std::move(node));
  }
  return source(value, json::Array{"untold", bits_of(type), instruction->getOpcodeName()});
}

// Describes a phi: a value that advances evenly in a loop, or one of two values selected by an earlier
// condition.
std::optional<int> Nodes::describe_phi(PHINode& phi, int depth) {
  if (evolution_.isSCEVable(phi.getType()))
    if (const SCEV* evolution = evolution_.getSCEV(&phi); isa<SCEVAddRecExpr>(evolution))
      return of(evolution);
  const bool scalar = phi.getType()->isIntegerTy() || phi.getType()->isFloatingPointTy();
  if (!scalar || phi.getNumIncomingValues() != 2 || depth >= kDeepest) return std::nullopt;
  BasicBlock* here = phi.getParent();
  for (const BasicBlock* from : phi.blocks())
    if (dominators_.dominates(here, from)) return std::nullopt;  // the head of a loop
  const DomTreeNode* above = dominators_.getNode(here)->getIDom();
  auto* branch = above ? dyn_cast<BranchInst>(above->getBlock()->getTerminator()) : nullptr;
  if (!branch || !branch->isConditional() || branch->getSuccessor(0) == branch->getSuccessor(1))
    return std::nullopt;
  // 0: if the condition holds, 1: otherwise, 2: either
  const auto side_of = [&](const BasicBlock* from) {
    for (unsigned side = 0; side < 2; ++side) {
      const BasicBlockEdge edge(branch->getParent(), branch->getSuccessor(side));
      if (from == branch->getParent() ? branch->getSuccessor(side) == here
                                      : dominators_.dominates(edge, from))
        return side;
    }
    return 2u;
  };
  const unsigned first = side_of(phi.getIncomingBlock(0)), second = side_of(phi.getIncomingBlock(1));
  if (first + second != 1) return std::nullopt;
  const int condition = describe(branch->getCondition(), depth + 1);
  const int so = describe(phi.getIncomingValue(first == 0 ? 0 : 1), depth + 1);
  const int otherwise = describe(phi.getIncomingValue(first == 0 ? 1 : 0), depth + 1);
  return join("select", static_cast<unsigned>(phi.getType()->getPrimitiveSizeInBits().getFixedValue()),
              {condition, so, otherwise});
}

int Nodes::number(std::int64_t value) {
  return add(json::Array{"int", 64, value});
}

int Nodes::wide(int node, unsigned bits, bool is_signed) {
  return bits == 64 ? node : join(is_signed ? "sext" : "zext", 64, {node});
}

std::optional<int> Nodes::rounds_by_comparison(const Loop& loop, BasicBlock& exiting) {
  auto* branch = dyn_cast<BranchInst>(exiting.getTerminator());
  auto* comparison = branch && branch->isConditional() ? dyn_cast<ICmpInst>(branch->getCondition()) : nullptr;
  if (!comparison || !comparison->getOperand(0)->getType()->isIntegerTy() ||
      bits_of(comparison->getOperand(0)->getType()) > 64)
    return std::nullopt;
  if (loop.contains(branch->getSuccessor(0)) == loop.contains(branch->getSuccessor(1))) return std::nullopt;
  const BasicBlock* latch = loop.getLoopLatch();
  // not every round reaches this block
  if (!latch || !dominators_.dominates(&exiting, latch)) return std::nullopt;
  CmpInst::Predicate stays =
      loop.contains(branch->getSuccessor(0)) ? comparison->getPredicate() : comparison->getInversePredicate();
  Value *advancing = comparison->getOperand(0), *limit = comparison->getOperand(1);
  const auto recurrence_of = [&](Value* value) {
    const auto* found = dyn_cast<SCEVAddRecExpr>(evolution_.getSCEV(value));
    return found && found->getLoop() == &loop && found->isAffine() ? found : nullptr;
  };
  const SCEVAddRecExpr* recurrence = recurrence_of(advancing);
  if (!recurrence) {
    std::swap(advancing, limit);
    stays = CmpInst::getSwappedPredicate(stays);
    recurrence = recurrence_of(advancing);
  }
  if (!recurrence) return geometric_rounds(loop, *comparison, loop.contains(branch->getSuccessor(0)));
  if (recurrence_of(limit)) return std::nullopt;
  const std::optional<int> start = of(recurrence->getStart()),
                           step = of(recurrence->getStepRecurrence(evolution_));
  if (!start || !step) return std::nullopt;
  const unsigned bits = bits_of(advancing->getType());
  const bool is_signed = !CmpInst::isUnsigned(stays),
             upwards = stays == CmpInst::ICMP_SLT || stays == CmpInst::ICMP_SLE ||
                       stays == CmpInst::ICMP_ULT || stays == CmpInst::ICMP_ULE;
  const bool downwards = stays == CmpInst::ICMP_SGT || stays == CmpInst::ICMP_SGE ||
                         stays == CmpInst::ICMP_UGT || stays == CmpInst::ICMP_UGE;
  const int from = wide(*start, bits, is_signed), to = wide(of(limit), bits, is_signed),
            by = wide(*step, bits, true);
  if (stays == CmpInst::ICMP_NE) return join("sdiv", 64, {join("sub", 64, {to, from}), by});
  if (!upwards && !downwards) return std::nullopt;
  const int way = upwards ? join("sub", 64, {to, from}) : join("sub", 64, {from, to});
  const int stride = upwards ? by : join("sub", 64, {number(0), by});
  const int reach = CmpInst::isNonStrictPredicate(stays) ? join("add", 64, {way, stride})
                                                         : join("add", 64, {way, stride, number(-1)});
  return join("smax", 64, {number(0), join("sdiv", 64, {reach, stride})});
}

namespace {

// A value that is multiplied or divided by a constant in each round.
struct Geometric {
  PHINode* phi = nullptr;
  BinaryOperator* next = nullptr;
  Value* start = nullptr;
  std::uint64_t factor = 2;
  bool shrinks = false;
};

std::optional<Geometric> geometric(const Loop& loop, Value* value) {
  auto* next = dyn_cast<BinaryOperator>(value);
  auto* phi = dyn_cast<PHINode>(next ? next->getOperand(0) : value);
  const BasicBlock *before = loop.getLoopPreheader(), *latch = loop.getLoopLatch();
  if (!phi || phi->getParent() != loop.getHeader() || !before || !latch || phi->getNumIncomingValues() != 2)
    return std::nullopt;
  auto* step = dyn_cast<BinaryOperator>(phi->getIncomingValueForBlock(latch));
  if (!step || (next && step != next) || step->getOperand(0) != phi) return std::nullopt;
  const auto* by = dyn_cast<ConstantInt>(step->getOperand(1));
  if (!by || by->getValue().getActiveBits() > 31) return std::nullopt;
  Geometric found{phi, step, phi->getIncomingValueForBlock(before), by->getZExtValue(), false};
  switch (step->getOpcode()) {
    case Instruction::Mul:
      break;
    case Instruction::UDiv:
    case Instruction::SDiv:
      found.shrinks = true;
      break;
    case Instruction::LShr:
    case Instruction::AShr:
      found.shrinks = true;
      [[fallthrough]];
    case Instruction::Shl:
      if (found.factor == 0 || found.factor > 30) return std::nullopt;
      found.factor = std::uint64_t{1} << found.factor;
      break;
    default:
      return std::nullopt;
  }
  return found.factor >= 2 ? std::optional(found) : std::nullopt;
}

}  // namespace

// Let s be the first compared value and c the factor. s c^j < limit holds for ceil(log_c(limit / s)) rounds j
// = 0, 1, .... s / c^j, rounded down, > limit holds for floor(log_c(s / (limit + 1))) + 1 rounds.
std::optional<int> Nodes::geometric_rounds(const Loop& loop, ICmpInst& comparison,
                                           bool stays_where_it_holds) {
  CmpInst::Predicate stays =
      stays_where_it_holds ? comparison.getPredicate() : comparison.getInversePredicate();
  Value *advancing = comparison.getOperand(0), *limit = comparison.getOperand(1);
  std::optional<Geometric> found = geometric(loop, advancing);
  if (!found) {
    std::swap(advancing, limit);
    stays = CmpInst::getSwappedPredicate(stays);
    found = geometric(loop, advancing);
  }
  if (!found || !loop.isLoopInvariant(limit)) return std::nullopt;
  const StringRef convert = CmpInst::isUnsigned(stays) ? "uitofp" : "sitofp";
  const auto constant = [&](double value) {
    return add(json::Array{"float", 64, utohexstr(llvm::bit_cast<std::uint64_t>(value))});
  };
  // a quotient smaller than one step has no rounds, whatever its sign
  const auto log_of = [&](int numerator, int denominator) {
    const int log = join("log2", 64,
                         {join("fmax", 64,
                               {join("fdiv", 64, {numerator, denominator}),
                                constant(1 / static_cast<double>(found->factor))})});
    return found->factor == 2
               ? log
               : join("fdiv", 64, {log, constant(std::log2(static_cast<double>(found->factor)))});
  };
  const auto rounded = [&](StringRef how, int log, std::int64_t more) {
    const int whole = join("fptosi", 64, {join(how, 64, {log})});
    return join("smax", 64, {number(0), more == 0 ? whole : join("add", 64, {whole, number(more)})});
  };
  const bool compares_next = advancing == found->next, strict = !CmpInst::isNonStrictPredicate(stays);
  const int start = join(convert, 64, {of(found->start)}), bound = join(convert, 64, {of(limit)});
  const bool upwards = stays == CmpInst::ICMP_SLT || stays == CmpInst::ICMP_SLE ||
                       stays == CmpInst::ICMP_ULT || stays == CmpInst::ICMP_ULE;
  if (!found->shrinks) {
    if (!upwards && stays != CmpInst::ICMP_NE) return std::nullopt;
    const int first =
        compares_next ? join("fmul", 64, {start, constant(static_cast<double>(found->factor))}) : start;
    const int log = log_of(bound, first);
    return strict ? rounded("ceil", log, 0) : rounded("floor", log, 1);
  }
  if (upwards) return std::nullopt;
  // smallest value that remains in the loop
  const int least = strict ? join("fadd", 64, {bound, constant(1)}) : bound;
  return rounded("floor", log_of(start, least), compares_next ? 0 : 1);
}

int Nodes::place(Value* pointer, std::int64_t behind) {
  APInt offset(layout_.getIndexTypeSizeInBits(pointer->getType()), 0);
  Value* base = pointer->stripAndAccumulateConstantOffsets(layout_, offset, true);
  const std::int64_t bytes = offset.getSExtValue() + behind;
  if (const auto* variable = dyn_cast<GlobalValue>(base)) {
    const auto* data = dyn_cast<GlobalVariable>(variable);
    if (data && data->hasInitializer() && data->isConstant() && bytes == 0)
      if (const auto* text = dyn_cast<ConstantDataSequential>(data->getInitializer());
          text && text->isCString())
        return add(json::Array{"text", text->getAsCString().str()});
    return add(json::Array{"global", variable->getName(), bytes});
  }
  if (isa<ConstantPointerNull>(base)) return add(json::Array{"int", 64, bytes});
  if (const auto* argument = dyn_cast<Argument>(base))
    return add(json::Array{"behind", argument->getArgNo(), bytes});
  if (isa<AllocaInst>(base)) {
    const auto [at, fresh] = known_.try_emplace(base, -1);
    if (fresh) {
      at->second = static_cast<int>(table_.size());
      table_.push_back(json::Array{"local", static_cast<std::int64_t>(table_.size())});
    }
    const int local = known_[base];
    return bytes == 0 ? local : add(json::Array{"at", local, bytes});
  }
  if (auto* load = dyn_cast<LoadInst>(base); load && depth_ < kDeepest) {
    ++depth_;
    const int holder = place(load->getPointerOperand());
    --depth_;
    return add(json::Array{"pointed", holder, bytes});
  }
  if (const auto* element = dyn_cast<GEPOperator>(base))
    if (const auto* structure = dyn_cast<StructType>(element->getSourceElementType());
        structure && structure->hasName())
      return add(json::Array{"field", structure->getName().str(), bytes});
  return add(json::Array{"somewhere"});
}

}  // namespace parcast::pass
