// SPDX-License-Identifier: Apache-2.0
#pragma once
// Small objects for the tests of the store: a machine, a model, predictions, and a temporary folder.

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "machine/machine.h"
#include "model/model.h"
#include "predict/prediction.h"
#include "symbolic/expression.h"

namespace parcast::store {

class Folder {
 public:
  Folder() {
    std::string name = (std::filesystem::temp_directory_path() / "parcast-store-XXXXXX").string();
    if (!::mkdtemp(name.data())) std::abort();
    path_ = name;
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  std::string file(const std::string& name) const { return (path_ / name).string(); }
  std::string write(const std::string& name, const std::string& content) const {
    std::ofstream(path_ / name) << content;
    return file(name);
  }

 private:
  std::filesystem::path path_;
};

inline program::Model small_model(const std::string& program = "wave") {
  program::Model model;
  model.program = program;
  model.parameters = {{"N", {64, 128}}};
  model.processes = {1, 2};
  program::Node root;
  root.id = 0;
  root.label = program;
  root.executions.expression = symbolic::Expression(1);
  root.executions.origin = Origin::exact;
  model.nodes = {root};
  model.share_by_origin = {{"exact", 1.0}};
  model.sources = {{"aaaa", {{"N", 64}}, 1, 1.0}, {"bbbb", {{"N", 128}}, 2, 2.0}};
  return model;
}

inline machine::Machine small_machine(const std::string& name = "here") {
  machine::Machine machine = machine::ideal_machine();
  machine.name = name;
  return machine;
}

inline predict::Prediction small_prediction(double n, int p, double seconds,
                                            const std::string& program = "wave",
                                            const std::string& machine = "here") {
  predict::Prediction out;
  out.program = program;
  out.machine = machine;
  out.engine = "equation";
  out.question.point.parameters = {{"N", n}};
  out.question.point.processes = p;
  out.seconds = {seconds, 0.9 * seconds, 1.1 * seconds, 0.9, "s", Origin::fitted};
  out.node_hours = {seconds / 3600, 0.9 * seconds / 3600, 1.1 * seconds / 3600, 0.9,
                    "node-h",       Origin::fitted};
  out.parts.compute = out.seconds;
  out.coverage = {{Origin::fitted, 1.0}};
  out.ranks_per_node = p;
  return out;
}

}  // namespace parcast::store
