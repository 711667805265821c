// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "analysis/replay.h"

#include <gtest/gtest.h>

namespace dryfit::analysis {
namespace {

using namespace literals;
using trace::Purpose;

/// A trace being made up, with names interned on the fly.
class Story {
 public:
  Story() { tell(trace::Device{0, 8_GiB, name("rtx-4060-8gb")}); }

  trace::NameId name(const std::string& text) {
    const auto [found, fresh] = ids_.try_emplace(text, static_cast<trace::NameId>(ids_.size() + 1));
    if (fresh) replay_.apply({0, trace::Name{found->second, text}});
    return found->second;
  }
  void tell(trace::Payload payload) { replay_.apply({++clock_, std::move(payload)}); }
  void take(std::uint64_t address, Bytes size, const std::string& library, Purpose purpose = Purpose::allocation) {
    tell(trace::Allocate{0, purpose, address, size, size, name(library)});
  }
  void give_back(std::uint64_t address, Bytes size, Purpose purpose = Purpose::allocation) {
    tell(trace::Release{0, purpose, address, size});
  }
  void phase(const std::string& text) { tell(trace::Phase{name(text)}); }
  void value(const std::string& key, std::uint64_t number) { tell(trace::Value{name(key), 0, number}); }

  void count(const std::string& key, std::uint64_t number) { tell(trace::Value{name(key), -1, number}); }

  const Replay& replay() const { return replay_; }
  ProcessSummary summary() const { return replay_.summary(); }
  DeviceSummary device() const { return replay_.summary().devices.at(0); }

