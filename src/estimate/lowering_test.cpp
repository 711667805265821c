// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>

#include "estimate/playing.h"
#include "estimate/testing.h"

namespace dryfit::estimate {
namespace {

using testing::Argument;
using testing::arguments;
using testing::calls_of;
using testing::TraceText;

constexpr const char* kForward = R"("Sequence number": 1)";

/// Far behind everything else, what makes the operators with that number those of a forward pass.
TraceText trained() { return TraceText().op("autograd::engine::evaluate_function: ViewBackward0", 9000, 1, kForward); }

/// What comes before it is the host's: a forward operator from which on everything is the card's.
TraceText begun() { return trained().op("aten::view", 1, 1, kForward); }

std::string with_sequence(const std::string& more) { return std::string(kForward) + ", " + more; }

TEST(Orchestrator, What_comes_and_goes_before_training_stays_on_the_host) {
  const auto trace = trained()
                         .memory(5, 1, 9000)
                         .memory(6, 1, -9000)
                         .memory(7, 2, 4000)
                         .op("aten::relu", 10, 5, kForward)
                         .memory(12, 3, 700);
  EXPECT_EQ(calls_of(trace), "+4000 +700");
}

TEST(Orchestrator, A_batch_is_copied_to_the_card_when_the_loader_hands_it_out) {
  const auto trace = begun()
                         .annotation("enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", 10, 10)
                         .memory(11, 1, 5000)
                         .memory(12, 2, 800)
                         .memory(13, 1, -5000)
                         .op("aten::relu", 30, 5, kForward)
                         .memory(32, 3, 700)
                         .memory(50, 2, -800);
  EXPECT_EQ(calls_of(trace), "+800 +700 -800");
}

TEST(Orchestrator, With_marks_the_card_has_what_was_copied_to_it_and_what_came_after) {
  const auto trace = trained()
                         .memory(5, 1, 9000)
                         .op("dryfit::to_device", 10, 10)
                         .memory(12, 2, 9000)
                         .memory(13, 3, 100)
                         .memory(14, 3, -100)
                         .memory(25, 1, -9000)
                         .op("dryfit::host", 30, 10)
                         .memory(32, 4, 333)
                         .op("aten::relu", 50, 5, kForward)
                         .memory(52, 5, 700);
  EXPECT_EQ(calls_of(trace), "+9000 +700");
}

TEST(Orchestrator, Parameters_of_the_metadata_come_first_and_tied_ones_once) {
  auto trace = begun().op("aten::relu", 10, 5, kForward).memory(12, 1, 700);
  trace.key("dryfit", R"({"format": 1, "parameters": [{"name": "a", "bytes": 1000, "requires_grad": true},
                          {"name": "b", "tied": "a"}], "buffers": [{"name": "c", "bytes": 64}]})");
  std::vector<Gap> gaps;
  EXPECT_EQ(calls_of(trace, &gaps), "+1000 +64 +700");
  EXPECT_TRUE(gaps.empty());
}

TEST(Orchestrator, Without_metadata_parameters_are_taken_from_their_gradients_and_the_gap_is_named) {
  const auto trace = begun()
                         .op("autograd::engine::evaluate_function: torch::autograd::AccumulateGrad", 10, 5)
                         .op("torch::autograd::AccumulateGrad", 11, 3, arguments({{"float", "[10, 4]", ""}}))
                         .memory(12, 1, 160);
  std::vector<Gap> gaps;
  EXPECT_EQ(calls_of(trace, &gaps), "+160 +160");
  ASSERT_EQ(gaps.size(), 1u);
  EXPECT_EQ(gaps[0].name, "parameters");
}

TEST(Orchestrator, Numbers_in_expressions_are_the_hosts_and_tensors_of_one_number_are_not) {
  const auto trace = begun()
                         .op("dryfit::backward", 10, 90)
                         .op("aten::ones_like", 11, 4)
                         .memory(12, 1, 4)
                         .op("aten::div", 20, 10)
                         .memory(21, 2, 8)
                         .memory(22, 3, 700)
                         .memory(23, 2, -8)
                         .memory(50, 1, -4);
  EXPECT_EQ(calls_of(trace), "+4 +700 -4");
}

TEST(Lowering, Dropout_keeps_a_mask_of_booleans) {
  const auto trace = begun()
                         .op("aten::dropout", 10, 10, with_sequence(arguments({{"float", "[100, 10]", ""}})))
                         .memory(11, 1, 4000)
                         .memory(12, 2, 4000)
                         .memory(13, 2, -4000)
                         .memory(14, 3, 4000);
  EXPECT_EQ(calls_of(trace), "+1000 +4000");
}

