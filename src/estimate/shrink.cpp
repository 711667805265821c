// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "estimate/shrink.h"

#include <algorithm>
#include <map>
#include <utility>

#include "estimate/card_events.h"
#include "estimate/grown_inputs.h"

namespace dryfit::estimate {
namespace {

std::string plural(std::size_t number, const std::string& what) {
  return std::to_string(number) + " " + what + (number == 1 ? "" : "s");
}

class Extrapolation {
 public:
  Extrapolation(std::vector<Shrunk>& shrunk, std::uint64_t batch) : shrunk_(shrunk), batch_(batch) {
    for (const auto& each : shrunk_) {
      batches_.push_back(each.batch);
      events_.push_back(card_events(each.profile));
    }
  }

  Result<Extrapolated> run() {
    const auto least = std::ranges::min(events_, {}, &std::vector<CardEvent>::size).size();
    for (std::size_t i = 0; i < least; ++i) {
      if (const auto status = take(i); !status) return status.error();
    }
    if (std::ranges::any_of(events_, [&](const auto& events) { return events.size() != least; })) {
      return parted(least);
    }
    auto& profile = shrunk_.front().profile;
    profile.metadata.batch.reset();
    profile.metadata.full_batch = batch_;
    found_.profile = std::move(profile);
    return std::move(found_);
  }

 private:
  const Profile& profile(std::size_t trace) const { return shrunk_[trace].profile; }
  const CardEvent& event(std::size_t trace, std::size_t i) const { return events_[trace][i]; }

  Status take(std::size_t i) {
    for (std::size_t trace = 1; trace < events_.size(); ++trace) {
      if (!same(i, trace)) return parted(i);
    }
    switch (event(0, i).kind) {
      case CardEvent::Kind::span:
        operator_ = i;
        return take_inputs(i);
      case CardEvent::Kind::alloc:
        return take_block(i);
      default:
        return take_free(i);
    }
  }

  bool same(std::size_t i, std::size_t trace) const {
    const auto& one = event(0, i);
    const auto& other = event(trace, i);
    if (one.kind != other.kind) return false;
    return one.kind == CardEvent::Kind::span ? name_of(0, i) == name_of(trace, i) : one.block == other.block;
  }

  std::string_view name_of(std::size_t trace, std::size_t i) const {
    const auto& its = profile(trace);
    return its.names[its.spans[event(trace, i).index].name];
  }

  Status take_inputs(std::size_t i) {
    std::vector<TextTable::Id> key;
    for (std::size_t trace = 0; trace < events_.size(); ++trace) {
      key.push_back(profile(trace).spans[event(trace, i).index].inputs);
    }
    auto& inputs = shrunk_.front().profile.spans[event(0, i).index].inputs;
    if (const auto known = known_inputs_.find(key); known != known_inputs_.end()) {
      inputs = known->second;
      return {};
    }
    std::vector<std::string_view> texts;
    for (std::size_t trace = 0; trace < events_.size(); ++trace) texts.push_back(profile(trace).inputs[key[trace]]);
    const auto text = grown_inputs(texts, batches_, batch_);
    if (!text) return refused("an input of " + std::string(name_of(0, i)), {});
    inputs = shrunk_.front().profile.inputs.id_of(*text);
    known_inputs_.emplace(std::move(key), inputs);
    return {};
  }

  Status take_block(std::size_t i) {
    std::vector<std::int64_t> sizes;
    for (std::size_t trace = 0; trace < events_.size(); ++trace) {
      sizes.push_back(profile(trace).memory[event(trace, i).index].bytes);
    }
    const auto size = grown(sizes, batches_, batch_);
    if (!size || size->value == 0) return refused("a tensor of " + operator_name(), sizes);
    count(size->growth);
    sizes_.resize(std::max(sizes_.size(), event(0, i).block + 1));
    sizes_[event(0, i).block] = size->value;
    shrunk_.front().profile.memory[event(0, i).index].bytes = size->value;
    return {};
  }

  Status take_free(std::size_t i) {
    shrunk_.front().profile.memory[event(0, i).index].bytes = -sizes_[event(0, i).block];
    return {};
  }

  void count(Growth growth) {
    auto& counter = growth == Growth::constant       ? found_.constant
                    : growth == Growth::proportional ? found_.proportional
                                                     : found_.affine;
    ++counter;
  }

  std::string operator_name() const {
    return operator_ == kNoOperator ? "the program" : std::string(name_of(0, operator_));
  }

  Error refused(const std::string& what, const std::vector<std::int64_t>& sizes) const {
    std::string text = what + " does not grow in proportion to the batch";
    for (std::size_t trace = 0; trace < sizes.size(); ++trace) {
      text +=
          (trace == 0 ? ": " : ", ") + std::to_string(sizes[trace]) + " bytes at " + std::to_string(batches_[trace]);
    }
    return {text, batches_.size() < 3
                      ? "Profile at three batches, which show more: --shrink batch=4,8,12. Otherwise profile the "
                        "job at its own batch."
                      : "Profile the job at its own batch."};
  }

  Error parted(std::size_t i) const {
    const auto seen = static_cast<std::size_t>(std::count_if(
        events_[0].begin(), events_[0].begin() + static_cast<std::ptrdiff_t>(std::min(i, events_[0].size())),
        [](const CardEvent& each) { return each.kind == CardEvent::Kind::span; }));
    return {"the program behaves differently at different batches: the traces differ after " +
                plural(seen, "operator") + " (last: " + operator_name() + ")",
            "Profile the job at its own batch, without --shrink."};
  }

  static constexpr std::size_t kNoOperator = static_cast<std::size_t>(-1);

  std::vector<Shrunk>& shrunk_;
  std::uint64_t batch_;
  std::vector<std::uint64_t> batches_;
  std::vector<std::vector<CardEvent>> events_;
  std::vector<std::int64_t> sizes_;  ///< of blocks at `batch_`
  std::map<std::vector<TextTable::Id>, TextTable::Id> known_inputs_;
  std::size_t operator_ = kNoOperator;
  Extrapolated found_;
};

}  // namespace

Result<Extrapolated> extrapolate(std::vector<Shrunk> shrunk, std::uint64_t batch) {
  std::ranges::sort(shrunk, {}, &Shrunk::batch);
  const auto equal = std::ranges::adjacent_find(shrunk, {}, &Shrunk::batch);
  if (shrunk.size() < 2 || equal != shrunk.end()) {
    return Error{"an estimate for another batch needs profiles at two or more batches",
                 "Make them with `dryfit profile --shrink batch=4,8 -- COMMAND`."};
  }
  return Extrapolation(shrunk, batch).run();
}

}  // namespace dryfit::estimate
