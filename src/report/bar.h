// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "report/style.h"

/// A GPU's memory drawn in one line of text.
namespace dryfit::report {

/// What a stretch of a bar stands for. Each has a sign of its own, so that a bar can be read without colour.
enum class Fill { torch, outside, request, free };

struct BarPart {
  Fill fill = Fill::free;
  Bytes size;
};

/// Parts from the left. Those beyond `limit` are drawn behind a mark.
struct Bar {
  std::vector<BarPart> parts;
  Bytes limit;
  Paint used = Paint::good;  ///< the colour of what is used; a request is Paint::bad, free memory faint
};

/// The bar in exactly `cells` columns; every part that is not zero has at least one.
std::string bar_text(const Bar& bar, std::size_t cells, const Style& style);

/// The sign of a part as in the bar, painted like it.
std::string fill_text(Fill fill, Paint used, const Style& style);

/// A share of a whole in at most `cells` columns, without anything for the rest; empty for a small one. Not painted.
std::string share_text(Bytes part, Bytes whole, std::size_t cells, const Style& style);

}  // namespace dryfit::report
