// SPDX-License-Identifier: Apache-2.0
#include "cli/checkup.h"

#include <elf.h>
#include <sys/rseq.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>

#include "base/files.h"
#include "base/text.h"
#include "cli/launch.h"

namespace parcast::cli {
namespace {

/// First lines of what a command prints; nothing when it cannot be run or fails.
std::string output_of(const std::vector<std::string>& command) {
  std::array<int, 2> pipe;
  if (::pipe(pipe.data()) != 0) return "";
  const pid_t child = ::fork();
  if (child == 0) {
    ::dup2(pipe[1], STDOUT_FILENO);
    ::close(pipe[0]);
    std::vector<char*> words;
    for (const auto& word : command) words.push_back(const_cast<char*>(word.c_str()));
    words.push_back(nullptr);
    ::execvp(words[0], words.data());
    ::_exit(127);
  }
  ::close(pipe[1]);
  std::string text;
  std::array<char, 4096> buffer;
  for (ssize_t got; child > 0 && (got = ::read(pipe[0], buffer.data(), buffer.size())) > 0;)
    text.append(buffer.data(), static_cast<std::size_t>(got));
  ::close(pipe[0]);
  int status = 0;
  if (child < 0 || ::waitpid(child, &status, 0) < 0 || !WIFEXITED(status) || WEXITSTATUS(status) != 0) return "";
  return text;
}

bool cpu_has(const std::string& flag) {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with("flags")) return (line + " ").find(" " + flag + " ") != std::string::npos;
  return false;
}

Finding mpi_launcher() {
  const std::string version = output_of({"mpirun", "--version"});
  const std::string first = version.substr(0, version.find('\n'));
  if (version.empty()) return {"mpirun", false, "not found", "install Open MPI (Debian: openmpi-bin), or use your site's launcher"};
  const bool known = first.find("Open MPI") != std::string::npos && first.find(" 4.") != std::string::npos;
  return {"mpirun", known, first, known ? "" : "this version records programs of Open MPI 4 only"};
}

Finding recorder() {
  const auto found = find_recorder();
  return found ? Finding{"recorder", true, found->string(), ""} : Finding{"recorder", false, found.error().what, found.error().hint};
}

Finding clocks() {
  if (cpu_has("constant_tsc") && cpu_has("nonstop_tsc")) return {"clock", true, "time stamp counter, constant and nonstop", ""};
  return {"clock", true, "monotonic clock (no constant time stamp counter): about 20 ns more per event", ""};
}

Finding preemption() {
  if (__rseq_size > 0) return {"pre-emption", true, "detected through restartable sequences (rseq)", ""};
  return {"pre-emption", true, "rseq is not available: the processor clock is read at every event, about 500 ns each",
          "needs Linux 4.18 and glibc 2.35 with glibc.pthread.rseq=1"};
}

/// The program's interpreter (ld.so) when it is dynamically linked; empty otherwise.
std::string interpreter_of(const std::string& elf) {
  Elf64_Ehdr header;
  if (elf.size() < sizeof header) return "";
  std::memcpy(&header, elf.data(), sizeof header);
  for (unsigned i = 0; i < header.e_phnum; ++i) {
    Elf64_Phdr part;
    const std::size_t at = header.e_phoff + std::size_t{i} * sizeof part;
    if (at > elf.size() || elf.size() - at < sizeof part) return "";
    std::memcpy(&part, elf.data() + at, sizeof part);
    if (part.p_type != PT_INTERP || part.p_offset > elf.size() || elf.size() - part.p_offset < part.p_filesz) continue;
    const std::string name(elf.data() + part.p_offset, part.p_filesz);
    return name.c_str();  // up to its terminating zero
  }
  return "";
}

bool has_section(const std::string& elf, const std::string& name) { return elf.find(std::string(1, '\0') + name + '\0') != std::string::npos; }

Finding mpi_of(const std::string& libraries) {
  for (const std::string& line : split(libraries, '\n')) {
    if (line.find("libmpi.so.40") != std::string::npos) return {"MPI", true, "Open MPI 4: " + std::string(trim(line)), ""};
    if (line.find("libmpich") != std::string::npos || line.find("libmpi.so.12") != std::string::npos)
      return {"MPI", false, "MPICH or a relative: " + std::string(trim(line)), "the recorder stays passive; build the program with Open MPI 4"};
    if (line.find("libmpi.so") != std::string::npos)
      return {"MPI", false, "another MPI: " + std::string(trim(line)), "the recorder stays passive; build the program with Open MPI 4"};
  }
  return {"MPI", false, "the program needs no MPI library", "nothing would be recorded, unless it loads MPI while running"};
}

}  // namespace

std::vector<Finding> check_host() { return {mpi_launcher(), recorder(), clocks(), preemption()}; }

std::vector<Finding> check_program(const std::filesystem::path& program) {
  const auto elf = read_file(program);
  if (!elf) return {{"program", false, elf.error().where + " " + elf.error().what, "give the path of the program itself"}};
  if (elf->size() < EI_NIDENT || elf->compare(0, SELFMAG, ELFMAG) != 0)
    return {{"program", false, "not a program of this machine (no ELF file)", "a script? name the program that it starts"}};
  if ((*elf)[EI_CLASS] != ELFCLASS64) return {{"program", false, "not a 64-bit program", "the recorder is 64-bit: build the program so"}};
  std::vector<Finding> findings;
  struct stat about {};
  if (::stat(program.c_str(), &about) == 0 && (about.st_mode & (S_ISUID | S_ISGID)))
    findings.push_back({"preload", false, "set-uid or set-gid: the loader ignores preloaded libraries", "record a copy without these bits"});
  const std::string interpreter = interpreter_of(*elf);
  if (interpreter.empty()) {
    findings.push_back({"preload", false, "statically linked: nothing can be preloaded", "link MPI dynamically"});
    return findings;
  }
  findings.push_back(mpi_of(output_of({interpreter, "--list", std::filesystem::absolute(program).string()})));
  const bool lines = has_section(*elf, ".debug_line");
  findings.push_back({"source lines", true, lines ? "present" : "none: places are shown as function or address", lines ? "" : "compile with -g"});
  return findings;
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
