// SPDX-License-Identifier: Apache-2.0
#pragma once
// Reads an ELF file and its debug data, for thousands of addresses: units, functions and symbols are sorted
// by address on first use. This class visits compilation units itself, because some compilers (clang) omit
// the table that maps an address to its unit. Nothing is downloaded: only files on this machine are read.

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
  /// Name and checksum of the separate debug file, if the ELF file has such a link.
  struct Link {
    std::string name;
    std::uint32_t checksum = 0;
  };
  std::optional<Link> debug_link() const;
  /// Returns the bytes of a section; empty when no section has that name.
  std::string section(std::string_view name) const;

  /// Returns false when there are no compilation units.
  bool read_units();
  /// Finds function, file, line and the functions it was inlined into, from the compilation units.
  bool find(std::uint64_t address, Place& place);
  /// Finds the function symbol that covers the address.
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
    std::vector<Range> ranges = {};  // of functions, sorted by `low`
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
  std::vector<Range> ranges_;  // of units, sorted by `low`
  bool symbols_read_ = false;
  std::vector<Symbol> symbols_;  // sorted by `low`
};

}  // namespace parcast::recording
