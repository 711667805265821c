// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "report/style.h"

/// Text that keeps to the width of the screen.
namespace dryfit::report {

/// `text`, made printable, broken at spaces into lines of at most `style.columns` columns, each with a line end. The first begins with
/// `first`, the others with `rest`. A word longer than a line stays whole.
std::string wrapped(std::string_view text, std::string_view first, std::string_view rest, const Style& style);

/// The same, painted line by line.
std::string wrapped(std::string_view text, std::string_view first, std::string_view rest, Paint paint,
                    const Style& style);

/// `text` in at most `columns` columns: what is too long loses its middle ("model.layers…q_proj").
std::string shortened(std::string_view text, std::size_t columns, const Style& style);

/// "Short by 18.1 MiB." for "short by 18.1 MiB". A first word that is a name (cuDNN, torch.compile) keeps its case.
std::string sentence(std::string_view clause);

/// In columns.
std::size_t widest_line(std::string_view text);

}  // namespace dryfit::report
