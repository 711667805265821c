// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
// The library as a program meets it: loaded by name, called through its entry points.
#include <atomic>
#include <cstring>
#include <functional>
#include <thread>

#include "driver/cuda/testing.h"
#include "dryfit/guest.h"
#include "trace/reader.h"

namespace dryfit::driver {
namespace {

using namespace literals;

Machine machine_of(std::vector<Card> cards) { return {.cards = std::move(cards)}; }

/// A process with the library loaded, one card and its primary context current.
void with_driver(const std::function<void(const Library&)>& body, std::vector<Card> cards = {test_card()}) {
  const TestMachine machine(machine_of(std::move(cards)));
  in_a_process([&] {
    const Library library;
    ASSERT_TRUE(library) << dlerror();
    ASSERT_EQ(CALL(library, cuInit)(0), CUDA_SUCCESS);
    CUcontext context = nullptr;
    ASSERT_EQ(CALL(library, cuDevicePrimaryCtxRetain)(&context, 0), CUDA_SUCCESS);
    ASSERT_EQ(CALL(library, cuCtxSetCurrent)(context), CUDA_SUCCESS);
    body(library);
  });
}

size_t free_memory(const Library& library) {
  size_t free = 0;
  size_t total = 0;
  EXPECT_EQ(CALL(library, cuMemGetInfo_v2)(&free, &total), CUDA_SUCCESS);
  return free;
}

TEST(Driver, Without_a_machine_there_is_no_device) {
  unsetenv("DRYFIT_MACHINE");
  in_a_process([] {
    const Library library;
    EXPECT_EQ(CALL(library, cuInit)(0), CUDA_ERROR_NO_DEVICE);
  });
}

TEST(Driver, An_unreadable_machine_file_means_no_device) {
  setenv("DRYFIT_MACHINE", "/nonexistent/machine.txt", 1);
  in_a_process([] { EXPECT_EQ(CALL(Library(), cuInit)(0), CUDA_ERROR_NO_DEVICE); });
  unsetenv("DRYFIT_MACHINE");
}

TEST(Driver, Devices_report_what_their_card_says) {
  with_driver([](const Library& library) {
    char name[64];
    EXPECT_EQ(CALL(library, cuDeviceGetName)(name, sizeof name, 0), CUDA_SUCCESS);
    EXPECT_STREQ(name, "Test Card");
    int value = 0;
    EXPECT_EQ(CALL(library, cuDeviceGetAttribute)(&value, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, 0), CUDA_SUCCESS);
    EXPECT_EQ(value, 28);
    EXPECT_EQ(CALL(library, cuDeviceGetAttribute)(&value, CU_DEVICE_ATTRIBUTE_PCI_BUS_ID, 0), CUDA_SUCCESS);
    EXPECT_EQ(value, 1);
    EXPECT_EQ(CALL(library, cuDeviceGetAttribute)(&value, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, 1),
              CUDA_ERROR_INVALID_DEVICE);
  });
}

TEST(Driver, The_context_costs_what_the_card_says) {
  with_driver([](const Library& library) { EXPECT_EQ(free_memory(library), (1_GiB - 100_MiB).count); });
}

TEST(Driver, A_context_that_nobody_retains_costs_nothing) {
  const TestMachine machine(machine_of({test_card()}));
  in_a_process([] {
    const Library library;
    CALL(library, cuInit)(0);
    int active = 1;
    unsigned flags = 0;
    EXPECT_EQ(CALL(library, cuDevicePrimaryCtxGetState)(0, &flags, &active), CUDA_SUCCESS);
    EXPECT_FALSE(active);
    EXPECT_EQ(CALL(library, dryfit_device_used)(0), 0u);
  });
}

TEST(Driver, A_full_card_answers_out_of_memory_and_recovers_when_memory_is_freed) {
  with_driver([](const Library& library) {
    CUdeviceptr big = 0;
    CUdeviceptr more = 0;
    ASSERT_EQ(CALL(library, cuMemAlloc_v2)(&big, (900_MiB).count), CUDA_SUCCESS);
    EXPECT_EQ(CALL(library, cuMemAlloc_v2)(&more, (25_MiB).count), CUDA_ERROR_OUT_OF_MEMORY);
    EXPECT_EQ(CALL(library, cuMemAlloc_v2)(&more, (24_MiB).count), CUDA_SUCCESS) << "the last byte can be used";
    EXPECT_EQ(free_memory(library), 0u);
    EXPECT_EQ(CALL(library, cuMemFree_v2)(big), CUDA_SUCCESS);
    EXPECT_EQ(free_memory(library), (900_MiB).count);
    EXPECT_EQ(CALL(library, cuMemFree_v2)(big), CUDA_ERROR_INVALID_VALUE) << "freed twice";
  });
}

TEST(Driver, Small_requests_share_a_page) {
  with_driver([](const Library& library) {
    const size_t before = free_memory(library);
    CUdeviceptr a = 0;
    CUdeviceptr b = 0;
    CALL(library, cuMemAlloc_v2)(&a, 1024);
    CALL(library, cuMemAlloc_v2)(&b, 1024);
    EXPECT_EQ(before - free_memory(library), (2_MiB).count);
    CALL(library, cuMemFree_v2)(a);
    CALL(library, cuMemFree_v2)(b);
    EXPECT_EQ(free_memory(library), before);
  });
}

TEST(Driver, Physical_memory_is_free_when_its_handle_and_its_last_mapping_are_gone) {
  with_driver([](const Library& library) {
    const size_t before = free_memory(library);
    CUmemAllocationProp properties{};
    properties.location = {CU_MEM_LOCATION_TYPE_DEVICE, {0}};
    CUmemGenericAllocationHandle handle = 0;
    CUdeviceptr address = 0;
    ASSERT_EQ(CALL(library, cuMemCreate)(&handle, (20_MiB).count, &properties, 0), CUDA_SUCCESS);
    ASSERT_EQ(CALL(library, cuMemAddressReserve)(&address, (1_GiB).count, 0, 0, 0), CUDA_SUCCESS);
    ASSERT_EQ(CALL(library, cuMemMap)(address, (20_MiB).count, 0, handle, 0), CUDA_SUCCESS);
    EXPECT_EQ(CALL(library, cuMemRelease)(handle), CUDA_SUCCESS);
    EXPECT_EQ(before - free_memory(library), (20_MiB).count);
    EXPECT_EQ(CALL(library, cuMemUnmap)(address, (20_MiB).count), CUDA_SUCCESS);
    EXPECT_EQ(free_memory(library), before);
    EXPECT_EQ(CALL(library, cuMemAddressFree)(address, (1_GiB).count), CUDA_SUCCESS);
  });
}

TEST(Driver, A_small_upload_reads_back_and_the_rest_of_the_card_is_zeros) {
  with_driver([](const Library& library) {
    CUdeviceptr device = 0;
    CALL(library, cuMemAlloc_v2)(&device, (4_MiB).count);
    const int lengths[3] = {3, 1, 4};
    int back[3] = {9, 9, 9};
    CALL(library, cuMemcpyHtoD_v2)(device, lengths, sizeof lengths);
    CALL(library, cuMemcpyDtoH_v2)(back, device, sizeof back);
    EXPECT_EQ(std::memcmp(back, lengths, sizeof lengths), 0);
    CALL(library, cuMemcpyDtoH_v2)(back, device + 4096, sizeof back);
    EXPECT_EQ(back[0], 0);
  });
}

TEST(Driver, Pointers_are_distinguished_by_where_they_live) {
  with_driver([](const Library& library) {
    CUdeviceptr device = 0;
    void* host = nullptr;
    CALL(library, cuMemAlloc_v2)(&device, (4_MiB).count);
    CALL(library, cuMemHostAlloc)(&host, 4096, 0);
    unsigned type = 0;
    auto* const attribute = library.get<decltype(cuPointerGetAttribute)>("cuPointerGetAttribute");
    EXPECT_EQ(attribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, device + 100), CUDA_SUCCESS);
    EXPECT_EQ(type, static_cast<unsigned>(CU_MEMORYTYPE_DEVICE));
    EXPECT_EQ(attribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, reinterpret_cast<CUdeviceptr>(host)), CUDA_SUCCESS);
    EXPECT_EQ(type, static_cast<unsigned>(CU_MEMORYTYPE_HOST));
    int on_stack = 0;
    EXPECT_EQ(attribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, reinterpret_cast<CUdeviceptr>(&on_stack)),
              CUDA_ERROR_INVALID_VALUE);
  });
}

