// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "report/page.h"

#include <gtest/gtest.h>
#include <zlib.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "report/page_payload.h"

namespace dryfit::report {
namespace {

using namespace literals;
using explain::Allocation;
using explain::Category;
using explain::Explanation;

/// Two allocations, the second within the first's life, in a segment with a hole.
Explanation small_explanation() {
  Explanation result{.card = "a100-40gb", .names = {"", "Net.fc", "addmm", "train.py", "main"}};
  result.lines = {{.file = 3, .line = 42, .function = 4}};
  result.stacks = {{0}};
  result.times_us = {0, 10, 20};
  result.allocations = {
      Allocation{.born = 0, .bytes = 2_MiB, .requested = 2097000_B, .category = Category::parameters, .module = 1},
      Allocation{.born = 1, .died = 2, .bytes = 512_B, .requested = 4_B, .line = 0, .stack = 0}};
  result.spans = {{.begin = 0}, {.begin = 1, .step = 1, .phase = explain::Phase::forward}};
  result.reserved = {{0, 20_MiB}};
  result.peak.event = 1;
  result.peak.segments = {{.bytes = 20_MiB, .blocks = {{0, 2_MiB, 0}, {2 << 20, 18_MiB, explain::kNone}}}};
  return result;
}

std::string from_base64(const std::string& text) {
  const std::string digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string bytes;
  unsigned group = 0, bits = 0;
  for (const char c : text) {
    if (c == '=') break;
    group = group << 6 | static_cast<unsigned>(digits.find(c));
    if ((bits += 6) < 8) continue;
    bits -= 8;
    bytes.push_back(static_cast<char>(group >> bits));
  }
  return bytes;
}

std::string inflated(const std::string& packed_text) {
  const auto packed_bytes = from_base64(packed_text);
  std::string bytes(1 << 20, '\0');
  auto size = static_cast<uLongf>(bytes.size());
  const auto status = uncompress(reinterpret_cast<Bytef*>(bytes.data()), &size,
                                 reinterpret_cast<const Bytef*>(packed_bytes.data()), packed_bytes.size());
  EXPECT_EQ(status, Z_OK);
  bytes.resize(size);
  return bytes;
}

struct Opened {
  nlohmann::json head;
  std::vector<std::uint64_t> numbers;
};

Opened opened(const std::string& payload) {
  const auto bytes = inflated(payload);
  std::size_t length = 0;
  for (int i = 3; i >= 0; --i) length = length << 8 | static_cast<unsigned char>(bytes[static_cast<std::size_t>(i)]);
  Opened result{nlohmann::json::parse(bytes.substr(4, length)), {}};
  std::uint64_t value = 0;
  unsigned shift = 0;
  for (const char c : bytes.substr(4 + length)) {
    const auto byte = static_cast<unsigned char>(c);
    value |= std::uint64_t{byte & 127u} << shift;
    shift += 7;
    if (byte >= 128) continue;
    result.numbers.push_back(value);
    value = shift = 0;
  }
  return result;
}

TEST(PagePayload, Columns_stand_in_the_order_that_the_note_tells) {
  const auto [head, numbers] = opened(page_payload(small_explanation()));
  EXPECT_EQ(head["events"], 3);
  EXPECT_EQ(head["peak"], 1);
  EXPECT_EQ(head["spans"][1], (nlohmann::json{{"at", 1}, {"step", 1}, {"phase", "forward"}}));
  const auto mebibytes = [](std::uint64_t n) { return n << 20; };
  const std::vector<std::uint64_t> expected{
      0,
      1,  // born
      0,
      1,  // lived
      mebibytes(2),
      512,  // bytes
      152,
      508,  // less requested
      0,
      10,  // parameters, unknown
      0,
      0,  // inferred
      1,
      0,  // module
      0,
      0,
      0,
      0,
      0,
      0,  // op, tensor, type
      0,
      1,  // line
      0,
      1,  // frame
      3,
      42,
      4,  // the line
      0,
      1,  // the frame
      0,
      mebibytes(20),  // reserved
      mebibytes(20),
      0,
      2,  // the segment
      mebibytes(2),
      mebibytes(18),
      1,
      0  // its blocks
  };
  EXPECT_EQ(numbers, expected);
}

TEST(PagePayload, Text_that_is_not_utf8_is_repaired) {
  auto explanation = small_explanation();
  explanation.names[1] = "caf\xe9";
  EXPECT_EQ(opened(page_payload(explanation)).head["names"][1], "caf\xef\xbf\xbd");
}

TEST(PagePayload, Bytes_of_every_length_survive) {
  std::string bytes;
  for (int i = 0; i < 300; ++i) {
    EXPECT_EQ(inflated(packed(bytes)), bytes);
    bytes.push_back(static_cast<char>(i * 7));
  }
}

TEST(Page, Nothing_of_the_job_can_be_markup) {
  auto explanation = small_explanation();
  explanation.card = "\"><b>card";
  const auto html = page_html({.title = "<b>title</b>",
                               .verdict = R"({"command": ["</script><b>verdict</b>"]})",
                               .explanations = {&explanation}});
  EXPECT_EQ(html.find("<b>"), std::string::npos);
  EXPECT_NE(html.find("<title>&lt;b&gt;title&lt;/b&gt;</title>"), std::string::npos);
  EXPECT_NE(html.find(R"(\u003c/script>\u003cb>verdict)"), std::string::npos);
}

TEST(Page, A_name_that_looks_like_a_place_for_a_part_stays_text) {
  const auto html = page_html({.title = "@verdict@ @script@"});
  EXPECT_NE(html.find("<title>@verdict@ @script@</title>"), std::string::npos);
  EXPECT_NE(html.find(R"(id="verdict-data">null</script>)"), std::string::npos);
}

TEST(Page, It_loads_nothing) {
  const auto html = page_html({.title = "t"});
  for (const char* address : {"http://", "https://", "src=", "@import", "url("}) {
    EXPECT_EQ(html.find(address), std::string::npos) << address;
  }
}

}  // namespace
}  // namespace dryfit::report
