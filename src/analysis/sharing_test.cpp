// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "analysis/sharing.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include "base/temporary_folder.h"
#include "trace/writer.h"

namespace dryfit::analysis {
namespace {

namespace fs = std::filesystem;
using namespace literals;

/// Two captures that are written in turns. Both have the pid of this process, as a program and its former self do.
class SharingOfDevices : public testing::Test {
 protected:
  struct Process {
    fs::path path;
    trace::Writer writer;
    std::uint64_t last_address = 0;
  };

  SharingOfDevices() {
    first_.path = folder_ / "trace-1.dryfit";
    second_.path = folder_ / "trace-2.dryfit";
    for (auto* process : {&first_, &second_}) EXPECT_FALSE(process->writer.open(process->path.c_str()));
  }

  static std::uint64_t take(Process& process, Bytes size, trace::Purpose purpose = trace::Purpose::allocation,
                            std::uint32_t ordinal = 0) {
    const auto address = ++process.last_address;
    process.writer.allocate({ordinal, purpose, address, size, size, process.writer.name("libcudart.so.12")});
    return address;
  }

  static void give(Process& process, std::uint64_t address, Bytes size) {
    process.writer.release({0, trace::Purpose::allocation, address, size});
  }

  static void value(Process& process, const char* key, int device, std::uint64_t number) {
    process.writer.value({process.writer.name(key), device, number});
  }

  std::vector<SharedDevice> shared() const {
    const std::vector<fs::path> traces{first_.path, second_.path};
    std::vector<ProcessSummary> summaries;
    for (const auto& trace : traces) summaries.push_back(summarise(trace).value());
    return shared_devices(summaries, traces);
  }

  TemporaryFolder folder_;
  Process first_, second_;
};

TEST_F(SharingOfDevices, The_peak_is_the_largest_sum_at_one_moment_and_not_the_sum_of_the_peaks) {
  const auto early = take(first_, 4_GiB);
  give(first_, early, 4_GiB);
  take(first_, 1_GiB);
  take(second_, 5_GiB);
  const auto devices = shared();
  ASSERT_EQ(devices.size(), 1u);
  EXPECT_EQ(devices[0].peak.peak, 6_GiB);
  EXPECT_EQ(devices[0].coinciding_peak, 9_GiB);
  ASSERT_EQ(devices[0].holders.size(), 2u);
  EXPECT_EQ(devices[0].holders[0].held, 1_GiB);
  EXPECT_EQ(devices[0].holders[1].held, 5_GiB);
}

TEST_F(SharingOfDevices, The_parts_of_the_peak_sum_to_it) {
  take(first_, 100_MiB, trace::Purpose::context);
  take(second_, 100_MiB, trace::Purpose::context);
  take(second_, 20_MiB, trace::Purpose::code);
  take(first_, 2_GiB);
  take(second_, 3_GiB);
  const auto peak = shared().at(0).peak;
  EXPECT_EQ(peak.peak, 5_GiB + 220_MiB);
  EXPECT_EQ(peak.peak_torch_reserved, 5_GiB);
  EXPECT_EQ(peak.peak_context, 200_MiB);
  EXPECT_EQ(peak.peak_code, 20_MiB);
}

TEST_F(SharingOfDevices, Of_a_process_that_has_ended_nothing_counts) {
  take(first_, 6_GiB);
  value(second_, "process.ended", -1, static_cast<std::uint64_t>(getpid()));
  take(second_, 5_GiB);
  const auto devices = shared();
  ASSERT_EQ(devices.size(), 1u);
  EXPECT_EQ(devices[0].peak.peak, 6_GiB);
  EXPECT_EQ(devices[0].holders.size(), 1u);
  EXPECT_EQ(devices[0].coinciding_peak, 6_GiB) << "they were not there at the same time";
}

TEST_F(SharingOfDevices, Devices_are_told_apart_by_their_number_in_the_machine) {
  value(first_, "device.slot", 0, 1);
  take(first_, 6_GiB);
  take(second_, 5_GiB);
  EXPECT_TRUE(shared().empty());
  take(second_, 1_GiB, trace::Purpose::allocation, 1);
  const auto devices = shared();
  ASSERT_EQ(devices.size(), 1u);
  EXPECT_EQ(devices[0].slot, 1u);
  EXPECT_EQ(devices[0].peak.peak, 7_GiB);
}

TEST_F(SharingOfDevices, One_process_alone_shares_nothing) {
  take(first_, 6_GiB);
  EXPECT_TRUE(shared().empty());
}

TEST_F(SharingOfDevices, Holders_in_a_failed_request_get_the_names_that_any_process_knows) {
  auto& writer = second_.writer;
  writer.note({writer.name("process.7"), writer.name("python a.py")});
  value(first_, "process.7.holds", 0, (3_GiB).count);
  first_.writer.allocate_failed({0, 2_GiB, 4_GiB, first_.writer.name("libcudart.so.12")});
  first_.writer.out_of_memory({0, 2_GiB, 1_GiB});
  std::vector<ProcessSummary> summaries{summarise(first_.path).value(), summarise(second_.path).value()};
  name_holders(summaries);
  const auto& others = summaries[0].devices.at(0).last_oom->others;
  ASSERT_EQ(others.size(), 1u);
  EXPECT_EQ(others[0].pid, 7u);
  EXPECT_EQ(others[0].command, "python a.py");
  EXPECT_EQ(others[0].held, 3_GiB);
}

}  // namespace
}  // namespace dryfit::analysis
