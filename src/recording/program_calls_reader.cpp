// SPDX-License-Identifier: Apache-2.0
// Reads functions, classes and calls from DWARF: two passes over each unit, first the names of all entries by
// their scopes, then the calls in the bodies of functions.
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <unordered_map>

#include "recording/debug_file.h"
#include "recording/debug_number.h"
#include "recording/program_calls.h"

namespace parcast::recording {
namespace {

constexpr int kMostNestedEntries = 256;  // most nested entries; a damaged file may have cycles

std::string plain_name(Dwarf_Die& die) {
  const char* name = dwarf_diename(&die);
  return name ? name : "";
}

bool has_flag(Dwarf_Die& die, unsigned attribute) {
  Dwarf_Attribute found;
  bool value = false;
  return dwarf_attr(&die, attribute, &found) && dwarf_formflag(&found, &value) == 0 && value;
}

std::optional<Dwarf_Die> referred(Dwarf_Die& die, unsigned attribute) {
  Dwarf_Attribute found;
  Dwarf_Die other;
  if (!dwarf_attr(&die, attribute, &found) || !dwarf_formref_die(&found, &other)) return std::nullopt;
  return other;
}

/// Follows an instance to its origin, and a definition to the declaration in its class.
Dwarf_Die declaration_of(Dwarf_Die die) {
  for (int i = 0; i < 8; ++i) {
    auto next = referred(die, DW_AT_abstract_origin);
    if (!next) next = referred(die, DW_AT_specification);
    if (!next) break;
    die = *next;
  }
  return die;
}

bool is_class(int tag) {
  return tag == DW_TAG_class_type || tag == DW_TAG_structure_type || tag == DW_TAG_union_type;
}

bool names_a_scope(int tag) {
  return is_class(tag) || tag == DW_TAG_namespace || tag == DW_TAG_module || tag == DW_TAG_subprogram;
}

template <class Visit>
void for_each_child(Dwarf_Die& parent, Visit visit) {
  Dwarf_Die child;
  if (dwarf_child(&parent, &child) != 0) return;
  do visit(child);
  while (dwarf_siblingof(&child, &child) == 0);
}

class Reader {
 public:
  explicit Reader(ProgramCalls& out) : out_(out) {}

  void read(Dwarf_Die unit) {
    unit_ = unit;
    bodies_.clear();
    name_children(unit, "", 0);
    for (Dwarf_Die& body : bodies_) {
      const std::uint32_t function = function_of(body);
      out_.functions[function].has_code = true;
      read_calls(body, function, 0);
    }
  }

  /// Sorts functions and classes by name, and calls by their lines.
  void finish() {
    std::vector<std::uint32_t> order(out_.functions.size()), place(order.size());
    for (std::uint32_t i = 0; i < order.size(); ++i) order[i] = i;
    std::ranges::stable_sort(order, {}, [&](std::uint32_t i) { return out_.functions[i].name; });
    std::vector<ProgramFunction> sorted;
    for (std::uint32_t i = 0; i < order.size(); ++i) {
      place[order[i]] = i;
      sorted.push_back(std::move(out_.functions[order[i]]));
    }
    for (ProgramFunction& function : sorted) {
      for (CalledFunction& called : function.calls) called.function = place[called.function];
      std::ranges::stable_sort(function.calls, {}, [](const CalledFunction& called) {
        return std::pair(called.where.line, called.function);
      });
    }
    out_.functions = std::move(sorted);
    std::ranges::stable_sort(out_.classes, {}, &ProgramClass::name);
    const auto [first, last] = std::ranges::unique(out_.classes, {}, &ProgramClass::name);
    out_.classes.erase(first, last);
  }

 private:
  void name_children(Dwarf_Die& parent, const std::string& scope, int depth) {
    if (depth > kMostNestedEntries) return;
    for_each_child(parent, [&](Dwarf_Die& child) {
      const int tag = dwarf_tag(&child);
      std::string inside = scope;
      if (names_a_scope(tag)) inside = name_scope(child, tag, scope);
      if (tag == DW_TAG_subprogram && has_body(child)) bodies_.push_back(child);
      if (is_class(tag)) add_class(child, inside);
      if (names_a_scope(tag) || tag == DW_TAG_lexical_block) name_children(child, inside, depth + 1);
    });
  }

