// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "card/address_space.h"
#include "card/card.h"
#include "driver/cuda/account.h"
#include "driver/cuda/api.h"
#include "driver/cuda/small_pages.h"
#include "trace/events.h"

namespace dryfit::driver {

/// A CUDA context. CUcontext handles point at these; they are never freed, since libraries use them from exit handlers.
struct Context {
  using Destructor = void (*)(CUcontext, void* key, void* value);
  struct Stored {
    void* value;
    Destructor destructor;
  };

  int device;
  std::uint64_t id;
  unsigned flags = 0;
  bool active = false;                        ///< on the device, and charged to it
  std::unordered_map<void*, Stored> storage;  ///< the runtime's context-local storage
  std::unordered_map<int, std::size_t> limits;
};

/// The largest number of devices in a machine; sets of devices are bits of a word.
inline constexpr int kMostDevices = ledger::kDevices;

/// One modelled card and the memory that this process uses on it. Not thread-safe; the driver's lock guards it.
///
/// Invariant: used() is the sum of all charges not yet discharged; used() <= card().total_memory.
class Device {
 public:
  Device(int ordinal, int slot, Card card, AddressSpace addresses, MemoryLedger& ledger);

  int ordinal() const { return ordinal_; }  ///< among the devices that the program sees
  int slot() const { return slot_; }        ///< in the machine: determines UUID and PCI address
  const Card& card() const { return card_; }
  Bytes used() const { return account_.own(); }
  Bytes used_by_all();  ///< by all processes of the run
  Bytes free();
  AddressSpace& addresses() { return addresses_; }

  /// A place for `size` bytes, charged and recorded; nothing if the card is full (which is recorded too). For requests
  /// that share a page, the page is recorded, under the library that opened it.
  struct Placed {
    Address address;
    Bytes charged;
    bool small;
  };
  std::optional<Placed> place(Bytes size, trace::Purpose purpose, trace::NameId library);
  void remove(const Placed& placed, trace::Purpose purpose);

  /// Charges memory that has no address of its own (physical memory, the context, code). False if the card is full.
  bool charge(trace::Purpose purpose, std::uint64_t handle, Bytes requested, Bytes charged, trace::NameId library);
  void discharge(trace::Purpose purpose, std::uint64_t handle, Bytes charged);

  /// Code is loaded piece by piece and fills pages; the first piece also charges what kernels need besides their code
  /// (Card::launch_memory). False if the card is full.
  bool load_code(Bytes size, trace::NameId library);

  /// The handle of the primary context. Holding it costs nothing: the runtime requests it when it starts.
  Context* primary_context();
  /// Makes sure that a context is on the device, and charges for it. False if the card is too full.
  bool activate(Context& context);
  bool primary_active() const { return primary_retains > 0; }

  int primary_retains = 0;
  unsigned primary_flags = 0;

 private:
  void announce();
  bool prepare_to_run();

  const int ordinal_;
  const int slot_;
  const Card card_;
  AddressSpace addresses_;
  SmallPages small_pages_;
  Account account_;
  Bytes code_;
  Bytes code_pages_;
  std::unique_ptr<Context> primary_;
  bool announced_ = false;  ///< to the capture
  bool prepared_ = false;   ///< launch_memory is charged
};

}  // namespace dryfit::driver
