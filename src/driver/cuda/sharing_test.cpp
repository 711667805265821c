// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
// Several processes of one run on the same GPU, as programs meet it through the library.
#include <fcntl.h>
#include <signal.h>

#include <functional>

#include "card/process_identity.h"
#include "driver/cuda/testing.h"
#include "dryfit/guest.h"
#include "trace/reader.h"
#include "trace/text.h"

namespace dryfit::driver {
namespace {

using namespace literals;

/// The library with its first device current; tests run this in a process of its own.
class Program {
 public:
  Program() {
    EXPECT_TRUE(library_) << dlerror();
    EXPECT_EQ(CALL(library_, cuInit)(0), CUDA_SUCCESS);
    CUcontext context = nullptr;
    began_ = CALL(library_, cuDevicePrimaryCtxRetain)(&context, 0);
    if (began_ != CUDA_SUCCESS) return;
    EXPECT_EQ(CALL(library_, cuCtxSetCurrent)(context), CUDA_SUCCESS);
  }

  const Library& library() const { return library_; }
  CUresult began() const { return began_; }

  CUresult allocate(Bytes size) {
    CUdeviceptr address = 0;
    return CALL(library_, cuMemAlloc_v2)(&address, size.count);
  }

  Bytes free() const {
    size_t free = 0, total = 0;
    EXPECT_EQ(CALL(library_, cuMemGetInfo_v2)(&free, &total), CUDA_SUCCESS);
    return {free};
  }

 private:
  Library library_;
  CUresult began_ = CUDA_SUCCESS;
};

/// A process beside the one of the test. It is there, and `body` has run, when the constructor returns; it stays until it
/// is ended.
class Neighbour {
 public:
  explicit Neighbour(const std::function<void()>& body) {
    int there[2];
    EXPECT_EQ(::pipe2(there, O_CLOEXEC), 0);
    pid_ = ::fork();
    if (pid_ == 0) {
      body();
      const char sound = ::testing::Test::HasFailure() ? 0 : 1;
      if (::write(there[1], &sound, 1) == 1) ::pause();
      _exit(1);
    }
    ::close(there[1]);
    char sound = 0;
    EXPECT_EQ(::read(there[0], &sound, 1), 1);
    EXPECT_EQ(sound, 1) << "see the failures above";
    ::close(there[0]);
  }
  ~Neighbour() { end(); }

  pid_t pid() const { return pid_; }

  void end() {
    if (pid_ <= 0) return;
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
    pid_ = 0;
  }

 private:
  pid_t pid_ = 0;
};

void hold(Bytes size) {
  Program program;
  EXPECT_EQ(program.allocate(size), CUDA_SUCCESS);
}

std::string text_of(const std::filesystem::path& file) {
  auto reader = trace::Reader::open(file.string());
  std::string text;
  while (const auto event = reader->next()) text += to_text(*event, *reader) + "\n";
  return text;
}

/// A GPU of 1 GiB; every process has a context of 100 MiB.
class Sharing : public testing::Test {
 protected:
  std::string trace_of(pid_t pid) const {
    for (const auto& file : machine_.traces()) {
      if (file.filename() == "trace-" + std::to_string(pid) + ".dryfit") return text_of(file);
    }
    return "";
  }

