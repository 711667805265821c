// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <string>
#include <vector>

#include "report/layout.h"
#include "report/table.h"
#include "report/terminal_parts.h"

namespace dryfit::report {

std::string sharing_lines(const verdict::Verdict& verdict, const Style& style) {
  if (!verdict.sharing) return "";
  const auto& sharing = *verdict.sharing;
  const auto heading = fmt::format("{} processes used this GPU; at the peak:", sharing.processes);
  std::vector<std::vector<Cell>> rows;
  for (const auto& holder : sharing.at_peak) {
    rows.push_back({{fmt::format("    process {}", holder.pid)},
                    {to_text(holder.held), Align::right},
                    {holder.command, Align::left, true, Paint::faint, true}});
  }
  return wrapped(heading, "  ", kHanging, Paint::faint, style) + aligned(rows, style);
}

}  // namespace dryfit::report
