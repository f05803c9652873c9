// SPDX-License-Identifier: Apache-2.0
#pragma once
// The timeline of a page: an overview as SVG that needs no program, tables, and the spans as data for the
// page's program, which draws them at any zoom (docs/formats/report_page.md).

#include <array>
#include <string>
#include <vector>

#include "timeline/timeline.h"

namespace parcast::report::html {

/// A timeline with its title, such as "recorded", "predicted on cluster".
struct TimelineView {
  std::string title;
  timeline::Timeline timeline;
};

/// Returns the section: the views one above the other, on one scale; empty without lanes.
std::string timelines(const std::vector<TimelineView>& views);
/// Returns the data as parcast.timeline/1; empty without lanes.
std::string timelines_json(const std::vector<TimelineView>& views);

/// Returns the class of the style sheet's colour.
std::string style_of(timeline::Activity activity);

}  // namespace parcast::report::html
