// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "card/catalogue.h"

namespace dryfit::cli {

/// The cards that the user named, in that order, each once. They live as long as the catalogue.
Result<std::vector<const CardFile*>> named_cards(const Catalogue& catalogue, const std::vector<std::string>& names);

}  // namespace dryfit::cli