TEST(Driver, An_entry_point_that_is_not_implemented_answers_not_supported_and_is_counted_by_name) {
  const TestMachine machine(machine_of({test_card()}));
  in_a_process([] {
    const Library library;
    CALL(library, cuInit)(0);
    CUtexref reference = nullptr;
    EXPECT_EQ(CALL(library, cuTexRefCreate)(&reference), CUDA_ERROR_NOT_SUPPORTED);
    EXPECT_EQ(CALL(library, cuTexRefCreate)(&reference), CUDA_ERROR_NOT_SUPPORTED);
  });
  ASSERT_EQ(machine.traces().size(), 1u);
  auto reader = trace::Reader::open(machine.traces()[0]);
  ASSERT_TRUE(reader);
  std::uint64_t count = 0;
  while (const auto event = reader->next()) {
    const auto* const counter = std::get_if<trace::Counter>(&event->payload);
    if (counter && reader->text(counter->name) == "driver.unimplemented.cuTexRefCreate") count = counter->count;
  }
  EXPECT_EQ(count, 2u);
}

TEST(Driver, An_assumed_size_is_recorded_with_its_operation_and_line) {
  const TestMachine machine(machine_of({test_card()}));
  in_a_process([] {
    const Library library;
    CALL(library, dryfit_assumed)("nonzero", "train.py:42", 4096, 8192);
    CALL(library, dryfit_finish)();
  });
  ASSERT_EQ(machine.traces().size(), 1u);
  auto reader = trace::Reader::open(machine.traces()[0]);
  ASSERT_TRUE(reader);
  std::string found;
  while (const auto event = reader->next()) {
    const auto* const assumed = std::get_if<trace::Assumed>(&event->payload);
    if (assumed == nullptr) continue;
    found += std::string(reader->text(assumed->what)) + " " + std::string(reader->text(assumed->where)) + " " +
             std::to_string(assumed->elements) + "/" + std::to_string(assumed->of) + ";";
  }
  EXPECT_EQ(found, "nonzero train.py:42 4096/8192;");
}

