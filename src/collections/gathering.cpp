// SPDX-License-Identifier: Apache-2.0
#include "collections/gathering.h"

#include <cstring>

namespace parcast::collections {
namespace {

using detail::Call;

const char* name_of(Call call) {
  switch (call) {
    case Call::make:
      return "the construction";
    case Call::barrier:
      return "barrier";
    case Call::broadcast:
      return "broadcast";
    case Call::reduce:
      return "reduce";
    case Call::scan:
      return "scan";
    case Call::gather:
      return "gather";
    case Call::gather_all:
      return "gather_all";
    case Call::scatter:
      return "read_file";
    case Call::release:
    case Call::end:
      break;
  }
  return "";
}

}  // namespace

std::string described(int rank, const detail::Meeting& meeting) {
  std::string text = "processor " + std::to_string(rank);
  if (meeting.call == Call::end) return text + " has ended";
  if (meeting.call == Call::release)
    return text + " leaves the scope of " + (*meeting.what ? meeting.what : "a collection");
  text += std::string(" calls ") + name_of(meeting.call);
  if (*meeting.what)
    text += std::string(" of ") + meeting.what;
  else if (meeting.bytes > 0)
    text += " with " + std::to_string(meeting.bytes) + " bytes";
  return text;
}

void check_same(int rank, const detail::Meeting& meeting, int other_rank, const detail::Meeting& other) {
  if (meeting.call == other.call && meeting.bytes == other.bytes && meeting.signature == other.signature)
    return;
  const bool looks_same = meeting.call == other.call && meeting.bytes == other.bytes &&
                          std::strcmp(meeting.what, other.what) == 0;
  throw Error(described(other_rank, other) + ", but " + described(rank, meeting) +
              (looks_same ? " of another type or of other extents" : "") +
              "; all processors must call the same operations in the same order");
}

bool Gathering::join(int rank, const detail::Meeting& meeting, const void* mine, detail::Finish finish,
                     double clock) {
  if (arrived_ == size_) arrived_ = 0;  // of the meeting before the last
  if (arrived_ == 0) {
    first_rank_ = rank;
    meeting_ = meeting;
    latest_ = clock;
    table_.resize(meeting.bytes * static_cast<std::size_t>(size_));
  }
  check_same(rank, meeting, first_rank_, meeting_);
  if (meeting.bytes > 0)
    std::memcpy(table_.data() + meeting.bytes * static_cast<std::size_t>(rank), mine, meeting.bytes);
  finish_ = finish;
  latest_ = std::max(latest_, clock);
  return ++arrived_ == size_;
}

void Gathering::finish() {
  if (finish_.run) finish_.run(finish_.function, table_.data(), size_);
}

}  // namespace parcast::collections