 private:
  Replay replay_;
  std::map<std::string, trace::NameId> ids_;
  trace::Nanoseconds clock_ = 0;
};

TEST(Replay, A_peak_is_the_sum_of_its_parts_by_owner) {
  Story story;
  story.take(1, 176_MiB, "libcuda.so.1", Purpose::context);
  story.take(2, 6_MiB, "libcuda.so.1", Purpose::code);
  story.take(3, 20_MiB, "/venv/nvidia/cuda_runtime/lib/libcudart.so.12");
  story.take(4, 40_MiB, "libc10_cuda.so", Purpose::physical);
  story.take(5, 9_MiB, "libcublas.so.12");
  story.take(6, 1_MiB, "/venv/nvidia/cudnn/lib/libcudnn_graph.so.9", Purpose::pool);
  const auto device = story.device();
  EXPECT_EQ(device.peak, 252_MiB);
  EXPECT_EQ(device.peak_context, 176_MiB);
  EXPECT_EQ(device.peak_code, 6_MiB);
  EXPECT_EQ(device.peak_torch_reserved, 60_MiB);
  EXPECT_EQ(device.peak_libraries, 10_MiB);
  EXPECT_EQ(device.libraries,
            (std::map<std::string, Bytes>{{"libcublas.so.12", 9_MiB}, {"libcudnn_graph.so.9", 1_MiB}}));
  EXPECT_EQ(device.card, "rtx-4060-8gb");
  EXPECT_EQ(device.capacity, 8_GiB);
}

TEST(Replay, The_first_of_two_equal_peaks_is_kept) {
  Story story;
  story.phase("forward");
  story.take(1, 10_MiB, "libcudart.so.12");
  story.phase("backward");
  story.give_back(1, 10_MiB);
  story.take(2, 10_MiB, "libcublas.so.12");
  const auto device = story.device();
  EXPECT_EQ(device.peak, 10_MiB);
  EXPECT_EQ(device.peak_at.phase, "forward");
  EXPECT_EQ(device.peak_torch_reserved, 10_MiB);
  EXPECT_EQ(device.peak_libraries, 0_B);
}

TEST(Replay, Memory_given_back_before_the_peak_does_not_count) {
  Story story;
  story.take(1, 100_MiB, "libcublas.so.12");
  story.give_back(1, 100_MiB);
  story.take(2, 200_MiB, "libcudart.so.12");
  EXPECT_EQ(story.device().peak, 200_MiB);
  EXPECT_TRUE(story.device().libraries.empty());
  EXPECT_EQ(story.replay().used(), 200_MiB);
}

TEST(Replay, One_address_may_live_once_per_purpose) {
  Story story;
  story.take(1, 2_MiB, "libcudart.so.12", Purpose::allocation);
  story.take(1, 4_MiB, "libcudart.so.12", Purpose::physical);
  story.give_back(1, 2_MiB, Purpose::allocation);
  EXPECT_EQ(story.replay().used(), 4_MiB);
  EXPECT_TRUE(story.summary().diagnostics.empty());
}

TEST(Replay, Taking_an_address_twice_or_releasing_an_unknown_one_is_counted_and_ignored) {
  Story story;
  story.take(1, 2_MiB, "libcudart.so.12");
  story.take(1, 8_MiB, "libcudart.so.12");
  story.give_back(7, 1_MiB);
  EXPECT_EQ(story.replay().used(), 2_MiB);
  const auto counts = story.summary().diagnostics.counts();
  EXPECT_EQ(counts.at("trace.address_taken_twice"), 1u);
  EXPECT_EQ(counts.at("trace.unknown_address_released"), 1u);
}

TEST(Replay, Steps_count_from_one_once_the_first_forward_begins) {
  Story story;
  EXPECT_EQ(story.replay().now().step, 0u);
  EXPECT_EQ(story.replay().now().phase, "load");
  story.phase("forward");
  EXPECT_EQ(story.replay().now().step, 1u);
  story.phase("optimizer");
  story.tell(trace::Step{1});
  story.phase("forward");
  EXPECT_EQ(story.replay().now().step, 2u);
  EXPECT_EQ(story.summary().steps, 1u);
  EXPECT_TRUE(story.summary().forward_seen);
  EXPECT_FALSE(story.summary().backward_seen);
}

TEST(Replay, An_optimizer_that_evaluates_the_model_itself_is_in_its_first_step) {
  Story story;
  story.phase("optimizer");
  EXPECT_EQ(story.replay().now().step, 1u);
  story.phase("backward");
  story.phase("optimizer");
  EXPECT_EQ(story.replay().now().step, 1u);
  story.tell(trace::Step{1});
  EXPECT_EQ(story.replay().now().step, 2u);
}

TEST(Replay, Peaks_reported_by_torch_keep_their_maximum_and_counts_their_last_value) {
  Story story;
  story.take(1, 2_MiB, "libcudart.so.12");
  story.value("torch.peak_reserved_bytes", 300);
  story.value("torch.peak_reserved_bytes", 200);
  story.value("torch.peak_allocated_bytes", 100);
  story.value("torch.reserved_after_load_bytes", 50);
  story.value("torch.alloc_retries", 1);
  story.value("torch.alloc_retries", 4);
  const auto device = story.device();
  EXPECT_EQ(device.torch_peak_reserved, Bytes{300});
  EXPECT_EQ(device.torch_peak_allocated, Bytes{100});
  EXPECT_EQ(device.torch_reserved_after_load, Bytes{50});
  EXPECT_EQ(device.alloc_retries, 4u);
}

TEST(Replay, Floating_point_operations_come_by_step_operator_and_module) {
  Story story;
  EXPECT_FALSE(story.summary().compute);
  story.count("flops.step", 10);
  story.count("flops.step", 12);
  story.count("flops.last_step/convolution/Net.a/b", 7);
  story.count("flops.last_step/mm/", 5);
  story.count("flops.uncounted/_cudnn_rnn", 3);
  story.count("flops.of_a_later_version", 1);
  story.count("flops.last_step/cut", 1);
  story.count("traffic.step", 64);
  story.count("traffic.last_step/add_/Net.a/b", 48);
  story.count("traffic.last_step/cut", 1);
  const auto compute = story.summary().compute;
  ASSERT_TRUE(compute);
  EXPECT_EQ(compute->steps, (std::vector<std::uint64_t>{10, 12}));
  ASSERT_EQ(compute->last_step.size(), 2u);
  EXPECT_EQ(compute->last_step[0].op, "convolution");
  EXPECT_EQ(compute->last_step[0].module, "Net.a/b");
  EXPECT_EQ(compute->last_step[0].flops, 7u);
  EXPECT_EQ(compute->traffic, (std::vector<std::uint64_t>{64}));
  ASSERT_EQ(compute->moved.size(), 1u);
  EXPECT_EQ(compute->moved[0].module, "Net.a/b");
  EXPECT_EQ(compute->moved[0].bytes, 48u);
  EXPECT_EQ(compute->last_step[1].module, "");
  EXPECT_EQ(compute->uncounted.at("_cudnn_rnn"), 3u);
}

TEST(Replay, Out_of_memory_errors_are_kept_with_their_moment) {
  Story story;
  story.phase("forward");
  story.take(1, 7_GiB, "libcudart.so.12");
  story.tell(trace::OutOfMemory{0, 512_MiB, 338_MiB});
  story.tell(trace::Step{1});
  story.phase("backward");
  story.tell(trace::OutOfMemory{0, 256_MiB, 100_MiB});
  const auto device = story.device();
  EXPECT_EQ(device.first_oom->requested, 512_MiB);
  EXPECT_EQ(device.first_oom->device_free, 338_MiB);
  EXPECT_EQ(device.first_oom->at.step, 1u);
  EXPECT_EQ(device.last_oom->at.step, 2u);
  EXPECT_EQ(device.last_oom->at.phase, "backward");
  EXPECT_EQ(device.ooms, 2u);
  EXPECT_EQ(story.summary().last_oom_step, 1u);
}

TEST(Replay, A_refusal_names_the_library_and_what_was_free) {
  Story story;
  story.take(1, 7_GiB, "libcudart.so.12");
  story.tell(trace::AllocateFailed{0, 2_GiB, 7_GiB, story.name("libcublas.so.12")});
  const auto refusal = story.device().last_refusal;
  ASSERT_TRUE(refusal);
  EXPECT_EQ(refusal->library, "libcublas.so.12");
  EXPECT_FALSE(refusal->by_torch);
  EXPECT_EQ(refusal->request.requested, 2_GiB);
  EXPECT_EQ(refusal->request.device_free, 1_GiB);
}

TEST(Replay, A_process_that_took_no_memory_has_no_devices) {
  Story story;
  EXPECT_TRUE(story.summary().devices.empty());
  EXPECT_FALSE(story.summary().hooks);
}

TEST(Replay, Counters_of_the_driver_become_diagnostics_and_others_do_not) {
  Story story;
  story.tell(trace::Counter{story.name("driver.unimplemented.cuTexRefCreate"), 3, {}});
  story.tell(trace::Counter{story.name("copy.host_to_device"), 9, 9_MiB});
  const auto counts = story.summary().diagnostics.counts();
  EXPECT_EQ(counts, (std::map<std::string, std::uint64_t>{{"driver.unimplemented.cuTexRefCreate", 3}}));
}

TEST(Replay, Assumptions_are_counted_by_operation_and_line_and_show_the_largest) {
  Story story;
  const auto assume = [&](const char* what, const char* where, std::uint64_t elements, std::uint64_t of) {
    story.tell(trace::Assumed{story.name(what), story.name(where), elements, of});
  };
  assume("nonzero", "train.py:42", 10, 20);
  assume("unique", "train.py:42", 5, 5);
  assume("nonzero", "train.py:42", 30, 40);
  assume("nonzero", "train.py:42", 8, 64);
  assume("nonzero", "", 0, 7);
  const auto all = story.summary().assumptions;
  ASSERT_EQ(all.size(), 3u);
  EXPECT_EQ(all[0].what, "nonzero");
  EXPECT_EQ(all[0].where, "train.py:42");
  EXPECT_EQ(all[0].times, 3u);
  EXPECT_EQ(all[0].assumed, 30u);
  EXPECT_EQ(all[0].of, 40u);
  EXPECT_EQ(all[1].what, "unique");
  EXPECT_EQ(all[2].where, "");
  EXPECT_EQ(all[2].of, 7u);
}

TEST(Replay, An_assumption_below_its_largest_is_not_hidden_by_a_larger_one_that_is_not) {
  Story story;
  story.tell(trace::Assumed{story.name("nonzero"), story.name("train.py:42"), 16, 128});
  story.tell(trace::Assumed{story.name("nonzero"), story.name("train.py:42"), 64, 64});
  const auto all = story.summary().assumptions;
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].assumed, 16u);
  EXPECT_EQ(all[0].of, 128u);
}

TEST(Replay, Notes_show_that_the_hooks_were_there_and_launches_add_up_by_name) {
  Story story;
  story.tell(trace::Note{story.name("software.torch"), story.name("2.6.0+cu124")});
  story.tell(trace::KernelLoaded{trace::KernelId{1}, trace::ModuleId{1}, story.name("gemm"), 1_KiB, 4});
  story.tell(trace::KernelLoaded{trace::KernelId{2}, trace::ModuleId{2}, story.name("gemm"), 1_KiB, 5});
  const auto summary = story.summary();
  EXPECT_TRUE(summary.hooks);
  EXPECT_EQ(summary.notes.at("software.torch"), "2.6.0+cu124");
  EXPECT_EQ(summary.launches.at("gemm"), 9u);
}

}  // namespace
}  // namespace dryfit::analysis
