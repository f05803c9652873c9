// SPDX-License-Identifier: Apache-2.0
#include "web/routes.h"

#include "base/files.h"
#include "base/text.h"
#include "web/assets.h"
#include "web/descriptions.h"
#include "web/requests.h"
#include "web/session.h"

namespace parcast::web {
namespace {

/// The page's own files, and its requests to this server; nothing else, and no text of a model can run.
constexpr const char* kPagePolicy =
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

std::string value_of(const Request& request, const std::string& name) {
  const auto found = request.query.find(name);
  return found == request.query.end() ? "" : found->second;
}

void page(Session&, const Request&, const Reply& reply) {
  reply({.type = "text/html; charset=utf-8", .body = kUiPage, .policy = kPagePolicy});
}

void style(Session&, const Request&, const Reply& reply) {
  reply({.type = "text/css; charset=utf-8", .body = kUiStyle});
}

void script(Session&, const Request&, const Reply& reply) {
  reply({.type = "text/javascript; charset=utf-8", .body = kUiScript});
}

void library(Session& session, const Request&, const Reply& reply) {
  session.list([&session, reply](const std::vector<Entry>& entries) {
    const Settings& settings = session.settings();
    reply({.body =
               library_to_json(settings.store.empty() ? settings.folder.string() : settings.store, entries)});
  });
}

/// Replies with what `parcast WORDS` prints.
void reply_with(Session& session, std::vector<std::string> words, const std::string& type,
                const Reply& reply) {
  session.run(std::move(words), [reply, type](const TaskEnd& end) {
    constexpr int kPartial = 3;  // answered from damaged input
    if (end.exit_code != 0 && end.exit_code != kPartial)
      return reply(error_response(422, {std::string(trim(end.messages)), "", ""}));
    reply({.type = type, .body = end.output});
  });
}

constexpr const char* kJson = "application/json; charset=utf-8";

void machines(Session& session, const Request&, const Reply& reply) {
  reply_with(session, {"machine", "list", "--json"}, kJson, reply);
}

void model(Session& session, const Request& request, const Reply& reply) {
  const auto file = session.file_of(Kind::model, value_of(request, "path"));
  if (!file) return reply(error_response(404, file.error()));
  reply_with(session, {"show", *file, "--json"}, kJson, reply);
}

/// All parameters of a machine by their names: its difference from itself.
void machine(Session& session, const Request& request, const Reply& reply) {
  const auto file = session.machine_of(value_of(request, "name"));
  if (!file) return reply(error_response(404, file.error()));
  reply_with(session, {"machine", "diff", *file, *file, "--json"}, kJson, reply);
}

/// What `parcast show` prints about a model or a machine.
void text(Session& session, const Request& request, const Reply& reply) {
  const std::string name = value_of(request, "path"), kind = value_of(request, "kind");
  constexpr const char* kText = "text/plain; charset=utf-8";
  if (kind == "machine") {
    const auto file = session.machine_of(name);
    if (!file) return reply(error_response(404, file.error()));
    return reply_with(session, {"machine", "show", *file, "--all"}, kText, reply);
  }
  const auto file = session.file_of(Kind::model, name);
  if (!file) return reply(error_response(404, file.error()));
  reply_with(session, {"show", *file}, kText, reply);
}

void description(Session& session, const Request& request, const Reply& reply) {
  const std::string name = value_of(request, "path");
  auto file = session.file_of(Kind::description, name);
  if (!file) {
    file = session.file_of(Kind::study, name);
    if (!file) return reply(error_response(404, file.error()));
    *file += "/study.toml";
  }
  const auto json = description_json(*file);
  if (!json) return reply(error_response(422, json.error()));
  reply({.body = *json});
}

void save(Session& session, const Request& request, const Reply& reply) {
  const auto saved = save_description(session.settings().folder, request.body);
  if (!saved) return reply(error_response(422, saved.error()));
  reply({.body = "{\"file\":" + json_text(*saved) + "}"});
}

/// The page's own policy names the digests of its scripts; nobody may frame it.
std::string policy_of_report(const std::string& html) {
  constexpr std::string_view kBegin = "http-equiv=\"Content-Security-Policy\" content=\"";
  const auto head = std::string_view(html).substr(0, html.find("</head>"));
  const auto at = head.find(kBegin);
  if (at == std::string_view::npos) return "";
  const auto from = at + kBegin.size();
  return std::string(head.substr(from, head.find('"', from) - from)) + "; frame-ancestors 'none'";
}

void send_report(const std::filesystem::path& file, const TaskEnd& end, const Reply& reply) {
  const auto html = read_file(file);
  std::error_code problem;
  std::filesystem::remove(file, problem);
  if (!html) {
    const std::string messages(trim(end.messages));
    return reply(error_response(422, {messages.empty() ? std::string(trim(end.output)) : messages, "", ""}));
  }
  reply({.type = "text/html; charset=utf-8", .body = *html, .policy = policy_of_report(*html)});
}

/// The same document as `parcast report` of a recording.
void report_of_recording(Session& session, const std::string& name, const Reply& reply) {
  const auto recording = session.file_of(Kind::recording, name);
  if (!recording) return reply(error_response(404, recording.error()));
  const std::string file = session.new_file(".html");
  session.run({"report", *recording, "-o", file, "-q"},
              [=](const TaskEnd& end) { send_report(file, end, reply); });
}

/// The same document as `parcast report`, of a recording or of an experiment's fixed values.
void report(Session& session, const Request& request, const Reply& reply) {
  if (const std::string name = value_of(request, "recording"); !name.empty())
    return report_of_recording(session, name, reply);
  auto experiment = experiment_from_json(value_of(request, "experiment"));
  if (!experiment) return reply(error_response(400, experiment.error()));
  experiment->axes.clear();
  const auto files = session.files_of(*experiment);
  if (!files) return reply(error_response(404, files.error()));
  const auto points = points_of(*experiment);
  if (!points) return reply(error_response(422, points.error()));
  const std::string file = session.new_file(".html");
  session.experiments().with_machine(points->front(), files->machine, [=, &session](const auto& machine) {
    if (!machine) return reply(error_response(422, machine.error()));
    session.run(report_words(*experiment, points->front(), files->model, *machine, file),
                [=](const TaskEnd& end) { send_report(file, end, reply); });
  });
}

void events(Session& session, const Request&, const Reply& reply) {
  constexpr std::size_t kMostPages = 32;
  if (session.pages().pages() >= kMostPages)
    return reply(error_response(503, {"too many pages are open", "", "close some"}));
  reply({.type = "text/event-stream",
         .events = session.pages().join(event_text("runs", session.experiments().to_json()))});
}

void begin(Session& session, const Request& request, const Reply& reply) {
  auto experiment = experiment_from_json(request.body);
  if (!experiment) return reply(error_response(400, experiment.error()));
  session.list([&session, reply, experiment = *experiment](const auto&) {
    const auto files = session.files_of(experiment);
    if (!files) return reply(error_response(404, files.error()));
    const auto id = session.experiments().begin(experiment, *files);
    if (!id) return reply(error_response(422, id.error()));
    reply({.body = "{\"id\":" + std::to_string(*id) + "}"});
  });
}

template <bool (Experiments::*act)(std::int64_t)>
void act_on(Session& session, const Request& request, const Reply& reply) {
  const auto id = number_in(request.body, "id");
  if (!id) return reply(error_response(400, id.error()));
  if (!(session.experiments().*act)(*id))
    return reply(error_response(409, {"there is no such experiment in that state", "", ""}));
  reply({.body = "{}"});
}

}  // namespace

const std::vector<Route>& routes() {
  static const std::vector<Route> table{{"GET", "/", page},
                                        {"GET", "/ui.css", style},
                                        {"GET", "/ui.js", script},
                                        {"GET", "/report", report},
                                        {"GET", "/api/library", library},
                                        {"GET", "/api/machines", machines},
                                        {"GET", "/api/model", model},
                                        {"GET", "/api/machine", machine},
                                        {"GET", "/api/text", text},
                                        {"GET", "/api/description", description},
                                        {"GET", "/api/events", events},
                                        {"POST", "/api/experiments", begin},
                                        {"POST", "/api/experiments/cancel", act_on<&Experiments::cancel>},
                                        {"POST", "/api/experiments/remove", act_on<&Experiments::remove>},
                                        {"POST", "/api/descriptions", save}};
  return table;
}

}  // namespace parcast::web
