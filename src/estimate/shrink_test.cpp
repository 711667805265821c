// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "estimate/shrink.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace dryfit::estimate {
namespace {

/// A profile written down as it happens, a nanosecond at a time.
class Story {
 public:
  Story() { profile_.inputs.id_of(""); }

  /// An operator, until the next.
  void op(const std::string& name, const std::string& dims = "") {
    if (last_ != kNone) profile_.spans[last_].end = ++now_;
    last_ = profile_.spans.size();
    begin(name, dims);
  }
  /// One within the last.
  void inner(const std::string& name) {
    begin(name, "");
    profile_.spans.back().end = ++now_;
  }

  /// What follows until back() is the host's.
  void host() {
    open_ = profile_.spans.size();
    begin("dryfit::host", "");
  }
  void back() { profile_.spans[open_].end = ++now_; }

  void alloc(std::uint64_t address, std::int64_t bytes) {
    profile_.memory.push_back({.time = ++now_, .address = address, .bytes = bytes});
  }
  void free(std::uint64_t address, std::int64_t bytes) { alloc(address, -bytes); }

  Profile take() { return std::move(profile_); }

 private:
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);

  void begin(const std::string& name, const std::string& dims) {
    const auto inputs = profile_.inputs.id_of(dims.empty() ? "" : "{\"Input Dims\":" + dims + "}");
    const auto id = profile_.names.id_of(name);
    profile_.spans.push_back(
        {.start = ++now_, .end = now_ + 1000, .name = id, .inputs = inputs, .kind = Span::Kind::op});
  }

  Profile profile_;
  Time now_ = 0;
  std::size_t open_ = 0;
  std::size_t last_ = kNone;
};

/// What comes after a step.
using More = std::function<void(Story&, std::int64_t batch)>;

/// A step in which a weight of 100 bytes meets a batch; the host makes as many small tensors as there are samples.
Profile step_at(std::int64_t batch, const More& more = {}) {
  Story story;
  story.host();
  for (std::int64_t i = 0; i < batch; ++i) {
    story.op("aten::select");
    story.alloc(1000 + static_cast<std::uint64_t>(i), 8);
  }
  story.back();
  story.op("aten::to");
  story.alloc(1, 100);
  story.alloc(2, 4 * batch);
  story.op("aten::relu", "[[" + std::to_string(batch) + ",10],[10,10]]");
  story.alloc(3, 40 * batch);
  story.free(3, 40 * batch);
  story.op("aten::sum");
  story.alloc(3, 4);
  story.free(2, 4 * batch);
  if (more) more(story, batch);
  return story.take();
}

/// The step at `batch` from those at others.
Result<Extrapolated> extrapolated(std::uint64_t batch, const std::vector<std::int64_t>& others, const More& more = {}) {
  std::vector<Shrunk> shrunk;
  for (const auto other : others) shrunk.push_back({static_cast<std::uint64_t>(other), step_at(other, more)});
  return extrapolate(std::move(shrunk), batch);
}

std::vector<std::int64_t> card_bytes(const Profile& profile) {
  std::vector<std::int64_t> bytes;
  for (const auto& record : profile.memory) {
    if (record.address < 1000) bytes.push_back(record.bytes);
  }
  return bytes;
}

TEST(Shrink, Two_small_batches_give_exactly_what_a_large_one_takes) {
  const auto found = extrapolated(256, {4, 8});
  ASSERT_TRUE(found) << found.error().what;
  EXPECT_EQ(card_bytes(found->profile), card_bytes(step_at(256)));
  EXPECT_EQ(found->constant, 2u);
  EXPECT_EQ(found->proportional, 2u);
  EXPECT_EQ(found->profile.metadata.full_batch, 256u);
}

TEST(Shrink, Inputs_of_operators_grow_with_the_batch) {
  const auto found = extrapolated(16, {8, 4});
  ASSERT_TRUE(found) << found.error().what;
  const auto& profile = found->profile;
  const auto mm =
      std::ranges::find_if(profile.spans, [&](const Span& span) { return profile.names[span.name] == "aten::relu"; });
  EXPECT_EQ(profile.inputs[mm->inputs], R"({"Input Dims":[[16,10],[10,10]]})");
}

TEST(Shrink, A_tensor_that_grows_otherwise_is_refused_with_the_name_of_its_operator) {
  const auto found = extrapolated(256, {4, 8}, [](Story& story, std::int64_t batch) {
    story.op("aten::outer");
    story.alloc(9, batch * batch);
  });
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().what,
            "a tensor of aten::outer does not grow in proportion to the batch: 16 bytes at 4, 64 bytes at 8");
}

TEST(Shrink, A_sum_of_a_constant_and_a_batch_needs_three) {
  const auto queue = [](Story& story, std::int64_t batch) {
    story.op("aten::cat");
    story.alloc(9, 1000 + 4 * batch);
  };
  EXPECT_FALSE(extrapolated(256, {4, 8}, queue));
  const auto found = extrapolated(256, {4, 8, 12}, queue);
  ASSERT_TRUE(found) << found.error().what;
  EXPECT_EQ(card_bytes(found->profile).back(), 1000 + 4 * 256);
  EXPECT_EQ(found->affine, 1u);
}

TEST(Shrink, An_input_that_grows_otherwise_is_refused) {
  const auto found = extrapolated(256, {4, 8}, [](Story& story, std::int64_t batch) {
    story.op("aten::pad", "[[" + std::to_string(batch + 1) + "]]");
  });
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().what, "an input of aten::pad does not grow in proportion to the batch");
}

TEST(Shrink, A_program_that_does_something_else_at_another_batch_is_refused) {
  const auto longer = extrapolated(256, {4, 8}, [](Story& story, std::int64_t batch) {
    if (batch == 8) story.op("aten::relu");
  });
  ASSERT_FALSE(longer);
  EXPECT_EQ(
      longer.error().what,
      "the program behaves differently at different batches: the traces differ after 3 operators (last: aten::sum)");
  EXPECT_FALSE(extrapolated(
      256, {4, 8}, [](Story& story, std::int64_t batch) { story.op(batch == 8 ? "aten::relu" : "aten::gelu"); }));
  EXPECT_FALSE(extrapolated(256, {4, 8}, [](Story& story, std::int64_t batch) { story.free(batch == 8 ? 1 : 3, 4); }));
}

TEST(Shrink, What_a_kernel_does_inside_without_memory_may_differ) {
  const auto found = extrapolated(256, {4, 8}, [](Story& story, std::int64_t batch) {
    story.op("aten::zero_");
    if (batch == 8) story.inner("aten::fill_");
  });
  EXPECT_TRUE(found) << found.error().what;
}

TEST(Shrink, Scratch_memory_that_a_GPU_does_not_have_may_differ) {
  const auto convolve = [](const std::string& name) {
    return extrapolated(256, {4, 8}, [&](Story& story, std::int64_t batch) {
      story.op(name);
      story.alloc(4, 60);
      if (batch == 8) {
        story.inner("aten::empty");
        story.alloc(5, 7);
        story.free(5, 7);
      }
      story.free(4, 60);
      story.alloc(6, 4 * batch);
    });
  };
  const auto found = convolve("aten::convolution_backward");
  EXPECT_TRUE(found) << found.error().what;
  EXPECT_FALSE(convolve("aten::gelu"));
}

TEST(Shrink, One_batch_is_not_enough) {
  EXPECT_FALSE(extrapolated(256, {4}));
  EXPECT_FALSE(extrapolated(256, {4, 4}));
}

}  // namespace
}  // namespace dryfit::estimate
