// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "verdict/counting.h"

namespace dryfit::report {

/// Names and floating-point operations.
using Shares = std::vector<std::pair<std::string, std::uint64_t>>;

/// The last step by operator, the largest first; those that did nothing are left out.
Shares by_operator(const analysis::Compute& compute);

/// The last step by innermost module, in the order in which they were met.
Shares by_module(const analysis::Compute& compute);

/// "1.57 TFLOP", to three digits.
std::string flops_text(std::uint64_t flops);

/// "compute per step  1.57 TFLOP: mm 65 %, addmm 33 %, 2 more", with the range where steps differ, and with the
/// operators that are not in it; or why it is not known.
std::string counting_text(const verdict::Counting& counting);

}  // namespace dryfit::report
