// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
// What a monitor sees: a process without CUDA, beside processes of the same run that use the GPUs.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>

#include "card/memory_ledger.h"
#include "driver/nvml/testing_library.h"

namespace dryfit::nvml {
namespace {

using namespace literals;

/// A process of the run that holds memory of one card until it is ended.
class Job {
 public:
  Job(int slot, Bytes size) {
    int there[2];
    EXPECT_EQ(pipe2(there, O_CLOEXEC), 0);
    pid_ = fork();
    if (pid_ == 0) hold(slot, size, there[1]);
    close(there[1]);
    char sound = 0;
    EXPECT_EQ(::read(there[0], &sound, 1), 1);
    EXPECT_EQ(sound, 1);
    close(there[0]);
  }
  ~Job() { end(); }

  void end() {
    if (pid_ <= 0) return;
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
    pid_ = 0;
  }

  unsigned int pid() const { return static_cast<unsigned int>(pid_); }

 private:
  [[noreturn]] static void hold(int slot, Bytes size, int there) {
    MemoryLedger ledger;
    bool sound = ledger.join(ledger::path_beside(std::getenv("DRYFIT_MACHINE")).c_str()).problem.empty();
    {
      const MemoryLedger::Turn turn(ledger);
      sound &= ledger.take(slot, size, 80_GiB);
    }
    const char answer = sound ? 1 : 0;
    if (::write(there, &answer, 1) == 1) pause();
    _exit(1);
  }

  pid_t pid_ = 0;
};

TEST(Monitor, Memory_of_other_processes_is_in_use_until_they_end) {
  const Library library(example_machine());
  const auto used = [&](unsigned int index) {
    nvmlMemory_t memory{};
    EXPECT_EQ(NVML(library, nvmlDeviceGetMemoryInfo)(handle_at(library, index), &memory), NVML_SUCCESS);
    EXPECT_EQ(memory.free + memory.used, memory.total);
    return Bytes{memory.used};
  };
  EXPECT_EQ(used(1), 0_B);
  Job first(1, 5_GiB);
  const Job second(1, 2_GiB);
  EXPECT_EQ(used(1), 7_GiB);
  EXPECT_EQ(used(0), 0_B);
  first.end();
  EXPECT_EQ(used(1), 2_GiB);
}

TEST(Monitor, Every_process_on_the_card_is_listed_with_what_it_holds) {
  const Library library(example_machine());
  const Job first(1, 5_GiB), second(1, 2_GiB), elsewhere(0, 1_GiB);
  const auto device = handle_at(library, 1);
  const auto processes = NVML(library, nvmlDeviceGetComputeRunningProcesses_v3);
  unsigned int count = 1;
  nvmlProcessInfo_t infos[4] = {};
  EXPECT_EQ(processes(device, &count, infos), NVML_ERROR_INSUFFICIENT_SIZE);
  EXPECT_EQ(count, 2u);
  count = 4;
  EXPECT_EQ(processes(device, &count, infos), NVML_SUCCESS);
  ASSERT_EQ(count, 2u);
  EXPECT_EQ(infos[0].pid, first.pid());
  EXPECT_EQ(infos[0].usedGpuMemory, (5_GiB).count);
  EXPECT_EQ(infos[1].pid, second.pid());
  EXPECT_EQ(infos[1].usedGpuMemory, (2_GiB).count);
}

}  // namespace
}  // namespace dryfit::nvml
