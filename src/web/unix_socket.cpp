// SPDX-License-Identifier: Apache-2.0
#include "web/unix_socket.h"

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace parcast::web {
namespace {

Error socket_error(const std::string& what, const std::filesystem::path& path) {
  return {what + ": " + std::strerror(errno), path.string(), ""};
}

/// Returns whether nobody listens at a socket's path.
bool is_left_over(const sockaddr_un& address) {
  const int probe = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const bool refused = ::connect(probe, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 &&
                       errno == ECONNREFUSED;
  ::close(probe);
  return refused;
}

}  // namespace

Result<int> listen_at(const std::filesystem::path& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::string text = path.string();
  if (text.size() >= sizeof address.sun_path)
    return Error{
        "the path of the socket is longer than " + std::to_string(sizeof address.sun_path - 1) + " bytes",
        text, "take a shorter one"};
  std::copy(text.begin(), text.end(), address.sun_path);
  struct stat present {};
  if (::lstat(text.c_str(), &present) == 0) {
    if (!S_ISSOCK(present.st_mode) || !is_left_over(address))
      return Error{"something else lies or listens there", text, "take another path for --socket"};
    ::unlink(text.c_str());
  }
  const int listening = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (listening < 0) return socket_error("no socket could be made", path);
  const mode_t before = ::umask(0177);
  const bool is_bound = ::bind(listening, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
  ::umask(before);
  if (!is_bound || ::listen(listening, SOMAXCONN) != 0) {
    Error error = socket_error("the socket cannot be made", path);
    ::close(listening);
    return error;
  }
  return listening;
}

}  // namespace parcast::web