TEST(Lowering, The_first_product_of_a_thread_brings_a_workspace_that_stays) {
  const auto product = [](TraceText& trace, int at, std::uint64_t address) {
    trace.op("aten::mm", at, 5).memory(at + 1, address, 400);
  };
  auto trace = begun();
  product(trace, 10, 1);
  product(trace, 20, 2);
  trace.op("autograd::engine::evaluate_function: MmBackward0", 30, 20);
  product(trace, 35, 3);
  product(trace, 42, 4);
  EXPECT_EQ(calls_of(trace), "+400 +8519680 +400 +400 +8519680 +400");
  EXPECT_EQ(calls_of(trace, nullptr, {2, 15, 0}).substr(0, 23), "+400 +8519680 -8519680 ");
}

TEST(Lowering, A_product_with_a_bias_has_memory_of_its_own_as_each_version_does) {
  const auto trace =
      begun()
          .op("aten::addmm", 10, 5,
              with_sequence(arguments({{"float", "[8]", ""}, {"float", "[4, 6]", ""}, {"float", "[6, 8]", ""}})))
          .memory(11, 1, 128);
  EXPECT_EQ(calls_of(trace), "+128 +1048576 +8519680 -1048576");
  EXPECT_EQ(calls_of(trace, nullptr, {2, 9, 0}), "+128 +8519680 +1048576");
  EXPECT_EQ(calls_of(trace, nullptr, {2, 12, 0}), "+128 +8519680");
  EXPECT_EQ(calls_of(trace, nullptr, {2, 15, 0}), "+128 +1048576 -1048576");
}

TEST(Lowering, A_matrix_that_cuBLAS_cannot_take_is_copied) {
  const auto product = [](const std::string& strides) {
    return begun()
        .op("aten::mm", 10, 10,
            arguments({{"float", "[4, 8]", ""}, {"float", "[8, 2]", ""}}) + R"(, "Input Strides": [)" + strides +
                ", [2, 1]]")
        .memory(12, 1, 32);
  };
  constexpr const char* kWorkspace = "8519680";
  const auto calls = [&](const char* strides) { return calls_of(product(strides)); };
  for (const auto* fit : {"[8, 1]", "[1, 4]", "[20, 1]", "[1, 20]"}) {
    EXPECT_EQ(calls(fit), std::string("+32 +") + kWorkspace) << fit;
  }
  for (const auto* odd : {"[0, 0]", "[1, 0]", "[16, 2]"}) {
    EXPECT_EQ(calls(odd), std::string("+32 +128 +") + kWorkspace + " -128") << odd;
  }
}

TEST(Lowering, Batch_norm_allocates_its_result_first_and_nothing_in_between) {
  const auto trace = begun()
                         .op("aten::native_batch_norm_backward", 10, 10)
                         .memory(11, 1, 4096)
                         .memory(12, 2, 256)
                         .memory(13, 3, 4096)
                         .memory(14, 1, -4096);
  EXPECT_EQ(calls_of(trace), "+4096 +256");
}

TEST(Lowering, Adam_has_a_copy_of_what_is_trained_until_the_step_ends) {
  auto trace = begun()
                   .annotation("Optimizer.step#Adam.step", 10, 20)
                   .memory(11, 1, 1000)
                   .memory(12, 2, 1000)
                   .memory(13, 9, 4)
                   .memory(14, 3, 1000)
                   .memory(15, 3, -1000);
  trace.key("dryfit", R"({"format": 1, "loaded_in_trace": true,
                          "parameters": [{"name": "a", "bytes": 1000, "requires_grad": true}]})");
  EXPECT_EQ(calls_of(trace), "+1000 +1000 +1000 -1000");
}

TEST(Lowering, An_optimizer_that_nobody_knows_is_taken_as_it_is_and_named) {
  const auto trace = begun().annotation("Optimizer.step#Mine.step", 10, 20).memory(11, 1, 1000).memory(12, 1, -1000);
  std::vector<Gap> gaps;
  EXPECT_EQ(calls_of(trace, &gaps), "+1000 -1000");
  EXPECT_EQ(gaps.back().name, "optimizer_temporaries");
}

TEST(Lowering, Attention_is_not_copied_into_order_on_the_card) {
  const auto trace = begun()
                         .op("aten::_scaled_dot_product_flash_attention_for_cpu", 10, 10)
                         .memory(11, 1, 4000)
                         .memory(12, 2, 100)
                         .op("aten::contiguous", 30, 8)
                         .op("aten::clone", 31, 5)
                         .memory(32, 3, 4000)
                         .memory(50, 1, -4000)
                         .memory(60, 3, -4000);
  EXPECT_EQ(calls_of(trace), "+4000 +100 -4000");
}

