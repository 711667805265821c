// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "card/catalogue.h"
#include "typed_line.h"

namespace dryfit::cli {

/// The cards that these names mean, each once. The Error is that of the first name that means none or several.
Result<std::vector<const CardFile*>> named_cards(const Catalogue& catalogue, const std::vector<std::string>& names);

/// Whether a card of the installed catalogue is called so, or nearly so.
bool names_a_card(const std::string& name);

/// `why` match_card rejects this name, with the line that would have worked as far as it is known.
Error wrong_gpu(const Catalogue& catalogue, const std::string& name, const Error& why, const TypedLine& line);

/// For a line without a GPU.
Error no_gpu(const TypedLine& line);

}  // namespace dryfit::cli
