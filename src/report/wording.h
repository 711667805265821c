// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "report/style.h"
#include "verdict/verdict.h"

/// The words shared by all reports for people.
namespace dryfit::report {

/// "fits", "fits, tight", "does not fit", "cannot tell".
std::string answer_text(verdict::Answer answer);

/// The sign before the answer.
std::string_view answer_glyph(verdict::Answer answer, const Style& style);
Paint answer_paint(verdict::Answer answer);

/// "step 2, backward"; "loading" before the first step.
std::string moment_text(const analysis::Moment& moment);

/// "in step 2, backward"; "while loading".
std::string place_text(const analysis::Moment& moment);

/// "PyTorch failed to allocate 512 MiB in step 1, forward; 338 MiB of 7.75 GiB were free." For a verdict with an `oom`.
std::string failure_sentence(const verdict::Verdict& verdict);

/// "11.76 GiB, limited to 6.00 GiB, PyTorch capped at 5.00 GiB": the GPU's memory and what of it the job can have.
std::string memory_text(const verdict::Verdict& verdict);

/// "cuBLAS" for "libcublas.so.12"; the file name itself for a library we have no word for.
std::string library_text(const std::string& file_name);

/// "4.2 s", "2 min 5 s".
std::string duration_text(double seconds);

/// "3 steps", "1 step".
std::string steps_text(std::uint64_t steps);

/// "elements selected by a condition at train.py:42 ×3: 30 of 40"; no numbers for values that were only read.
std::string assumption_text(const analysis::Assumption& assumption, const Style& style);

/// The first few, and how many more there are.
std::vector<std::string> assumption_lines(const std::vector<analysis::Assumption>& assumptions, const Style& style);

/// "chunk 9.20 GiB, ascending 9.25 GiB, descending does not fit".
std::string orders_text(const std::vector<verdict::OrderResult>& orders);

/// How the memory outside PyTorch was estimated: "measured on this kind of GPU".
std::string context_origin_text(Origin origin);

/// The diagnostics in at most three lines; the last one says how many were left out.
std::vector<std::string> diagnostic_lines(const Diagnostics& diagnostics, const Style& style);

}  // namespace dryfit::report
