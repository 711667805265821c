// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <thread>
#include <vector>

#include "driver/nvml/testing_library.h"

namespace dryfit::nvml {
namespace {

TEST(Library, Without_a_machine_file_there_is_no_driver) {
  const Library library(std::nullopt);
  EXPECT_EQ(NVML(library, nvmlInit_v2)(), NVML_ERROR_DRIVER_NOT_LOADED);
  unsigned int count = 7;
  EXPECT_EQ(NVML(library, nvmlDeviceGetCount_v2)(&count), NVML_ERROR_UNINITIALIZED);
  EXPECT_EQ(count, 7u);
}

TEST(Library, A_damaged_machine_file_means_no_driver_either) {
  const Library library(std::optional<std::string>("this is not a machine\n"));
  EXPECT_EQ(NVML(library, nvmlInit)(), NVML_ERROR_DRIVER_NOT_LOADED);
}

TEST(Library, A_machine_file_that_appears_later_is_found) {
  const Library library(example_machine());
  const std::string path = std::getenv("DRYFIT_MACHINE");
  setenv("DRYFIT_MACHINE", "/nonexistent", 1);
  EXPECT_EQ(NVML(library, nvmlInit_v2)(), NVML_ERROR_DRIVER_NOT_LOADED);
  setenv("DRYFIT_MACHINE", path.c_str(), 1);
  EXPECT_EQ(NVML(library, nvmlInit_v2)(), NVML_SUCCESS);
}

TEST(Library, Questions_before_initialisation_are_refused) {
  const Library library(example_machine());
  nvmlDevice_t device = nullptr;
  EXPECT_EQ(NVML(library, nvmlDeviceGetHandleByIndex_v2)(0, &device), NVML_ERROR_UNINITIALIZED);
  EXPECT_EQ(NVML(library, nvmlShutdown)(), NVML_ERROR_UNINITIALIZED);
}

TEST(Library, It_stays_up_until_the_last_caller_has_shut_it_down) {
  const Library library(example_machine());
  unsigned int count = 0;
  EXPECT_EQ(NVML(library, nvmlInit)(), NVML_SUCCESS);
  EXPECT_EQ(NVML(library, nvmlInitWithFlags)(0), NVML_SUCCESS);
  EXPECT_EQ(NVML(library, nvmlShutdown)(), NVML_SUCCESS);
  EXPECT_EQ(NVML(library, nvmlDeviceGetCount)(&count), NVML_SUCCESS);
  EXPECT_EQ(NVML(library, nvmlShutdown)(), NVML_SUCCESS);
  EXPECT_EQ(NVML(library, nvmlDeviceGetCount)(&count), NVML_ERROR_UNINITIALIZED);
  EXPECT_EQ(NVML(library, nvmlInit_v2)(), NVML_SUCCESS);
  EXPECT_EQ(NVML(library, nvmlDeviceGetCount)(&count), NVML_SUCCESS);
  EXPECT_EQ(count, 4u);
}

TEST(Library, Every_error_has_a_text_even_an_unknown_one) {
  const Library library(example_machine());
  EXPECT_STREQ(NVML(library, nvmlErrorString)(NVML_SUCCESS), "Success");
  EXPECT_STREQ(NVML(library, nvmlErrorString)(NVML_ERROR_DRIVER_NOT_LOADED), "Driver Not Loaded");
  EXPECT_STREQ(NVML(library, nvmlErrorString)(static_cast<nvmlReturn_t>(77)), "Unknown Error");
}

/// Init, look around, shut down, `rounds` times. True when every answer was right.
bool use_it_again_and_again(const Library& library, int rounds) {
  bool right = true;
  for (int i = 0; i < rounds; ++i) {
    nvmlDevice_t device = nullptr;
    nvmlMemory_t memory{};
    right &= NVML(library, nvmlInit_v2)() == NVML_SUCCESS;
    right &= NVML(library, nvmlDeviceGetHandleByIndex_v2)(i % 4, &device) == NVML_SUCCESS;
    right &= NVML(library, nvmlDeviceGetMemoryInfo)(device, &memory) == NVML_SUCCESS && memory.total > 0;
    right &= NVML(library, nvmlShutdown)() == NVML_SUCCESS;
  }
  return right;
}

TEST(Library, Threads_may_use_it_at_the_same_time) {
  const Library library(example_machine());
  std::atomic<int> right = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) threads.emplace_back([&] { right += use_it_again_and_again(library, 200) ? 1 : 0; });
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(right, 8);
  EXPECT_EQ(NVML(library, nvmlShutdown)(), NVML_ERROR_UNINITIALIZED);
}

int exit_code_of(pid_t child) {
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(Library, A_forked_child_keeps_what_its_parent_had) {
  const Library library(example_machine());
  const auto device = handle_at(library, 1);
  const pid_t child = fork();
  if (child == 0) {
    char name[NVML_DEVICE_NAME_BUFFER_SIZE] = "";
    const bool same = NVML(library, nvmlDeviceGetName)(device, name, sizeof name) == NVML_SUCCESS &&
                      std::string_view(name) == "NVIDIA A100-SXM4-40GB";
    _exit(same ? 0 : 1);
  }
  EXPECT_EQ(exit_code_of(child), 0);
}

#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
constexpr bool kForksBesideThreads = false;  // the sanitizers' own locks do not survive it
#else
constexpr bool kForksBesideThreads = true;
#endif

TEST(Library, A_fork_while_other_threads_initialise_leaves_the_child_usable) {
  if (!kForksBesideThreads) GTEST_SKIP();
  const Library library(example_machine());
  std::atomic<bool> stop = false;
  std::thread busy([&] {
    while (!stop) use_it_again_and_again(library, 10);
  });
  for (int i = 0; i < 20; ++i) {
    const pid_t child = fork();
    if (child == 0) _exit(use_it_again_and_again(library, 3) ? 0 : 1);
    EXPECT_EQ(exit_code_of(child), 0);
  }
  stop = true;
  busy.join();
}

}  // namespace
}  // namespace dryfit::nvml
