// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "estimate/testing.h"

namespace dryfit::estimate {
namespace {

using testing::Analysed;
using testing::TraceText;

TEST(Timeline, Operators_nest_by_their_times_and_blocks_know_where_they_were_made) {
  const Analysed found(TraceText()
                           .op("aten::add", 100, 50)
                           .op("aten::linear", 10, 50)
                           .op("aten::addmm", 20, 30)
                           .memory(25, 64, 512)
                           .memory(55, 128, 256)
                           .memory(70, 64, -512));
  const auto& timeline = found.first.timeline;
  ASSERT_EQ(timeline.nodes.size(), 3u);
  EXPECT_EQ(found.recording.profile().names[timeline.nodes[1].span.name], "aten::addmm");
  EXPECT_EQ(timeline.nodes[1].parent, 0u);
  EXPECT_EQ(timeline.nodes[0].end_node, 2u);
  ASSERT_EQ(timeline.blocks.size(), 2u);
  EXPECT_EQ(timeline.events[timeline.blocks[0].alloc_event].node, 1u);
  EXPECT_EQ(timeline.events[timeline.blocks[1].alloc_event].node, 0u);
  EXPECT_EQ(timeline.events[timeline.blocks[0].free_event].node, kNone);
  EXPECT_EQ(timeline.blocks[1].free_event, kNone);
}

TEST(Timeline, An_address_that_is_used_again_without_a_free_ends_the_older_block) {
  const Analysed found(TraceText().memory(10, 64, 512).memory(20, 64, 1024).memory(30, 64, -1024));
  ASSERT_EQ(found.first.timeline.blocks.size(), 2u);
  EXPECT_NE(found.first.timeline.blocks[0].free_event, kNone);
  EXPECT_EQ(found.first.timeline.diagnostics.counts().at("estimate.missing_frees"), 1u);
}

TEST(Timeline, A_free_of_memory_from_before_the_trace_is_counted_and_left_out) {
  const Analysed found(TraceText().memory(10, 64, 512).memory(20, 128, -512));
  EXPECT_EQ(found.first.timeline.events.size(), 1u);
  EXPECT_EQ(found.first.timeline.diagnostics.counts().at("estimate.unknown_frees"), 1u);
}

TEST(Timeline, A_free_of_another_size_than_its_allocation_is_a_damage) {
  const Analysed found(TraceText().memory(10, 64, 512).memory(20, 64, -1024));
  EXPECT_EQ(found.first.timeline.diagnostics.counts().at("estimate.mismatched_frees"), 1u);
  EXPECT_NE(found.recording.profile().damage.find("another size"), std::string::npos);
}

TEST(Timeline, In_a_profile_of_a_GPU_the_GPUs_blocks_count) {
  const Analysed found(TraceText().memory(10, 64, 512, 1).memory(20, 128, 4096));
  EXPECT_TRUE(found.recording.on_gpu());
  EXPECT_EQ(found.first.timeline.blocks.size(), 1u);
}

TEST(Structure, Steps_and_phases_are_found) {
  const Analysed found(TraceText()
                           .op("aten::relu", 10, 10, R"("Sequence number": 4)")
                           .memory(12, 1, 1000)
                           .op("autograd::engine::evaluate_function: ReluBackward0", 30, 10, R"("Sequence number": 4)")
                           .memory(35, 2, 1000)
                           .annotation("Optimizer.step#AdamW.step", 50, 10)
                           .memory(55, 3, 1000)
                           .op("aten::relu", 70, 10, R"("Sequence number": 5)")
                           .memory(75, 4, 1000));
  const auto& structure = found.first.structure;
  ASSERT_EQ(structure.optimizer_steps.size(), 1u);
  EXPECT_EQ(structure.optimizer_steps[0].class_name, "AdamW");
  ASSERT_EQ(structure.stages.size(), 4u);
  EXPECT_EQ(structure.stages[0].phase, Phase::forward);
  EXPECT_EQ(structure.stages[1].phase, Phase::backward);
  EXPECT_EQ(structure.stages[2].phase, Phase::optimizer);
  EXPECT_EQ(structure.stages[2].step, 1u);
  EXPECT_TRUE(structure.backward.contains(4));
}

}  // namespace
}  // namespace dryfit::estimate