TEST(Driver, A_captured_stream_records_its_work_into_a_graph) {
  with_driver([](const Library& library) {
    CUstream stream = nullptr;
    CUstream side = nullptr;
    CUevent event = nullptr;
    CALL(library, cuStreamCreate)(&stream, 0);
    CALL(library, cuStreamCreate)(&side, 0);
    CALL(library, cuEventCreate)(&event, 0);
    ASSERT_EQ(CALL(library, cuStreamBeginCapture_v2)(stream, CU_STREAM_CAPTURE_MODE_GLOBAL), CUDA_SUCCESS);
    CALL(library, cuEventRecord)(event, stream);
    CALL(library, cuStreamWaitEvent)(side, event, 0);
    bool ran = false;
    CALL(library, cuLaunchHostFunc)(side, [](void* flag) { *static_cast<bool*>(flag) = true; }, &ran);
    EXPECT_FALSE(ran) << "captured, not run";
    CUgraph graph = nullptr;
    ASSERT_EQ(CALL(library, cuStreamEndCapture)(stream, &graph), CUDA_SUCCESS);
    size_t nodes = 0;
    CALL(library, cuGraphGetNodes)(graph, nullptr, &nodes);
    EXPECT_EQ(nodes, 1u);
    CUstreamCaptureStatus status;
    CALL(library, cuStreamIsCapturing)(side, &status);
    EXPECT_EQ(status, CU_STREAM_CAPTURE_STATUS_NONE) << "the joined stream leaves the capture with it";
  });
}

TEST(Driver, Several_threads_can_allocate_at_once) {
  with_driver([](const Library& library) {
    const size_t before = free_memory(library);
    CUcontext context = nullptr;
    CALL(library, cuCtxGetCurrent)(&context);
    std::atomic<int> failures = 0;
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t) {
      threads.emplace_back([&] {
        CALL(library, cuCtxSetCurrent)(context);
        for (int i = 0; i < 500; ++i) {
          CUdeviceptr address = 0;
          if (CALL(library, cuMemAlloc_v2)(&address, (2_MiB).count) != CUDA_SUCCESS) ++failures;
          int value = i;
          CALL(library, cuMemcpyHtoD_v2)(address, &value, sizeof value);
          CALL(library, cuMemcpyDtoH_v2)(&value, address, sizeof value);
          if (value != i) ++failures;
          CALL(library, cuMemFree_v2)(address);
        }
      });
    }
    for (auto& thread : threads) thread.join();
    EXPECT_EQ(failures, 0);
    EXPECT_EQ(free_memory(library), before);
  });
}

