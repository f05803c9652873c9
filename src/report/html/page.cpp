// SPDX-License-Identifier: Apache-2.0
#include "report/html/page.h"

#include <vector>

#include "base/files.h"
#include "base/text.h"
#include "report/html/bundle.h"
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

std::string base64(const std::string& bytes) {
  constexpr const char* kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    unsigned group = 0;
    for (std::size_t k = 0; k < 3; ++k)
      group = group << 8 | (i + k < bytes.size() ? static_cast<unsigned char>(bytes[i + k]) : 0u);
    for (std::size_t k = 0; k < 4; ++k)
      out += i + k > bytes.size() ? '=' : kDigits[group >> (18 - 6 * k) & 63];
  }
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

std::string head(const Report& report, const std::vector<std::string>& run) {
  return "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n" + std::string(kGenerator) +
         "\n<meta http-equiv=\"Content-Security-Policy\" content=\"" + policy(run) +
         "\">\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<meta "
         "name=\"color-scheme\" content=\"light dark\">\n<title>" +
         text(report.prediction.program + " on " + report.prediction.machine) + "</title>\n<style>\n" +
         kPageStyle + "</style>\n</head>\n";
}

std::string banner(const Report& report) {
  return "<header><div class=\"wide\"><span class=\"brand\">parcast</span><h1>" +
         text(report.prediction.program) + " <small>on " + text(report.prediction.machine) +
         "</small></h1><p>" + text(question_text(report)) + "</p></div></header>\n";
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

std::string page(const Report& report) {
  std::string links, bodies;
  for (const Section& section : sections()) {
    const std::string body = section.body(report);
    if (body.empty()) continue;
    links += "<a href=\"#" + section.id + "\">" + section.title + "</a>\n";
    bodies += "<section id=\"" + section.id + "\">\n<h2>" + section.title + "</h2>\n" + body + "</section>\n";
    if (section.id == "answer") bodies += "<div id=\"live\"></div>\n";
  }
  std::vector<std::string> run;
  if (!report.live.functions.empty()) run.push_back(report.live.functions);
  if (*kPageScript) run.emplace_back(kPageScript);
  std::string scripts;
  for (const std::string& script : run) scripts += "<script>" + script + "</script>\n";
  return head(report, run) + "<body>\n" + banner(report) +
         "<nav aria-label=\"Sections\"><div class=\"wide\">" + links +
         "</div></nav>\n<main class=\"wide\">\n" + bodies + "</main>\n" +
         (report.live.data.empty() ? ""
                                   : "<script type=\"application/json\" id=\"explanation\">" +
                                         inside_script(report.live.data) + "</script>\n") +
         scripts + "</body>\n</html>\n";
}

}  // namespace parcast::report::html
