// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "driver/nvml/session.h"

#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>

namespace dryfit::nvml {
namespace {

std::atomic<const Machine*> loaded_machine = nullptr;
std::atomic<int> callers = 0;

std::optional<std::string> read_whole(const char* path) {
  const int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return std::nullopt;
  std::string text;
  char buffer[4096];
  ssize_t got = 0;
  while ((got = read(file, buffer, sizeof buffer)) > 0) text.append(buffer, static_cast<std::size_t>(got));
  close(file);
  if (got < 0) return std::nullopt;
  return text;
}

std::unique_ptr<const Machine> read_machine() {
  const char* path = std::getenv("DRYFIT_MACHINE");
  if (path == nullptr || *path == '\0') return nullptr;
  const auto text = read_whole(path);
  if (!text) return nullptr;
  auto machine = parse_machine(*text);
  if (!machine) return nullptr;
  return std::make_unique<const Machine>(std::move(*machine));
}

/// Several threads may read the file at the same time; the first to finish wins.
bool ensure_machine() {
  if (loaded_machine.load(std::memory_order_acquire) != nullptr) return true;
  auto fresh = read_machine();
  if (!fresh) return false;
  const Machine* expected = nullptr;
  if (loaded_machine.compare_exchange_strong(expected, fresh.get(), std::memory_order_acq_rel)) fresh.release();
  return true;
}

}  // namespace

nvmlReturn_t initialize() {
  try {
    if (!ensure_machine()) return NVML_ERROR_DRIVER_NOT_LOADED;
  } catch (...) {
    return NVML_ERROR_UNKNOWN;
  }
  callers.fetch_add(1, std::memory_order_acq_rel);
  return NVML_SUCCESS;
}

nvmlReturn_t shut_down() {
  int count = callers.load(std::memory_order_acquire);
  while (count > 0) {
    if (callers.compare_exchange_weak(count, count - 1, std::memory_order_acq_rel)) return NVML_SUCCESS;
  }
  return NVML_ERROR_UNINITIALIZED;
}

const Machine* current_machine() {
  if (callers.load(std::memory_order_acquire) <= 0) return nullptr;
  return loaded_machine.load(std::memory_order_acquire);
}

// A handle is a number in a pointer's clothes: 2 * (ordinal + 1), plus one for the slice of a MIG card.
nvmlDevice_t handle_of(int ordinal, bool is_slice) {
  const auto number = 2 * (static_cast<std::uintptr_t>(ordinal) + 1) + (is_slice ? 1 : 0);
  return reinterpret_cast<nvmlDevice_t>(number);
}

std::optional<Device> device_of(const Machine& machine, nvmlDevice_t handle) {
  const auto number = reinterpret_cast<std::uintptr_t>(handle);
  if (number < 2 || number / 2 > machine.cards.size()) return std::nullopt;
  const auto ordinal = number / 2 - 1;
  const Card& card = machine.cards[ordinal];
  const bool is_slice = number % 2 == 1;
  if (is_slice && !is_mig_card(card)) return std::nullopt;
  return Device{.ordinal = static_cast<int>(ordinal), .is_slice = is_slice, .card = &card};
}

bool is_mig_card(const Card& card) { return card.id.find("mig") != std::string::npos; }

nvmlReturn_t copy_text(std::string_view text, char* out, unsigned int length) {
  if (out == nullptr) return NVML_ERROR_INVALID_ARGUMENT;
  if (length <= text.size()) return NVML_ERROR_INSUFFICIENT_SIZE;
  std::memcpy(out, text.data(), text.size());
  out[text.size()] = '\0';
  return NVML_SUCCESS;
}

}  // namespace dryfit::nvml
