// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "evaluate/blends.h"

#include <algorithm>
#include <sstream>

#include "predictor/out_of_fold.h"

namespace dryfit::evaluate {
namespace {

using predictor::Contender;

Result<Contender> blend(const std::string& asked, const std::vector<Contender>& contenders) {
  const auto sign = asked.find('=');
  if (sign == std::string::npos || sign == 0) {
    return Error{"'" + asked + "' is no blend", "give a name and the columns: 'both=trees x5+bigru layers x5'"};
  }
  std::vector<Contender> parts;
  std::istringstream columns(asked.substr(sign + 1));
  for (std::string column; std::getline(columns, column, '+');) {
    const auto found = std::ranges::find(contenders, column, &Contender::name);
    if (found == contenders.end()) {
      return Error{"the blend '" + asked.substr(0, sign) + "' is of '" + column + "', which is not there",
                   "name columns of the predictions, or blends before it"};
    }
    parts.push_back(*found);
  }
  if (parts.empty()) return Error{"the blend '" + asked.substr(0, sign) + "' is of nothing", "name some columns"};
  return blend_of(asked.substr(0, sign), parts);
}

}  // namespace

Status add_blends(const std::vector<std::string>& blends, std::vector<Contender>& contenders) {
  for (const auto& asked : blends) {
    auto blended = blend(asked, contenders);
    if (!blended) return blended.error();
    contenders.push_back(std::move(*blended));
  }
  return {};
}

}  // namespace dryfit::evaluate
