// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "report/terminal.h"

#include <algorithm>

#include "report/layout.h"
#include "report/terminal_parts.h"

namespace dryfit::report {

using verdict::Counting;
using verdict::Verdict;

std::string terminal_text(std::span<const Verdict> verdicts, const Style& style,
                          const std::optional<Counting>& counting) {
  if (verdicts.size() == 1) return one_gpu_text(verdicts.front(), style, counting);
  return several_gpus_text(verdicts, style, counting);
}

std::string values_note(std::span<const Verdict> verdicts, const Style& style) {
  const auto has_run = [](const Verdict& each) { return each.device_used && !each.estimated; };
  if (std::ranges::none_of(verdicts, has_run)) return "";
  return wrapped("note: printed values such as losses are placeholders; a dry run computes none", "  ", "    ",
                 Paint::faint, style);
}

}  // namespace dryfit::report
