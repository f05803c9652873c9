// SPDX-License-Identifier: Apache-2.0
#include "store/postgresql_server.h"

#include <fcntl.h>
#include <grp.h>
#include <pwd.h>
#include <soci/postgresql/soci-postgresql.h>
#include <soci/soci.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

namespace parcast::store {
namespace {

namespace fs = std::filesystem;

/// Debian installs each version's programs in a separate folder; the newest is used.
std::string program(const std::string& name) {
  std::vector<fs::path> found;
  std::error_code none;
  for (fs::directory_iterator at("/usr/lib/postgresql", none), end; !none && at != end; at.increment(none))
    if (fs::exists(at->path() / "bin" / name)) found.push_back(at->path() / "bin" / name);
  return found.empty() ? "" : std::max_element(found.begin(), found.end())->string();
}

/// Returns the user that runs the server if we are root.
const passwd* unprivileged() {
  for (const char* name : {"postgres", "nobody"})
    if (const passwd* user = ::getpwnam(name)) return user;
  return nullptr;
}

[[noreturn]] void fail(const std::string& what) {
  std::fprintf(stderr, "private PostgreSQL server: %s\n", what.c_str());
  std::abort();
}

/// Runs a program as the server's user, with its output in a file. It ends when this process ends.
pid_t start(std::vector<std::string> words, const fs::path& log) {
  const pid_t parent = ::getpid();
  const passwd* user = ::getuid() == 0 ? unprivileged() : nullptr;
  const pid_t child = ::fork();
  if (child != 0) return child;
  const int file = ::open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0644);
  ::dup2(file, STDOUT_FILENO), ::dup2(file, STDERR_FILENO);
  if (user && (::setgroups(0, nullptr) != 0 || ::setgid(user->pw_gid) != 0 || ::setuid(user->pw_uid) != 0))
    ::_exit(126);
  ::prctl(PR_SET_PDEATHSIG, SIGQUIT);  // PostgreSQL's immediate shutdown
  if (::getppid() != parent || ::chdir("/") != 0) ::_exit(126);
  std::vector<char*> raw;
  for (std::string& word : words) raw.push_back(word.data());
  raw.push_back(nullptr);
  ::execv(raw[0], raw.data());
  ::_exit(127);
}

bool can_connect(const std::string& url) {
  try {
    soci::session(soci::postgresql, url);
    return true;
  } catch (const soci::soci_error&) {
    return false;
  }
}

}  // namespace

bool PostgresqlServer::available() {
  const bool there = !program("initdb").empty() && !program("postgres").empty();
  if (!there && std::getenv("CI"))
    fail("PostgreSQL is not installed, and CI leaves no test out (tools/setup test)");
  return there;
}

PostgresqlServer::PostgresqlServer() {
  std::string name = (fs::temp_directory_path() / "parcast-pg-XXXXXX").string();
  if (!::mkdtemp(name.data())) fail("no temporary folder");
  folder_ = name;
  if (const passwd* user = ::getuid() == 0 ? unprivileged() : nullptr;
      user && ::chown(name.c_str(), user->pw_uid, user->pw_gid) != 0)
    fail("the folder cannot be given to " + std::string(user->pw_name));
  const fs::path log = folder_ / "log", data = folder_ / "data";
  { std::fclose(std::fopen(log.c_str(), "w")); }
  const pid_t made = start({program("initdb"), "-D", data, "-A", "trust", "-U", "parcast", "--no-sync", "-E",
                            "UTF8", "--locale=C.UTF-8"},
                           log);
  int status = -1;
  if (::waitpid(made, &status, 0) != made || status != 0) fail("initdb failed, see " + log.string());
  server_ = start({program("postgres"), "-D", data, "-c", "listen_addresses=", "-c",
                   "unix_socket_directories=" + name, "-c", "fsync=off", "-c", "full_page_writes=off", "-c",
                   "shared_buffers=32MB", "-c", "max_connections=60"},
                  log);
  for (int i = 0; i < 600 && !can_connect(url("postgres")); ++i) {
    if (::waitpid(server_, &status, WNOHANG) == server_) fail("it does not start, see " + log.string());
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
}

PostgresqlServer::~PostgresqlServer() {
  ::kill(server_, SIGQUIT);
  ::waitpid(server_, nullptr, 0);
  std::error_code ignored;
  fs::remove_all(folder_, ignored);
}

std::string PostgresqlServer::url(const std::string& database) const {
  return "postgresql://parcast@/" + database + "?host=" + folder_.string();
}

std::string PostgresqlServer::new_database() {
  const std::string name = "test" + std::to_string(databases_++);
  soci::session sql(soci::postgresql, url("postgres"));
  sql << "CREATE DATABASE " << name;
  return url(name);
}

}  // namespace parcast::store
