// SPDX-License-Identifier: Apache-2.0
// Return addresses to function, file and line, with libdw. Compilation units are walked here, since some compilers (clang)
// leave out the table that would say which unit covers an address.

#include <cxxabi.h>
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwelf.h>
#include <fcntl.h>
#include <gelf.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <map>
#include <memory>

#include "recording/recording.h"

namespace parcast::recording {
namespace {

struct Place {
  std::string function, file;
  int line = 0;
};

std::string demangled(const char* name) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(abi::__cxa_demangle(name, nullptr, nullptr, &status), &std::free);
  return status == 0 && text ? text.get() : name;
}

class Descriptor {
 public:
  explicit Descriptor(const std::string& path) : value_(::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {}
  ~Descriptor() {
    if (value_ >= 0) ::close(value_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int value() const { return value_; }

 private:
  int value_;
};

/// An ELF file open for reading, with what it says of its sources.
class DebugFile {
 public:
  explicit DebugFile(const std::string& path) : descriptor_(path) {
    if (descriptor_.value() < 0) return;
    elf_version(EV_CURRENT);
    elf_.reset(elf_begin(descriptor_.value(), ELF_C_READ_MMAP, nullptr));
    if (!elf_ || elf_kind(elf_.get()) != ELF_K_ELF) elf_.reset();
  }

  bool good() const { return elf_ != nullptr; }

  std::string build_id() const {
    const void* bytes = nullptr;
    const ssize_t length = elf_ ? dwelf_elf_gnu_build_id(elf_.get(), &bytes) : 0;
    std::string text;
    for (ssize_t i = 0; i < length; ++i) {
      std::array<char, 3> digits;
      std::snprintf(digits.data(), digits.size(), "%02x", static_cast<const unsigned char*>(bytes)[i]);
      text += digits.data();
    }
    return text;
  }

  /// False when there are no compilation units.
  bool read_units() {
    dwarf_.reset(dwarf_begin_elf(elf_.get(), DWARF_C_READ, nullptr));
    if (!dwarf_) return false;
    Dwarf_CU* unit = nullptr;
    Dwarf_Half version;
    std::uint8_t kind;
    Dwarf_Die die, sub;
    while (dwarf_get_units(dwarf_.get(), unit, &unit, &version, &kind, &die, &sub) == 0) add_unit(kind, die, sub);
    std::sort(ranges_.begin(), ranges_.end(), [](const Range& a, const Range& b) { return a.low < b.low; });
    return !ranges_.empty();
  }

  bool find(Dwarf_Addr address, Place& place) {
    auto next = std::upper_bound(ranges_.begin(), ranges_.end(), address,
                                 [](Dwarf_Addr value, const Range& range) { return value < range.low; });
    while (next != ranges_.begin()) {
      --next;
      if (address < next->high) return describe(units_[next->unit], address, place);
      if (address - next->low > (Dwarf_Addr{1} << 32)) break;
    }
    return false;
  }

  /// The function symbol that covers the address.
  void find_symbol(Dwarf_Addr address, Place& place) const {
    Elf_Scn* section = nullptr;
    while (elf_ && (section = elf_nextscn(elf_.get(), section))) {
      GElf_Shdr header;
      if (!gelf_getshdr(section, &header) || (header.sh_type != SHT_SYMTAB && header.sh_type != SHT_DYNSYM)) continue;
      Elf_Data* data = elf_getdata(section, nullptr);
      const std::size_t count = data && header.sh_entsize ? data->d_size / header.sh_entsize : 0;
      for (std::size_t i = 0; i < count; ++i) {
        GElf_Sym symbol;
        if (!gelf_getsym(data, static_cast<int>(i), &symbol) || GELF_ST_TYPE(symbol.st_info) != STT_FUNC) continue;
        if (address < symbol.st_value || address - symbol.st_value >= symbol.st_size) continue;
        if (const char* name = elf_strptr(elf_.get(), header.sh_link, symbol.st_name)) place.function = demangled(name);
        return;
      }
    }
  }

 private:
  struct Range {
    Dwarf_Addr low, high;
    std::size_t unit;
  };

  void add_unit(std::uint8_t kind, const Dwarf_Die& die, const Dwarf_Die& sub) {
    if (kind != DW_UT_compile && kind != DW_UT_skeleton) return;
    units_.push_back(kind == DW_UT_skeleton && sub.addr ? sub : die);
    Dwarf_Die ranges_of = die;
    Dwarf_Addr base = 0, low = 0, high = 0;
    for (ptrdiff_t at = 0; (at = dwarf_ranges(&ranges_of, at, &base, &low, &high)) > 0;)
      if (high > low) ranges_.push_back({low, high, units_.size() - 1});
  }

  static std::string name_of(Dwarf_Die& scope) {
    for (const unsigned attribute : {unsigned{DW_AT_linkage_name}, unsigned{DW_AT_MIPS_linkage_name}}) {
      Dwarf_Attribute found;
      if (dwarf_attr_integrate(&scope, attribute, &found))
        if (const char* name = dwarf_formstring(&found)) return demangled(name);
    }
    const char* name = dwarf_diename(&scope);
    return name ? name : "";
  }

  static bool describe(Dwarf_Die& unit, Dwarf_Addr address, Place& place) {
    if (Dwarf_Line* line = dwarf_getsrc_die(&unit, address)) {
      if (const char* file = dwarf_linesrc(line, nullptr, nullptr)) place.file = file;
      dwarf_lineno(line, &place.line);
    }
    Dwarf_Die* scopes = nullptr;
    const int count = dwarf_getscopes(&unit, address, &scopes);
    const std::unique_ptr<Dwarf_Die, decltype(&std::free)> owner(scopes, &std::free);
    for (int i = 0; i < count; ++i) {
      const int tag = dwarf_tag(&scopes[i]);
      if (tag != DW_TAG_subprogram && tag != DW_TAG_inlined_subroutine) continue;
      place.function = name_of(scopes[i]);
      break;
    }
    return place.line > 0 || !place.function.empty();
  }

  struct EndElf {
    void operator()(Elf* elf) const { elf_end(elf); }
  };
  struct EndDwarf {
    void operator()(Dwarf* dwarf) const { dwarf_end(dwarf); }
  };
  Descriptor descriptor_;
  std::unique_ptr<Elf, EndElf> elf_;
  std::unique_ptr<Dwarf, EndDwarf> dwarf_;
  std::vector<Dwarf_Die> units_;
  std::vector<Range> ranges_;
};

/// One module's file, checked to be the one that ran, and its separate debug file where there is one.
class ModuleSource {
 public:
  explicit ModuleSource(const Module& module) : file_(module.path) {
    usable_ = file_.good() && file_.build_id() == module.build_id;
    if (!usable_) return;
    has_units_ = file_.read_units();
    if (has_units_ || module.build_id.size() < 4) return;
    separate_ = std::make_unique<DebugFile>("/usr/lib/debug/.build-id/" + module.build_id.substr(0, 2) + "/" +
                                            module.build_id.substr(2) + ".debug");
    if (!separate_->good() || separate_->build_id() != module.build_id || !separate_->read_units()) separate_.reset();
  }

  Place find(std::uint64_t return_address) {
    Place place;
    if (!usable_ || return_address == 0) return place;
    const Dwarf_Addr call = return_address - 1;  // the address returned to may belong to the next line
    const bool found = has_units_ ? file_.find(call, place) : separate_ && separate_->find(call, place);
    if (!found || place.function.empty()) file_.find_symbol(call, place);
    return place;
  }

 private:
  DebugFile file_;
  std::unique_ptr<DebugFile> separate_;
  bool usable_ = false, has_units_ = false;
};

}  // namespace

void resolve_sites(Recording& recording) {
  std::map<std::pair<std::string, std::string>, std::unique_ptr<ModuleSource>> sources;
  std::map<std::pair<const ModuleSource*, std::uint64_t>, Place> known;
  for (RankRecording& rank : recording.ranks)
    for (Site& site : rank.sites) {
      if (site.module >= rank.modules.size()) continue;
      const Module& module = rank.modules[site.module];
      auto& source = sources[{module.path, module.build_id}];
      if (!source) source = std::make_unique<ModuleSource>(module);
      auto [at, is_new] = known.try_emplace({source.get(), site.offset});
      if (is_new) at->second = source->find(site.offset);
      site.function = at->second.function;
      site.file = at->second.file;
      site.line = at->second.line;
    }
}

}  // namespace parcast::recording
