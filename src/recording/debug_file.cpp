// SPDX-License-Identifier: Apache-2.0
#include "recording/debug_file.h"

#include <dwarf.h>
#include <elfutils/libdwelf.h>
#include <fcntl.h>
#include <gelf.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "base/text.h"
#include "recording/debug_number.h"

namespace parcast::recording {
namespace {

constexpr int kDeepest = 64;  // most nested scopes; a damaged file may have cycles

std::string name_of(Dwarf_Die& scope) {
  for (const unsigned attribute : {unsigned{DW_AT_linkage_name}, unsigned{DW_AT_MIPS_linkage_name}}) {
    Dwarf_Attribute found;
    if (dwarf_attr_integrate(&scope, attribute, &found))
      if (const char* name = dwarf_formstring(&found)) return demangled(name);
  }
  const char* name = dwarf_diename(&scope);
  return name ? name : "";
}

/// Returns the place of the call that was replaced by the function's body.
Frame call_of(Dwarf_Die& unit, Dwarf_Die& inlined) {
  Frame frame;
  Dwarf_Files* files = nullptr;
  std::size_t count = 0;
  const auto file = static_cast<std::size_t>(number_of(inlined, DW_AT_call_file));
  if (dwarf_getsrcfiles(&unit, &files, &count) == 0 && file < count)
    if (const char* name = dwarf_filesrc(files, file, nullptr, nullptr)) frame.file = name;
  frame.line = number_of(inlined, DW_AT_call_line);
  return frame;
}

/// Adds the functions inlined at the address, outermost first, inside a function or one of its blocks.
void add_inlined(Dwarf_Die scope, Dwarf_Addr address, std::vector<Dwarf_Die>& chain, int depth) {
  Dwarf_Die child;
  if (depth > kDeepest || dwarf_child(&scope, &child) != 0) return;
  do {
    const int tag = dwarf_tag(&child);
    const bool block = tag == DW_TAG_lexical_block || tag == DW_TAG_try_block || tag == DW_TAG_catch_block;
    if ((!block && tag != DW_TAG_inlined_subroutine) || dwarf_haspc(&child, address) != 1) continue;
    if (!block) chain.push_back(child);
    return add_inlined(child, address, chain, depth + 1);
  } while (dwarf_siblingof(&child, &child) == 0);
}

/// Finds the nearest line before the address in the same function. The compiler gives no line for code that
/// belongs to several lines.
void find_line_before(Dwarf_Die& unit, Dwarf_Die& function, Dwarf_Addr address, Place& place) {
  constexpr std::size_t kFarthest = 256;
  Dwarf_Lines* rows = nullptr;  // sorted by address
  std::size_t count = 0;
  if (dwarf_getsrclines(&unit, &rows, &count) != 0) return;
  const auto address_of = [&](std::size_t row) {
    Dwarf_Addr at = 0;
    dwarf_lineaddr(dwarf_onesrcline(rows, row), &at);
    return at;
  };
  std::size_t low = 0, high = count;  // the first row after the address
  while (low < high)
    if (const std::size_t middle = low + (high - low) / 2; address_of(middle) <= address)
      low = middle + 1;
    else
      high = middle;
  for (std::size_t back = 1; back <= std::min(low, kFarthest); ++back) {
    Dwarf_Line* row = dwarf_onesrcline(rows, low - back);
    bool ends = false;
    int line = 0;
    if (dwarf_lineendsequence(row, &ends) != 0 || ends || dwarf_lineno(row, &line) != 0 || line == 0 ||
        dwarf_haspc(&function, address_of(low - back)) != 1)
      continue;
    if (const char* file = dwarf_linesrc(row, nullptr, nullptr)) place.file = file;
    place.line = line;
    return;
  }
}

bool holds_functions(int tag) {
  return tag == DW_TAG_namespace || tag == DW_TAG_module || tag == DW_TAG_subprogram ||
         tag == DW_TAG_class_type || tag == DW_TAG_structure_type || tag == DW_TAG_union_type;
}

template <class Item>
void sort_by_address(std::vector<Item>& items) {
  std::stable_sort(items.begin(), items.end(), [](const Item& a, const Item& b) { return a.low < b.low; });
}

/// Calls `take` for the items that begin at or before the address, nearest first, until `take` returns true.
template <class Item, class Take>
void look_back(const std::vector<Item>& items, std::uint64_t address, Take take) {
  auto next = std::upper_bound(items.begin(), items.end(), address,
                               [](std::uint64_t value, const Item& item) { return value < item.low; });
  constexpr int kOverlapping = 256;
  for (int i = 0; i < kOverlapping && next != items.begin(); ++i)
    if (take(*--next)) return;
}

}  // namespace

void DebugFile::EndElf::operator()(Elf* elf) const {
  elf_end(elf);
}
void DebugFile::EndDwarf::operator()(Dwarf* dwarf) const {
  dwarf_end(dwarf);
}

DebugFile::DebugFile(const std::string& path) : descriptor_(::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
  if (descriptor_ < 0) return;
  elf_version(EV_CURRENT);
  elf_.reset(elf_begin(descriptor_, ELF_C_READ_MMAP, nullptr));
  if (!elf_ || elf_kind(elf_.get()) != ELF_K_ELF) elf_.reset();
}

DebugFile::~DebugFile() {
  dwarf_.reset();
  elf_.reset();
  if (descriptor_ >= 0) ::close(descriptor_);
}

std::string DebugFile::build_id() const {
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

std::optional<DebugFile::Link> DebugFile::debug_link() const {
  GElf_Word checksum = 0;
  const char* name = elf_ ? dwelf_elf_gnu_debuglink(elf_.get(), &checksum) : nullptr;
  if (!name || !*name || std::strchr(name, '/')) return std::nullopt;
  return Link{name, checksum};
}

std::string DebugFile::section(std::string_view name) const {
  std::size_t names = 0;
  if (!elf_ || elf_getshdrstrndx(elf_.get(), &names) != 0) return {};
  Elf_Scn* section = nullptr;
  while ((section = elf_nextscn(elf_.get(), section))) {
    GElf_Shdr header;
    const char* its =
        gelf_getshdr(section, &header) ? elf_strptr(elf_.get(), names, header.sh_name) : nullptr;
    if (!its || its != name || header.sh_type == SHT_NOBITS) continue;
    const Elf_Data* data = elf_rawdata(section, nullptr);
    return data && data->d_buf ? std::string(static_cast<const char*>(data->d_buf), data->d_size)
                               : std::string();
  }
  return {};
}

bool DebugFile::read_units() {
  dwarf_.reset(elf_ ? dwarf_begin_elf(elf_.get(), DWARF_C_READ, nullptr) : nullptr);
  if (!dwarf_) return false;
  Dwarf_CU* unit = nullptr;
  Dwarf_Half version;
  std::uint8_t kind;
  Dwarf_Die die, sub;
  while (dwarf_get_units(dwarf_.get(), unit, &unit, &version, &kind, &die, &sub) == 0)
    add_unit(kind, die, sub);
  sort_by_address(ranges_);
  return !ranges_.empty();
}

void DebugFile::add_unit(std::uint8_t kind, const Dwarf_Die& die, const Dwarf_Die& sub) {
  if (kind != DW_UT_compile && kind != DW_UT_skeleton) return;
  units_.push_back({kind == DW_UT_skeleton && sub.addr ? sub : die});
  add_ranges(die, units_.size() - 1, ranges_);
}

void DebugFile::add_ranges(Dwarf_Die die, std::size_t item, std::vector<Range>& ranges) {
  Dwarf_Addr base = 0, low = 0, high = 0;
  for (ptrdiff_t at = 0; (at = dwarf_ranges(&die, at, &base, &low, &high)) > 0;)
    if (high > low) ranges.push_back({low, high, item});
}

void DebugFile::add_functions(Dwarf_Die scope, Unit& unit) {
  std::vector<std::pair<Dwarf_Die, int>> open{{scope, 0}};
  while (!open.empty()) {
    auto [parent, depth] = open.back();
    open.pop_back();
    Dwarf_Die child;
    if (depth > kDeepest || dwarf_child(&parent, &child) != 0) continue;
    do {
      const int tag = dwarf_tag(&child);
      if (!holds_functions(tag)) continue;
      if (tag == DW_TAG_subprogram) {
        unit.functions.push_back(child);
        add_ranges(child, unit.functions.size() - 1, unit.ranges);
      }
      open.emplace_back(child, depth + 1);
    } while (dwarf_siblingof(&child, &child) == 0);
  }
  sort_by_address(unit.ranges);
}

/// Returns the smallest range that covers the address.
const DebugFile::Range* DebugFile::innermost(const std::vector<Range>& ranges, std::uint64_t address) {
  const Range* found = nullptr;
  look_back(ranges, address, [&](const Range& range) {
    if (address < range.high && (!found || range.high - range.low < found->high - found->low)) found = &range;
    return found != nullptr && range.low < found->low;
  });
  return found;
}

bool DebugFile::find(std::uint64_t address, Place& place) {
  const Range* range = innermost(ranges_, address);
  return range && describe(units_[range->item], address, place);
}

bool DebugFile::describe(Unit& unit, std::uint64_t address, Place& place) {
  if (!unit.indexed) add_functions(unit.die, unit);
  unit.indexed = true;
  if (Dwarf_Line* line = dwarf_getsrc_die(&unit.die, address)) {
    if (const char* file = dwarf_linesrc(line, nullptr, nullptr)) place.file = file;
    dwarf_lineno(line, &place.line);
  }
  const Range* range = innermost(unit.ranges, address);
  if (!range) return place.line > 0;
  std::vector<Dwarf_Die> chain{unit.functions[range->item]};
  add_inlined(chain.front(), address, chain, 0);
  place.function = name_of(chain.back());
  if (place.line == 0) find_line_before(unit.die, chain.back(), address, place);
  for (std::size_t i = chain.size() - 1; i > 0; --i) {
    Frame frame = call_of(unit.die, chain[i]);
    frame.function = name_of(chain[i - 1]);
    place.inlined_into.push_back(std::move(frame));
  }
  return place.line > 0 || !place.function.empty();
}

void DebugFile::read_symbols() {
  Elf_Scn* section = nullptr;
  while (elf_ && (section = elf_nextscn(elf_.get(), section))) {
    GElf_Shdr header;
    if (!gelf_getshdr(section, &header) || (header.sh_type != SHT_SYMTAB && header.sh_type != SHT_DYNSYM))
      continue;
    Elf_Data* data = elf_getdata(section, nullptr);
    const std::size_t count = data && header.sh_entsize ? data->d_size / header.sh_entsize : 0;
    for (std::size_t i = 0; i < count; ++i) {
      GElf_Sym symbol;
      if (!gelf_getsym(data, static_cast<int>(i), &symbol) || GELF_ST_TYPE(symbol.st_info) != STT_FUNC)
        continue;
      const char* name = elf_strptr(elf_.get(), header.sh_link, symbol.st_name);
      if (name && symbol.st_size > 0)
        symbols_.push_back({symbol.st_value, symbol.st_value + symbol.st_size, name});
    }
  }
  sort_by_address(symbols_);
}

void DebugFile::find_symbol(std::uint64_t address, Place& place) {
  if (!symbols_read_) read_symbols();
  symbols_read_ = true;
  look_back(symbols_, address, [&](const Symbol& symbol) {
    if (address < symbol.high) place.function = demangled(symbol.name);
    return address < symbol.high;
  });
}

}  // namespace parcast::recording
