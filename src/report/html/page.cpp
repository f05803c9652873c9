// SPDX-License-Identifier: Apache-2.0
#include "report/html/page.h"

#include <vector>

#include "base/files.h"
#include "base/text.h"
#include "report/html/base64.h"
#include "report/html/bundle.h"
#include "report/html/document.h"
#include "report/html/markup.h"
#include "report/html/sections.h"

namespace parcast::report::html {
namespace {

constexpr std::string_view kGenerator = "<meta name=\"generator\" content=\"parcast report\">";

std::string bytes_of(const std::string& digits) {
  std::string out;
  for (std::size_t i = 0; i + 1 < digits.size(); i += 2)
    out += static_cast<char>(std::stoi(digits.substr(i, 2), nullptr, 16));
  return out;
}

std::string question_text(const Report& report) {
  const predict::Prediction& prediction = report.prediction;
  std::string out = counted(prediction.question.point.processes, "process");
  if (prediction.question.threads > 1) out += " of " + counted(prediction.question.threads, "thread");
  if (prediction.nodes > 1) out += " on " + counted(prediction.nodes, "node");
  if (!prediction.question.point.parameters.empty())
    out += ", " + parameters_text(prediction.question.point.parameters);
  return out;
}

std::string policy(const std::vector<std::string>& run) {
  std::string scripts;
  for (const std::string& script : run) scripts += (scripts.empty() ? "" : " ") + source_of_script(script);
  if (run.empty()) scripts = "'none'";
  return "default-src 'none'; style-src 'unsafe-inline'; img-src data:; script-src " + scripts +
         "; base-uri 'none'; form-action 'none'";
}

std::string head(const Document& document, const std::vector<std::string>& run) {
  return "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n" + std::string(kGenerator) +
         "\n<meta http-equiv=\"Content-Security-Policy\" content=\"" + policy(run) +
         "\">\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<meta "
         "name=\"color-scheme\" content=\"light dark\">\n<title>" +
         text(document.name + (document.of.empty() ? "" : " " + document.of)) + "</title>\n<style>\n" +
         kPageStyle + "</style>\n</head>\n";
}

std::string banner(const Document& document) {
  return "<header><div class=\"wide\"><span class=\"brand\">parcast</span><h1>" + text(document.name) +
         " <small>" + text(document.of) + "</small></h1><p>" + text(document.question) +
         "</p></div></header>\n";
}

std::string data_script(const std::string& id, const std::string& json) {
  return "<script type=\"application/json\" id=\"" + id + "\">" + inside_script(json) + "</script>\n";
}

Document document_of(const Report& report) {
  Document out;
  out.name = report.prediction.program, out.of = "on " + report.prediction.machine;
  out.question = question_text(report);
  for (const Section& section : sections())
    out.sections.push_back({section.id, section.title, section.body(report)});
  out.live = report.live;
  if (std::string json = timelines_json(report.views); !json.empty())
    out.data.emplace_back("timeline-data", std::move(json));
  return out;
}

}  // namespace

bool is_page(std::string_view content) {
  constexpr std::size_t kHead = 200;  // the tag is one of the first
  return content.substr(0, kHead).find(kGenerator) != std::string_view::npos;
}

std::string inside_script(std::string json) {
  for (std::size_t at = json.find('<'); at != std::string::npos; at = json.find('<', at))
    json.replace(at, 1, "\\u003c");
  return json;
}

std::string source_of_script(const std::string& script) {
  return "'sha256-" + base64(bytes_of(digest(script))) + "'";
}

std::string page(const Document& document) {
  std::string links, bodies;
  for (const auto& [id, title, body] : document.sections) {
    if (body.empty()) continue;
    links += "<a href=\"#" + id + "\">" + title + "</a>\n";
    bodies += "<section id=\"" + id + "\">\n<h2>" + title + "</h2>\n" + body + "</section>\n";
    if (id == "answer") bodies += "<div id=\"live\"></div>\n";
  }
  std::vector<std::string> run;
  if (!document.live.functions.empty()) run.push_back(document.live.functions);
  if (*kPageScript) run.emplace_back(kPageScript);
  std::string scripts;
  if (!document.live.data.empty()) scripts += data_script("explanation", document.live.data);
  for (const auto& [id, json] : document.data) scripts += data_script(id, json);
  for (const std::string& script : run) scripts += "<script>" + script + "</script>\n";
  return head(document, run) + "<body>\n" + banner(document) +
         "<nav aria-label=\"Sections\"><div class=\"wide\">" + links +
         "</div></nav>\n<main class=\"wide\">\n" + bodies + "</main>\n" + scripts + "</body>\n</html>\n";
}

std::string page(const Report& report) {
  return page(document_of(report));
}

}  // namespace parcast::report::html
