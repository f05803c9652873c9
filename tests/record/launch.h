// SPDX-License-Identifier: Apache-2.0
#pragma once
// Runs a program of this folder under mpirun (or without it), with and without the recorder, and reads the
// recording.

#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "recording/recording.h"

namespace parcast::record_tests {

namespace fs = std::filesystem;

class Scratch {
 public:
  Scratch() {
    std::string name = (fs::temp_directory_path() / "parcast-record-XXXXXX").string();
    path_ = ::mkdtemp(name.data()) ? name : "";
  }
  ~Scratch() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  const fs::path& path() const { return path_; }
  fs::path operator/(const std::string& name) const { return path_ / name; }

 private:
  fs::path path_;
};

struct Outcome {
  int exit_code = 0;  // 128 + signal number if a signal ended it
  std::string output, errors;
};

inline std::string slurp(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// Runs a shell line and captures its output. `environment` precedes the line: "A=1 B=2".
inline Outcome shell(const Scratch& scratch, const std::string& line) {
  const std::string caught =
      "(" + line + ") >" + (scratch / "stdout").string() + " 2>" + (scratch / "stderr").string();
  const int status = std::system(caught.c_str());
  return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), slurp(scratch / "stdout"),
          slurp(scratch / "stderr")};
}

/// The family of MPI libraries for which a program was built.
enum class Mpi { open_mpi, mpich };
constexpr Mpi kOpenMpi = Mpi::open_mpi;
constexpr Mpi kMpich = Mpi::mpich;

inline std::vector<Mpi> families() {
#ifdef PARCAST_MPICH_RUN
  return {kOpenMpi, kMpich};
#else
  return {kOpenMpi};
#endif
}

inline std::string name_of(Mpi mpi) {
  return mpi == kOpenMpi ? "open_mpi" : "mpich";
}

/// Returns the executable of programs/NAME for a family.
inline std::string program(const std::string& name, Mpi mpi = kOpenMpi) {
  return std::string(PARCAST_TEST_PROGRAMS) + "/" + name_of(mpi) + "/" + name;
}
/// Returns the executable of a program without MPI.
inline std::string plain_program(const std::string& name) {
  return std::string(PARCAST_TEST_PROGRAMS) + "/" + name;
}

inline std::string counting_shim(Mpi mpi = kOpenMpi) {
  return program("libcounting_shim.so", mpi);
}

struct Job {
  int processes = 2;             // 0: without mpirun
  std::string command;           // program and arguments
  std::string environment = {};  // more variables: "A=1 B=2"
  std::string tools = {};        // further libraries to load after the recorder: ":path"
  Mpi mpi = kOpenMpi;
};

inline std::string mpirun(int processes, Mpi mpi = kOpenMpi) {
  if (processes == 0) return "";
  const std::string number = " -n " + std::to_string(processes) + " ";
#ifdef PARCAST_MPICH_RUN
  if (mpi == kMpich) return "timeout 100 " PARCAST_MPICH_RUN + number;
#endif
  (void)mpi;
  return "OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 timeout 100 " PARCAST_MPIRUN
         " --oversubscribe" +
         number;
}

/// Open MPI's launchers that start at the same time conflict in their common folder: each test has its own.
inline std::string own_session(const Scratch& scratch) {
  return "OMPI_MCA_orte_tmpdir_base=" + scratch.path().string() + " ";
}

inline Outcome run_plain(const Scratch& scratch, const Job& job) {
  return shell(scratch,
               own_session(scratch) + job.environment + " " + mpirun(job.processes, job.mpi) + job.command);
}

/// Loads the recorder into every process of the job, including mpirun; ranks write to scratch/run.
inline Outcome run_recorded(const Scratch& scratch, const Job& job) {
  fs::remove_all(scratch / "run");
  return shell(scratch, own_session(scratch) + "LD_PRELOAD=" PARCAST_RECORDER + job.tools +
                            " PARCAST_OUT=" + (scratch / "run").string() + " " + job.environment + " " +
                            mpirun(job.processes, job.mpi) + job.command);
}

inline Result<recording::Recording> recorded(const Scratch& scratch) {
  return recording::read_recording(scratch / "run");
}

}  // namespace parcast::record_tests
