// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "dryfit/guest.h"

#include "driver/cuda/count_answer.h"
#include "driver/cuda/driver.h"
#include "driver/cuda/recorder.h"

using namespace dryfit;
using namespace dryfit::driver;

#define DRYFIT_GUEST extern "C" __attribute__((visibility("default")))

DRYFIT_GUEST int dryfit_guest_version(void) { return DRYFIT_GUEST_VERSION; }

DRYFIT_GUEST void dryfit_phase(const char* name) { recorder().phase(name); }

DRYFIT_GUEST void dryfit_step(uint64_t completed) { recorder().step(completed); }

DRYFIT_GUEST void dryfit_note(const char* key, const char* value) { recorder().note(key, value); }

DRYFIT_GUEST void dryfit_value(const char* key, int device, uint64_t value) { recorder().value(key, device, value); }

DRYFIT_GUEST void dryfit_out_of_memory(int device, uint64_t requested, uint64_t device_free) {
  recorder().out_of_memory(device, {requested}, {device_free});
}

DRYFIT_GUEST void dryfit_assumed(const char* what, const char* where, uint64_t assumed, uint64_t of) {
  recorder().assumed(what, where, assumed, of);
}

DRYFIT_GUEST void dryfit_answer(int64_t count) { answer_counts_with(count); }

DRYFIT_GUEST uint64_t dryfit_device_used(int ordinal) {
  const Lock lock(instance().mutex);
  Device* const device = instance().device(ordinal);
  return device ? device->used_by_all().count : 0;
}

DRYFIT_GUEST void dryfit_finish(void) {
  const Lock lock(instance().mutex);
  instance().ledger.finish();
  recorder().close();
}
