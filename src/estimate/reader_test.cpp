// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <zlib.h>

#include <fstream>

#include "base/temporary_folder.h"
#include "estimate/json_pieces.h"
#include "estimate/testing.h"

namespace dryfit::estimate {
namespace {

using testing::read;
using testing::TraceText;

TraceText simple() { return TraceText().op("aten::empty", 10, 5).memory(12, 4096, 512).memory(20, 4096, -512); }

std::vector<std::string> pieces_of(const std::string& text, std::size_t window, std::string* damage = nullptr) {
  const auto source = from_memory(text);
  JsonPieces pieces(*source, window);
  std::vector<std::string> found;
  while (const auto piece = pieces.next()) found.push_back(std::string(piece->key) + "=" + std::string(piece->text));
  if (damage) *damage = pieces.damage();
  return found;
}

TEST(JsonPieces, Values_and_events_come_one_by_one_whatever_the_window) {
  const std::string text = R"({"a": 1, "b": {"c": "}]\"{"}, "traceEvents": [{"x": "\\"}, {"y": [1, {}]}], "z": "end"})";
  const std::vector<std::string> expected{"a=1", R"(b={"c": "}]\"{"})", R"(traceEvents={"x": "\\"})",
                                          R"(traceEvents={"y": [1, {}]})", R"(z="end")"};
  for (const std::size_t window : {1, 2, 3, 7, 16, 64, 4096}) {
    std::string damage;
    EXPECT_EQ(pieces_of(text, window, &damage), expected) << window;
    EXPECT_EQ(damage, "") << window;
  }
}

TEST(JsonPieces, A_list_of_events_is_a_trace_too_also_when_it_was_never_closed) {
  std::string damage;
  EXPECT_EQ(pieces_of(R"([{"a":1},{"b":2})", 4096, &damage).size(), 2u);
  EXPECT_EQ(damage, "");
}

TEST(JsonPieces, An_end_in_the_middle_is_damage_at_every_place) {
  const auto text = simple().text();
  for (std::size_t length = 1; length + 2 < text.size(); ++length) {
    std::string damage;
    pieces_of(text.substr(0, length), 32, &damage);
    EXPECT_EQ(damage, "it ends in the middle") << length;
  }
}

TEST(JsonPieces, Anything_but_JSON_is_named_as_such) {
  for (const auto* text : {"x", "{\"a\":}", "{\"a\" 1}", "{\"a\":1]"}) {
    std::string damage;
    pieces_of(text, 4096, &damage);
    EXPECT_EQ(damage, "it is not JSON") << text;
  }
}

