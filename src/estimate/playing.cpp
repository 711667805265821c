// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "estimate/playing.h"

#include <utility>

#include "estimate/estimate.h"
#include "simulator/caching_allocator.h"
#include "simulator/rounding.h"
#include "whatif/addresses.h"
#include "whatif/answer.h"

namespace dryfit::estimate {
namespace {

/// Operations beyond this many are not kept; they are about 60 bytes each.
constexpr std::size_t kKeptOperations = 2'000'000;

/// Remembers how much the device had left when a request failed.
struct Refused : simulator::Observer {
  void out_of_memory(Bytes, Bytes device_free, simulator::StreamId) override { left = device_free; }
  Bytes left;
};

analysis::Moment moment(const Stage& stage) {
  analysis::Moment at;
  at.step = stage.step;
  at.phase.assign(to_text(stage.phase));
  return at;
}

}  // namespace

class Player::Impl {
 public:
  Impl(const Card& card, const Conditions& conditions, std::optional<Bytes> libraries)
      : outside_(whatif::outside_of(card, libraries).estimate),
        rounding_(conditions.config, conditions.torch),
        large_segment_size_(conditions.config.large_segment_size),
        allocator_({.version = conditions.torch,
                    .config = conditions.config,
                    .device = {.total = card.total_memory,
                               .context = std::min(outside_ + card.held_by_others, card.total_memory)},
                    .addresses = whatif::fresh_addresses(conditions.address_order),
                    .observer = &refused_}) {
    device_.card = card.id;
    if (conditions.cap) allocator_.set_memory_fraction(conditions.cap->fraction_of(card.total_memory));
    device_.capacity = card.available();
    device_.peak_context = card.context_memory + card.launch_memory;
    device_.peak_libraries = outside_ - device_.peak_context;
    device_.peak = outside_;
    recording_.torch = conditions.torch;
    recording_.config = conditions.config;
  }

  void play(const Plan& plan, const std::vector<std::uint32_t>& carried) {
    std::vector<LiveBlock> blocks(plan.sizes.size());
    for (std::size_t i = 0; i < carried.size(); ++i) blocks[i] = blocks_[carried[i]];
    blocks_ = std::move(blocks);
    for (std::size_t i = 0; i < plan.calls.size() && !device_.last_oom; ++i) {
      const auto& call = plan.calls[i];
      if (plan.loaded == i) device_.torch_reserved_after_load = reserved();
      if (call.is_free) {
        free(call);
      } else {
        malloc(call, plan.sizes[call.block]);
      }
    }
  }

  analysis::DeviceSummary finish() {
    const auto& statistics = allocator_.statistics();
    device_.torch_peak_reserved = Bytes{statistics.all.reserved_bytes.peak()};
    device_.torch_peak_allocated = Bytes{statistics.all.allocated_bytes.peak()};
    device_.alloc_retries = statistics.num_alloc_retries;
    return std::move(device_);
  }

  std::optional<whatif::Recording> recording() const {
    const bool is_whole = recording_.operations.size() < kKeptOperations && !device_.last_oom;
    return is_whole ? std::optional(recording_) : std::nullopt;
  }

 private:
  using Operation = whatif::Operation;
  struct LiveBlock {
    simulator::BlockId id = simulator::kNoBlock;
    whatif::Slot slot = 0;
  };

  Bytes reserved() const { return Bytes{allocator_.statistics().all.reserved_bytes.current()}; }

  void free(const Call& call) {
    auto& block = blocks_[call.block];
    if (block.id == simulator::kNoBlock) return;
    keep({.kind = Operation::Kind::free, .slot = block.slot});
    allocator_.free(block.id);
    block.id = simulator::kNoBlock;
  }

  void keep(Operation operation) {
    if (recording_.operations.size() >= kKeptOperations) return;
    operation.entry = static_cast<std::uint32_t>(recording_.operations.size());
    recording_.operations.push_back(operation);
  }

  void malloc(const Call& call, Bytes size) {
    if (blocks_[call.block].id != simulator::kNoBlock) return;
    const auto slot = recording_.slots++;
    keep({.kind = Operation::Kind::malloc, .slot = slot, .size = size, .is_optional = call.is_optional});
    const auto allocation = allocator_.malloc(size);
    if (!allocation && allocation.outcome != simulator::Outcome::kNothing) {
      ++device_.ooms;
      if (!call.is_optional) refuse(call, size);
      return;
    }
    blocks_[call.block] = {allocation.block, slot};
    if (reserved() + outside_ > device_.peak) {
      device_.peak = reserved() + outside_;
      device_.peak_torch_reserved = reserved();
      device_.peak_at = moment(call.at);
    }
  }

  void refuse(const Call& call, Bytes size) {
    const Bytes segment = simulator::get_allocation_size(rounding_(size), large_segment_size_);
    device_.last_oom = {.requested = segment, .device_free = refused_.left, .at = moment(call.at)};
    device_.first_oom = device_.last_oom;
  }

  Bytes outside_;
  simulator::SizeRounding rounding_;
  Bytes large_segment_size_;
  Refused refused_;
  simulator::CachingAllocator allocator_;
  std::vector<LiveBlock> blocks_;  ///< of the window
  whatif::Recording recording_;
  analysis::DeviceSummary device_;
};

Player::Player(const Card& card, const Conditions& conditions, std::optional<Bytes> libraries)
    : impl_(std::make_unique<Impl>(card, conditions, libraries)) {}
Player::~Player() = default;
Player::Player(Player&&) noexcept = default;
void Player::play(const Plan& plan, const std::vector<std::uint32_t>& carried) { impl_->play(plan, carried); }
analysis::DeviceSummary Player::finish() { return impl_->finish(); }
std::optional<whatif::Recording> Player::recording() const { return impl_->recording(); }

}  // namespace dryfit::estimate
