// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

/// The files of src/report/page/, built in: cmake/PageParts.cmake makes the definitions.
namespace dryfit::report::page_parts {

extern const std::string_view kMarkup;  ///< page.html; "@name@" marks where a part goes
extern const std::string_view kStyle;
extern const std::string_view kScript;  ///< all scripts in one scope of their own

}  // namespace dryfit::report::page_parts