TEST(Lowering, Attention_of_older_versions_has_another_name_and_more_results) {
  const auto trace = begun()
                         .op("aten::_scaled_dot_product_flash_attention", 10, 10)
                         .memory(11, 1, 4000)
                         .memory(12, 2, 100)
                         .memory(13, 3, 8)
                         .memory(14, 4, 4)
                         .memory(50, 1, -4000);
  EXPECT_EQ(calls_of(trace), "+4000 +100 -4000");
}

/// Of 5 texts of 3 tokens with 2 heads of 4 channels, in single precision.
TraceText attention_of_many(const char* strides) {
  const Argument tensor{"float", "[5, 2, 3, 4]", ""};
  const auto sequence = std::string(R"("Sequence number": 1, )");
  return begun()
      .op("aten::_scaled_dot_product_flash_attention_for_cpu", 10, 10,
          sequence + arguments({tensor, tensor, tensor}) + R"(, "Input Strides": [)" + strides + "]")
      .memory(11, 1, 480)
      .memory(12, 2, 120);
}

TEST(Lowering, The_memory_efficient_kernel_has_sums_of_whole_32s) {
  EXPECT_EQ(calls_of(attention_of_many("[24, 12, 4, 1], [24, 12, 4, 1], [24, 12, 4, 1]")), "+480 +1280");
}

TEST(Lowering, With_the_sequence_outside_the_result_of_attention_is_copied_on_the_card_alone) {
  const auto trace = attention_of_many("[8, 4, 40, 1], [8, 4, 40, 1], [8, 4, 40, 1]")
                         .op("aten::permute", 30, 2)
                         .op("aten::view", 35, 2, arguments({{"float", "[3, 5, 2, 4]", ""}}))
                         .op("aten::mul", 40, 5)
                         .memory(42, 3, 600);
  EXPECT_EQ(calls_of(trace), "+480 +1280 +480 +600 -480");
}

TEST(Lowering, A_gradient_of_attention_in_another_order_is_copied) {
  const auto backward = [](const char* strides) {
    const Argument tensor{"float", "[5, 2, 3, 4]", ""};
    return begun()
        .op("aten::_scaled_dot_product_flash_attention_for_cpu_backward", 10, 10,
            arguments({tensor, tensor}) + R"(, "Input Strides": [)" + strides + "]")
        .memory(11, 1, 480);
  };
  const auto in_order = calls_of(backward("[24, 4, 8, 1], [24, 4, 8, 1]"));
  const auto outside = calls_of(backward("[8, 4, 40, 1], [8, 4, 40, 1]"));
  EXPECT_EQ(outside, "+480 " + in_order + " -480");
}

TEST(Lowering, Attention_is_copied_by_nobody_else) {
  const auto trace = begun()
                         .op("aten::_scaled_dot_product_flash_attention_for_cpu", 10, 10)
                         .memory(11, 1, 4000)
                         .op("aten::transpose", 22, 2)
                         .op("aten::gelu", 25, 3)
                         .op("aten::contiguous", 30, 8)
                         .memory(32, 3, 4000)
                         .memory(50, 1, -4000);
  EXPECT_EQ(calls_of(trace), "+4000 +4000 -4000");
}

TEST(Lowering, A_kernel_converts_its_operands_itself) {
  const auto trace = begun()
                         .op("aten::add", 10, 20)
                         .op("aten::to", 11, 10)
                         .memory(12, 1, 1000)
                         .memory(23, 2, 1000)
                         .memory(24, 1, -1000);
  EXPECT_EQ(calls_of(trace), "+1000");
}

TEST(Lowering, What_has_no_rule_is_named_once) {
  const auto trace = begun().op("aten::lstm", 10, 5).op("aten::lstm", 20, 5).memory(22, 1, 700);
  std::vector<Gap> gaps;
  EXPECT_EQ(calls_of(trace, &gaps), "+700");
  EXPECT_EQ(std::ranges::count(gaps, "recurrent", &Gap::name), 1);
}

TEST(Lowering, A_gradient_in_another_layout_is_copied_for_the_time_of_both_convolutions) {
  const std::string strides = R"(, "Input Strides": [[48, 1, 12, 3], [48, 16, 4, 1], [27, 9, 3, 1]])";
  const auto trace =
      begun()
          .op("aten::convolution_backward", 10, 10,
              arguments({{"float", "[2, 3, 4, 4]", ""}, {"float", "[2, 3, 4, 4]", ""}, {"float", "[3, 3, 3, 3]", ""}}) +
                  strides)
          .memory(11, 1, 99)
          .memory(12, 1, -99)
          .memory(13, 2, 384)
          .memory(14, 3, 324);
  EXPECT_EQ(calls_of(trace), "+384 +384 +324 -384");
}

