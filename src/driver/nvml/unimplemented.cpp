// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
//
// Every entry point, so that none is missing when a program looks it up. A definition in another file of this library
// takes the place of the weak one here. The arguments are the caller's own business in the x86-64 and AArch64 calling
// conventions, so nvml.h is left out and one form does for all.

#define ENTRY(name) \
  extern "C" __attribute__((weak, visibility("default"))) int name() { return 3; /* NVML_ERROR_NOT_SUPPORTED */ }
#include "driver/nvml/entry_points.def"
#undef ENTRY
