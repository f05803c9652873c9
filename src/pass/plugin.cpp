// SPDX-License-Identifier: Apache-2.0
// The compiler's plugin (clang-19 and flang-19, -fpass-plugin). Every function counts what it executes, and
// the object file contains the compiler's facts about it. The pass runs after inlining and simplification,
// before loops are vectorised and unrolled, where trip counts are best known (decision 56).

#include <cstdlib>
#include <memory>

#include "llvm/ADT/StringExtras.h"
#include "llvm/Analysis/GlobalsModRef.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PassInstrumentation.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Passes/PassPlugin.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/MD5.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"
#include "pass/counted_function.h"
#include "pass/expansion.h"
#include "pass/json_text.h"
#include "recording/counted.h"

namespace parcast::pass {
namespace {

using namespace llvm;

constexpr StringLiteral kFacts = "__parcast_facts";

// Environment variable at compile time: PARCAST_COUNTING=in-place, for tests that compare both ways.
Counting counting_asked() {
  const char* text = std::getenv("PARCAST_COUNTING");
  return text && StringRef(text) == "in-place" ? Counting::in_place : Counting::planned;
}

bool can_count(const Function& function) {
  return !function.isDeclaration() && !function.hasAvailableExternallyLinkage() &&
         !function.hasFnAttribute(Attribute::Naked) && !function.hasFnAttribute(Attribute::OptimizeNone) &&
         !function.getName().starts_with("__parcast");
}

// Removes attributes that no longer hold: a function that counts writes memory. Otherwise its calls would be
// merged or removed.
void now_writes_memory(Function& function) {
  function.removeFnAttr(Attribute::Memory);
  function.removeFnAttr(Attribute::Speculatable);
  for (Use& use : function.uses())
    if (auto* call = dyn_cast<CallBase>(use.getUser()); call && call->isCallee(&use))
      call->removeFnAttr(Attribute::Memory);
}

// A function in another file may count too, whatever its declaration promises, except library functions. If
// its calls were merged or moved out of a loop, they would not match the facts. Nothing in this module sees
// the memory that it writes.
void may_count_elsewhere(Function& function, const TargetLibraryInfo& library) {
  LibFunc known;
  if (can_count(function) || function.isIntrinsic() || !function.onlyReadsMemory() ||
      library.getLibFunc(function, known))
    return;
  for (Use& use : function.uses())
    if (auto* call = dyn_cast<CallBase>(use.getUser()); call && call->isCallee(&use))
      call->setMemoryEffects(call->getMemoryEffects() | MemoryEffects::inaccessibleMemOnly());
  function.setMemoryEffects(function.getMemoryEffects() | MemoryEffects::inaccessibleMemOnly());
  function.removeFnAttr(Attribute::Speculatable);
}

// Returns a hash of the complete module: objects of one source may differ in ways that the facts do not
// contain.
std::string code_of(const Module& module) {
  SmallVector<char, 0> bytes;
  raw_svector_ostream stream(bytes);
  WriteBitcodeToFile(module, stream);
  MD5 hash;
  hash.update(StringRef(bytes.data(), bytes.size()));
  return utohexstr(hash.final().low());
}

// Returns the source file. flang gives all modules the same name; debug information has the file.
std::string source_of(const Module& module) {
  if (module.getSourceFileName() == "FIRModule")
    for (const DICompileUnit* unit : module.debug_compile_units()) return unit->getFilename().str();
  return module.getSourceFileName();
}

// Returns aliases of the module's functions, by which other files may call them.
json::Array aliases_of(Module& module) {
  json::Array rows;
  rows.reserve(module.alias_size());
  for (const GlobalAlias& alias : module.aliases())
    if (const auto* function = dyn_cast<Function>(alias.getAliaseeObject()))
      rows.push_back(json::Array{alias.getName(), function->getName()});
  return rows;
}

// Returns whether the call runs the function that it is passed; the facts contain such calls.
bool starts_team(const CallBase& call) {
  const Function* callee = call.getCalledFunction();
  return callee && callee->getName().starts_with("__kmpc_fork_");
}

// Returns whether the address of a function, or of a constant that contains it, is used other than to call
// it.
bool is_taken(const Constant& value) {
  return llvm::any_of(value.uses(), [](const Use& use) {
    if (const auto* call = dyn_cast<CallBase>(use.getUser()))
      return !call->isCallee(&use) && !starts_team(*call);
    if (isa<BlockAddress, Function>(use.getUser())) return false;
    if (const auto* variable = dyn_cast<GlobalVariable>(use.getUser()))
      return !variable->getName().starts_with("llvm.");
    const auto* constant = dyn_cast<Constant>(use.getUser());
    return !constant || is_taken(*constant);
  });
}

// Returns functions, of this module or others, whose address is used so that code without facts may call
// them.
json::Array taken_in(const Module& module) {
  json::Array names;
  for (const Function& function : module)
    if (!function.isIntrinsic() && is_taken(function)) names.push_back(function.getName());
  return names;
}

void add_facts(Module& module, const std::string& text) {
  Constant* data = ConstantDataArray::getString(module.getContext(), text, false);
  auto* variable =
      new GlobalVariable(module, data->getType(), true, GlobalValue::InternalLinkage, data, kFacts);
  variable->setSection(PARCAST_FACTS_SECTION);
  variable->setAlignment(Align(1));
  appendToUsed(module, {variable});
}

// State of a compilation: the facts so far, and their module.
struct Compiled {
  const Module* module = nullptr;
  std::string facts;
  FinalCode final;
};

// Returns the facts' id.
std::uint64_t write_facts(Module& module, const std::string& text) {
  MD5 hash;
  hash.update(text);
  const std::uint64_t id = hash.final().low();
  add_facts(module,
            "parcast-facts 1 " + utohexstr(id) + " " + std::to_string(text.size()) + "\n" + text + "\n");
  return id;
}

// Selects the older of the code generator's two ways to follow variables. Line tables contain no variables,
// but the newer way would search each function's instructions for them. The older way takes less time when
// there is nothing to follow; both produce the same line tables.
void follow_no_variables(const Module& module) {
  constexpr StringLiteral newer_way = "experimental-debug-variable-locations";
  for (const DICompileUnit* unit : module.debug_compile_units())
    if (unit->getEmissionKind() != DICompileUnit::LineTablesOnly) return;
  auto& options = cl::getRegisteredOptions();
  if (const auto found = options.find(newer_way);
      found != options.end() && found->second->getNumOccurrences() == 0)
    found->second->addOccurrence(0, newer_way, "false");
}

struct CountingPass : PassInfoMixin<CountingPass> {
  explicit CountingPass(std::shared_ptr<Compiled> compiled) : compiled_(std::move(compiled)) {}

