// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "simulator/reference/differential.h"

#include <algorithm>
#include <array>
#include <vector>

#include "simulator/caching_allocator.h"
#include "simulator/reference/reference_allocator.h"

namespace dryfit::simulator {
namespace {

constexpr TorchVersion kVersions[] = {{1, 13, 1}, {2, 0, 0},  {2, 3, 0},  {2, 6, 0},
                                      {2, 9, 0},  {2, 11, 0}, {2, 12, 0}, {2, 15, 0}};
constexpr const char* kConfigs[] = {
    "",
    "max_split_size_mb:32",
    "garbage_collection_threshold:0.5",
    "roundup_power2_divisions:4",
    "roundup_power2_divisions:1",
    "expandable_segments:True",
    "expandable_segments:True,max_split_size_mb:32",
    "expandable_segments:True,garbage_collection_threshold:0.3",
    "max_split_size_mb:24,garbage_collection_threshold:0.4,roundup_power2_divisions:[1:2,4:8,>:1]",
    "per_process_memory_fraction:0.6",
    "expandable_segments:True,large_segment_size_mb:12,max_split_size_mb:40",
    "throw_on_cudamalloc_oom:True",
    "max_split_size_mb:64,max_non_split_rounding_mb:32",
};
constexpr std::uint64_t kTotals[] = {24, 48, 100, 129, 256, 1024};
constexpr MempoolId kPools[] = {{0, 1}, {7, 0}};
constexpr PoolOptions kPoolOptions[] = {{.kind = PoolKind::kGraph},
                                        {.kind = PoolKind::kMempool, .no_split = true, .use_on_oom = true}};

class Differential {
 public:
  explicit Differential(std::span<const std::uint8_t> input) : input_(input) {}

  std::optional<std::string> run() {
    const TorchVersion version = kVersions[next() % std::size(kVersions)];
    const auto config = parse_alloc_config(kConfigs[next() % std::size(kConfigs)], version);
    if (!config) return std::nullopt;
    const Bytes total{kTotals[next() % std::size(kTotals)] << 20};
    const bool descending = next() % 2 == 1;
    const auto options = [&] {
      CachingAllocator::Options made{.version = version, .config = *config, .device = {.total = total}};
      if (descending) made.addresses = std::make_unique<DescendingAddresses>(Address{1} << 46);
      return made;
    };
    fast_.emplace(options());
    slow_.emplace(options());
    while (!input_.empty() && !difference_) {
      step();
      compare();
    }
    if (!difference_) compare_layouts(fast_->segments(), slow_->segments(), "layout");
    if (!difference_) compare_reload(CachingAllocator(options()));
    return difference_;
  }

 private:
  struct Live {
    BlockId fast;
    ReferenceAllocator::Handle slow;
  };

  std::uint8_t next() {
    if (input_.empty()) return 0;
    const std::uint8_t byte = input_.front();
    input_ = input_.subspan(1);
    return byte;
  }

  void differ(const std::string& what) {
    if (!difference_) difference_ = what + " after " + std::to_string(steps_) + " steps";
  }

  StreamId stream() { return {std::uint64_t{next()} % 3 * 0x1000}; }

  /// Up to 16 bits of mantissa at one of several scales, so that all kinds of request occur.
  Bytes size() {
    constexpr std::uint64_t kScales[] = {1, 512, 4096, 65536, 1u << 20, 2u << 20, 5000, 40000};
    const std::uint8_t form = next();
    const std::uint64_t mantissa = form < 128 ? next() : next() % 16;
    const Bytes made{mantissa * kScales[form % std::size(kScales)] + (form % 32 == 31 ? 1 : 0)};
    return made;
  }

  void step() {
    ++steps_;
    const std::uint8_t op = next() % 32;
    if (op < 13) return malloc();
    if (op < 23) return free();
    switch (op) {
      case 23:
      case 24:
        return record_stream();
      case 25:
        return hold_or_done();
      case 26:
        fast_->empty_cache();
        return slow_->empty_cache();
      case 27:
        return set_fraction();
      case 28:
        return route();
      case 29:
        return capture();
      default:
        return op == 30 ? request_free() : complete_free();
    }
  }

  void malloc() {
    const Bytes request = size();
    const StreamId on = stream();
    const Allocation fast = fast_->malloc(request, on);
    const auto slow = slow_->malloc(request, on);
    if (fast.outcome != slow.outcome) return differ("outcome of malloc");
    if (fast.address != slow.address) return differ("address");
    if (fast) live_.push_back({fast.block, slow.handle});
  }

  /// One of the live allocations, taken off the list; none if there is none.
  std::optional<Live> take(std::vector<Live>& list) {
    if (list.empty()) return std::nullopt;
    const std::size_t index = next() % list.size();
    const Live taken = list[index];
    list.erase(list.begin() + static_cast<std::ptrdiff_t>(index));
    return taken;
  }

  void free() {
    if (const auto taken = take(live_)) {
      fast_->free(taken->fast);
      slow_->free(taken->slow);
    }
  }

  void record_stream() {
    if (live_.empty()) return;
    const Live& used = live_[next() % live_.size()];
    const StreamId on = stream();
    fast_->record_stream(used.fast, on);
    slow_->record_stream(used.slow, on);
  }

  void hold_or_done() {
    const bool holds = next() % 2 == 0;
    const StreamId on = stream();
    holds ? fast_->hold(on) : fast_->done(on);
    holds ? slow_->hold(on) : slow_->done(on);
  }

