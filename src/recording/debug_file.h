// SPDX-License-Identifier: Apache-2.0
#pragma once
// An ELF file and what it says of its sources, for addresses by the thousand: units, functions and symbols are sorted by address
// on first use. Compilation units are walked here, since some compilers (clang) leave out the table that would say which unit
// covers an address. Nothing is ever fetched: only files that lie on this machine are looked at.

#include <elfutils/libdw.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "recording/recording.h"

namespace parcast::recording {

struct Place {
  std::string function, file;
  int line = 0;
  std::vector<Frame> inlined_into;
};

class DebugFile {
 public:
  explicit DebugFile(const std::string& path);
  ~DebugFile();
  DebugFile(const DebugFile&) = delete;
  DebugFile& operator=(const DebugFile&) = delete;

  bool good() const { return elf_ != nullptr; }
  std::string build_id() const;
  /// The name of its separate debug file and the checksum of that, where it has such a link.
  struct Link {
    std::string name;
    std::uint32_t checksum = 0;
  };
  std::optional<Link> debug_link() const;
  /// The bytes of a section; empty where there is none of that name.
  std::string section(std::string_view name) const;

  /// False when there are no compilation units.
  bool read_units();
  /// Function, file, line and what it was inlined into, by the compilation units.
  bool find(std::uint64_t address, Place& place);
  /// The function symbol that covers the address.
  void find_symbol(std::uint64_t address, Place& place);

 private:
  struct Range {
    std::uint64_t low, high;
    std::size_t item;
  };
  struct Unit {
    Dwarf_Die die;
    bool indexed = false;
    std::vector<Dwarf_Die> functions = {};
    std::vector<Range> ranges = {};  // of functions, by `low`
  };
  struct Symbol {
    std::uint64_t low, high;
    const char* name;
  };

  void add_unit(std::uint8_t kind, const Dwarf_Die& die, const Dwarf_Die& sub);
  static void add_ranges(Dwarf_Die die, std::size_t item, std::vector<Range>& ranges);
  static void add_functions(Dwarf_Die scope, Unit& unit);
  static const Range* innermost(const std::vector<Range>& ranges, std::uint64_t address);
  static bool describe(Unit& unit, std::uint64_t address, Place& place);
  void read_symbols();

  int descriptor_;
  struct EndElf {
    void operator()(Elf* elf) const;
  };
  struct EndDwarf {
    void operator()(Dwarf* dwarf) const;
  };
  std::unique_ptr<Elf, EndElf> elf_;
  std::unique_ptr<Dwarf, EndDwarf> dwarf_;
  std::vector<Unit> units_;
  std::vector<Range> ranges_;  // of units, by `low`
  bool symbols_read_ = false;
  std::vector<Symbol> symbols_;  // by `low`
};

}  // namespace parcast::recording