  PreservedAnalyses run(Module& module, ModuleAnalysisManager& analyses) {
    if (module.getNamedGlobal(kFacts)) return PreservedAnalyses::all();  // bitcode that counts already
    auto& of_functions = analyses.getResult<FunctionAnalysisManagerModuleProxy>(module).getManager();
    std::vector<Function*> functions;
    for (Function& function : module)
      if (can_count(function)) functions.push_back(&function);
    if (functions.empty()) return PreservedAnalyses::all();
    follow_no_variables(module);
    *compiled_ = {};
    compiled_->module = &module;
    json::Object file{{"code", code_of(module)}, {"source", source_of(module)}};
    if (json::Array names = taken_in(module); !names.empty()) file["taken"] = std::move(names);
    CounterMemory memory(module);
    // Converts a function's facts to text before the next function's are derived: as objects they take many
    // times as much memory.
    std::string& text = compiled_->facts;
    text = "{\"functions\":";
    for (std::size_t i = 0; i < functions.size(); ++i) {
      text += i == 0 ? '[' : ',';
      append_json(text, count_function(*functions[i], static_cast<int>(i), of_functions, memory,
                                       counting_asked(), compiled_->final));
      of_functions.invalidate(*functions[i], PreservedAnalyses::none());
    }
    text += ']';
    for (Function* function : functions) now_writes_memory(*function);
    const auto& library = of_functions.getResult<TargetLibraryAnalysis>(*functions.front());
    for (Function& function : module) may_count_elsewhere(function, library);
    if (json::Array names = aliases_of(module); !names.empty()) file["aliases"] = std::move(names);
    file["counters"] = static_cast<std::int64_t>(memory.counters());
    file["probes"] = static_cast<std::int64_t>(memory.probes());
    append_members(text, file);
    text += '}';
    memory.finish(write_facts(module, text));
    // GlobalsAA's information on the globals that functions access stays valid unless it is abandoned by
    // name.
    PreservedAnalyses preserved = PreservedAnalyses::none();
    preserved.abandon<GlobalsAA>();
    return preserved;
  }
  static bool isRequired() { return true; }

