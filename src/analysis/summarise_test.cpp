// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "analysis/run_summary.h"
#include "trace/writer.h"

namespace dryfit::analysis {
namespace {

namespace fs = std::filesystem;
using namespace literals;

class Summarise : public testing::Test {
 protected:
  Summarise() : folder_(fs::temp_directory_path() / ("dryfit-summarise-" + std::to_string(::getpid()))) {
    fs::create_directories(folder_);
  }
  ~Summarise() override { fs::remove_all(folder_); }

  /// A short capture: a card, a context, one segment of PyTorch's.
  fs::path written() {
    const auto path = folder_ / "trace-1.dryfit";
    EXPECT_FALSE(writer_.open(path.c_str()));
    writer_.device({0, 8_GiB, writer_.name("rtx-4060-8gb")});
    writer_.allocate({0, trace::Purpose::context, 1, 0_B, 200_MiB, writer_.name("libcuda.so.1")});
    writer_.allocate({0, trace::Purpose::allocation, 2, 20_MiB, 20_MiB, writer_.name("libcudart.so.12")});
    writer_.step({1});
    return path;
  }

  fs::path folder_;
  trace::Writer writer_;
};

TEST_F(Summarise, A_capture_that_nobody_closed_is_complete_up_to_its_last_event) {
  const auto summary = summarise(written());
  ASSERT_TRUE(summary);
  EXPECT_TRUE(summary->complete);
  EXPECT_EQ(summary->pid, static_cast<std::uint32_t>(::getpid()));
  EXPECT_EQ(summary->steps, 1u);
  ASSERT_EQ(summary->devices.size(), 1u);
  EXPECT_EQ(summary->devices[0].peak, 220_MiB);
  EXPECT_EQ(summary->devices[0].peak_torch_reserved, 20_MiB);
}

TEST_F(Summarise, A_damaged_capture_is_incomplete_and_says_why) {
  const auto path = written();
  writer_.close();
  const auto size = fs::file_size(path);
  std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
  file.seekp(static_cast<std::streamoff>(size) - 24);
  file.write("\xff\xff\xff\xff\xff\xff\xff\xff", 8);
  file.close();
  const auto summary = summarise(path);
  ASSERT_TRUE(summary);
  EXPECT_FALSE(summary->complete);
  EXPECT_FALSE(summary->incomplete_why.empty());
  EXPECT_FALSE(summary->diagnostics.empty());
  EXPECT_EQ(summary->devices.at(0).peak, 220_MiB);
}

TEST_F(Summarise, A_file_that_is_not_a_trace_is_refused) {
  const auto path = folder_ / "notes.txt";
  std::ofstream(path) << "not a trace, but long enough to hold a header: " << std::string(200, '.');
  const auto summary = summarise(path);
  ASSERT_FALSE(summary);
  EXPECT_FALSE(summary.error().what.empty());
}

}  // namespace
}  // namespace dryfit::analysis
