// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "report/page.h"

#include <array>
#include <string_view>
#include <utility>

#include "base/check.h"
#include "report/page_parts.h"
#include "report/page_payload.h"

namespace dryfit::report {
namespace {

std::string escaped(std::string_view text) {
  std::string result;
  for (const char c : text) {
    switch (c) {
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '&':
        result += "&amp;";
        break;
      case '"':
        result += "&quot;";
        break;
      default:
        result += c;
    }
  }
  return result;
}

/// JSON that is safe in a <script> element: no "<" in it, so neither "</script" nor "<!--".
std::string script_safe(std::string_view json) {
  std::string result;
  for (const char c : json) {
    if (c == '<') {
      result += "\\u003c";
    } else {
      result += c;
    }
  }
  return result;
}

std::string explanations_html(const PageContents& contents) {
  std::string html;
  for (const auto* each : contents.explanations) {
    html += "<script type=\"application/octet-stream\" data-card=\"" + escaped(each->card) + "\">";
    html += page_payload(*each) + "</script>\n";
  }
  return html;
}

}  // namespace

std::string page_html(const PageContents& contents) {
  const std::array<std::pair<std::string_view, std::string>, 6> parts{{
      {"@title@", escaped(contents.title)},
      {"@style@", std::string(page_parts::kStyle)},
      {"@opens_with@", escaped(contents.opens_with)},
      {"@verdict@", contents.verdict.empty() ? "null" : script_safe(contents.verdict)},
      {"@explanations@", explanations_html(contents)},
      {"@script@", std::string(page_parts::kScript)},
  }};
  std::string html;
  auto rest = page_parts::kMarkup;
  for (const auto& [name, part] : parts) {
    const auto at = rest.find(name);
    DRYFIT_CHECK(at != std::string_view::npos);
    html.append(rest.substr(0, at)).append(part);
    rest = rest.substr(at + name.size());
  }
  return html.append(rest);
}

}  // namespace dryfit::report
