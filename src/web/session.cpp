// SPDX-License-Identifier: Apache-2.0
#include "web/session.h"

#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "web/routes.h"

namespace parcast::web {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostWaiting = 256;  // commands

/// A name without a path, as those of shipped machines: letters, digits and hyphens.
bool is_plain_name(const std::string& name) {
  return !name.empty() && name.size() < 100 && name[0] != '-' &&
         std::ranges::all_of(name, [](unsigned char c) { return std::isalnum(c) || c == '-' || c == '_'; });
}

}  // namespace

Result<std::unique_ptr<Session>> Session::open(Settings settings) {
  std::string pattern = (fs::temp_directory_path() / "parcast-ui-XXXXXX").string();
  if (!::mkdtemp(pattern.data()))
    return Error{std::string("a folder for temporary files cannot be made: ") + std::strerror(errno), pattern,
                 "set TMPDIR to a folder that can be written"};
  return std::unique_ptr<Session>(new Session(std::move(settings), pattern));
}

Session::Session(Settings settings, fs::path scratch)
    : settings_(std::move(settings)),
      scratch_(std::move(scratch)),
      entries_(settings_.store.empty() ? entries_in(settings_.folder) : std::vector<Entry>()),
      tasks_(settings_.at_once, settings_.folder),
      experiments_({settings_.parcast, settings_.folder, scratch_}, tasks_, pages_) {}

Session::~Session() {
  std::error_code problem;
  fs::remove_all(scratch_, problem);
}

void Session::answer(const Request& request, const std::string& path, const Reply& reply) {
  for (const Route& route : routes())
    if (route.path == path && route.method == request.method) return route.answer(*this, request, reply);
  reply(error_response(404, {"there is nothing at " + path, "", ""}));
}

void Session::run(std::vector<std::string> words, const std::function<void(const TaskEnd&)>& use) {
  if (tasks_.waiting() > kMostWaiting)
    return use({1, false, "", "too many commands wait; try again when some have ended"});
  words.insert(words.begin(), settings_.parcast);
  tasks_.add({.words = std::move(words), .is_urgent = true, .ended = use});
}

std::string Session::new_file(const std::string& ending) {
  return (scratch_ / ("file-" + std::to_string(++files_) + ending)).string();
}

void Session::list(const std::function<void(const std::vector<Entry>&)>& use) {
  if (settings_.store.empty()) return use(entries_ = entries_in(settings_.folder));
  run({"store", "list", "--json", "--store", settings_.store}, [this, use](const TaskEnd& end) {
    if (auto listed = entries_of_store(end.output)) entries_ = *std::move(listed);
    use(entries_);
  });
}

Result<std::string> Session::file_of(Kind kind, const std::string& name) const {
  const auto found = std::ranges::find_if(
      entries_, [&](const Entry& each) { return each.kind == kind && each.path == name; });
  if (found == entries_.end())
    return Error{"there is no " + std::string(to_string(kind)) + " " + name, "", "load the list anew"};
  return (settings_.folder / name).string();
}

Result<std::string> Session::machine_of(const std::string& name) const {
  if (auto file = file_of(Kind::machine, name)) return file;
  if (is_plain_name(name)) return name;
  return Error{"there is no machine " + name, "", "load the list anew"};
}

Result<Files> Session::files_of(const Experiment& experiment) const {
  Files out;
  PARCAST_ASSIGN(out.model, file_of(Kind::model, experiment.model));
  PARCAST_ASSIGN(out.machine, machine_of(experiment.machine));
  return out;
}

}  // namespace parcast::web
