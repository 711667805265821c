// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "verdict/failed_program.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace dryfit::verdict {
namespace {

/// A process that failed with this exception, after a library had looked in vain for code for the chip, as NCCL does.
RunFacts failed_with(const std::string& error, const std::string& where) {
  analysis::ProcessSummary process;
  process.pid = 42;
  process.hooks = true;
  process.notes = {{"software.torch", "2.6.0+cu124"},
                   {"torch.cuda_build", "1"},
                   {"program.error", error},
                   {"program.error_at", where}};
  process.devices = {analysis::DeviceSummary{}};
  process.diagnostics.add("driver.no_kernel_image");
  process.assumptions = {{.what = "unknown conditions read as false", .where = "solve.py:30", .times = 4}};
  RunFacts facts;
  facts.exit_code = 1;
  facts.processes = {process};
  return facts;
}

Verdict verdict_of(const std::string& error, const std::string& where = "train.py:12") {
  return judge(Card{}, failed_with(error, where));
}

struct Failure {
  std::string error;
  std::string where;
  std::string limit;  ///< ours; empty: the program's own
  std::string words;  ///< in the reason or in the hint
};

// Read this list as a user would: who is named, and what to do.
const Failure kFailures[] = {
    // The program's own.
    {"FileNotFoundError: [Errno 2] No such file or directory: 'data.csv'", "train.py:12", "", "Fix the error"},
    {"ModuleNotFoundError: No module named 'einops'", "train.py:3", "", "Install the module"},
    {"RuntimeError: mat1 and mat2 shapes cannot be multiplied (8x32 and 64x10)", "model.py:40", "", "model.py:40"},
    {"KeyError: 'learning_rate'", "config.py:9", "", "config.py:9"},
    {"RuntimeError: Expected all tensors to be on the same device, but found at least two devices, cuda:0 and cpu!",
     "train.py:31", "", "same device"},
    {"RuntimeError: grad can be implicitly created only for scalar outputs", "train.py:33", "", "scalar outputs"},
    {"TypeError: forward() missing 1 required positional argument: 'mask'", "train.py:28", "", "'mask'"},
    {"AssertionError: vocabulary size must be a multiple of 64", "train.py:20", "", "multiple of 64"},
    {"RuntimeError: CUDA error: invalid device ordinal", "train.py:8", "", "--count"},
    {"OSError: We couldn't connect to 'https://models.example' to load the files", "train.py:5", "", "connect"},
    // Ours.
    {"NotImplementedError: could not find kernel for HigherOrderOperator flex_attention at dispatch key "
     "DispatchKey.???",
     "attention.py:8", "operators", "dispatch"},
    {"RuntimeError: cuFFT error: CUFFT_INTERNAL_ERROR", "audio.py:14", "cufft", "cuFFT"},
    {"torch._C._LinAlgError: cusolver error: CUSOLVER_STATUS_INTERNAL_ERROR, when calling `cusolverDnCreate(handle)`",
     "train.py:19", "cusolver", "cuSOLVER"},
    {"RuntimeError: CUDA error: CUSPARSE_STATUS_NOT_INITIALIZED when calling `cusparseCreate(handle)`", "train.py:19",
     "cusparse", "cuSPARSE"},
    {"RuntimeError: CUDA error: CUBLAS_STATUS_NOT_SUPPORTED when calling cublasLtMatmulAlgoGetHeuristic", "train.py:19",
     "libraries", "cuBLAS"},
    {"RuntimeError: cuDNN error: CUDNN_STATUS_EXECUTION_FAILED", "train.py:19", "libraries", "cuDNN"},
    {"torch.distributed.DistBackendError: NCCL error in: ProcessGroupNCCL.cpp:77, unhandled cuda error", "train.py:6",
     "collectives", "collectives"},
    {"RuntimeError: Expected NVML_SUCCESS == DriverAPI::get()->nvmlDeviceGetGpuFabricInfoV_()", "train.py:6", "nvml",
     "NVML"},
    {"RuntimeError: CUDA error: operation not supported", "train.py:6", "entry-points", "driver"},
    {"RuntimeError: the solver did not converge", "solve.py:31", "unknown-values", "only a GPU computes"},
};

TEST(FailedProgram, The_right_party_is_named_with_what_to_do) {
  for (const auto& [error, where, limit, words] : kFailures) {
    const auto verdict = verdict_of(error, where);
    const auto all = verdict.reason + " " + verdict.hint;
    EXPECT_EQ(verdict.answer, Answer::cannot_tell);
    EXPECT_EQ(all.find("a limit of Dryfit") != std::string::npos, !limit.empty()) << all;
    EXPECT_NE(all.find(limit.empty() ? error : "docs/limitations.md#" + limit), std::string::npos) << all;
    EXPECT_NE(all.find(words), std::string::npos) << all;
    EXPECT_EQ(all.find("have no code for compute capability"), std::string::npos) << all;
  }
}

TEST(FailedProgram, A_file_that_cannot_be_changed_is_our_limit_only_where_writes_are_held_back) {
  const auto error = "OSError: [Errno 75] Value too large for defined data type: 'log'";
  auto facts = failed_with(error, "train.py:12");
  EXPECT_FALSE(limit_behind({error, "train.py:12"}, facts));
  facts.writes = launch::Writes{.held_back = true};
  EXPECT_NE(judge(Card{}, facts).hint.find("docs/limitations.md#files"), std::string::npos);
}

TEST(FailedProgram, A_program_without_the_exception_noted_is_sent_to_its_own_output) {
  auto facts = failed_with("", "");
  facts.processes[0].notes.erase("program.error");
  EXPECT_NE(judge(Card{}, facts).reason.find("its own output is above"), std::string::npos);
}

TEST(FailedProgram, A_loop_that_waits_for_a_computed_value_is_named_as_our_limit) {
  auto facts = failed_with("", "");
  facts.processes[0].notes.erase("program.error");
  facts.processes[0].notes["program.waits_at"] = "solver.py:88";
  const auto verdict = judge(Card{}, facts);
  EXPECT_EQ(verdict.answer, Answer::cannot_tell);
  EXPECT_NE(verdict.reason.find("a limit of Dryfit"), std::string::npos);
  EXPECT_NE(verdict.reason.find("solver.py:88"), std::string::npos);
}

TEST(FailedProgram, A_launcher_is_not_the_one_that_failed) {
  auto facts = failed_with("ChildFailedError: train.py FAILED", "run.py:1");
  facts.processes.push_back(failed_with("KeyError: 'lr'", "train.py:9").processes[0]);
  EXPECT_EQ(error_of(facts)->text, "KeyError: 'lr'");
}

TEST(FailedProgram, A_launcher_of_more_processes_than_GPUs_is_told_their_number) {
  auto facts = failed_with("RuntimeError: CUDA error: invalid device ordinal", "train.py:8");
  facts.processes[0].notes["launch.processes"] = "8";
  EXPECT_NE(judge(Card{}, facts).hint.find("--count 8"), std::string::npos);
}

TEST(FailedProgram, An_assumption_elsewhere_is_no_cause) {
  EXPECT_FALSE(limit_behind({"ValueError: no", "solve.py:34"}, failed_with("ValueError: no", "solve.py:34")));
  EXPECT_FALSE(limit_behind({"ValueError: no", "other.py:31"}, failed_with("ValueError: no", "other.py:31")));
}

}  // namespace
}  // namespace dryfit::verdict
