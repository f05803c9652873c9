// SPDX-License-Identifier: Apache-2.0
#pragma once
// A folder with a script in place of `parcast`, which answers as the tests need.

#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace parcast::web {

class FakeParcast {
 public:
  /// `body`: lines for sh; $1 is the verb.
  explicit FakeParcast(const std::string& body) {
    std::string pattern = (std::filesystem::temp_directory_path() / "parcast-web-XXXXXX").string();
    folder_ = ::mkdtemp(pattern.data());
    write("parcast", "#!/bin/sh\n" + body + "\n");
    std::filesystem::permissions(program(), std::filesystem::perms::owner_all);
    std::filesystem::create_directory(folder_ / "scratch");
  }
  ~FakeParcast() { std::filesystem::remove_all(folder_); }

  void write(const std::string& name, const std::string& content) const {
    std::filesystem::create_directories((folder_ / name).parent_path());
    std::ofstream(folder_ / name) << content;
  }
  std::filesystem::path program() const { return folder_ / "parcast"; }
  std::filesystem::path scratch() const { return folder_ / "scratch"; }
  const std::filesystem::path& folder() const { return folder_; }

  /// Prints a prediction of p milliseconds (the word after -p).
  static constexpr const char* kPredicts =
      "while [ $# -gt 0 ]; do [ \"$1\" = -p ] && p=$2; shift; done\n"
      "echo '{\"engine\":\"equation\",\"seconds\":{\"value\":0.'$(printf %03d "
      "$p)',\"low\":0,\"high\":1,\"level\":0.9},"
      "\"regions\":[1,2,3,4,5,6,7,8,9,10,11,12,13,14]}'";

 private:
  std::filesystem::path folder_;
};

}  // namespace parcast::web
