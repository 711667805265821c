/* SPDX-FileCopyrightText: The Dryfit authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * What the stand-in libcuda.so.1 offers to Dryfit's own code in the same process (the Python hooks, the stand-in NVML),
 * beside NVIDIA's interface. Every call is thread-safe, never fails loudly, and costs less than a microsecond or two.
 * Strings are copied. A process without a machine file (DRYFIT_MACHINE) accepts all calls and records nothing.
 */
#ifndef DRYFIT_GUEST_H_
#define DRYFIT_GUEST_H_

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define DRYFIT_GUEST_VERSION 1

/* DRYFIT_GUEST_VERSION of the library that is loaded. */
int dryfit_guest_version(void);

/* The program enters a phase: "load", "forward", "backward", "optimizer", "other". Holds until the next call. */
void dryfit_phase(const char* name);

/* The program has completed its n-th optimizer step (n counts from 1). */
void dryfit_step(uint64_t completed);

/* A fact in words: "software.torch" = "2.6.0+cu124", "stop.reason" = "steps", "hooks.error" = "...". */
void dryfit_note(const char* key, const char* value);

/* A fact as a number, for one device (-1: none): "torch.peak_reserved_bytes", "torch.reserved_after_load_bytes". */
void dryfit_value(const char* key, int device, uint64_t value);

/* PyTorch's allocator gave up: the request that failed, and what the device had then. */
void dryfit_out_of_memory(int device, uint64_t requested, uint64_t device_free);

/* Bytes in use on a device right now, as a monitor outside the process would see them. */
uint64_t dryfit_device_used(int device);

/* Everything of note has been recorded; the process is about to end on purpose. */
void dryfit_finish(void);

#ifdef __cplusplus
}
#endif

#endif /* DRYFIT_GUEST_H_ */
