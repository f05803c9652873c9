// SPDX-License-Identifier: Apache-2.0
#include "cli/checkup.h"

#include <elf.h>
#include <linux/perf_event.h>
#include <sys/mman.h>
#include <sys/rseq.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>

#include "base/files.h"
#include "base/text.h"
#include "cli/launch.h"
#include "cli/launcher.h"
#include "cli/mpi_families.h"

namespace parcast::cli {
namespace {

bool cpu_has(const std::string& flag) {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with("flags")) return (line + " ").find(" " + flag + " ") != std::string::npos;
  return false;
}

Finding mpi_launcher() {
  const std::string version = output_of({"mpirun", "--version"});
  if (version.empty())
    return {"mpirun", false, "not found",
            "install Open MPI or MPICH (Debian: openmpi-bin, mpich), or use your site's launcher"};
  return check_launcher(launcher_of("mpirun"), version.substr(0, version.find('\n')), families_recorded());
}

Finding recorder() {
  const auto found = find_recorder();
  return found ? Finding{"recorder", true, found->string(), ""}
               : Finding{"recorder", false, found.error().what, found.error().hint};
}

Finding clocks() {
  if (cpu_has("constant_tsc") && cpu_has("nonstop_tsc"))
    return {"clock", true, "time stamp counter, constant and nonstop", ""};
  return {"clock", true, "monotonic clock (no constant time stamp counter): about 20 ns more per event", ""};
}

Finding preemption() {
  if (__rseq_size > 0) return {"pre-emption", true, "detected through restartable sequences (rseq)", ""};
  return {"pre-emption", true,
          "rseq is not available: the processor clock is read at every event, about 500 ns each",
          "needs Linux 4.18 and glibc 2.35 with glibc.pthread.rseq=1"};
}

/// Returns why a process cannot count its own cycles; empty if it can.
std::string counting_hindered() {
  perf_event_attr wanted{};
  wanted.type = PERF_TYPE_HARDWARE;
  wanted.size = sizeof wanted;
  wanted.config = PERF_COUNT_HW_CPU_CYCLES;
  wanted.exclude_kernel = wanted.exclude_hv = 1;
  const auto descriptor =
      static_cast<int>(::syscall(SYS_perf_event_open, &wanted, 0, -1, -1, PERF_FLAG_FD_CLOEXEC));
  if (descriptor < 0)
    return errno == ENOENT || errno == EOPNOTSUPP ? "this machine shows none, as many virtual ones do"
                                                  : std::strerror(errno);
  constexpr std::size_t kPage = 4096;
  void* page = ::mmap(nullptr, kPage, PROT_READ, MAP_SHARED, descriptor, 0);
  const bool readable = page != MAP_FAILED && static_cast<const perf_event_mmap_page*>(page)->cap_user_rdpmc;
  if (page != MAP_FAILED) ::munmap(page, kPage);
  ::close(descriptor);
  return readable ? ""
                  : "the kernel does not let programs read them (/sys/bus/event_source/devices/cpu/rdpmc)";
}

/// Hardware counters are optional: their absence is not a fault.
Finding hardware_counters() {
  const std::string hindered = counting_hindered();
  if (hindered.empty())
    return {"counters", true, "cycles, instructions, cache misses with parcast record --counters", ""};
  const auto level = read_file("/proc/sys/kernel/perf_event_paranoid");
  const bool strict = level && std::atoi(level->c_str()) > 2;
  return {"counters", true, "no hardware counters: " + hindered,
          strict ? "kernel.perf_event_paranoid=2 or lower would allow them" : ""};
}

/// Returns the program's interpreter (ld.so) if it is dynamically linked; empty otherwise.
std::string interpreter_of(const std::string& elf) {
  Elf64_Ehdr header;
  if (elf.size() < sizeof header) return "";
  std::memcpy(&header, elf.data(), sizeof header);
  for (unsigned i = 0; i < header.e_phnum; ++i) {
    Elf64_Phdr part;
    const std::size_t at = header.e_phoff + std::size_t{i} * sizeof part;
    if (at > elf.size() || elf.size() - at < sizeof part) return "";
    std::memcpy(&part, elf.data() + at, sizeof part);
    if (part.p_type != PT_INTERP || part.p_offset > elf.size() || elf.size() - part.p_offset < part.p_filesz)
      continue;
    const std::string name(elf.data() + part.p_offset, part.p_filesz);
    return name.c_str();  // up to its terminating zero
  }
  return "";
}

/// Returns whether a table of names in the file (of sections, of symbols) contains the name.
bool has_name(const std::string& elf, const std::string& name) {
  return elf.find(std::string(1, '\0') + name + '\0') != std::string::npos;
}

template <class T>
std::optional<T> part_at(const std::string& elf, std::uint64_t at) {
  T part;
  if (at > elf.size() || elf.size() - at < sizeof part) return std::nullopt;
  std::memcpy(&part, elf.data() + at, sizeof part);
  return part;
}

/// Returns whether the program itself defines a function of that name. A function that it only calls is
/// undefined in its tables.
bool defines(const std::string& elf, const std::string& function) {
  const auto header = part_at<Elf64_Ehdr>(elf, 0);
  for (unsigned i = 0; header && i < header->e_shnum; ++i) {
    const auto section = part_at<Elf64_Shdr>(elf, header->e_shoff + std::uint64_t{i} * sizeof(Elf64_Shdr));
    if (!section || (section->sh_type != SHT_SYMTAB && section->sh_type != SHT_DYNSYM)) continue;
    const auto names =
        part_at<Elf64_Shdr>(elf, header->e_shoff + std::uint64_t{section->sh_link} * sizeof(Elf64_Shdr));
    for (std::uint64_t at = 0; names && at + sizeof(Elf64_Sym) <= section->sh_size; at += sizeof(Elf64_Sym)) {
      const auto symbol = part_at<Elf64_Sym>(elf, section->sh_offset + at);
      if (!symbol) break;
      if (symbol->st_shndx == SHN_UNDEF || ELF64_ST_TYPE(symbol->st_info) != STT_FUNC) continue;
      const std::uint64_t name = names->sh_offset + symbol->st_name;
      if (name < elf.size() &&
          elf.compare(name, function.size() + 1, function.c_str(), function.size() + 1) == 0)
        return true;
    }
  }
  return false;
}

/// Returns how to make a program recordable if MPI is linked into it.
std::string link_with_recorder() {
  const auto library = find_recorder();
  const std::string folder = library ? library->parent_path().string() : "PREFIX/lib";
  return "link the recorder before it: mpicc ... @" + folder + "/parcast-record-mpich.link " + folder +
         "/libparcast-record.a (or -open_mpi.link); or link MPI dynamically";
}

}  // namespace

