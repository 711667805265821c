// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "verdict/failed_program.h"

#include <algorithm>
#include <charconv>
#include <string_view>
#include <utility>

namespace dryfit::verdict {
namespace {

struct Sign {
  std::string_view part;  ///< of the exception's text
  std::string_view limit;
  std::string_view text;
};

constexpr Sign kSigns[] = {
    {"HigherOrderOperator", "operators", "PyTorch could not dispatch an operator with Dryfit's hooks in place"},
    {"DispatchKey.???", "operators", "PyTorch could not dispatch an operator with Dryfit's hooks in place"},
    {"TESTING_ONLY_GenericMode", "operators", "PyTorch could not dispatch an operator with Dryfit's hooks in place"},
    {"cuFFT error", "cufft", "the simulated GPU does not run this part of cuFFT"},
    {"CUFFT_", "cufft", "the simulated GPU does not run this part of cuFFT"},
    {"cusolver error", "cusolver", "the simulated GPU does not run this part of cuSOLVER"},
    {"CUSOLVER_STATUS_", "cusolver", "the simulated GPU does not run this part of cuSOLVER"},
    {"cusparse error", "cusparse", "the simulated GPU does not run this part of cuSPARSE"},
    {"CUSPARSE_STATUS_", "cusparse", "the simulated GPU does not run this part of cuSPARSE"},
    {"CUBLAS_STATUS_", "libraries", "the simulated GPU does not run this part of cuBLAS"},
    {"CUDNN_STATUS_", "libraries", "the simulated GPU does not run this part of cuDNN"},
    {"NCCL error", "collectives", "collectives between processes are not simulated"},
    {"ncclInternalError", "collectives", "collectives between processes are not simulated"},
    {"ncclSystemError", "collectives", "collectives between processes are not simulated"},
    {"Expected NVML_SUCCESS", "nvml", "the simulated NVML does not answer this call"},
    {"NVMLError", "nvml", "the simulated NVML does not answer this call"},
    {"operation not supported", "entry-points", "the simulated driver does not implement this call"},
    {"CUDA_ERROR_NOT_SUPPORTED", "entry-points", "the simulated driver does not implement this call"},
    {"cudaErrorNotSupported", "entry-points", "the simulated driver does not implement this call"},
    {"cudaErrorStubLibrary", "entry-points", "the simulated driver does not implement this call"},
    {"cudaErrorSymbolNotFound", "entry-points", "the simulated driver does not implement this call"},
};

/// What a program meets that cannot change a file in the layer that holds back its writes (docs/limitations.md).
constexpr std::string_view kOfLayer[] = {"Value too large for defined data type", "Invalid cross-device link",
                                         "Read-only file system", "No space left on device", "cannot be opened."};

/// Launchers raise these when one of their processes has failed.
constexpr std::string_view kOfLaunchers[] = {"ChildFailedError", "ProcessRaisedException", "ProcessExitedException",
                                             "CalledProcessError", "SystemExit"};

/// How many lines below a reading the exception that follows from it may be raised.
constexpr int kLinesBelow = 3;

bool contains(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

bool is_of_launcher(std::string_view text) {
  const auto type = text.substr(0, text.find(':'));
  return std::ranges::any_of(kOfLaunchers, [&](auto name) { return contains(type, name); });
}

bool is_of_layer(std::string_view text, const RunFacts& facts) {
  const bool has_layer = facts.writes && facts.writes->held_back;
  return has_layer && std::ranges::any_of(kOfLayer, [&](auto part) { return contains(text, part); });
}

/// "train.py:42" → "train.py" and 42; the number is -1 if there is none.
std::pair<std::string_view, int> split(std::string_view place) {
  const auto colon = place.rfind(':');
  int line = -1;
  if (colon != std::string_view::npos) std::from_chars(place.data() + colon + 1, place.data() + place.size(), line);
  return {place.substr(0, colon), line};
}

/// Whether the program had read a value there that Dryfit had assumed.
bool follows(const ProgramError& error, const analysis::Assumption& assumption) {
  const auto [file, line] = split(error.where);
  const auto [read_file, read_line] = split(assumption.where);
  return line >= 0 && read_line >= 0 && file == read_file && line >= read_line && line <= read_line + kLinesBelow;
}

std::string advice_for_more_gpus(const RunFacts& facts) {
  for (const auto& process : facts.processes) {
    const auto launched = process.notes.find("launch.processes");
    if (launched == process.notes.end() || launched->second == "1") continue;
    return "The command starts " + launched->second + " processes with a GPU each. Simulate as many with --count " +
           launched->second + ".";
  }
  return "The program uses more GPUs than there are here. Give it more with --count.";
}

bool follows_assumption(const ProgramError& error, const RunFacts& facts) {
  return std::ranges::any_of(facts.processes, [&](const auto& process) {
    return std::ranges::any_of(process.assumptions, [&](const auto& each) { return follows(error, each); });
  });
}

}  // namespace

std::optional<ProgramError> error_of(const RunFacts& facts) {
  std::optional<ProgramError> launcher;
  for (const auto& process : facts.processes) {
    const auto text = process.notes.find("program.error");
    if (text == process.notes.end()) continue;
    const auto where = process.notes.find("program.error_at");
    ProgramError error{text->second, where == process.notes.end() ? "" : where->second};
    if (!is_of_launcher(error.text)) return error;
    launcher = std::move(error);
  }
  return launcher;
}

std::optional<OurLimit> limit_behind(const ProgramError& error, const RunFacts& facts) {
  const auto sign = std::ranges::find_if(kSigns, [&](const auto& each) { return contains(error.text, each.part); });
  if (sign != std::end(kSigns)) return OurLimit{std::string(sign->limit), std::string(sign->text)};
  if (is_of_layer(error.text, facts)) {
    return OurLimit{"files", "what the program writes is held back, which failed for this file"};
  }
  if (follows_assumption(error, facts)) {
    return OurLimit{"unknown-values", "the program acted on a value that only a GPU computes"};
  }
  return std::nullopt;
}

std::string advice_for(const ProgramError& error, const RunFacts& facts) {
  if (contains(error.text, "invalid device ordinal")) return advice_for_more_gpus(facts);
  if (error.text.starts_with("ModuleNotFoundError")) return "Install the module in this Python environment.";
  return "Fix the error, then run it again.";
}

}  // namespace dryfit::verdict