  /// Returns the qualified name, and keeps it for entries that refer to this one.
  std::string name_scope(Dwarf_Die& die, int tag, const std::string& scope) {
    Dwarf_Die declared = declaration_of(die);
    std::string name;
    if (const auto known = names_.find(dwarf_dieoffset(&declared)); known != names_.end()) {
      name = known->second;
    } else {
      std::string own = plain_name(declared);
      if (own.empty()) own = tag == DW_TAG_namespace ? "(anonymous namespace)" : unnamed(declared);
      name = tag == DW_TAG_namespace && own.starts_with("(") ? scope
             : scope.empty()                                 ? own
                                                             : scope + "::" + own;
      names_[dwarf_dieoffset(&declared)] = name;
    }
    return name;
  }

  /// A lambda, or a class without a name, by its line.
  static std::string unnamed(Dwarf_Die& die) {
    const SourceLine where = declared_at(die);
    return where.line > 0 ? "(line " + std::to_string(where.line) + ")" : "(unnamed)";
  }

  /// A function with code of its own, or one that is inlined everywhere.
  static bool has_body(Dwarf_Die& die) {
    if (has_flag(die, DW_AT_declaration)) return false;
    Dwarf_Addr base = 0, low = 0, high = 0;
    return dwarf_ranges(&die, 0, &base, &low, &high) > 0 || number_of(die, DW_AT_inline) > 0;
  }

  void add_class(Dwarf_Die& die, const std::string& name) {
    if (has_flag(die, DW_AT_declaration) || plain_name(die).empty()) return;
    ProgramClass added{name, declared_at(die), {}, {}};
    for_each_child(die, [&](Dwarf_Die& child) {
      if (dwarf_tag(&child) == DW_TAG_inheritance) {
        if (auto base = referred(child, DW_AT_type)) added.bases.push_back(class_name(*base));
      } else if (dwarf_tag(&child) == DW_TAG_subprogram && !has_flag(child, DW_AT_artificial)) {
        const std::string method = plain_name(child);
        if (std::ranges::find(added.methods, method) == added.methods.end()) added.methods.push_back(method);
      }
    });
    out_.classes.push_back(std::move(added));
  }

  std::string class_name(Dwarf_Die& die) const {
    const auto known = names_.find(dwarf_dieoffset(&die));
    return known != names_.end() ? known->second : plain_name(die);
  }

  static SourceLine declared_at(Dwarf_Die& die) {
    SourceLine where;
    if (const char* file = dwarf_decl_file(&die)) where.file = file;
    dwarf_decl_line(&die, &where.line);
    return where;
  }

  /// Functions of one name are one, for example inline ones of several units; static ones by their file, too.
  std::uint32_t function_of(Dwarf_Die& die) {
    Dwarf_Die declared = declaration_of(die);
    const auto known = names_.find(dwarf_dieoffset(&declared));
    const std::string name = known != names_.end() ? known->second : plain_name(declared);
    Dwarf_Attribute linked;
    const char* link =
        dwarf_attr_integrate(&die, DW_AT_linkage_name, &linked) ? dwarf_formstring(&linked) : nullptr;
    const SourceLine where = declared_at(declared);
    const std::string key = link ? link : name + "|" + (has_flag(declared, DW_AT_external) ? "" : where.file);
    const auto [at, is_new] = numbers_.emplace(key, static_cast<std::uint32_t>(out_.functions.size()));
    if (is_new) out_.functions.push_back({name, where, false, {}, 0});
    return at->second;
  }

  /// Reads what is called in a body, or in the body of a function that was inlined there.
  void read_calls(Dwarf_Die& body, std::uint32_t caller, int depth) {
    if (depth > kMostNestedEntries) return;
    for_each_child(body, [&](Dwarf_Die& child) {
      switch (dwarf_tag(&child)) {
        case DW_TAG_lexical_block:
        case DW_TAG_try_block:
        case DW_TAG_catch_block:
          return read_calls(child, caller, depth + 1);
        case DW_TAG_inlined_subroutine: {
          const std::uint32_t callee = function_of(child);
          out_.functions[callee].has_code = true;
          add_call(caller, callee, inlined_at(child));
          return read_calls(child, callee, depth + 1);
        }
        case DW_TAG_call_site:
        case DW_TAG_GNU_call_site:
          return read_call_site(child, caller);
        default:
          return;
      }
    });
  }

