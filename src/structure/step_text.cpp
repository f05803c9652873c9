// SPDX-License-Identifier: Apache-2.0
#include "structure/step_text.h"

#include "model/model_names.h"

namespace parcast::program {
namespace {

std::string plain(trace::Kind kind, recording::Pattern pattern) {
  switch (kind) {
    case trace::Kind::send:
      return "a send";
    case trace::Kind::receive:
      return "a receive";
    case trace::Kind::start_send:
      return "the start of a send";
    case trace::Kind::start_receive:
      return "the start of a receive";
    case trace::Kind::wait:
      return "a wait";
    case trace::Kind::read:
      return "a read of memory";
    case trace::Kind::write:
      return "a write to memory";
    case trace::Kind::start_read:
      return "the start of a read of memory";
    case trace::Kind::start_write:
      return "the start of a write to memory";
    case trace::Kind::probe:
      return "a probe";
    case trace::Kind::lock_shared:
      return "a shared lock of a window";
    case trace::Kind::lock_exclusive:
      return "an exclusive lock of a window";
    case trace::Kind::unlock:
      return "an unlock of a window";
    case trace::Kind::collective:
      return "a collective (" + std::string(name_of(pattern)) + ")";
  }
  return "";
}

}  // namespace

std::string describe_step(trace::Kind kind, recording::Pattern pattern, const trace::Place* place) {
  if (!place) return plain(kind, pattern);
  std::string text = place->call.empty() ? plain(kind, pattern) : place->call, about;
  if (!place->file.empty()) about = place->file + ":" + std::to_string(place->line);
  if (!place->region.empty()) about += (about.empty() ? "in " : ", in ") + place->region;
  return about.empty() ? text : text + " (" + about + ")";
}

std::string name_of_step(const Structure& structure, const Step& step) {
  const Step* first = &step;
  while (!first->body.empty()) first = &first->body.front();
  const trace::Place* place = first->place == trace::kNowhere ? nullptr : &structure.places[first->place];
  return describe_step(first->operation, first->pattern, place);
}

}  // namespace parcast::program
