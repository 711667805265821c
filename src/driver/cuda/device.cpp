// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "driver/cuda/device.h"

#include <utility>

#include "driver/cuda/driver.h"
#include "driver/cuda/recorder.h"

namespace dryfit::driver {

using namespace literals;

namespace {
constexpr Bytes kSmallGranule = 512_B;
}  // namespace

Device::Device(int ordinal, int slot, Card card, AddressSpace addresses, MemoryLedger& ledger)
    : ordinal_(ordinal),
      slot_(slot),
      card_(std::move(card)),
      addresses_(std::move(addresses)),
      account_(ledger, ordinal, slot, card_.total_memory) {}

Bytes Device::used_by_all() {
  const auto turn = account_.turn();
  return account_.used();
}

Bytes Device::free() {
  const Bytes used = used_by_all();
  return used < card_.total_memory ? card_.total_memory - used : Bytes{};
}

std::optional<Device::Placed> Device::place(Bytes size, trace::Purpose purpose, trace::NameId library) {
  if (size <= kSmallRequest) {
    const Bytes rounded = round_up(size, kSmallGranule);
    if (const auto address = small_pages_.take(rounded)) return Placed{*address, rounded, true};
  }
  const bool small = size <= kSmallRequest;
  const Bytes pages = round_up(size, kPage);
  const auto turn = account_.turn();
  if (!account_.take(pages, size, library)) return std::nullopt;
  const auto address = small ? addresses_.take(pages) : addresses_.take_segment(pages);
  if (!address) {
    account_.give(pages);
    return std::nullopt;
  }
  if (!small && addresses_.follows_recording() && !addresses_.is_recorded(*address)) {
    recorder().count("driver.address_not_recorded");
  }
  recorder().allocated(ordinal_, purpose, *address, size, pages, library);
  if (!small) return Placed{*address, pages, false};
  const Bytes rounded = round_up(size, kSmallGranule);
  return Placed{small_pages_.take_from_new_page(*address, rounded), rounded, true};
}

void Device::remove(const Placed& placed, trace::Purpose purpose) {
  const auto turn = account_.turn();
  if (!placed.small) {
    account_.give(placed.charged);
    addresses_.give(placed.address, placed.charged);
    recorder().released(ordinal_, purpose, placed.address, placed.charged);
    return;
  }
  if (const auto page = small_pages_.give(placed.address, placed.charged)) {
    account_.give(kPage);
    addresses_.give(*page, kPage);
    recorder().released(ordinal_, purpose, *page, kPage);
  }
}

bool Device::charge(trace::Purpose purpose, std::uint64_t handle, Bytes requested, Bytes charged,
                    trace::NameId library) {
  const auto turn = account_.turn();
  if (!account_.take(charged, requested, library)) return false;
  recorder().allocated(ordinal_, purpose, handle, requested, charged, library);
  return true;
}

void Device::discharge(trace::Purpose purpose, std::uint64_t handle, Bytes charged) {
  const auto turn = account_.turn();
  account_.give(charged);
  recorder().released(ordinal_, purpose, handle, charged);
}

bool Device::prepare_to_run() {
  if (prepared_ || card_.launch_memory == Bytes{}) return true;
  prepared_ =
      charge(trace::Purpose::context, next_id(), card_.launch_memory, card_.launch_memory, recorder().name("driver"));
  return prepared_;
}

bool Device::load_code(Bytes size, trace::NameId library) {
  if (!prepare_to_run()) return false;
  const Bytes pages = round_up(code_ + size, kPage);
  if (pages > code_pages_) {
    if (!charge(trace::Purpose::code, code_pages_.count, size, pages - code_pages_, library)) return false;
    code_pages_ = pages;
  }
  code_ += size;
  return true;
}

Context* Device::primary_context() {
  if (!primary_) primary_.reset(new Context{.device = ordinal_, .id = next_id()});
  return primary_.get();
}

void Device::announce() {
  if (std::exchange(announced_, true)) return;
  recorder().device(ordinal_, card_);
  if (slot_ != ordinal_) recorder().value("device.slot", ordinal_, static_cast<std::uint64_t>(slot_));
}

bool Device::activate(Context& context) {
  if (context.active) return true;
  announce();
  const auto library = recorder().name("driver");
  context.active = charge(trace::Purpose::context, context.id, card_.context_memory, card_.context_memory, library);
  return context.active;
}

}  // namespace dryfit::driver
