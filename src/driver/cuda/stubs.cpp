// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
// Every entry point that is not written by hand. The definitions are weak: a strong one of the same name in another
// file takes its place, so implementing an entry point is writing it. What a caller passes does not matter here, and
// this file does not include cuda.h, whose prototypes would.
#include "driver/cuda/recorder.h"

namespace {

constexpr int kNotSupported = 801;  // CUDA_ERROR_NOT_SUPPORTED

int unimplemented(const char* name) {
  dryfit::driver::recorder().count(name);
  return kNotSupported;
}

}  // namespace

#define ENTRY(name, version, symbol)                                     \
  extern "C" __attribute__((weak, visibility("default"))) int symbol() { \
    return unimplemented("driver.unimplemented." #symbol);               \
  }
#define PER_THREAD(symbol, base)
#include "driver/cuda/entry_points.def"
#undef ENTRY
#undef PER_THREAD

// A jump keeps the caller's arguments and return address as they are.
#if defined(__x86_64__)
#define DRYFIT_JUMP "jmp "
#define DRYFIT_JUMP_TARGET "@PLT"
#elif defined(__aarch64__)
#define DRYFIT_JUMP "b "
#define DRYFIT_JUMP_TARGET ""
#endif
#define ENTRY(name, version, symbol)
#define PER_THREAD(symbol, base)                                                                                    \
  asm(".text\n.globl " #symbol "\n.type " #symbol ", %function\n" #symbol ": " DRYFIT_JUMP #base DRYFIT_JUMP_TARGET \
      "\n.size " #symbol ", . - " #symbol "\n");
#include "driver/cuda/entry_points.def"
#undef ENTRY
#undef PER_THREAD
