// SPDX-License-Identifier: Apache-2.0
#include "report/html/sections.h"

namespace parcast::report::html {

const std::vector<Section>& sections() {
  static const std::vector<Section> all{{"answer", "Answer", answer},
                                        {"scaling", "Scaling", scaling},
                                        {"parts", "Where the time goes", parts_by_processes},
                                        {"regions", "Regions", regions},
                                        {"functions", "Functions", functions},
                                        {"callgraph", "Call graph", call_graph_of},
                                        {"field", "Over p and size", field},
                                        {"sensitivity", "Sensitivity", sensitivities},
                                        {"overheads", "Overheads", overheads},
                                        {"timeline", "Timeline", timeline_of},
                                        {"communication", "Communication", communication},
                                        {"checks", "Checks", checks},
                                        {"machine", "Machine", machine_costs},
                                        {"warnings", "Warnings", warnings},
                                        {"provenance", "Provenance", provenance}};
  return all;
}

std::string call_graph_of(const Report& report) {
  return call_graph(report.program);
}

std::string timeline_of(const Report& report) {
  return timelines(report.views);
}

}  // namespace parcast::report::html
