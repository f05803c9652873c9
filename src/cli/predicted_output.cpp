// SPDX-License-Identifier: Apache-2.0
#include "cli/predicted_output.h"

#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "interchange/otf2.h"
#include "interchange/perfetto.h"
#include "interchange/predicted_recording.h"

namespace parcast::cli {
namespace {

constexpr std::string_view kOtf2 = ".otf2", kPerfetto = ".perfetto-trace";

/// Returns half of the host's memory, in bytes.
std::uint64_t memory() {
  return static_cast<std::uint64_t>(::sysconf(_SC_PHYS_PAGES)) *
         static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE)) / 2;
}

class Otf2Output : public PredictedOutput {
 public:
  Otf2Output(const trace::Trace& trace, const simulate::Platform& platform, std::string to)
      : run_(trace, platform), to_(std::move(to)) {}
  simulate::Observer& observer() override { return run_; }
  Result<std::vector<std::string>> finish(
      const std::function<void(double, const std::string&)>& progress) override {
    run_.finish();
    interchange::TimeLine line;
    line.zero.assign(run_.recording().ranks.size(), 0);
    PARCAST_ASSIGN(const auto done, interchange::export_otf2(run_.recording(), line, to_, progress));
    return done.warnings;
  }

 private:
  interchange::PredictedRecording run_;
  std::string to_;
};

class PerfettoOutput : public PredictedOutput {
 public:
  explicit PerfettoOutput(interchange::PerfettoWriter writer) : writer_(std::move(writer)) {}
  simulate::Observer& observer() override { return writer_; }
  Result<std::vector<std::string>> finish(const std::function<void(double, const std::string&)>&) override {
    writer_.finish();
    PARCAST_TRY(writer_.close());
    return std::vector<std::string>{};
  }

 private:
  interchange::PerfettoWriter writer_;
};

}  // namespace

Result<void> check_target(const std::optional<std::string>& name) {
  if (!name || name->ends_with(kOtf2) || name->ends_with(kPerfetto)) return {};
  return Error{"the name " + *name + " has no ending of a known format", "",
               "let it end in .otf2 or .perfetto-trace"};
}

Result<std::unique_ptr<PredictedOutput>> PredictedOutput::create(const std::optional<std::string>& name,
                                                                 const trace::Trace& trace,
                                                                 const simulate::Platform& platform) {
  if (!name) return std::unique_ptr<PredictedOutput>();
  std::error_code problem;
  if (std::filesystem::exists(*name, problem))
    return Error{*name + " exists already", "", "name another with --to, or move it away"};
  if (name->ends_with(kPerfetto)) {
    auto writer = interchange::PerfettoWriter::create(trace, platform, *name);
    if (!writer) return writer.error();
    return std::unique_ptr<PredictedOutput>(std::make_unique<PerfettoOutput>(std::move(*writer)));
  }
  PARCAST_TRY(interchange::PredictedRecording::check_size(trace, memory()));
  return std::unique_ptr<PredictedOutput>(std::make_unique<Otf2Output>(trace, platform, *name));
}

ProgressOfRun::ProgressOfRun(const trace::Trace& trace, std::function<void(double)> tell)
    : tell_(std::move(tell)) {
  std::vector<std::uint64_t> sizes;
  for (const trace::Sequence& sequence : trace.sequences) {
    const trace::Size size = trace::size_of(sequence);
    sizes.push_back(size.operations + size.computes);
  }
  for (const std::uint32_t sequence : trace.sequence_of) all_ += sizes[sequence];
}

void ProgressOfRun::step() {
  if (++done_ % 4096 == 0)
    tell_(static_cast<double>(done_) / static_cast<double>(std::max<std::uint64_t>(all_, done_)));
}

}  // namespace parcast::cli
