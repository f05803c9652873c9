// SPDX-License-Identifier: Apache-2.0
// Compares unwinding rules with those of elfutils, for the libraries that this test uses; and reads damaged
// tables.
#include "record/mpi/unwind.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <link.h>
#include <unistd.h>

#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "record/mpi/stack_range.h"

namespace parcast::record_tests {
namespace {

struct Module {
  std::string path;
  std::uintptr_t base = 0, code_low = 0, code_high = 0;
  parcast_unwind_table table{};
};

int note(dl_phdr_info* info, std::size_t, void* data) {
  Module module{*info->dlpi_name ? info->dlpi_name : "/proc/self/exe", info->dlpi_addr};
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const auto& part = info->dlpi_phdr[i];
    const auto* begin = reinterpret_cast<const unsigned char*>(info->dlpi_addr + part.p_vaddr);
    if (part.p_type == PT_GNU_EH_FRAME) module.table.header = begin;
    if (part.p_type == PT_LOAD && part.p_flags & PF_X)
      module.code_low = info->dlpi_addr + part.p_vaddr, module.code_high = module.code_low + part.p_memsz;
  }
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const auto& part = info->dlpi_phdr[i];
    const auto* begin = reinterpret_cast<const unsigned char*>(info->dlpi_addr + part.p_vaddr);
    if (part.p_type == PT_LOAD && module.table.header >= begin && module.table.header < begin + part.p_memsz)
      module.table.low = begin, module.table.high = begin + part.p_memsz;
  }
  if (module.table.header && module.path.find('/') != std::string::npos)
    static_cast<std::vector<Module>*>(data)->push_back(module);
  return 0;
}

std::vector<Module> modules() {
  std::vector<Module> all;
  dl_iterate_phdr(note, &all);
  return all;
}

/// Returns the rule by elfutils.
parcast_rule oracle(Dwarf_CFI* cfi, Dwarf_Addr address) {
  parcast_rule rule{};
  Dwarf_Frame* frame = nullptr;
  if (dwarf_cfi_addrframe(cfi, address, &frame) != 0) return rule;
  bool signal = false;
  dwarf_frame_info(frame, nullptr, nullptr, &signal);
  Dwarf_Op *ops = nullptr, memory[3];
  std::size_t count = 0;
  const bool has_cfa = dwarf_frame_cfa(frame, &ops, &count) == 0 && count > 0;
  if (has_cfa && count == 1 && ops[0].atom == DW_OP_bregx && (ops[0].number == 6 || ops[0].number == 7)) {
    rule.cfa = ops[0].number == 7 ? PARCAST_CFA_STACK : PARCAST_CFA_FRAME;
    rule.cfa_offset = static_cast<std::int32_t>(ops[0].number2);
  } else if (has_cfa && count == 2 && ops[0].atom == DW_OP_breg6 && ops[1].atom == DW_OP_deref) {
    rule.cfa = PARCAST_CFA_KEPT;
    rule.cfa_offset = static_cast<std::int32_t>(ops[0].number);
  }
  const bool has_frame = dwarf_frame_register(frame, 6, memory, &ops, &count) == 0;
  if (has_frame && count == 0)
    rule.frame = ops ? PARCAST_FRAME_LOST : PARCAST_FRAME_SAME;
  else if (has_frame && ops[0].atom == DW_OP_call_frame_cfa) {
    rule.frame = PARCAST_FRAME_BY_CFA;
    rule.frame_offset = count > 1 ? static_cast<std::int32_t>(ops[1].number) : 0;
  } else if (has_frame && count == 1 && ops[0].atom == DW_OP_breg6) {
    rule.frame = PARCAST_FRAME_BY_FRAME;
    rule.frame_offset = static_cast<std::int32_t>(ops[0].number);
  } else
    rule.frame = PARCAST_FRAME_LOST;
  const bool has_back = dwarf_frame_register(frame, 16, memory, &ops, &count) == 0;
  if (has_back && count == 0 && ops)
    rule.cfa = PARCAST_CFA_OUTERMOST;
  else if (!has_back || count == 0 || ops[0].atom != DW_OP_call_frame_cfa || signal)
    rule.cfa = PARCAST_CFA_UNKNOWN;
  std::free(frame);
  return rule;
}

