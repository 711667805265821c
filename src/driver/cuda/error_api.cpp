// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
// Names and descriptions of results.
#include <cctype>
#include <map>
#include <string>

#include "driver/cuda/api.h"

namespace {

struct Texts {
  std::string name;
  std::string description;
};

/// CUDA_ERROR_OUT_OF_MEMORY is described as "out of memory".
Texts texts_of(std::string name) {
  const std::string prefix = name.starts_with("CUDA_ERROR_") ? "CUDA_ERROR_" : "CUDA_";
  std::string description = name.substr(prefix.size());
  for (char& c : description) c = c == '_' ? ' ' : static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return {std::move(name), std::move(description)};
}

const std::map<int, Texts>& all_texts() {
  static const auto& all = *new std::map<int, Texts>{
#define RESULT(name) {name, texts_of(#name)},
#include "driver/cuda/errors.def"
#undef RESULT
  };
  return all;
}

CUresult text_of(CUresult error, const char** text, std::string Texts::* member) {
  if (!text) return CUDA_ERROR_INVALID_VALUE;
  const auto found = all_texts().find(error);
  *text = found == all_texts().end() ? nullptr : (found->second.*member).c_str();
  return *text ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

}  // namespace

DRYFIT_API(cuGetErrorName)(CUresult error, const char** text) { return text_of(error, text, &Texts::name); }
DRYFIT_API(cuGetErrorString)(CUresult error, const char** text) { return text_of(error, text, &Texts::description); }

// The modelled driver logs nothing, so there is nobody to notify.
DRYFIT_API(cuLogsRegisterCallback)(CUlogsCallback, void*, CUlogsCallbackHandle* handle) {
  if (handle) *handle = nullptr;
  return CUDA_SUCCESS;
}
DRYFIT_API(cuLogsUnregisterCallback)(CUlogsCallbackHandle) { return CUDA_SUCCESS; }

// Profiling ranges mean nothing to a card that does no work.
DRYFIT_API(cuProfilerStart)() { return CUDA_SUCCESS; }
DRYFIT_API(cuProfilerStop)() { return CUDA_SUCCESS; }