  TestMachine machine_{Machine{.cards = {test_card(), test_card()}}};
};

TEST_F(Sharing, Free_memory_is_what_all_processes_leave) {
  const Neighbour neighbour([] { hold(600_MiB); });
  in_a_process([] {
    const Program program;
    EXPECT_EQ(program.free(), 1_GiB - 600_MiB - 200_MiB);
  });
}

TEST_F(Sharing, The_process_that_asks_for_too_much_is_refused_and_gets_it_when_the_other_has_ended) {
  Neighbour neighbour([] { hold(600_MiB); });
  in_a_process([&] {
    Program program;
    EXPECT_EQ(program.allocate(300_MiB), CUDA_ERROR_OUT_OF_MEMORY);
    EXPECT_EQ(program.allocate(224_MiB), CUDA_SUCCESS);
    ::kill(neighbour.pid(), SIGKILL);
    while (program.free() < 600_MiB) {
    }
    EXPECT_EQ(program.allocate(600_MiB), CUDA_SUCCESS);
  });
}

TEST_F(Sharing, A_context_needs_room_beside_the_others_memory_too) {
  const Neighbour neighbour([] { hold(850_MiB); });
  in_a_process([] { EXPECT_EQ(Program().began(), CUDA_ERROR_OUT_OF_MEMORY); });
}

TEST_F(Sharing, A_refusal_says_in_the_trace_who_held_what) {
  const Neighbour neighbour([] { hold(600_MiB); });
  pid_t refused = 0;
  in_a_process([] {
    Program program;
    EXPECT_EQ(program.allocate(300_MiB), CUDA_ERROR_OUT_OF_MEMORY);
  });
  for (const auto& file : machine_.traces()) {
    const auto pid = std::stoi(file.stem().string().substr(6));
    if (pid != neighbour.pid()) refused = pid;
  }
  const auto other = "process." + std::to_string(neighbour.pid());
  const auto text = trace_of(refused);
  EXPECT_NE(text.find(other + ".holds"), std::string::npos) << text;
  EXPECT_NE(text.find(std::to_string((700_MiB).count)), std::string::npos) << text;
  EXPECT_NE(text.find("cuda_test"), std::string::npos) << "both are named: " << text;
  EXPECT_EQ(trace_of(neighbour.pid()).find("process."), std::string::npos) << "who came first was alone";
}

TEST_F(Sharing, A_process_that_is_alone_records_nothing_about_others) {
  in_a_process([] {
    Program program;
    EXPECT_EQ(program.allocate(2_GiB), CUDA_ERROR_OUT_OF_MEMORY);
  });
  ASSERT_EQ(machine_.traces().size(), 1u);
  const auto text = text_of(machine_.traces().front());
  EXPECT_EQ(text.find("process."), std::string::npos) << text;
  EXPECT_EQ(text.find("ledger."), std::string::npos) << text;
}

TEST_F(Sharing, The_end_of_a_process_is_recorded_by_who_notices_it) {
  Neighbour neighbour([] { hold(600_MiB); });
  const auto pid = neighbour.pid();
  const Neighbour noticing([&] {
    Program program;
    EXPECT_EQ(program.allocate(200_MiB), CUDA_SUCCESS);
    ::kill(pid, SIGKILL);
    while (program.free() < 600_MiB) {
    }
  });
  EXPECT_NE(trace_of(noticing.pid()).find("process.ended"), std::string::npos) << trace_of(noticing.pid());
}

TEST_F(Sharing, Processes_that_number_devices_differently_draw_on_the_same_one) {
  const Neighbour neighbour([] {
    setenv("CUDA_VISIBLE_DEVICES", "1", 1);
    hold(600_MiB);
  });
  in_a_process([] {
    const Program program;
    EXPECT_EQ(program.free(), 1_GiB - 100_MiB) << "the first device";
  });
  in_a_process([] {
    setenv("CUDA_VISIBLE_DEVICES", "1,0", 1);
    const Program program;
    EXPECT_EQ(program.free(), 1_GiB - 600_MiB - 200_MiB) << "the second";
  });
  EXPECT_NE(trace_of(neighbour.pid()).find("device.slot"), std::string::npos);
}

TEST_F(Sharing, Memory_opened_from_another_process_counts_once_on_its_own_device) {
  int handles[2];
  ASSERT_EQ(::pipe(handles), 0);
  const Neighbour neighbour([&] {
    setenv("CUDA_VISIBLE_DEVICES", "1", 1);
    Program program;
    CUdeviceptr address = 0;
    EXPECT_EQ(CALL(program.library(), cuMemAlloc_v2)(&address, (600_MiB).count), CUDA_SUCCESS);
    CUipcMemHandle handle;
    EXPECT_EQ(CALL(program.library(), cuIpcGetMemHandle)(&handle, address), CUDA_SUCCESS);
    EXPECT_EQ(::write(handles[1], &handle, sizeof handle), static_cast<ssize_t>(sizeof handle));
  });
  in_a_process([&] {
    setenv("CUDA_VISIBLE_DEVICES", "1,0", 1);
    const Program program;
    const auto before = program.free();
    CUipcMemHandle handle;
    ASSERT_EQ(::read(handles[0], &handle, sizeof handle), static_cast<ssize_t>(sizeof handle));
    CUdeviceptr address = 0;
    EXPECT_EQ(CALL(program.library(), cuIpcOpenMemHandle_v2)(&address, handle, 0), CUDA_SUCCESS);
    EXPECT_EQ(program.free(), before);
    CUdevice device = -1;
    EXPECT_EQ(CALL(program.library(), cuPointerGetAttribute)(&device, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, address),
              CUDA_SUCCESS);
    EXPECT_EQ(device, 0);
  });
  ::close(handles[0]);
  ::close(handles[1]);
}

TEST_F(Sharing, A_child_forked_before_the_GPU_was_used_has_an_account_of_its_own) {
  in_a_process([] {
    const Library library;
    ASSERT_TRUE(library) << dlerror();
    const Neighbour child([] { hold(600_MiB); });
    hold(200_MiB);
    const Program program;
    EXPECT_EQ(program.free(), 1_GiB - 600_MiB - 200_MiB - 200_MiB);
  });
}

TEST_F(Sharing, A_process_ended_after_its_steps_keeps_its_memory_from_those_that_were_there) {
  in_a_process([&] {
    {
      Neighbour ended([] {
        Program program;
        EXPECT_EQ(program.allocate(600_MiB), CUDA_SUCCESS);
        const auto start = identity_of(getppid())->start;
        while (ticks_now() == start) {
        }
        CALL(program.library(), dryfit_finish)();
      });
    }
    Program program;
    EXPECT_EQ(program.allocate(300_MiB), CUDA_ERROR_OUT_OF_MEMORY);
  });
}

TEST_F(Sharing, Without_a_ledger_the_process_counts_for_itself_and_says_why) {
  const auto folder = machine_.folder();
  std::filesystem::create_directory(folder / "ledger");
  in_a_process([] { hold(600_MiB); });
  EXPECT_NE(text_of(machine_.traces().front()).find("ledger.problem"), std::string::npos);
}

}  // namespace
}  // namespace dryfit::driver
