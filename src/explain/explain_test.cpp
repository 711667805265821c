// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "explain/explain.h"

#include <gtest/gtest.h>

#include <numeric>

#include "explain/testing.h"

namespace dryfit::explain {
namespace {

using namespace literals;
using testing::Story;

/// A model of one layer is loaded.
Story loaded() {
  Story story;
  story.at("load", "to").alloc("weight", 4_MiB).phase(Phase::forward, 1);
  story.at("main", "to").alloc("batch", 2_MiB);
  story.enter("Net").saw(Role::parameter, "weight", "Net.fc", "weight").enter("Net.fc").at("forward", "linear");
  return story;
}

/// One whole step after another, as an ordinary loop makes them.
Story trained() {
  auto story = loaded();
  story.alloc("output", 6_MiB).leave().leave();
  story.at("main", "mse_loss").alloc("loss", 2_MiB);
  story.phase(Phase::backward, 1).nowhere().alloc("delta", 6_MiB).alloc("gradient", 4_MiB).free("output").free("delta");
  story.saw(Role::gradient, "gradient", "Net.fc", "weight.grad").phase(Phase::optimizer, 1);
  story.alloc("momentum", 4_MiB).alloc("step", 4_MiB).free("step");
  story.saw(Role::state, "momentum", "Net.fc", "momentum_buffer of weight").phase(Phase::forward, 2);
  return story;
}

TEST(Explain, A_step_falls_into_its_categories) {
  auto story = trained();
  const auto result = story.explained();
  EXPECT_EQ(story.category(result, "weight"), Category::parameters);
  EXPECT_EQ(story.category(result, "batch"), Category::inputs);
  EXPECT_EQ(story.category(result, "output"), Category::activations);
  EXPECT_EQ(story.category(result, "loss"), Category::activations);
  EXPECT_EQ(story.category(result, "gradient"), Category::gradients);
  EXPECT_EQ(story.category(result, "momentum"), Category::optimizer_state);
  EXPECT_EQ(story.category(result, "delta"), Category::temporaries);
  EXPECT_EQ(story.category(result, "step"), Category::temporaries);
  EXPECT_TRUE(result.has_marks);
  EXPECT_TRUE(result.from_beginning);
}

TEST(Explain, A_step_in_which_nothing_happened_is_left_out) {
  auto story = trained();
  const auto result = story.snapshot_taken().explained();
  EXPECT_EQ(result.spans.back().step, 1u);
  EXPECT_EQ(result.spans.back().phase, Phase::optimizer);
}

TEST(Explain, Categories_sum_to_what_is_allocated_at_the_peak) {
  const auto result = trained().explained();
  const auto& peak = result.peak;
  EXPECT_EQ(peak.allocated, 24_MiB);  // weight, batch, output, loss, delta and gradient
  EXPECT_EQ(std::accumulate(peak.categories.begin(), peak.categories.end(), Bytes{}), peak.allocated);
  EXPECT_EQ(peak.phase, Phase::backward);
  EXPECT_EQ(peak.step, 1u);
  EXPECT_EQ(peak.reserved, peak.allocated + peak.cached);
  Bytes blocks, held;
  for (const auto& segment : peak.segments) {
    for (const auto& block : segment.blocks) {
      blocks += block.bytes;
      if (block.allocation != kNone) held += block.bytes;
    }
  }
  EXPECT_EQ(blocks, peak.reserved);
  EXPECT_EQ(held, peak.allocated);
}

TEST(Explain, Owners_are_modules_lines_and_operators) {
  auto story = trained();
  const auto result = story.explained();
  const auto& output = story.find(result, "output");
  EXPECT_EQ(result.name(output.module), "Net.fc");
  EXPECT_EQ(result.name(output.op), "linear");
  ASSERT_NE(output.line, kNone);
  EXPECT_EQ(result.name(result.lines[output.line].function), "forward");
  EXPECT_EQ(story.module(result, "momentum"), "Net.fc");
  EXPECT_EQ(result.name(story.find(result, "momentum").tensor), "momentum_buffer of weight");
  EXPECT_EQ(story.module(result, "batch"), "");
}

TEST(Explain, A_parameter_whose_module_is_learnt_late_has_it) {
  auto story = trained();
  story.at("main", "to").alloc("free", 4_MiB).saw(Role::parameter, "free", "", "").alloc("other", 2_MiB);
  story.saw(Role::parameter, "free", "Net.late", "weight");
  const auto result = story.explained();
  EXPECT_EQ(story.module(result, "free"), "Net.late");
}

TEST(Explain, A_backward_pass_works_for_the_module_whose_activation_it_frees_next) {
  auto story = loaded();
  story.alloc("first", 6_MiB).leave().enter("Net.out").at("forward", "gelu").alloc("second", 6_MiB).leave().leave();
  story.phase(Phase::backward, 1).nowhere().alloc("of second", 8_MiB).free("second").alloc("of first", 8_MiB);
  story.free("first").free("of second").free("of first").phase(Phase::other, 1);
  const auto result = story.explained();
  EXPECT_EQ(story.module(result, "of second"), "Net.out");
  EXPECT_EQ(story.module(result, "of first"), "Net.fc");
  EXPECT_TRUE(story.find(result, "of first").is_inferred);
  EXPECT_FALSE(story.find(result, "first").is_inferred);
  EXPECT_EQ(result.name(story.find(result, "of first").op), "linear (backward)");
}

TEST(Explain, What_comes_before_a_gradient_is_made_by_the_operator_of_its_module) {
  auto story = loaded();
  story.leave().enter("Net.norm").at("forward", "batch_norm").alloc("normed", 6_MiB).leave();
  story.enter("Net.fc").at("forward", "linear").alloc("output", 6_MiB).leave().leave();
  story.phase(Phase::backward, 1).nowhere().free("output").alloc("search", 32_MiB).alloc("gradient", 4_MiB);
  story.saw(Role::gradient, "gradient", "Net.fc", "weight.grad").free("search").free("normed").phase(Phase::other, 1);
  const auto result = story.explained();
  EXPECT_EQ(story.module(result, "search"), "Net.fc");
  EXPECT_EQ(result.name(story.find(result, "search").op), "linear (backward)");
}

TEST(Explain, What_a_module_drops_before_the_backward_pass_is_temporary) {
  auto story = loaded();
  story.alloc("scores", 8_MiB).alloc("output", 6_MiB).free("scores").leave().leave().phase(Phase::backward, 1);
  const auto result = story.explained();
  EXPECT_EQ(story.category(result, "scores"), Category::temporaries);
  EXPECT_EQ(story.category(result, "output"), Category::activations);
}

TEST(Explain, Scratch_behind_a_result_of_the_same_line_is_a_workspace) {
  auto story = loaded();
  story.alloc("output", 6_MiB).alloc("scratch", 32_MiB).free("scratch").leave().leave().phase(Phase::backward, 1);
  const auto result = story.explained();
  EXPECT_EQ(story.category(result, "scratch"), Category::workspaces);
}

TEST(Explain, A_gradient_that_is_added_to_another_is_not_a_workspace) {
  auto story = trained();
  story.phase(Phase::backward, 2).alloc("result", 2_MiB).alloc("more", 4_MiB).free("more").phase(Phase::other, 2);
  const auto result = story.explained();
  EXPECT_EQ(story.category(result, "more"), Category::temporaries);
}

TEST(Explain, The_workspace_of_cublas_is_known_by_its_size) {
  auto story = loaded();
  story.workspace(8519680_B).alloc("workspace", 8519680_B).alloc("output", 6_MiB).leave().leave();
  story.phase(Phase::backward, 1).phase(Phase::optimizer, 1).phase(Phase::forward, 2);
  const auto result = story.explained();
  EXPECT_EQ(story.category(result, "workspace"), Category::workspaces);
}

TEST(Explain, Copies_of_a_parameter_and_an_input_are_autocast_s) {
  Story story;
  story.at("load", "to").alloc("weight", 4_MiB).phase(Phase::forward, 1).casts("Net", {2_MiB});
  story.enter("Net", true, 3_MiB).at("forward", "linear");
  story.alloc("low input", 3_MiB).alloc("low weight", 2_MiB).alloc("output", 6_MiB).alloc("another", 2_MiB).leave();
  story.phase(Phase::backward, 1);
  const auto result = story.explained();
  EXPECT_EQ(story.category(result, "low input"), Category::autocast);
  EXPECT_EQ(story.category(result, "low weight"), Category::autocast);
  EXPECT_EQ(story.category(result, "output"), Category::activations);
  EXPECT_EQ(story.category(result, "another"), Category::activations) << "a parameter is copied once";
}

TEST(Explain, What_checkpointing_computes_again_is_activations) {
  auto story = loaded();
  story.leave().leave().phase(Phase::backward, 1).enter("Net").at("forward", "linear");
  story.alloc("scores", 8_MiB).alloc("again", 6_MiB).free("scores").leave().free("again").phase(Phase::other, 1);
  const auto result = story.explained();
  EXPECT_EQ(story.category(result, "again"), Category::activations);
  EXPECT_EQ(story.category(result, "scores"), Category::temporaries);
}

TEST(Explain, What_lives_through_steps_unseen_is_unknown) {
  Story story;
  story.phase(Phase::forward, 1).at("main", "zeros").alloc("sum", 2_MiB);
  story.phase(Phase::backward, 1).phase(Phase::optimizer, 1).phase(Phase::forward, 2).phase(Phase::backward, 2);
  story.phase(Phase::optimizer, 2).phase(Phase::forward, 3).alloc("other", 2_MiB);
  const auto result = story.explained();
  EXPECT_EQ(story.category(result, "sum"), Category::unknown);
}

TEST(Explain, A_cache_that_a_module_keeps_is_a_buffer) {
  auto story = loaded();
  story.alloc("cosines", 2_MiB).leave().leave().phase(Phase::backward, 1).phase(Phase::optimizer, 1);
  story.phase(Phase::forward, 2).phase(Phase::backward, 2).phase(Phase::optimizer, 2).phase(Phase::forward, 3);
  story.alloc("other", 2_MiB);
  const auto result = story.explained();
  EXPECT_EQ(story.category(result, "cosines"), Category::buffers);
}

TEST(Explain, What_a_failed_first_forward_pass_kept_is_explained) {
  auto story = loaded();
  story.alloc("output", 6_MiB).alloc("scores", 8_MiB).free("scores").out_of_memory(64_MiB).leave().leave();
  story.free("output").free("batch");
  const auto result = story.explained();
  ASSERT_TRUE(result.failure);
  EXPECT_EQ(result.failure->requested, 64_MiB);
  EXPECT_EQ(result.name(result.failure->module), "Net.fc");
  EXPECT_EQ(result.peak.event, result.failure->event) << "the failure is explained, not the peak before it";
  EXPECT_EQ(result.peak.allocated, 12_MiB);
  EXPECT_EQ(story.category(result, "output"), Category::activations);
  EXPECT_EQ(story.category(result, "batch"), Category::inputs);
}

TEST(Explain, A_failure_that_the_program_survives_is_not_what_is_explained) {
  auto story = loaded();
  story.out_of_memory(1_GiB).alloc("output", 6_MiB).leave().leave().phase(Phase::backward, 1);
  story.phase(Phase::optimizer, 1).phase(Phase::forward, 2);
  EXPECT_FALSE(story.explained().failure);
}

TEST(Explain, Without_marks_lines_are_all_that_is_known) {
  auto story = trained();
  story.finish();
  const auto result = explain({.snapshot = &story.snapshot(), .torch = whatif::testing::kTorch});
  ASSERT_TRUE(result);
  EXPECT_FALSE(result->has_marks);
  EXPECT_EQ(story.category(*result, "weight"), Category::unknown);
  EXPECT_EQ(result->peak.of(Category::unknown), result->peak.allocated);
  EXPECT_NE(story.find(*result, "weight").line, kNone);
}

TEST(Explain, Marks_of_another_history_are_not_used) {
  auto story = trained();
  story.finish();
  story.marks().end = 1;
  const auto result =
      explain({.snapshot = &story.snapshot(), .torch = whatif::testing::kTorch, .marks = &story.marks()});
  ASSERT_TRUE(result);
  EXPECT_FALSE(result->has_marks);
  EXPECT_EQ(result->diagnostics.counts().count("explain.marks_disagree"), 1u);
}

TEST(Explain, Where_the_history_has_lost_its_beginning_marks_are_counted_from_its_end) {
  auto story = trained();
  story.finish();
  auto& entries = story.snapshot().device_traces.front();
  entries.erase(entries.begin(), entries.begin() + 2);  // the weight's segment and its allocation
  const auto result =
      explain({.snapshot = &story.snapshot(), .torch = whatif::testing::kTorch, .marks = &story.marks()});
  ASSERT_TRUE(result);
  EXPECT_FALSE(result->from_beginning);
  EXPECT_EQ(story.category(*result, "weight"), Category::parameters);
  EXPECT_EQ(story.category(*result, "output"), Category::activations);
  EXPECT_EQ(result->peak.allocated, 24_MiB);
}

TEST(Explain, Nothing_recorded_is_an_error) {
  const snapshot::Snapshot empty;
  EXPECT_FALSE(explain({.snapshot = &empty, .torch = whatif::testing::kTorch}));
}

}  // namespace
}  // namespace dryfit::explain
