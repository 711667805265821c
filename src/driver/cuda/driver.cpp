// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "driver/cuda/driver.h"

#include <pthread.h>
#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <utility>

#include "driver/cuda/read_file.h"
#include "driver/cuda/recorder.h"
#include "driver/cuda/visible_devices.h"

namespace dryfit::driver {

using namespace literals;

namespace {

constexpr Bytes kSpacePerDevice = 8_TiB;
constexpr Address kPreferredBase = 0x6000'0000'0000;

/// Keeps the host from placing anything in a device's addresses. The kernel chooses another place where the preferred
/// one is taken; where it refuses altogether (an address-space limit) the preferred place is used unreserved.
Address reserve_addresses(int ordinal) {
  const Address wanted = kPreferredBase + static_cast<Address>(ordinal) * kSpacePerDevice.count;
  void* const got = mmap(reinterpret_cast<void*>(wanted), kSpacePerDevice.count, PROT_NONE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (got == MAP_FAILED) return wanted;
  return (reinterpret_cast<Address>(got) + kPage.count - 1) / kPage.count * kPage.count;
}

Machine read_machine() {
  const char* const path = std::getenv("DRYFIT_MACHINE");
  if (!path) return {};
  const auto text = read_file(path);
  auto machine = parse_machine({text.data(), text.size()});
  if (machine) return std::move(machine).value();
  recorder().count("driver.machine_file_unreadable");
  return {};
}

}  // namespace

// The recorder comes first: locks are taken before a fork in the reverse order of registration, and ours encloses its.
Driver::Driver() : machine_((recorder(), read_machine())) {
  pthread_atfork(&Driver::before_fork, &Driver::after_fork_in_parent, &Driver::after_fork_in_child);
}

CUresult Driver::initialise() {
  const Lock lock(mutex);
  if (unusable_after_fork_) return CUDA_ERROR_NOT_INITIALIZED;
  if (!initialised_) make_devices();
  return devices_.empty() ? CUDA_ERROR_NO_DEVICE : CUDA_SUCCESS;
}

void Driver::make_devices() {
  const char* const visible = std::getenv("CUDA_VISIBLE_DEVICES");
  const auto choice = visible_devices(visible, static_cast<int>(machine_.cards.size()));
  if (choice.named_absent_device) recorder().count("driver.visible_devices_names_absent_device");
  for (const int index : choice.indices) {
    const int ordinal = static_cast<int>(devices_.size());
    if (ordinal == kMostDevices) break;
    if (index >= kMostDevices) continue;
    const Address base = reserve_addresses(ordinal);
    const Address end = base + kSpacePerDevice.count - kPage.count;
    AddressSpace addresses(base + kPage.count, end, machine_.address_order, machine_.recorded_segments);
    devices_.push_back(std::make_unique<Device>(ordinal, index, machine_.cards[static_cast<std::size_t>(index)],
                                                std::move(addresses), ledger));
  }
  initialised_ = true;
}

Device* Driver::device(CUdevice ordinal) {
  return initialised_ && ordinal >= 0 && ordinal < device_count() ? devices_[static_cast<std::size_t>(ordinal)].get()
                                                                  : nullptr;
}

Device* Driver::device_in_slot(int slot) {
  if (!initialised_) return nullptr;
  const auto found = std::ranges::find(devices_, slot, [](const auto& device) { return device->slot(); });
  return found == devices_.end() ? nullptr : found->get();
}

Device* Driver::device_of(Address address) {
  if (!initialised_) return nullptr;
  for (const auto& device : devices_) {
    if (device->addresses().contains(address)) return device.get();
  }
  return nullptr;
}

void Driver::before_fork() { instance().mutex.lock(); }

void Driver::after_fork_in_parent() { instance().mutex.unlock(); }

void Driver::after_fork_in_child() {
  Driver& self = instance();
  if (self.initialised_) {
    self.unusable_after_fork_ = true;
    self.initialised_ = false;
  }
  self.ledger.forget();
  self.mutex.unlock();
}

Driver& instance() {
  static Driver& only = *new Driver;
  return only;
}

std::uint64_t next_id() {
  static std::atomic<std::uint64_t> last{0};
  return ++last;
}

namespace {

/// No destructor: entry points are called after a thread's destructors have run.
struct ContextStack {
  static constexpr int kDepth = 64;
  std::array<Context*, kDepth> contexts;
  int size;
};
thread_local constinit ContextStack stack{};

}  // namespace

Context* current_context() {
  return stack.size == 0 ? nullptr : stack.contexts[static_cast<std::size_t>(stack.size - 1)];
}

bool push_context(Context* context) {
  if (stack.size == ContextStack::kDepth) return false;
  stack.contexts[static_cast<std::size_t>(stack.size++)] = context;
  return true;
}

Context* pop_context() {
  Context* const top = current_context();
  if (top) --stack.size;
  return top;
}

void set_current_context(Context* context) {
  pop_context();
  if (context) push_context(context);
}

Device* current_device() {
  const Context* const context = current_context();
  return context ? instance().device(context->device) : nullptr;
}

}  // namespace dryfit::driver
