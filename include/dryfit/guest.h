/* SPDX-FileCopyrightText: The Dryfit authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * What the stand-in libcuda.so.1 offers to Dryfit's own code in the same process (the Python hooks, the stand-in NVML),
 * besides NVIDIA's interface. Every call is thread-safe, never fails loudly, and takes at most a microsecond or two.
 * Strings are copied. A process without a machine file (DRYFIT_MACHINE) accepts all calls and records nothing.
 */
#ifndef DRYFIT_GUEST_H_
#define DRYFIT_GUEST_H_

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define DRYFIT_GUEST_VERSION 1

/* The DRYFIT_GUEST_VERSION of the loaded library. */
int dryfit_guest_version(void);

/* The program enters a phase: "load", "forward", "backward", "optimizer", "other". Holds until the next call. */
void dryfit_phase(const char* name);

/* The program has completed its n-th optimizer step (n counts from 1). */
void dryfit_step(uint64_t completed);

/* A fact in words: "software.torch" = "2.6.0+cu124", "stop.reason" = "steps", "hooks.error" = "...". */
void dryfit_note(const char* key, const char* value);

/* A fact as a number, for one device (-1: none): "torch.peak_reserved_bytes", "torch.reserved_after_load_bytes". */
void dryfit_value(const char* key, int device, uint64_t value);

/* PyTorch's allocator gave up: the request that failed, and how much memory the device had free at that moment. */
void dryfit_out_of_memory(int device, uint64_t requested, uint64_t device_free);

/* A size that depends on values that were never computed was assumed: what it counts ("distinct elements"), the line of
 * the program ("train.py:42", or "" if unknown), how many elements were assumed, and how many there could be
 * at most. 0 of 0: the program has read assumed values and may derive sizes from them. Call this each time it
 * happens. */
void dryfit_assumed(const char* what, const char* where, uint64_t assumed, uint64_t of);

/* From now on this thread reads `count` whenever it copies one 32- or 64-bit number from a device: the operator in
 * progress counts elements there and reads the count back. A negative number ends this. */
void dryfit_answer(int64_t count);

/* Bytes in use on a device right now, as a monitor outside the process would see it. */
uint64_t dryfit_device_used(int device);

/* Everything has been recorded; the process is about to end on purpose. */
void dryfit_finish(void);

#ifdef __cplusplus
}
#endif

#endif /* DRYFIT_GUEST_H_ */