 private:
  std::shared_ptr<Compiled> compiled_;
};

// Runs where optimisation ends. Adds the final form of loops and blocks to the facts, whose id changes with
// it, and replaces the calls that represent counting by code.
struct FinishingPass : PassInfoMixin<FinishingPass> {
  explicit FinishingPass(std::shared_ptr<Compiled> compiled) : compiled_(std::move(compiled)) {}

  PreservedAnalyses run(Module& module, ModuleAnalysisManager&) {
    note_final_code(module);
    return expand(module) ? PreservedAnalyses::none() : PreservedAnalyses::all();
  }
  static bool isRequired() { return true; }

 private:
  void note_final_code(Module& module) {
    GlobalVariable* before = module.getNamedGlobal(kFacts);
    if (compiled_->module != &module || !before) return;
    compiled_->module = nullptr;
    const json::Value final = compiled_->final.finished(module);
    if (final.kind() == json::Value::Null) return;
    std::string text = std::move(compiled_->facts);
    text.pop_back();  // the brace that closes the object
    text += ",\"final\":";
    append_json(text, final);
    text += '}';
    removeFromUsedLists(module, [&](Constant* used) { return used == before; });
    before->eraseFromParent();
    CounterMemory::rename(module, write_facts(module, text));
  }

  std::shared_ptr<Compiled> compiled_;
};

// Examines loops after the loop vectoriser, before they are unrolled.
void look_behind_the_vectoriser(PassInstrumentationCallbacks& callbacks, std::shared_ptr<Compiled> compiled) {
  callbacks.registerAfterPassCallback(
      [compiled = std::move(compiled)](StringRef pass, Any at, const PreservedAnalyses&) {
        if (pass != "LoopVectorizePass" || !compiled->module) return;
        if (const auto* function = any_cast<const Function*>(&at);
            function && (*function)->getParent() == compiled->module)
          compiled->final.look_at_loops(**function);
      });
}

}  // namespace
}  // namespace parcast::pass

extern "C" __attribute__((visibility("default"))) llvm::PassPluginLibraryInfo llvmGetPassPluginInfo() {
  return {LLVM_PLUGIN_API_VERSION, "parcast", "1", [](llvm::PassBuilder& builder) {
            const auto compiled = std::make_shared<parcast::pass::Compiled>();
            builder.registerOptimizerEarlyEPCallback(
                [compiled](llvm::ModulePassManager& passes, llvm::OptimizationLevel level) {
                  if (level != llvm::OptimizationLevel::O0)
                    passes.addPass(parcast::pass::CountingPass(compiled));
                });
            builder.registerOptimizerLastEPCallback(
                [compiled](llvm::ModulePassManager& passes, llvm::OptimizationLevel level) {
                  if (level != llvm::OptimizationLevel::O0)
                    passes.addPass(parcast::pass::FinishingPass(compiled));
                });
            if (llvm::PassInstrumentationCallbacks* callbacks = builder.getPassInstrumentationCallbacks())
              parcast::pass::look_behind_the_vectoriser(*callbacks, compiled);
          }};
}
