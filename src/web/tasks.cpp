// SPDX-License-Identifier: Apache-2.0
#include "web/tasks.h"

#include <algorithm>

namespace parcast::web {

TaskId Tasks::add(Task task) {
  auto& queue = task.is_urgent ? urgent_ : others_;
  queue.push_back({++last_, std::move(task)});
  return last_;
}

void Tasks::cancel(TaskId id) {
  for (auto* queue : {&urgent_, &others_}) {
    const auto found = std::ranges::find(*queue, id, &Waiting::id);
    if (found == queue->end()) continue;
    cancelled_.push_back(std::move(found->task));
    queue->erase(found);
    return;
  }
  for (Running& each : running_)
    if (each.id == id) {
      each.was_cancelled = true;
      each.child.kill();
    }
}

/// Urgent commands may exceed the limit by one, so that a long experiment does not delay them.
void Tasks::start_next(Ended& ended) {
  for (;;) {
    auto& queue = urgent_.empty() ? others_ : urgent_;
    const int most = at_once_ + (urgent_.empty() ? 0 : 1);
    if (queue.empty() || static_cast<int>(running_.size()) >= most) return;
    Waiting next = std::move(queue.front());
    queue.pop_front();
    auto child = Child::start(next.task.words, folder_);
    if (!child) {
      ended.emplace_back(std::move(next.task), TaskEnd{127, false, "", to_string(child.error())});
      continue;
    }
    running_.push_back({next.id, std::move(next.task), *std::move(child)});
    if (running_.back().task.started) running_.back().task.started();
  }
}

void Tasks::step() {
  Ended ended;
  for (Task& task : cancelled_) ended.emplace_back(std::move(task), TaskEnd{0, true, "", ""});
  cancelled_.clear();
  for (auto each = running_.begin(); each != running_.end();) {
    const bool has_ended = each->child.step();
    if (each->child.progress() > each->shown && each->task.progress)
      each->task.progress(each->shown = each->child.progress());
    if (!has_ended) {
      ++each;
      continue;
    }
    ended.emplace_back(std::move(each->task), TaskEnd{each->child.exit_code(), each->was_cancelled,
                                                      each->child.output(), each->child.messages()});
    each = running_.erase(each);
  }
  start_next(ended);
  // Last, because these functions may add and cancel commands.
  for (const auto& [task, end] : ended) task.ended(end);
}

std::vector<int> Tasks::descriptors() const {
  std::vector<int> out;
  for (const Running& each : running_)
    for (const int descriptor : each.child.descriptors()) out.push_back(descriptor);
  return out;
}

}  // namespace parcast::web
