// SPDX-License-Identifier: Apache-2.0
#include "cli/open_browser.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>

#include <array>
#include <cstdlib>

#include "base/files.h"

namespace parcast::cli {
namespace {

bool is_set(const char* name) {
  const char* value = std::getenv(name);
  return value && *value;
}

}  // namespace

bool has_screen() {
  return (is_set("DISPLAY") || is_set("WAYLAND_DISPLAY")) && !is_set("SSH_CONNECTION");
}

void open_in_browser(const std::string& url, const std::filesystem::path& folder) {
  const std::filesystem::path file = folder / "open.html";
  if (!write_file(
          file, "<!DOCTYPE html>\n<meta charset=\"utf-8\">\n<meta http-equiv=\"refresh\" content=\"0; url=" +
                    url + "\">\n<title>parcast</title>\n"))
    return;
  std::string path = file.string();
  std::array<std::string, 3> words{"setsid", "--fork", "xdg-open"};
  std::array<char*, 5> arguments{words[0].data(), words[1].data(), words[2].data(), path.data(), nullptr};
  posix_spawn_file_actions_t silent;
  ::posix_spawn_file_actions_init(&silent);
  for (const int descriptor : {0, 1, 2})
    ::posix_spawn_file_actions_addopen(&silent, descriptor, "/dev/null", O_RDWR, 0);
  pid_t process = 0;
  if (::posix_spawnp(&process, arguments[0], &silent, nullptr, arguments.data(), environ) == 0)
    ::waitpid(process, nullptr, 0);
  ::posix_spawn_file_actions_destroy(&silent);
}

}  // namespace parcast::cli