TEST(Unwind, RulesAreThoseOfElfutils) {
  elf_version(EV_CURRENT);
  int known = 0, unknown = 0, kept = 0;
  for (const Module& module : modules()) {
    const int file = ::open(module.path.c_str(), O_RDONLY | O_CLOEXEC);
    Elf* elf = elf_begin(file, ELF_C_READ_MMAP, nullptr);
    Dwarf_CFI* cfi = elf ? dwarf_getcfi_elf(elf) : nullptr;
    if (cfi) {
      for (std::uintptr_t at = module.code_low; at < module.code_high; at += 13) {
        const parcast_rule rule = parcast_unwind_rule(&module.table, at),
                           expected = oracle(cfi, at - module.base);
        const std::string where = module.path + "+" + std::to_string(at - module.base);
        ASSERT_EQ(rule.cfa, expected.cfa) << where;
        ++(rule.cfa == PARCAST_CFA_UNKNOWN ? unknown : known);
        kept += rule.cfa == PARCAST_CFA_KEPT;
        if (rule.cfa == PARCAST_CFA_UNKNOWN || rule.cfa == PARCAST_CFA_OUTERMOST) continue;
        ASSERT_EQ(rule.cfa_offset, expected.cfa_offset) << where;
        ASSERT_EQ(rule.return_offset, -8) << where;
        ASSERT_EQ(rule.frame, expected.frame) << where;
        if (rule.frame != PARCAST_FRAME_SAME && rule.frame != PARCAST_FRAME_LOST)
          ASSERT_EQ(rule.frame_offset, expected.frame_offset) << where;
        ASSERT_LE(rule.function, at);
      }
      dwarf_cfi_end(cfi);
    }
    elf_end(elf);
    ::close(file);
  }
  EXPECT_GT(known, 50000);
  EXPECT_LT(unknown, known / 10) << "between functions, and hand-written code";
  std::printf("%d addresses known, %d of them aligned frames, %d unknown\n", known, kept, unknown);
}

TEST(Unwind, ADamagedTableIsNoDanger) {
  std::mt19937 random(3);
  for (const Module& module : modules()) {
    if (!module.table.low || module.table.high - module.table.low > (8 << 20)) continue;
    const std::vector<unsigned char> whole(module.table.low, module.table.high);
    std::vector<unsigned char> copy = whole;
    const auto header = static_cast<std::size_t>(module.table.header - module.table.low);
    const parcast_unwind_table table{copy.data() + header, copy.data(), copy.data() + copy.size()};
    const auto shift = reinterpret_cast<std::uintptr_t>(table.header) -
                       reinterpret_cast<std::uintptr_t>(module.table.header);
    for (int i = 0; i < 20000; ++i) {
      std::vector<std::size_t> changed;
      for (int k = 0; k < 1 + i % 40; ++k) {
        const std::size_t span = i % 7 == 0 ? 64 : copy.size() - header;
        changed.push_back(header + random() % span);
        copy[changed.back()] = static_cast<unsigned char>(random());
      }
      parcast_unwind_rule(&table, module.code_low + shift + random() % (module.code_high - module.code_low));
      for (const std::size_t at : changed) copy[at] = whole[at];
    }
    for (std::size_t cut = header; cut < copy.size(); cut += 1 + copy.size() / 997) {
      const std::vector<unsigned char> shorter(copy.begin(), copy.begin() + static_cast<std::ptrdiff_t>(cut));
      const parcast_unwind_table part{shorter.data() + header, shorter.data(),
                                      shorter.data() + shorter.size()};
      parcast_unwind_rule(&part,
                          reinterpret_cast<std::uintptr_t>(part.header) +
                              (module.code_low - reinterpret_cast<std::uintptr_t>(module.table.header)) + 64);
    }
  }
}

TEST(Unwind, OfAnEmptyTableNothingIsKnown) {
  const parcast_unwind_table none{};
  EXPECT_EQ(parcast_unwind_rule(&none, 4096).cfa, PARCAST_CFA_UNKNOWN);
}

TEST(StackRange, HoldsWhatRunsOnTheThreadsStackAlone) {
  parcast_stack_range range{};
  const int here = 0;
  static int elsewhere = 0;
  const int* heap = new int(0);
  EXPECT_TRUE(parcast_stack_range_holds(&range, reinterpret_cast<std::uintptr_t>(&here)));
  EXPECT_FALSE(parcast_stack_range_holds(&range, reinterpret_cast<std::uintptr_t>(&elsewhere)));
  EXPECT_FALSE(parcast_stack_range_holds(&range, reinterpret_cast<std::uintptr_t>(heap)));
  delete heap;
  volatile std::uint64_t sum = 0;  // reads all of it, which must be allowed
  for (std::uintptr_t at = reinterpret_cast<std::uintptr_t>(&here) & ~std::uintptr_t{7}; at < range.high;
       at += 8)
    sum = sum + *reinterpret_cast<const volatile std::uint64_t*>(at);
}

}  // namespace
}  // namespace parcast::record_tests
