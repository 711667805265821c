// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "evaluate/blends.h"

#include <algorithm>
#include <sstream>

#include "predictor/out_of_fold.h"

namespace dryfit::evaluate {
namespace {

using predictor::Contender;

Result<Contender> blend(const std::string& text, const std::vector<Contender>& contenders) {
  const auto sign = text.find('=');
  if (sign == std::string::npos || sign == 0) {
    return Error{"'" + text + "' is not a blend", "Write a name and columns: 'both=trees x5+bigru layers x5'."};
  }
  std::vector<Contender> parts;
  std::istringstream columns(text.substr(sign + 1));
  for (std::string column; std::getline(columns, column, '+');) {
    const auto found = std::ranges::find(contenders, column, &Contender::name);
    if (found == contenders.end()) {
      return Error{"the blend '" + text.substr(0, sign) + "' uses an unknown column '" + column + "'",
                   "Name columns of the predictions, or earlier blends."};
    }
    parts.push_back(*found);
  }
  if (parts.empty()) return Error{"the blend '" + text.substr(0, sign) + "' is empty", "Name at least one column."};
  return blend_of(text.substr(0, sign), parts);
}

}  // namespace

Status add_blends(const std::vector<std::string>& blends, std::vector<Contender>& contenders) {
  for (const auto& text : blends) {
    auto blended = blend(text, contenders);
    if (!blended) return blended.error();
    contenders.push_back(std::move(*blended));
  }
  return {};
}

}  // namespace dryfit::evaluate
