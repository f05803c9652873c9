// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atomic>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <thread>

#include "base/text.h"
#include "cli/inputs.h"
#include "cli/open_browser.h"
#include "cli/output.h"
#include "cli/ui_answer.h"
#include "cli/verbs.h"
#include "web/serve.h"

namespace parcast::cli {
namespace {

namespace fs = std::filesystem;

constexpr int kMostAtOnce = 8;  // commands

// The signal handler cannot receive arguments.
std::atomic<bool> is_over{false};
static_assert(std::atomic<bool>::is_always_lock_free);

void end_on_signals() {
  struct sigaction action {};
  action.sa_handler = [](int) { is_over = true; };
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) ::sigaction(signal, &action, nullptr);
  ::signal(SIGPIPE, SIG_IGN);  // of pages that leave
}

bool is_database(const std::string& file) {
  constexpr std::string_view kBegins = "SQLite format 3";
  std::string start(kBegins.size(), ' ');
  std::ifstream(file, std::ios::binary).read(start.data(), static_cast<std::streamsize>(start.size()));
  return start == kBegins;
}

bool is_store(const std::string& input) {
  return input.find("://") != std::string::npos || input.find("dbname=") != std::string::npos ||
         (fs::is_regular_file(input) && is_database(input));
}

Result<web::Settings> settings_of(const Invocation& invocation) {
  web::Settings out;
  std::error_code problem;
  out.parcast = fs::read_symlink("/proc/self/exe", problem);
  out.at_once = std::clamp(static_cast<int>(std::thread::hardware_concurrency()), 1, kMostAtOnce);
  const std::string input = invocation.inputs.empty() ? "." : invocation.inputs[0];
  out.folder = fs::canonical(is_store(input) ? "." : input, problem);
  if (problem)
    return Error{"there is no folder " + input, "",
                 "name a folder with models, or a store such as parcast.db"};
  if (!fs::is_directory(out.folder))
    return Error{input + " is " + kind_of(input) + ", neither a folder nor a store", "",
                 "name the folder in which it lies"};
  if (is_store(input)) out.store = fs::exists(input) ? fs::canonical(input).string() : input;
  return out;
}

Result<web::ServerOptions> options_of(const Invocation& invocation) {
  web::ServerOptions out;
  if (const auto path = invocation.value("--socket")) out.socket = *path;
  const auto port = invocation.value("--port");
  if (!port) return out;
  if (!out.socket.empty())
    return Error{"--port and --socket exclude each other", "", "leave one of them out"};
  const auto number = parse_integer(*port);
  if (!number || *number < 1 || *number > 65535)
    return Error{"--port " + *port + " is not a port", "",
                 "a number from 1 to 65535, for example --port 8080"};
  out.port = static_cast<std::uint16_t>(*number);
  return out;
}

int run_ui(const Invocation& invocation) {
  const auto options = options_of(invocation);
  if (!options) return say_error(options.error()), kUsage;
  const auto settings = settings_of(invocation);
  if (!settings) return say_error(settings.error()), kUsage;
  const bool opens = !invocation.has("--no-browser") && options->socket.empty() && !piped() && has_screen();
  end_on_signals();
  const auto ready = [&](const std::string& url, const web::Session& session) {
    print_result(invocation.json() ? ui_to_json(url, session.settings()) : "the page is at " + url + "\n");
    if (!options->socket.empty() && !invocation.quiet())
      print_message("parcast: from your computer, first: ssh -L 8080:" +
                    fs::absolute(options->socket).string() + " HOST\n");
    if (!invocation.quiet()) print_message("parcast: Ctrl-C ends it\n");
    if (opens) open_in_browser(url, session.scratch());
  };
  if (const auto served = web::serve(*settings, *options, ready, is_over); !served)
    return say_error(served.error()), kFailed;
  return kAnswered;
}

}  // namespace

const Verb& ui_verb() {
  static const Verb verb{
      .name = "ui",
      .summary =
          "a page in the browser over a folder's models and machines: experiments live, reports, history",
      .inputs = "[FOLDER | STORE]",
      .fewest_inputs = 0,
      .most_inputs = 1,
      .flags = {{"--port", 0, "N", "port of 127.0.0.1 (default: any that is free)"},
                {"--socket", 0, "PATH", "a Unix socket instead of a port, for ssh -L 8080:PATH"},
                {"--no-browser", 0, "", "do not open a browser"}},
      .examples = {"parcast ui", "parcast ui results/ --port 8080", "parcast ui parcast.db",
                   "parcast ui --socket ~/parcast.socket"},
      .notes = {"Only this host can reach the page, and only with the token in its address: keep that to "
                "yourself.",
                "Over ssh: start it with --port 8080 there, then ssh -L 8080:127.0.0.1:8080 HOST here.",
                "Ended experiments are kept in parcast-ui.jsonl in the folder. docs/formats/ui.md."},
      .run = run_ui};
  return verb;
}

}  // namespace parcast::cli