  void set_fraction() {
    const double fraction = next() % 11 / 10.0;
    fast_->set_memory_fraction(fraction);
    slow_->set_memory_fraction(fraction);
  }

  void route() {
    const std::uint8_t choice = next();
    const std::size_t which = choice % 2;
    const MempoolId pool = kPools[which];
    switch (choice / 2 % 3) {
      case 0: {
        const auto on = choice >= 128 ? std::optional<StreamId>(stream()) : std::nullopt;
        fast_->begin_allocate_to_pool(pool, on, kPoolOptions[which]);
        slow_->begin_allocate_to_pool(pool, on, kPoolOptions[which]);
        ++open_routes_[which];
        ++users_[which];
        break;
      }
      case 1:
        if (open_routes_[which] == 0) break;
        --open_routes_[which];
        fast_->end_allocate_to_pool(pool);
        slow_->end_allocate_to_pool(pool);
        break;
      default:
        if (users_[which] <= open_routes_[which]) break;
        --users_[which];
        fast_->release_pool(pool);
        slow_->release_pool(pool);
    }
  }

  void capture() {
    const bool begins = captures_ == 0;
    captures_ += begins ? 1 : -1;
    begins ? fast_->begin_capture() : fast_->end_capture();
    begins ? slow_->begin_capture() : slow_->end_capture();
  }

  void request_free() {
    const auto taken = take(live_);
    if (!taken) return;
    fast_->request_free(taken->fast);
    slow_->request_free(taken->slow);
    requested_.push_back(*taken);
  }

  void complete_free() {
    const auto taken = take(requested_);
    if (!taken) return;
    fast_->complete_free(taken->fast);
    slow_->complete_free(taken->slow);
  }

  void compare() {
    const Statistics& stats = fast_->statistics();
    const ReferenceAllocator::Sums got{stats.all.allocated_bytes.current(),      stats.all.active_bytes.current(),
                                       stats.all.requested_bytes.current(),      stats.all.reserved_bytes.current(),
                                       stats.all.inactive_split_bytes.current(), stats.all.segment.current()};
    const ReferenceAllocator::Sums wanted = slow_->sums();
    if (got.allocated != wanted.allocated) differ("allocated bytes");
    if (got.active != wanted.active) differ("active bytes");
    if (got.requested != wanted.requested) differ("requested bytes");
    if (got.reserved != wanted.reserved) differ("reserved bytes");
    if (got.inactive_split != wanted.inactive_split) differ("inactive split bytes");
    if (got.segments != wanted.segments) differ("segments");
    if (stats.num_alloc_retries != slow_->retries || stats.num_ooms != slow_->ooms ||
        stats.num_oom_rejections != slow_->rejections) {
      differ("counts of failures");
    }
    if (fast_->device().used() != slow_->device().used()) differ("memory of the device");
    if (fast_->device().alloc_calls() != slow_->device().alloc_calls()) differ("calls of the device");
    if (stats.all.reserved_bytes.current() !=
        stats.small_pool.reserved_bytes.current() + stats.large_pool.reserved_bytes.current()) {
      differ("statistics of the two pools");
    }
  }

  static bool same(const BlockInfo& a, const BlockInfo& b) {
    return a.address == b.address && a.size == b.size && a.requested == b.requested && a.state == b.state;
  }

  static bool same(const SegmentInfo& a, const SegmentInfo& b) {
    return a.address == b.address && a.size == b.size && a.stream == b.stream && a.is_small == b.is_small &&
           a.is_expandable == b.is_expandable && a.pool == b.pool &&
           std::equal(a.blocks.begin(), a.blocks.end(), b.blocks.begin(), b.blocks.end(),
                      [](const BlockInfo& x, const BlockInfo& y) { return same(x, y); });
  }

  void compare_layouts(const std::vector<SegmentInfo>& a, const std::vector<SegmentInfo>& b, const std::string& what) {
    const bool equal = std::equal(a.begin(), a.end(), b.begin(), b.end(),
                                  [](const SegmentInfo& x, const SegmentInfo& y) { return same(x, y); });
    if (!equal) differ(what);
  }

  /// What was listed can be loaded again, and is then listed in the same way.
  void compare_reload(CachingAllocator again) {
    const std::vector<SegmentInfo> listed = fast_->segments();
    if (const Status status = again.load(listed); !status) return differ("loading: " + status.error().what);
    compare_layouts(again.segments(), listed, "layout when loaded again");
    const auto& stats = fast_->statistics().all;
    const auto& loaded = again.statistics().all;
    if (loaded.active_bytes.current() != stats.active_bytes.current() ||
        loaded.allocated_bytes.current() != stats.allocated_bytes.current() ||
        loaded.reserved_bytes.current() != stats.reserved_bytes.current() ||
        loaded.inactive_split_bytes.current() != stats.inactive_split_bytes.current()) {
      differ("statistics when loaded again");
    }
  }

  std::span<const std::uint8_t> input_;
  std::optional<CachingAllocator> fast_;
  std::optional<ReferenceAllocator> slow_;
  std::vector<Live> live_;
  std::vector<Live> requested_;
  std::array<int, 2> open_routes_{};
  std::array<int, 2> users_{};
  int captures_ = 0;
  std::uint64_t steps_ = 0;
  std::optional<std::string> difference_;
};

}  // namespace

std::optional<std::string> first_difference(std::span<const std::uint8_t> input) { return Differential(input).run(); }

}  // namespace dryfit::simulator
