// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/bytes.h"
#include "verdict/verdict.h"

/// What a job would need on a GPU where it does not fit.
namespace dryfit::report {

/// The device peak of the same job on another GPU, where it ran to its end without running short.
struct Need {
  Bytes amount;
  std::string known_from;  ///< id of that GPU
  bool is_estimated = false;
};

/// Known if the job does not fit on this GPU, fits on another of the same invocation, and took more there than this one
/// has. Of several such GPUs the one with the least memory: its conditions are the most similar.
std::optional<Need> need_of(const verdict::Verdict& verdict, std::span<const verdict::Verdict> all);

/// "Needs about 9.20 GiB, as counted on rtx-3060-12gb; this GPU has 7.75 GiB."
std::string need_sentence(const Need& need, const verdict::Verdict& verdict);

/// How much more memory the failed request would have taken: a job that does not fit lacks at least this. None: there
/// was enough free memory, and something else was in the way (a limit, or fragmentation).
std::optional<Bytes> shortfall(const verdict::Verdict& verdict);

/// "~9.20 of 11.76 GiB" with "~" as the sign; both units where they differ.
std::string amount_of(Bytes amount, Bytes capacity, std::string_view sign);

}  // namespace dryfit::report
