// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "explain/explanation.h"
#include "explain/shares.h"
#include "report/style.h"

namespace dryfit::report {

/// What takes the memory at the moment that is explained: the moment, categories, what PyTorch has cached beyond, what
/// is outside PyTorch, and the largest `owners`. Where these are shown, small categories are summed up.
std::string explanation_text(const explain::Explanation& explanation, std::size_t owners, const Style& style);

/// One table of shares: the first `limit` rows and the sum of the rest.
std::string shares_text(const explain::Explanation& explanation, const explain::ShareOptions& options,
                        std::size_t limit, const Style& style);

/// "7.78 GiB allocated at the peak, in step 2, backward"; for a failure also what was requested, and where.
std::string peak_text(const explain::Explanation& explanation);

/// The same as JSON; `owners` of each kind, or all of them where that is 0.
nlohmann::ordered_json explanation_json(const explain::Explanation& explanation, std::size_t owners);

}  // namespace dryfit::report