TEST(Driver, A_child_of_an_initialised_process_cannot_use_the_card_and_leaves_the_capture_alone) {
  const TestMachine machine(machine_of({test_card()}));
  in_a_process([] {
    const Library library;
    CALL(library, cuInit)(0);
    CUcontext context = nullptr;
    CALL(library, cuDevicePrimaryCtxRetain)(&context, 0);
    in_a_process([&] {
      EXPECT_EQ(CALL(library, cuInit)(0), CUDA_ERROR_NOT_INITIALIZED);
      int count = -1;
      EXPECT_EQ(CALL(library, cuDeviceGetCount)(&count), CUDA_ERROR_NOT_INITIALIZED);
    });
    EXPECT_EQ(CALL(library, cuInit)(0), CUDA_SUCCESS) << "the parent goes on";
  });
  EXPECT_EQ(machine.traces().size(), 1u);
}

TEST(Driver, A_child_forked_before_initialisation_has_a_capture_of_its_own) {
  const TestMachine machine(machine_of({test_card()}));
  in_a_process([] {
    const Library library;
    CALL(library, dryfit_note)("who", "parent");
    in_a_process([&] {
      CALL(library, dryfit_note)("who", "child");
      EXPECT_EQ(CALL(library, cuInit)(0), CUDA_SUCCESS);
    });
  });
  EXPECT_EQ(machine.traces().size(), 2u);
}

TEST(Driver, Forking_while_other_threads_allocate_does_not_deadlock) {
  with_driver([](const Library& library) {
    CUcontext context = nullptr;
    CALL(library, cuCtxGetCurrent)(&context);
    std::atomic<bool> stop = false;
    std::thread worker([&] {
      CALL(library, cuCtxSetCurrent)(context);
      while (!stop) {
        CUdeviceptr address = 0;
        CALL(library, cuMemAlloc_v2)(&address, 4096);
        CALL(library, cuMemFree_v2)(address);
      }
    });
    for (int i = 0; i < 20; ++i) {
      in_a_process([&] { EXPECT_EQ(CALL(library, cuInit)(0), CUDA_ERROR_NOT_INITIALIZED); });
    }
    stop = true;
    worker.join();
  });
}

TEST(Driver, The_program_sees_only_the_devices_it_requested) {
  const TestMachine machine(machine_of({test_card(), test_card(), test_card()}));
  in_a_process([] {
    setenv("CUDA_VISIBLE_DEVICES", "1,2", 1);
    const Library library;
    CALL(library, cuInit)(0);
    int count = 0;
    CALL(library, cuDeviceGetCount)(&count);
    EXPECT_EQ(count, 2);
  });
}

TEST(Driver, A_monitor_sees_what_is_in_use) {
  with_driver([](const Library& library) {
    EXPECT_EQ(CALL(library, dryfit_device_used)(0), (100_MiB).count);
    EXPECT_EQ(CALL(library, dryfit_device_used)(7), 0u);
  });
}

TEST(Driver, A_process_killed_in_the_middle_leaves_a_readable_trace) {
  const TestMachine machine(machine_of({test_card()}));
  const pid_t child = fork();
  if (child == 0) {
    const Library library;
    CALL(library, cuInit)(0);
    CUcontext context = nullptr;
    CALL(library, cuDevicePrimaryCtxRetain)(&context, 0);
    CALL(library, cuCtxSetCurrent)(context);
    CUdeviceptr address = 0;
    for (int i = 0; i < 100; ++i) CALL(library, cuMemAlloc_v2)(&address, (2_MiB).count);
    raise(SIGKILL);
  }
  int status = 0;
  waitpid(child, &status, 0);
  ASSERT_TRUE(WIFSIGNALED(status));
  ASSERT_EQ(machine.traces().size(), 1u);
  auto reader = trace::Reader::open(machine.traces()[0]);
  ASSERT_TRUE(reader);
  Bytes allocated;
  while (const auto event = reader->next()) {
    const auto* const allocation = std::get_if<trace::Allocate>(&event->payload);
    if (allocation && allocation->purpose == trace::Purpose::allocation) allocated += allocation->charged;
  }
  EXPECT_EQ(allocated, 200_MiB);
}

}  // namespace
}  // namespace dryfit::driver
