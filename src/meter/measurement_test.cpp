// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "meter/measurement.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "base/temporary_folder.h"

namespace dryfit::meter {
namespace {

using namespace literals;
using history::Outcome;
using history::PeakKind;

GpuFindings seen(Bytes peak, bool accounted = false) {
  return {.fullest = GpuPeak{"A100", peak, accounted}, .missing = ""};
}

TorchNote counted(Bytes reserved, std::uint64_t ooms = 0) {
  return {.card = "A100", .reserved_peak = reserved, .ooms = ooms, .software = {{"torch", "2.6.0"}}};
}

TEST(Measurement, What_NVML_saw_is_of_the_whole_process) {
  const auto record = record_of(seen(5_GiB), {});
  ASSERT_TRUE(record);
  EXPECT_EQ(record->source, "nvml");
  EXPECT_EQ(record->kind, PeakKind::device);
  EXPECT_EQ(record->peak, 5_GiB);
  EXPECT_EQ(record->card, "A100");
  EXPECT_EQ(record_of(seen(5_GiB, true), {})->source, "nvml-accounting");
}

TEST(Measurement, NVML_goes_first_and_PyTorch_tells_the_software) {
  const std::vector notes{counted(3_GiB), counted(4_GiB)};
  const auto record = record_of(seen(5_GiB), notes);
  EXPECT_EQ(record->source, "nvml");
  EXPECT_EQ(record->software.at("torch"), "2.6.0");
}

TEST(Measurement, Where_the_samples_missed_the_peak_PyTorch_knows_it) {
  const std::vector notes{counted(3_GiB), counted(6_GiB)};
  const auto record = record_of(seen(5_GiB), notes);
  EXPECT_EQ(record->source, "torch");
  EXPECT_EQ(record->kind, PeakKind::reserved);
  EXPECT_EQ(record->peak, 6_GiB);
}

TEST(Measurement, One_process_that_ran_out_of_memory_makes_it_a_job_that_did) {
  const std::vector notes{counted(3_GiB), counted(1_GiB, 2)};
  EXPECT_EQ(record_of(seen(5_GiB), notes)->outcome, Outcome::out_of_memory);
  EXPECT_EQ(record_of({}, notes)->outcome, Outcome::out_of_memory);
  EXPECT_EQ(record_of(seen(5_GiB), std::vector{counted(3_GiB)})->outcome, Outcome::ok);
}

TEST(Measurement, Without_any_number_it_is_said_what_is_missing) {
  const auto record = record_of({.fullest = std::nullopt, .missing = "NVML found no GPU"}, {});
  ASSERT_FALSE(record);
  EXPECT_EQ(record.error().what,
            "nothing was measured: NVML found no GPU, and no Python process reported what PyTorch reserved");
}

TEST(TorchNotes, Files_of_the_hooks_are_read_and_others_passed_over) {
  const TemporaryFolder folder;
  std::ofstream(folder / "torch-7.json") << R"({"software":{"torch":"2.6.0"},"devices":[
      {"name":"NVIDIA A100","reserved_peak":1073741824,"ooms":1},{"name":"B","reserved_peak":5,"ooms":0}]})";
  std::ofstream(folder / "torch-8.json") << R"({"devices":[{"na)";
  std::ofstream(folder / "torch-9.json") << R"({"devices":[3,{"name":4,"reserved_peak":-1}]})";
  const auto notes = read_torch_notes(folder.path());
  ASSERT_EQ(notes.size(), 3u);
  EXPECT_EQ(notes[0].card, "NVIDIA A100");
  EXPECT_EQ(notes[0].reserved_peak, 1_GiB);
  EXPECT_EQ(notes[0].ooms, 1u);
  EXPECT_EQ(notes[0].software.at("torch"), "2.6.0");
  EXPECT_EQ(notes[2].reserved_peak, 0_B);
  EXPECT_TRUE(read_torch_notes("/nonexistent").empty());
}

}  // namespace
}  // namespace dryfit::meter