TEST(Lowering, A_depthwise_convolution_makes_the_gradient_of_the_weight_first) {
  const auto trace =
      begun()
          .op("aten::convolution_backward", 10, 10,
              arguments({{"float", "[2, 3, 4, 4]", ""}, {"float", "[2, 3, 4, 4]", ""}, {"float", "[3, 1, 3, 3]", ""}}))
          .memory(13, 2, 384)
          .memory(14, 3, 108);
  EXPECT_EQ(calls_of(trace), "+108 +384");
}

TEST(Lowering, Random_bits_are_drawn_without_memory_of_their_own) {
  const auto trace = begun()
                         .op("aten::bernoulli_", 10, 10, arguments({{"float", "[100]", ""}}))
                         .memory(11, 1, 400)
                         .memory(12, 1, -400)
                         .op("aten::mul", 30, 5, kForward)
                         .memory(32, 2, 500);
  EXPECT_EQ(calls_of(trace), "+500");
}

TEST(Estimate, A_plan_that_is_too_large_names_the_request_that_failed) {
  const auto trace = begun().op("aten::relu", 10, 5, kForward).memory(12, 1, std::int64_t{2} << 30);
  const auto found = testing::estimated(trace);
  const auto& device = found.process.devices.at(0);
  ASSERT_TRUE(device.last_oom);
  EXPECT_EQ(device.last_oom->requested.count, std::uint64_t{2} << 30);
  EXPECT_EQ(device.last_oom->at.phase, "forward");
  EXPECT_EQ(device.ooms, 1u);
}

TEST(Estimate, A_workspace_that_finds_no_room_is_done_without) {
  using namespace literals;
  Plan plan{.sizes = {500_MiB, 800_MiB}};
  plan.calls = {
      {.block = 0}, {.block = 1, .is_optional = true}, {.block = 1, .is_free = true}, {.block = 0, .is_free = true}};
  Player player(testing::small_card(), {}, std::nullopt);
  player.play(plan, {});
  const auto device = player.finish();
  EXPECT_FALSE(device.last_oom);
  EXPECT_EQ(device.ooms, 1u);
  EXPECT_EQ(device.torch_peak_allocated, 500_MiB);
}

TEST(Estimate, Peaks_are_what_the_allocator_reserves_and_what_is_outside) {
  const auto trace = begun().op("aten::relu", 10, 5, kForward).memory(12, 1, 1000).memory(20, 1, -1000);
  const auto found = testing::estimated(trace);
  const auto& device = found.process.devices.at(0);
  EXPECT_EQ(device.torch_peak_reserved->count, 2u << 20);
  EXPECT_EQ(device.peak.count,
            device.peak_torch_reserved.count + device.peak_context.count + device.peak_libraries.count);
}

constexpr std::int64_t kMebibyte = 1 << 20;

TraceText with_model(TraceText trace, const char* loaded_in_trace) {
  trace.key("dryfit", R"({"format": 1, "loaded_in_trace": )" + std::string(loaded_in_trace) +
                          R"(, "parameters": [{"name": "a", "bytes": 31457280, "requires_grad": true}]})");
  return trace;
}

TraceText loading() { return trained().op("dryfit::to_device", 10, 5).memory(12, 1, 30 * kMebibyte); }

TraceText with_first_batch(TraceText trace) {
  trace.op("dryfit::to_device", 30, 5).memory(32, 2, 40 * kMebibyte);
  return std::move(trace.op("aten::relu", 50, 5, kForward).memory(52, 3, 50 * kMebibyte));
}

std::int64_t mebibytes_after_load(const TraceText& trace) {
  const auto found = testing::estimated(trace);
  return static_cast<std::int64_t>(found.process.devices.at(0).torch_reserved_after_load->count) / kMebibyte;
}

TEST(Estimate, A_model_is_loaded_at_the_last_mark_before_the_first_forward_pass) {
  auto marked = with_first_batch(loading().op("dryfit::loaded", 20, 1)).op("dryfit::loaded", 60, 1);
  EXPECT_EQ(mebibytes_after_load(with_model(marked, "true")), 30);
  EXPECT_EQ(mebibytes_after_load(with_model(with_first_batch(loading()), "true")), 70);
}

TEST(Estimate, A_model_that_was_on_the_card_before_the_trace_is_loaded_at_its_beginning) {
  const auto trace = begun().op("aten::relu", 10, 5, kForward).memory(12, 1, 50 * kMebibyte);
  EXPECT_EQ(mebibytes_after_load(with_model(trace, "false")), 30);
}

}  // namespace
}  // namespace dryfit::estimate
