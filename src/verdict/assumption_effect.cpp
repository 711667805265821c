// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "verdict/assumption_effect.h"

#include <algorithm>
#include <string_view>

namespace dryfit::verdict {

Effect effect_of(const analysis::Assumption& assumption) {
  static constexpr std::string_view kBranches[] = {"condition", "comparison", "check"};
  if (assumption.of > 0) return Effect::size;
  const auto names = [&](auto word) { return assumption.what.find(word) != std::string::npos; };
  return std::ranges::any_of(kBranches, names) ? Effect::branch : Effect::reading;
}

}  // namespace dryfit::verdict