TEST(Reader, Spans_and_memory_are_read) {
  const auto profile = read(simple().key("dryfit", R"({"format": 1, "torch": "2.6.0+cpu"})").text());
  ASSERT_TRUE(profile);
  ASSERT_EQ(profile->spans.size(), 1u);
  EXPECT_EQ(profile->spans[0].start, 10'000);
  EXPECT_EQ(profile->spans[0].end, 15'000);
  ASSERT_EQ(profile->memory.size(), 2u);
  EXPECT_EQ(profile->memory[1].bytes, -512);
  EXPECT_EQ(profile->metadata.torch, "2.6.0+cpu");
  EXPECT_EQ(profile->damage, "");
}

TEST(Reader, Nanoseconds_are_kept_far_from_the_epoch) {
  auto trace = TraceText().event(
      R"({"ph": "X", "cat": "cpu_op", "name": "a", "tid": 1, "ts": 4057534837055.451, "dur": 0.049, "args": {}})");
  const auto profile = read(trace.memory(1, 1, 1).text());
  ASSERT_TRUE(profile);
  EXPECT_EQ(profile->spans[0].start, 4057534837055451);
  EXPECT_EQ(profile->spans[0].end, 4057534837055500);
}

TEST(Reader, Python_frames_are_passed_over_but_for_modules) {
  auto trace = simple();
  trace.span("python_function", "train.py(3): main", 1, 100).span("python_function", "nn.Module: Linear_0", 2, 50);
  const auto profile = read(trace.text());
  ASSERT_TRUE(profile);
  ASSERT_EQ(profile->spans.size(), 2u);
  EXPECT_EQ(profile->spans[1].kind, Span::Kind::module);
}

TEST(Reader, A_trace_that_ends_in_the_middle_is_read_up_to_there) {
  const auto text = simple().text();
  const auto profile = read(text.substr(0, text.rfind("\"Bytes\"")));
  ASSERT_TRUE(profile);
  EXPECT_EQ(profile->memory.size(), 1u);
  EXPECT_EQ(profile->damage, "it ends in the middle");
}

TEST(Reader, Damaged_events_are_counted_and_left_out) {
  auto trace = simple();
  trace.event(R"({"ph": "X", "cat": "cpu_op", "name": 3})")
      .event(R"({"ph": "i", "name": "[memory]", "args": {"Bytes": "x"}})");
  const auto profile = read(trace.text());
  ASSERT_TRUE(profile);
  EXPECT_EQ(profile->diagnostics.counts().at("estimate.damaged_events"), 2u);
}

TEST(Reader, Memory_that_is_left_out_is_a_damage) {
  const std::pair<const char*, const char*> events[] = {
      {R"("args": {"Bytes": 8, "Addr": 9, "Device Type": 7})", "neither the host nor a CUDA GPU (Device Type 7)"},
      {R"("args": {"Bytes": 8, "Addr": 9, "Device Type": -1})", "neither the host nor a CUDA GPU (Device Type -1)"},
      {R"("args": {"Bytes": 9223372036854775807, "Addr": 9, "Device Type": 0})", "plausible size"},
      {R"("args": {"Bytes": -9223372036854775808, "Addr": 9, "Device Type": 0})", "plausible size"},
      {R"("args": {"Bytes": 8, "Device Type": 0})", "without a time, an address"},
      {R"("args": {"Bytes": 99999999999999999999, "Addr": 9, "Device Type": 0})", "can't be read"},
  };
  for (const auto& [arguments, damage] : events) {
    auto trace = simple();
    trace.event(std::string(R"({"ph": "i", "name": "[memory]", "ts": 50, )") + arguments + "}");
    const auto profile = read(trace.text());
    ASSERT_TRUE(profile) << arguments;
    EXPECT_NE(profile->damage.find(damage), std::string::npos) << arguments << ": " << profile->damage;
    EXPECT_FALSE(profile->diagnostics.empty()) << arguments;
  }
}

TEST(Reader, An_event_without_memory_that_is_damaged_is_only_counted) {
  auto trace = simple();
  trace.event(R"({"ph": "X", "cat": "cpu_op", "name": 3})");
  EXPECT_EQ(read(trace.text())->damage, "");
}

TEST(Reader, Anything_but_a_trace_is_refused_with_a_hint) {
  for (const auto* text : {"", "hello", "{}", "{\"a\": 1}", "[]", "{\"traceEvents\": []}"}) {
    const auto profile = read(text);
    ASSERT_FALSE(profile) << text;
    EXPECT_NE(profile.error().what.find("trace.json"), std::string::npos) << text;
    EXPECT_NE(profile.error().hint.find("dryfit profile"), std::string::npos) << text;
  }
}

TEST(Reader, A_newer_format_is_refused_with_both_numbers) {
  const auto profile = read(simple().key("dryfit", R"({"format": 7})").text());
  ASSERT_FALSE(profile);
  EXPECT_NE(profile.error().what.find("format 7"), std::string::npos);
  EXPECT_NE(profile.error().what.find("up to 1"), std::string::npos);
}

TEST(Reader, A_compressed_file_is_recognised_by_its_bytes_and_may_be_cut_off) {
  const TemporaryFolder folder;
  const auto path = folder.file("trace.txt");
  auto trace = simple();
  for (int i = 0; i < 2000; ++i) trace.memory(100 + i, static_cast<std::uint64_t>(i * 7919 % 10007 + 5000), 64);
  const auto text = trace.text();
  gzFile file = gzopen(path.c_str(), "wb");
  gzwrite(file, text.data(), static_cast<unsigned>(text.size()));
  gzclose(file);
  const auto whole = read_profile(std::filesystem::path(path));
  ASSERT_TRUE(whole);
  EXPECT_EQ(whole->memory.size(), 2002u);
  std::filesystem::resize_file(path, std::filesystem::file_size(path) / 2);
  const auto half = read_profile(std::filesystem::path(path));
  ASSERT_TRUE(half);
  EXPECT_LT(half->memory.size(), 2002u);
  EXPECT_EQ(half->damage, "its compressed data is cut off");
}

TEST(Inputs, Types_sizes_and_values_are_understood) {
  const auto inputs = parse_inputs(
      R"({"Concrete Inputs":["","[1, 1]"],"Input type":["float","ScalarList"],"Input Strides":[[2,1],[]],"Input Dims":[[4,2],[]]})");
  ASSERT_EQ(inputs.size(), 2u);
  EXPECT_EQ(inputs[0].type, "float");
  EXPECT_EQ(inputs[0].dims, (std::vector<std::int64_t>{4, 2}));
  EXPECT_EQ(inputs[0].strides, (std::vector<std::int64_t>{2, 1}));
  EXPECT_EQ(inputs[1].value, "[1, 1]");
  EXPECT_TRUE(parse_inputs("{\"Input Dims\": 3}").empty());
  EXPECT_TRUE(parse_inputs("nonsense").empty());
}

TEST(Metadata, What_has_another_type_than_expected_is_passed_over) {
  const auto metadata = parse_metadata(
      R"({"format": 1, "torch": 3, "parameters": [{"name": "w", "bytes": 64, "requires_grad": true}, 5, {"tied": "w", "bytes": 64}],
          "optimizers": [{"class": "torch.optim.sgd.SGD", "defaults": {"momentum": 0.9, "nesterov": false}, "parameters": [0, 99]}]})");
  ASSERT_TRUE(metadata);
  EXPECT_EQ(metadata->torch, "");
  ASSERT_EQ(metadata->parameters.size(), 3u);
  EXPECT_EQ(metadata->parameters[2].bytes.count, 0u);
  ASSERT_EQ(metadata->optimizers.size(), 1u);
  EXPECT_EQ(metadata->optimizers[0].parameters, (std::vector<std::size_t>{0}));
  EXPECT_TRUE(metadata->optimizers[0].is_set("momentum"));
  EXPECT_FALSE(metadata->optimizers[0].is_set("nesterov"));
}

}  // namespace
}  // namespace dryfit::estimate
