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

/* A size that depends on values which nobody computed was assumed: what it counts ("distinct elements"), the line of
 * the program ("train.py:42", or "" where it is not known), how many elements were assumed of how many there could be
 * at most. 0 of 0: the program has read values that were assumed, and may make sizes of them. To be called each time it
 * happens. */
void dryfit_assumed(const char* what, const char* where, uint64_t assumed, uint64_t of);

/* From now on this thread reads `count` wherever it copies one number of 32 or 64 bits from a device: the operator in
 * progress counts elements there and asks how many. A negative number ends it. */
void dryfit_answer(int64_t count);

/* Bytes in use on a device right now, as a monitor outside the process would see them. */
uint64_t dryfit_device_used(int device);

/* Everything of note has been recorded; the process is about to end on purpose. */
void dryfit_finish(void);

#ifdef __cplusplus
}
#endif

#endif /* DRYFIT_GUEST_H_ */
