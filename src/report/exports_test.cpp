// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "report/exports.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "report/difference.h"
#include "report/explanation.h"

namespace dryfit::report {
namespace {

using namespace literals;
using explain::Category;
using explain::Explanation;
using explain::kNever;
using explain::Phase;

/// A weight that stays and an activation that goes; the peak is the second event.
Explanation sample() {
  Explanation result;
  result.pid = 7;
  result.names = {"", "Net.h.0.fc", "/home/me/train.py", "main", "linear", "weight", "float32 [2, 3]"};
  result.lines = {{.file = 2, .line = 7, .function = 3}, {.file = 2, .line = 9, .function = 3}};
  result.stacks = {{1, 0}};
  result.allocations = {{.born = 0,
                         .address = 0x1000,
                         .bytes = 4_MiB,
                         .requested = 24_B,
                         .category = Category::parameters,
                         .module = 1,
                         .tensor = 5,
                         .type = 6,
                         .line = 0,
                         .stack = 0},
                        {.born = 1,
                         .died = 2,
                         .address = 0x2000,
                         .bytes = 8_MiB,
                         .requested = 8_MiB,
                         .category = Category::activations,
                         .module = 1,
                         .op = 4,
                         .line = 0,
                         .step = 1,
                         .phase = Phase::forward}};
  result.times_us = {0, 10, 30};
  result.spans = {{0, 0, Phase::load}, {1, 1, Phase::forward}};
  result.reserved = {{0, 20_MiB}};
  result.peak = {
      .event = 1, .step = 1, .phase = Phase::forward, .allocated = 12_MiB, .reserved = 20_MiB, .cached = 8_MiB};
  result.peak.categories[static_cast<std::size_t>(Category::parameters)] = 4_MiB;
  result.peak.categories[static_cast<std::size_t>(Category::activations)] = 8_MiB;
  result.peak_reserved = 20_MiB;
  return result;
}

TEST(Exports, A_trace_has_slices_counters_and_the_peak) {
  const auto events = nlohmann::json::parse(to_chrome_trace(sample()))["traceEvents"];
  std::string events_text;
  for (const auto& event : events) {
    events_text += event["ph"].get<std::string>() + " " + event["name"].get<std::string>();
    if (event["ph"] == "X") events_text += " " + event["ts"].dump() + "+" + event["dur"].dump();
    if (event["ph"] == "C") events_text += " " + event["ts"].dump() + "=" + event["args"]["bytes"].dump();
    events_text += "\n";
  }
  EXPECT_EQ(events_text,
            "M process_name\nM thread_name\nM thread_name\n"
            "X load 0+10\nX loading 0+10\nX forward 10+20\nX step 1 10+20\n"
            "C parameters 0=4194304\nC activations 10=8388608\nC activations 30=0\nC reserved by PyTorch 0=20971520\n"
            "i peak\n");
}

TEST(Exports, A_table_has_a_row_for_each_allocation) {
  EXPECT_EQ(
      to_csv(sample()),
      "born_event,died_event,born_us,died_us,bytes,requested_bytes,category,module,tensor,type,operator,step,phase,"
      "at_peak,inferred,file,line,function\n"
      "0,,0,,4194304,24,parameters,Net.h.0.fc,weight,\"float32 [2, 3]\",,0,load,1,0,/home/me/train.py,7,main\n"
      "1,2,10,30,8388608,8388608,activations,Net.h.0.fc,,,linear,1,forward,1,0,/home/me/train.py,7,main\n");
}

TEST(Exports, Stacks_are_folded_by_module_or_by_line) {
  EXPECT_EQ(to_folded(sample(), explain::By::module),
            "Net;h;0;fc;activations 8388608\nNet;h;0;fc;parameters 4194304\n");
  EXPECT_EQ(to_folded(sample(), explain::By::line),
            "train.py:7 main;activations 8388608\ntrain.py:7 main;train.py:9 main;parameters 4194304\n");
}

TEST(Exports, A_snapshot_has_categories_and_modules_on_its_stacks) {
  snapshot::Snapshot source;
  source.frames = {{"main", "train.py", 7}};
  source.stacks = {{0}};
  source.device_traces = {{{.action = snapshot::Action::alloc, .stack = 0, .address = 0x1000, .size = 24_B},
                           {.action = snapshot::Action::alloc, .address = 0x2000, .size = 8_MiB},
                           {.action = snapshot::Action::free_requested, .address = 0x2000, .size = 8_MiB}}};
  source.segments = {{.address = 0x1000,
                      .size = 4_MiB,
                      .blocks = {{.address = 0x1000, .size = 4_MiB, .state = snapshot::BlockState::active_allocated}}}};
  const auto result = annotated(source, sample());
  const auto& frames = result.stacks[result.device_traces[0][0].stack];
  ASSERT_EQ(frames.size(), 2u);
  EXPECT_EQ(result.frames[frames[0]], (snapshot::Frame{"parameters", "Net.h.0.fc", 0}));
  EXPECT_EQ(result.frames[frames[1]].name, "main");
  EXPECT_EQ(result.stacks[result.device_traces[0][1].stack].size(), 1u) << "one without a stack has it alone";
  EXPECT_EQ(result.stacks[result.segments[0].blocks[0].stack].size(), 1u);
}

TEST(Explanation, The_table_shows_what_there_is_and_sums_up) {
  auto explanation = sample();
  explanation.outside = explain::Outside{100_MiB, 8_MiB, 4_MiB};
  EXPECT_EQ(explanation_text(explanation, 5, {}),
            "  where the memory goes: 12.0 MiB allocated at the peak, in step 1, forward\n"
            "    parameters               4.0 MiB   3.0 %  █\n"
            "    activations              8.0 MiB   6.1 %  █\n"
            "    cached by PyTorch, free  8.0 MiB   6.1 %  █\n"
            "    outside PyTorch          112 MiB  84.8 %  ████████████████████\n"
            "  largest owners of allocated memory\n"
            "    Net.h.*.fc  12.0 MiB  100.0 %  67 % activations\n");
}

TEST(Explanation, A_failure_names_the_request_and_where_it_was_made) {
  auto explanation = sample();
  explanation.failure = explain::Failure{.event = 1, .requested = 1_GiB, .module = 1, .line = 0};
  EXPECT_EQ(peak_text(explanation),
            "12.0 MiB allocated in step 1, forward, when Net.h.0.fc at train.py:7 main failed to allocate 1.00 GiB");
}

TEST(Difference, Markdown_is_a_table_with_details_folded_away) {
  auto after = sample();
  after.allocations[1].bytes = 2_MiB;
  after.peak.allocated = 6_MiB;
  after.peak.categories[static_cast<std::size_t>(Category::activations)] = 2_MiB;
  const auto text = difference_markdown(explain::difference_of(sample(), after), 10);
  EXPECT_TRUE(text.starts_with("**GPU memory at the peak: 12.0 MiB → 6.0 MiB (-6.0 MiB)**\n")) << text;
  EXPECT_NE(text.find("| activations | 8.0 MiB | 2.0 MiB | -6.0 MiB | -75.0 % |"), std::string::npos) << text;
  EXPECT_NE(text.find("<details><summary>by module</summary>"), std::string::npos);
  EXPECT_NE(text.find("| `Net.h.*.fc` | 12.0 MiB | 6.0 MiB | -6.0 MiB | -50.0 % |"), std::string::npos);
}

}  // namespace
}  // namespace dryfit::report
