// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "card/machine.h"
#include "driver/cuda/api.h"

namespace dryfit::driver {

/// A card small enough to fill in a test.
inline Card test_card() {
  using namespace literals;
  Card card;
  card.id = "test-card";
  card.name = "Test Card";
  card.architecture = "Ampere";
  card.compute_capability = {8, 6};
  card.total_memory = 1_GiB;
  card.context_memory = 100_MiB;
  card.attributes = {{CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, 28},
                     {CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR, 1536},
                     {CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR, 65536}};
  return card;
}

/// A temporary folder with a machine file, which DRYFIT_MACHINE names while this object lives.
class TestMachine {
 public:
  explicit TestMachine(const Machine& machine) {
    std::string name = (std::filesystem::temp_directory_path() / "dryfit-driver-XXXXXX").string();
    folder_ = mkdtemp(name.data());
    std::ofstream(folder_ / "machine.txt") << to_text(machine);
    setenv("DRYFIT_MACHINE", (folder_ / "machine.txt").c_str(), 1);
    unsetenv("CUDA_VISIBLE_DEVICES");
  }
  ~TestMachine() {
    unsetenv("DRYFIT_MACHINE");
    std::filesystem::remove_all(folder_);
  }

  const std::filesystem::path& folder() const { return folder_; }

  std::vector<std::filesystem::path> traces() const {
    std::vector<std::filesystem::path> found;
    for (const auto& entry : std::filesystem::directory_iterator(folder_)) {
      if (entry.path().extension() == ".dryfit") found.push_back(entry.path());
    }
    return found;
  }

 private:
  std::filesystem::path folder_;
};

/// The built library, loaded as a program would load it.
class Library {
 public:
  Library() : handle_(dlopen(DRYFIT_CUDA_LIBRARY, RTLD_NOW | RTLD_LOCAL)) {}
  explicit operator bool() const { return handle_ != nullptr; }

  template <class Function>
  Function* get(const char* name) const {
    return reinterpret_cast<Function*>(dlsym(handle_, name));
  }

 private:
  void* handle_;
};

/// Calls an entry point of the library by its name and its prototype in cuda.h.
#define CALL(library, name) (*(library).get<decltype(name)>(#name))

/// Runs `body` in a child process that has not loaded the library before, so that each test has a driver of its own.
/// The test fails if the child does not succeed.
template <class Body>
void in_a_process(const Body& body) {
  const pid_t child = fork();
  if (child == 0) {
    body();
    std::_Exit(::testing::Test::HasFailure() ? 1 : 0);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status)) << "killed by signal " << WTERMSIG(status);
  EXPECT_EQ(WEXITSTATUS(status), 0) << "see the failures above";
}

}  // namespace dryfit::driver