  void read_call_site(Dwarf_Die& site, std::uint32_t caller) {
    auto callee = referred(site, DW_AT_call_origin);
    if (!callee) callee = referred(site, DW_AT_abstract_origin);
    if (!callee) {
      ++out_.functions[caller].indirect;
      return;
    }
    add_call(caller, function_of(*callee), called_at(site));
  }

  /// The place of the call whose body was inlined.
  SourceLine inlined_at(Dwarf_Die& inlined) {
    SourceLine where;
    Dwarf_Files* files = nullptr;
    std::size_t count = 0;
    const auto file = static_cast<std::size_t>(number_of(inlined, DW_AT_call_file));
    if (dwarf_getsrcfiles(&unit_, &files, &count) == 0 && file < count)
      if (const char* name = dwarf_filesrc(files, file, nullptr, nullptr)) where.file = name;
    where.line = number_of(inlined, DW_AT_call_line);
    return where;
  }

  SourceLine called_at(Dwarf_Die& site) {
    SourceLine where;
    Dwarf_Attribute found;
    Dwarf_Addr after = 0;
    if (!dwarf_attr(&site, DW_AT_call_return_pc, &found) && !dwarf_attr(&site, DW_AT_low_pc, &found))
      return where;
    if (dwarf_formaddr(&found, &after) != 0 || after == 0) return where;
    Dwarf_Line* line = dwarf_getsrc_die(&unit_, after - 1);
    if (!line) return where;
    if (const char* name = dwarf_linesrc(line, nullptr, nullptr)) where.file = name;
    dwarf_lineno(line, &where.line);
    return where;
  }

  void add_call(std::uint32_t caller, std::uint32_t callee, const SourceLine& where) {
    auto& calls = out_.functions[caller].calls;
    const auto [at, is_new] = call_of_.emplace(std::pair(caller, callee), calls.size());
    if (is_new) {
      calls.push_back({callee, where, 0});
    } else if (CalledFunction& known = calls[at->second]; where.line > 0 && where.line < known.where.line) {
      known.where = where;
    }
    ++calls[at->second].sites;
  }

  ProgramCalls& out_;
  Dwarf_Die unit_{};
  std::vector<Dwarf_Die> bodies_;
  std::unordered_map<Dwarf_Off, std::string> names_;  // of scopes, by the place of their declaration
  std::map<std::string, std::uint32_t> numbers_;      // of functions
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::size_t> call_of_;
};

struct EndDwarf {
  void operator()(Dwarf* dwarf) const { dwarf_end(dwarf); }
};

/// A file descriptor that is closed.
class Opened {
 public:
  explicit Opened(const std::string& path) : number_(::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {}
  ~Opened() {
    if (number_ >= 0) ::close(number_);
  }
  Opened(const Opened&) = delete;
  Opened& operator=(const Opened&) = delete;
  int number() const { return number_; }

 private:
  int number_;
};

}  // namespace

std::string build_id_of(const std::string& path) {
  return DebugFile(path).build_id();
}

Result<ProgramCalls> read_program_calls(const std::string& path) {
  const Opened file(path);
  if (file.number() < 0) return Error{"the program cannot be read", path, "name an executable file"};
  const std::unique_ptr<Dwarf, EndDwarf> dwarf(dwarf_begin(file.number(), DWARF_C_READ));
  ProgramCalls out;
  out.program = path.substr(path.rfind('/') + 1);
  Reader reader(out);
  Dwarf_CU* unit = nullptr;
  Dwarf_Half version;
  std::uint8_t kind;
  Dwarf_Die die, sub;
  while (dwarf && dwarf_get_units(dwarf.get(), unit, &unit, &version, &kind, &die, &sub) == 0)
    if (kind == DW_UT_compile || kind == DW_UT_skeleton)
      reader.read(kind == DW_UT_skeleton && sub.addr ? sub : die);
  if (out.functions.empty())
    return Error{"the program has no debug data, which name its functions", path, "compile it with -g"};
  reader.finish();
  return out;
}

}  // namespace parcast::recording
