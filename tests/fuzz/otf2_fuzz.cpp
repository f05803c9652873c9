// SPDX-License-Identifier: Apache-2.0
// Fuzzes the reader of OTF2 archives. Whatever the library does in its process, the result is a readable
// recording or an error message. The input is the archive as a tar file of small members.
//
//   tar --format=ustar -cf seed.tar -C NAME.otf2 .
//   build/fuzz/fuzz/otf2_fuzz -max_total_time=600 CORPUS tests/fuzz/seeds/otf2
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include "accept_trace.h"
#include "interchange/otf2.h"
#include "recording/recording.h"

using namespace parcast;

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kBlock = 512, kName = 100, kSizeAt = 124, kSize = 12;

/// A folder that exists as long as this object.
class Folder {
 public:
  Folder() {
    std::string name = (fs::temp_directory_path() / "parcast-otf2-fuzz-XXXXXX").string();
    fuzz::demand(::mkdtemp(name.data()) != nullptr);
    path_ = name;
  }
  ~Folder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

std::string text_at(std::string_view header, std::size_t at, std::size_t most) {
  const std::string_view field = header.substr(at, most);
  return std::string(field.substr(0, field.find('\0')));
}

/// Accepts names that stay inside: "traces.otf2", "traces/0.evt".
bool is_inside(const fs::path& name) {
  if (name.empty() || name.is_absolute() || std::distance(name.begin(), name.end()) > 3) return false;
  for (const fs::path& part : name)
    if (part == "..") return false;
  return !name.filename().empty();
}

void unpack(std::string_view tar, const fs::path& into) {
  while (tar.size() >= kBlock) {
    const std::string_view header = tar.substr(0, kBlock);
    const fs::path name = fs::path(text_at(header, 0, kName)).lexically_normal();
    const std::size_t size = std::strtoul(text_at(header, kSizeAt, kSize).c_str(), nullptr, 8);
    tar.remove_prefix(kBlock);
    const std::string_view content = tar.substr(0, size);
    tar.remove_prefix(std::min(tar.size(), (content.size() + kBlock - 1) / kBlock * kBlock));
    if (!is_inside(name)) continue;
    std::error_code ignored;
    fs::create_directories((into / name).parent_path(), ignored);
    std::ofstream(into / name, std::ios::binary) << content;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const Folder folder;
  unpack(std::string_view(reinterpret_cast<const char*>(data), size), folder.path());
  const fs::path to = folder.path() / "out.recording";
  const auto done = interchange::import_otf2(folder.path(), to, {});
  if (!done) {
    fuzz::demand(!done.error().what.empty());
    fuzz::demand(!fs::exists(to));
    return 0;
  }
  fuzz::demand(recording::read_recording(to).ok());
  return 0;
}
