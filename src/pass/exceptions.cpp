// SPDX-License-Identifier: Apache-2.0
#include "pass/exceptions.h"

#include <array>
#include <string_view>

#include "llvm/IR/BasicBlock.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/Instructions.h"

namespace parcast::pass {
namespace {

using namespace llvm;

constexpr std::string_view kException = "_ZTISt9exception";
// [class, its base] for classes whose descriptors exist only in the library (ISO C++20, 17.13, 19.2).
constexpr std::array<std::array<std::string_view, 2>, 17> kOfLibrary{
    {{"_ZTISt11logic_error", kException},
     {"_ZTISt13runtime_error", kException},
     {"_ZTISt9bad_alloc", kException},
     {"_ZTISt8bad_cast", kException},
     {"_ZTISt10bad_typeid", kException},
     {"_ZTISt13bad_exception", kException},
     {"_ZTISt17bad_function_call", kException},
     {"_ZTISt12domain_error", "_ZTISt11logic_error"},
     {"_ZTISt16invalid_argument", "_ZTISt11logic_error"},
     {"_ZTISt12length_error", "_ZTISt11logic_error"},
     {"_ZTISt12out_of_range", "_ZTISt11logic_error"},
     {"_ZTISt11range_error", "_ZTISt13runtime_error"},
     {"_ZTISt14overflow_error", "_ZTISt13runtime_error"},
     {"_ZTISt15underflow_error", "_ZTISt13runtime_error"},
     {"_ZTISt12system_error", "_ZTISt13runtime_error"},
     {"_ZTISt20bad_array_new_length", "_ZTISt9bad_alloc"},
     {"_ZTISt16bad_variant_access", kException}}};
constexpr StringRef kOneBase = "_ZTVN10__cxxabiv120__si_class_type_infoE",
                    kNoBase = "_ZTVN10__cxxabiv117__class_type_infoE", kBeginsType = "_ZTI";

// Returns whether the type is a fundamental type; handlers catch these only by exactly this type.
bool is_number(StringRef type) {
  return type.consume_front(kBeginsType) && type.size() == 1;
}

const GlobalVariable* variable(const Value* value) {
  return dyn_cast<GlobalVariable>(value->stripInBoundsOffsets());
}

// Adds the bases of a library class; returns whether all are known.
bool add_bases_in_library(StringRef type, json::Array& types) {
  while (type != StringRef(kException)) {
    const auto* found = find_if(kOfLibrary, [&](const auto& row) { return type == StringRef(row[0]); });
    if (found == kOfLibrary.end()) return false;
    type = (*found)[1];
    types.push_back(type);
  }
  return true;
}

// Adds a type and its bases. Returns whether no handler of another type may catch it. A type with internal
// linkage has no usable name: several files may have such types of one name.
bool add_type(const GlobalVariable& type, json::Array& types) {
  const bool has_name = !type.hasLocalLinkage();
  if (has_name) types.push_back(type.getName());
  if (is_number(type.getName())) return true;
  const auto* described = type.hasInitializer() ? dyn_cast<ConstantStruct>(type.getInitializer()) : nullptr;
  if (!described || described->getNumOperands() == 0)
    return has_name && add_bases_in_library(type.getName(), types);
  const GlobalVariable* kind = variable(described->getOperand(0));
  if (!kind) return false;
  if (kind->getName() == kNoBase) return has_name;
  constexpr unsigned kBase = 2;
  const GlobalVariable* base = kind->getName() == kOneBase && described->getNumOperands() > kBase
                                   ? variable(described->getOperand(kBase))
                                   : nullptr;
  return base && add_type(*base, types) && has_name;
}

}  // namespace

std::optional<json::Array> thrown_by(const CallBase& call) {
  constexpr unsigned kType = 1;
  const Function* callee = call.getCalledFunction();
  if (!callee || callee->getName() != "__cxa_throw" || call.arg_size() <= kType) return std::nullopt;
  json::Array types;
  const GlobalVariable* type = variable(call.getArgOperand(kType));
  if (!type || !add_type(*type, types)) types.push_back(nullptr);
  return types;
}

std::optional<json::Array> taken_by(const BasicBlock& block) {
  const LandingPadInst* pad = block.getLandingPadInst();
  if (!pad) return std::nullopt;
  json::Array types;
  for (unsigned i = 0; i < pad->getNumClauses(); ++i) {
    const GlobalVariable* type = variable(pad->getClause(i));
    if (pad->isCatch(i) && isa<ConstantPointerNull>(pad->getClause(i)))
      types.push_back(nullptr);
    else
      types.push_back(pad->isCatch(i) && type && !type->hasLocalLinkage() ? type->getName() : "");
  }
  return types;
}

}  // namespace parcast::pass
