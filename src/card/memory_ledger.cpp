// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "card/memory_ledger.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

namespace dryfit {

using ledger::Slot;
using ledger::State;

namespace {

constexpr auto kRelaxed = std::memory_order_relaxed;
constexpr unsigned kTriesBeforeSleeping = 100;
constexpr unsigned kTriesBetweenLooks = 200;  ///< at whether the owner of the lock is still running
constexpr useconds_t kSleep = 50;

std::uint64_t own_pid_namespace() {
  struct stat status{};
  return ::stat("/proc/self/ns/pid", &status) == 0 ? status.st_ino : 0;
}

ProcessIdentity holder_of(const Slot& slot) { return ProcessIdentity::unpacked(slot.process.load(kRelaxed)); }

Bytes held(const Slot& slot, int device) { return {slot.held[device].load(kRelaxed)}; }

/// Note [Ended on purpose]
bool is_over_for(const Slot& slot, ProcessIdentity viewer) {
  return slot.state.load(kRelaxed) == State::finished && viewer.start >= slot.finished_at.load(kRelaxed);
}

}  // namespace

MemoryLedger::Joined MemoryLedger::join(const char* path) {
  tried_ = true;
  const auto self = identity_of(getpid());
  if (!self) return {"/proc does not show this process", {}};
  Joined result;
  ledger::Whole* const file = ledger::open(path, result.problem);
  if (!file) return result;
  std::uint64_t there = 0;
  const auto own = own_pid_namespace();
  if (!file->header.pid_namespace.compare_exchange_strong(there, own) && there != own) {
    return {"its processes are in different PID namespaces", {}};
  }
  self_ = *self;
  shared_ = file;
  header_ = &file->header;
  result = enter();
  if (!result.problem.empty()) forget();
  tried_ = true;
  return result;
}

MemoryLedger::Joined MemoryLedger::enter() {
  const Turn turn(*this);
  Joined result{.problem = claim_slot(), .others = {}};
  for (const Slot& slot : slots()) {
    if (&slot != own_ && counts(slot)) result.others.push_back(holder_of(slot).pid);
  }
  return result;
}

/// Empties what those left behind who ended before we came, also our own former self, if we became this by exec.
std::string MemoryLedger::claim_slot() {
  for (Slot& slot : slots()) {
    const auto state = slot.state.load(kRelaxed);
    const bool ended = state == State::held && (holder_of(slot) == self_ || !is_running(holder_of(slot)));
    if (ended) remove(slot);
    if (is_over_for(slot, self_)) ended_.push_back(holder_of(slot).pid);
  }
  Slot* const slot = free_slot();
  if (!slot) return "more than " + std::to_string(ledger::kSlots) + " processes use the GPUs at the same time";
  for (auto& each : slot->held) each.store(0, kRelaxed);
  slot->process.store(self_.packed(), kRelaxed);
  slot->state.store(State::held, std::memory_order_release);
  own_ = slot;
  return "";
}

/// One that was never used, or was emptied; else that of the process that was ended on purpose first.
Slot* MemoryLedger::free_slot() {
  const auto used = slots();
  const auto emptied = std::ranges::find_if(used, [](auto& slot) { return slot.state.load(kRelaxed) == State::free; });
  if (emptied != used.end()) return &*emptied;
  if (used.size() < ledger::kSlots) {
    header_->slots_used.store(used.size() + 1, kRelaxed);
    return &shared_->slots[used.size()];
  }
  Slot* oldest = nullptr;
  for (Slot& slot : used) {
    if (slot.state.load(kRelaxed) != State::finished) continue;
    if (!oldest || slot.finished_at.load(kRelaxed) < oldest->finished_at.load(kRelaxed)) oldest = &slot;
  }
  return oldest;
}

bool MemoryLedger::take(int device, Bytes size, Bytes capacity) {
  auto& checked_up_to = header_->checked_up_to[device];
  const auto sum = [&] { return held(*own_, device) + held_by_others(device) + size; };
  if (sum() > capacity || sum().count > checked_up_to.load(kRelaxed)) remove_ended(device);
  const Bytes total = sum();
  if (total > capacity) return false;
  own_->held[device].fetch_add(size.count, kRelaxed);
  if (total.count > checked_up_to.load(kRelaxed)) checked_up_to.store(total.count, kRelaxed);
  return true;
}

void MemoryLedger::give(int device, Bytes size) noexcept { own_->held[device].fetch_sub(size.count, kRelaxed); }

Bytes MemoryLedger::used(int device) {
  remove_ended(device);
  return held(*own_, device) + held_by_others(device);
}

std::vector<Holding> MemoryLedger::others(int device) const {
  std::vector<Holding> found;
  for (const Slot& slot : slots()) {
    if (&slot == own_ || !counts(slot) || held(slot, device) == Bytes{}) continue;
    found.push_back({holder_of(slot).pid, held(slot, device)});
  }
  return found;
}

void MemoryLedger::finish() noexcept {
  if (!shared_) return;
  const Turn turn(*this);
  own_->finished_at.store(ticks_now(), kRelaxed);
  own_->state.store(State::finished, kRelaxed);
}

void MemoryLedger::forget() noexcept {
  shared_ = nullptr;
  header_ = &alone_.header;
  own_ = &alone_.slot;
  for (auto& each : own_->held) each.store(0, kRelaxed);
  tried_ = false;
  ended_.clear();
}

/// An owner with our own identity is a former self that was replaced by exec: in this process, one thread at a time gets
/// here.
void MemoryLedger::lock() noexcept {
  if (!shared_) return;
  for (unsigned tries = 1;; ++tries) {
    std::uint64_t owner = 0;
    if (header_->owner.compare_exchange_strong(owner, self_.packed(), std::memory_order_acquire)) return;
    const bool looks = owner == self_.packed() || tries % kTriesBetweenLooks == 0;
    const bool gone = looks && (owner == self_.packed() || !is_running(ProcessIdentity::unpacked(owner)));
    if (gone && header_->owner.compare_exchange_strong(owner, self_.packed(), std::memory_order_acquire)) return;
    if (tries > kTriesBeforeSleeping) usleep(kSleep);
  }
}

void MemoryLedger::unlock() noexcept {
  if (shared_) header_->owner.store(0, std::memory_order_release);
}

/// Those that were ever in use; none of them in a ledger of our own.
std::span<Slot> MemoryLedger::slots() const noexcept {
  if (!shared_) return {};
  return {shared_->slots, std::min<std::size_t>(header_->slots_used.load(kRelaxed), ledger::kSlots)};
}

bool MemoryLedger::counts(const Slot& slot) const noexcept {
  return slot.state.load(kRelaxed) != State::free && !is_over_for(slot, self_);
}

Bytes MemoryLedger::held_by_others(int device) const noexcept {
  Bytes sum;
  for (const Slot& slot : slots()) {
    if (&slot != own_ && counts(slot)) sum += held(slot, device);
  }
  return sum;
}

void MemoryLedger::remove_ended(int device) {
  for (Slot& slot : slots()) {
    const bool holds = &slot != own_ && slot.state.load(kRelaxed) == State::held && held(slot, device) > Bytes{};
    if (holds && !is_running(holder_of(slot))) remove(slot);
  }
}

void MemoryLedger::remove(Slot& slot) {
  ended_.push_back(holder_of(slot).pid);
  slot.state.store(State::free, kRelaxed);
}

std::vector<Holding> holdings(const ledger::Whole& file, int device, ProcessIdentity viewer) {
  std::vector<Holding> found;
  for (const Slot& slot : std::span(file.slots).first(std::min<std::size_t>(file.header.slots_used, ledger::kSlots))) {
    const auto state = slot.state.load(std::memory_order_acquire);
    const auto size = held(slot, device);
    if (state == State::free || size == Bytes{} || is_over_for(slot, viewer)) continue;
    if (state == State::held && !is_running(holder_of(slot))) continue;
    found.push_back({holder_of(slot).pid, size});
  }
  return found;
}

}  // namespace dryfit
