// SPDX-License-Identifier: Apache-2.0
#include <dlfcn.h>

#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string_view>

#include "collections/runtimes.h"
#include "collections/watch.h"

namespace parcast::collections {
namespace {

constexpr const char* kUse =
    "--collections takes cooperative:N, threads:N (N processors) or mpi (those of mpirun), for example "
    "--collections cooperative:32 or cooperative:32,stack=1M";

/// Whether Open MPI's or Hydra's launcher started this process.
bool is_launched_by_mpi() {
  return std::getenv("OMPI_COMM_WORLD_SIZE") || std::getenv("PMI_SIZE");
}

/// The runtime of MPI is in a library of its own, so that programs need no MPI otherwise.
void run_with_mpi(const Program& program) {
  void* library = dlopen("libparcast-collections-mpi.so", RTLD_NOW | RTLD_GLOBAL);
  void* function = library ? dlsym(library, "parcast_collections_run_mpi") : nullptr;
  if (!function)
    throw Error(std::string("the collections' library for MPI cannot be loaded (") + dlerror() +
                "): install Parcast with MPI, or use --collections cooperative:N");
  reinterpret_cast<RunMpi*>(function)(program);
}

std::optional<std::int64_t> number(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

std::optional<std::int64_t> size_in_bytes(std::string_view text) {
  const int shift = text.ends_with('K') ? 10 : text.ends_with('M') ? 20 : 0;
  if (shift) text.remove_suffix(1);
  const auto value = number(text);
  return value && *value > 0 && *value < (1 << 20) ? std::optional(*value << shift) : std::nullopt;
}

Processors parsed(std::string_view text) {
  const Error error("--collections " + std::string(text) + " is not known: " + kUse);
  Processors processors;
  const auto comma = text.find(',');
  const std::string_view named = text.substr(0, comma),
                         option = comma == std::string_view::npos ? "" : text.substr(comma + 1);
  if (text == "mpi") return {.kind = Processors::Kind::mpi};
  if (named.starts_with("cooperative:"))
    processors.kind = Processors::Kind::cooperative;
  else if (named.starts_with("threads:"))
    processors.kind = Processors::Kind::threads;
  else
    throw error;
  const auto count = number(named.substr(named.find(':') + 1));
  if (!count || *count < 1 || *count > 1'000'000) throw error;
  processors.count = static_cast<int>(*count);
  if (option.empty()) return processors;
  const auto stack = option.starts_with("stack=") ? size_in_bytes(option.substr(6)) : std::nullopt;
  if (!stack || *stack < 16 * 1024 || processors.kind != Processors::Kind::cooperative) throw error;
  processors.stack = static_cast<std::size_t>(*stack);
  return processors;
}

/// Removes `--collections X` or `--collections=X` from the arguments.
Processors taken_from(int& argc, char** argv) {
  Processors processors{.kind = is_launched_by_mpi() ? Processors::Kind::mpi : Processors::Kind::cooperative};
  bool checks_races = false;
  int kept = argc > 0 ? 1 : 0;
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    if (word == "--check-races") {
      checks_races = true;
    } else if (word == "--collections") {
      if (++i == argc) throw Error(kUse);
      processors = parsed(argv[i]);
    } else if (word.starts_with("--collections=")) {
      processors = parsed(word.substr(word.find('=') + 1));
    } else {
      argv[kept++] = argv[i];
    }
  }
  argc = kept;
  argv[argc] = nullptr;
  processors.checks_races = checks_races;
  return processors;
}

}  // namespace

void run(const Processors& processors, const Program& program) {
  if (running) throw Error("a processor of a team cannot run another team");
  if (processors.checks_races && processors.kind != Processors::Kind::cooperative)
    throw Error("--check-races follows the processors one by one: run with --collections cooperative:N");
  if (processors.kind == Processors::Kind::mpi) return run_with_mpi(program);
  const bool is_cooperative = processors.kind == Processors::Kind::cooperative;
  std::optional<Recording> recording;
  if (const auto folder = take_recording_folder())
    recording.emplace(begin_recording(*folder), processors.count, is_cooperative ? "cooperative" : "threads");
  Recording* const kept = recording ? &*recording : nullptr;
  if (!is_cooperative) return run_in_threads(processors.count, program, kept);
  std::optional<Watch> watch;
  if (processors.checks_races) watch.emplace(processors.count);
  run_cooperatively(processors.count, processors.stack, program, kept, watch ? &*watch : nullptr);
  if (watch) watch->report();
}

int run(int& argc, char** argv, const Program& program) {
  const std::string name = argc > 0 ? argv[0] : "program";
  try {
    run(taken_from(argc, argv), program);
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s: %s\n", name.c_str(), error.what());
  } catch (...) {
    std::fprintf(stderr, "%s: a processor threw an exception of an unknown type\n", name.c_str());
  }
  return 1;
}

}  // namespace parcast::collections