std::vector<Finding> check_host() {
  std::vector<Finding> findings{mpi_launcher(), recorder()};
  if (findings.back().good) findings.push_back(check_families(families_recorded()));
  findings.insert(findings.end(), {clocks(), preemption(), hardware_counters()});
  return findings;
}

std::vector<Finding> check_program(const std::filesystem::path& program) {
  const auto elf = read_file(program);
  if (!elf)
    return {{"program", false, elf.error().where + " " + elf.error().what,
             "give the path of the program itself"}};
  if (elf->size() < EI_NIDENT || elf->compare(0, SELFMAG, ELFMAG) != 0)
    return {{"program", false, "not a program of this machine (no ELF file)",
             "a script? name the program that it starts"}};
  if ((*elf)[EI_CLASS] != ELFCLASS64)
    return {{"program", false, "not a 64-bit program", "the recorder is 64-bit: build the program so"}};
  std::vector<Finding> findings;
  struct stat about {};
  if (::stat(program.c_str(), &about) == 0 && (about.st_mode & (S_ISUID | S_ISGID)))
    findings.push_back({"preload", false, "set-uid or set-gid: the loader ignores preloaded libraries",
                        "record a copy without these bits"});
  const std::string interpreter = interpreter_of(*elf);
  const bool has_recorder = defines(*elf, "parcast_entry_unresolved");
  if (has_recorder) findings.push_back({"MPI", true, "linked into the program, with the recorder", ""});
  if (has_recorder) return findings;
  if (defines(*elf, "MPI_Init") || defines(*elf, "MPI_Init_thread")) {
    findings.push_back(
        {"MPI", false, "linked into the program: its calls do not pass the loader", link_with_recorder()});
    return findings;
  }
  if (interpreter.empty()) {
    findings.push_back({"preload", false, "statically linked: nothing can be preloaded",
                        "link it dynamically, or " + link_with_recorder()});
    return findings;
  }
  findings.push_back(check_libraries(
      output_of({interpreter, "--list", std::filesystem::absolute(program).string()}), families_recorded()));
  const bool lines = has_name(*elf, ".debug_line");
  findings.push_back({"source lines", true,
                      lines ? "present" : "none: places are shown as function or address",
                      lines ? "" : "compile with -g"});
  return findings;
}

std::optional<Finding> what_hinders(const std::vector<std::string>& launch) {
  const std::filesystem::path program = program_in(launch);
  std::error_code problem;
  if (auto missing = missing_family(launcher_of(launch.front()), families_recorded())) return missing;
  if (launcher_of(program.string()) != Launcher::other || !std::filesystem::is_regular_file(program, problem))
    return std::nullopt;
  for (const Finding& finding : check_program(program))
    if (!finding.good)
      return Finding{finding.subject, false, program.string() + ": " + finding.text, finding.hint};
  return std::nullopt;
}

std::string checkup_text(const std::vector<Finding>& findings) {
  std::string text;
  for (const Finding& finding : findings) {
    std::string subject = finding.subject;
    subject.resize(std::max<std::size_t>(14, subject.size()), ' ');
    text += std::string(finding.good ? "ok   " : "FAIL ") + subject + finding.text + "\n";
    if (!finding.hint.empty()) text += std::string(19, ' ') + finding.hint + "\n";
  }
  return text;
}

}  // namespace parcast::cli
