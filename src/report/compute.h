// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "verdict/counting.h"

namespace dryfit::report {

/// Names and floating-point operations.
using Shares = std::vector<std::pair<std::string, std::uint64_t>>;

/// The last step by operator, the largest first; operators without work are left out.
Shares by_operator(const analysis::Compute& compute);

/// The last step by innermost module, in the order of first use.
Shares by_module(const analysis::Compute& compute);

/// Bytes moved by the last step, by operator, the largest first.
Shares moved_by_operator(const analysis::Compute& compute);

/// Floating-point operations of the last step per byte moved; none if either is unknown.
std::optional<double> intensity(const analysis::Compute& compute);

/// Kernels by name with their launches, the most frequent first.
Shares launched(const verdict::Counting& counting);

/// "1.57 TFLOP", to three digits.
std::string flops_text(std::uint64_t flops);

/// "compute per step  1.57 TFLOP: mm 65 %, addmm 33 %, 2 more", with the range where steps differ and the operators
/// that are not included. Bytes moved and kernels launched have lines of their own. Or why it is unknown. Lines after
/// the first begin with `indent`.
std::string counting_text(const verdict::Counting& counting, std::string_view indent = "");

}  // namespace dryfit::report
