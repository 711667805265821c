// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "report/bar.h"
#include "report/style.h"
#include "verdict/counting.h"
#include "verdict/verdict.h"

/// What the terminal's reports on one GPU and on several have in common. Lines are no wider than the style says.
namespace dryfit::report {

/// How far continued lines are indented.
inline constexpr std::string_view kHanging = "    ";

/// The size of the headroom, without its sign.
std::string headroom_of(const verdict::Verdict& verdict);

/// Libraries, kernel code and the CUDA context at the peak.
Bytes outside_of(const verdict::Verdict& verdict);

/// The parts of the peak; where a request failed, what the GPU held at that point, and the request.
Bar bar_of(const verdict::Verdict& verdict);

/// The same for a job that needs about `need` here, which is more than the GPU has.
Bar bar_of(const verdict::Verdict& verdict, Bytes need);

/// Why the answer is not a plain "fits", and what to do; empty for a plain fit.
std::string reason_lines(const verdict::Verdict& verdict, const Style& style);

/// The result for each order of addresses, where several were tried.
std::string order_lines(const verdict::Verdict& verdict, const Style& style);

std::string assumed_lines(const verdict::Verdict& verdict, std::string_view indent, const Style& style);
std::string gap_lines(const verdict::Verdict& verdict, std::string_view indent, const Style& style);
std::string compute_lines(const std::optional<verdict::Counting>& counting, std::string_view indent,
                          const Style& style);
std::string note_lines(const Diagnostics& diagnostics, std::string_view indent, const Style& style);

/// The memory that the job can be limited to; empty where that is not known.
std::string limit_lines(const verdict::Verdict& verdict, const Style& style);
/// The same for several GPUs, as a table of those where it is known.
std::string limits_table(const std::vector<const verdict::Verdict*>& verdicts, const Style& style);

/// Which processes held the memory, where several shared the GPU.
std::string sharing_lines(const verdict::Verdict& verdict, const Style& style);

/// The report on one GPU.
std::string one_gpu_text(const verdict::Verdict& verdict, const Style& style,
                         const std::optional<verdict::Counting>& counting);

/// The report on several.
std::string several_gpus_text(std::span<const verdict::Verdict> verdicts, const Style& style,
                              const std::optional<verdict::Counting>& counting);

}  // namespace dryfit::report
