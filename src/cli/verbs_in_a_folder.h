// SPDX-License-Identifier: Apache-2.0
#pragma once
// For tests: runs verbs as main() does, in a temporary folder.

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "cli/verbs.h"

namespace parcast::cli {

class VerbsInAFolder : public ::testing::Test {
 protected:
  void SetUp() override {
    before_ = std::filesystem::current_path();
    folder_ = std::filesystem::temp_directory_path() / ("parcast-verbs-test-" + std::to_string(::getpid()));
    std::filesystem::create_directory(folder_);
    std::filesystem::current_path(folder_);
  }
  void TearDown() override {
    std::filesystem::current_path(before_);
    std::filesystem::remove_all(folder_);
  }
  static void write(const std::string& name, const std::string& text) { std::ofstream(name) << text; }
  /// Writes a machine with nodes of two cores, 1 us from core to core and 10 us from node to node.
  /// `environment`: lines of its [environment].
  static void write_machine(const std::string& name, const std::string& environment) {
    write(name + ".machine.toml",
          "name = \"" + name +
              "\"\nnodes = 4\ncores_per_node = 2\nmemory_per_node = \"1GB\"\ncore_speed = 1e9\n"
              "[[memory]]\nname = \"L1\"\ncapacity = \"32KiB\"\nbandwidth = \"8GB/s\"\n[[memory]]\nname = "
              "\"memory\"\nbandwidth = \"1GB/s\"\n"
              "[links.node]\nlatency = \"1us\"\ngap_per_byte = \"1ns/B\"\n[links.network]\nlatency = "
              "\"10us\"\ngap_per_byte = \"1ns/B\"\n"
              "[environment]\n" +
              environment);
  }
  /// Returns the output of a verb on stdout.
  std::string output(const std::string& verb, const std::vector<std::string>& inputs,
                     std::vector<Invocation::Given> flags) {
    testing::internal::CaptureStdout();
    testing::internal::CaptureStderr();
    code_ = find_verb(verb)->run(Invocation(std::move(flags), inputs, {}));
    std::string out = testing::internal::GetCapturedStdout();
    errors_ = testing::internal::GetCapturedStderr();
    return out;
  }
  std::string printed(const std::string& verb, const std::vector<std::string>& inputs,
                      std::vector<Invocation::Given> flags) {
    std::string out = output(verb, inputs, std::move(flags));
    return out + errors_;
  }

  int code_ = -1;
  std::string errors_;

 private:
  std::filesystem::path before_, folder_;
};

}  // namespace parcast::cli
