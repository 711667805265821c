// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <vector>

#include "explain/explanation.h"

namespace dryfit::report {

/// What a page is made of.
struct PageContents {
  std::string title;    ///< of the browser's tab
  std::string verdict;  ///< as docs/json.md has it, one JSON object; empty: there is none (a recording from elsewhere)
  std::vector<const explain::Explanation*> explanations;  ///< at most one per card; `card` says of which
  std::string opens_with;  ///< the card that is shown first; empty: the page chooses, failures first
};

/// The report as one HTML file that needs nothing else and loads nothing: markup, style, script and data. Its parts lie
/// in src/report/page/ and are built in (docs/report.md, docs/decisions/0015-one-page-without-a-framework.md).
std::string page_html(const PageContents& contents);

}  // namespace dryfit::report
