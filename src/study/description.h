// SPDX-License-Identifier: Apache-2.0
#pragma once
// The description of an experiment: what is run, what varies, and what is asked (docs/formats/study.md). The
// words of `parcast study` and a description file give the same.

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "study/placeholders.h"

namespace parcast::study {

/// A name and its values as text: "p" and "1,2,4,...,64", "N" and "64..4096*2", "links.network.latency" and
/// "*1,*2,*4" (multiples of the present value), "network.topology" and "torus,fat_tree".
struct Axis {
  std::string name, values;
  bool operator==(const Axis&) const = default;
};

struct Description {
  std::string folder;                   // where commands are run; empty: that of the description
  std::vector<std::string> launch;      // with placeholders
  std::string build;                    // a line for sh; empty: nothing to build
  std::vector<std::string> templates;   // input files with placeholders
  std::vector<std::string> recordings;  // made earlier, of the same program
  std::vector<Axis> vary;               // of the runs
  bool oversubscribe = false;           // runs may have more processes than cores
  std::string runner = "local";         // what makes the runs: local, parallel or slurm
  std::string job;                      // of slurm: a template of the script; empty: the usual one

  Values ask;                         // empty: twice the processes of the largest run
  std::vector<Values> checks;         // runs that are measured at the end, after they are predicted
  std::string machine;                // its name; empty: this one, calibrated
  std::optional<double> calibration;  // seconds
  std::vector<Axis> set;              // parameters of the machine that differ: name and one value
  std::string recorded_on, engine = "auto";
  double level = 0.9;

  std::optional<double> precision;  // per cent: half width of the interval / value
  std::optional<double> budget;     // seconds that all runs may take together
  std::vector<Axis> graph;          // at most two

  bool operator==(const Description&) const = default;
};

/// Cores of a host that is a whole cluster.
inline constexpr int kAnyCores = 1'000'000;
/// Most runs of a first design.
inline constexpr std::size_t kMostRuns = 1000;

/// The runs to make and the points to predict.
struct Design {
  std::vector<std::string> names;  // of all placeholders, p first
  std::vector<Values> points;
  Values ask;
  std::vector<std::string> notes;  // what was assumed, a sentence each
};

/// A template and its content.
struct Template {
  std::string path, content;
};
Result<std::vector<Template>> read_templates(const Description& description);

/// Checks the description, as far as it does not depend on the machine, and returns the design. `cores`: of
/// this host. Errors name the flag or the key that is wrong.
Result<Design> design_of(const Description& description, const std::vector<Template>& templates, int cores);

/// Returns whether a run's p processors are virtual ones that take turns on one core, as by `--collections
/// cooperative:{p}`: the number of cores is no limit then, and their times are undisturbed.
bool runs_in_turn(const Description& description);
/// Returns whether each answer replays a run with as many virtual processors as are asked for.
bool replays(const Description& description);

/// Returns whether ExtraP's machine answers, by the engine `extrap` or in replays of such runs, so that its
/// parameters have an effect.
bool takes_extrap(const Description& description);

/// Parses "p=64,N=4096" as values, each name once; `flag` is named in errors.
Result<Values> values_from(const std::string& flag, const std::string& text);

/// The file: parcast.experiment/1. The same description gives the same bytes.
std::string to_toml(const Description& description);
Result<Description> description_from_toml(std::string_view text, const std::string& where);
Result<Description> read_description(const std::filesystem::path& path);

}  // namespace parcast::study
