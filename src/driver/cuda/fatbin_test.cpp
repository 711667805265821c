// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "driver/cuda/fatbin.h"

#include <gtest/gtest.h>
#include <lz4.h>
#include <zstd.h>

#include <cstring>
#include <string>
#include <string_view>

namespace dryfit::driver {
namespace {

enum Kind : std::uint16_t { kPtx = 1, kElf = 2 };
enum Flag : std::uint64_t { kPlain = 0, kLz4 = 0x2000, kZstd = 0x8000 };

template <class T>
void append(std::string& out, T value) {
  out.append(reinterpret_cast<const char*>(&value), sizeof value);
}

/// A fat binary with the layout that choose_image documents.
class SampleFatbin {
 public:
  SampleFatbin& add(Kind kind, std::uint32_t architecture, std::string_view contents, Flag packing = kPlain) {
    std::string packed(contents);
    if (packing == kLz4) {
      packed.resize(static_cast<std::size_t>(LZ4_compressBound(static_cast<int>(contents.size()))));
      packed.resize(static_cast<std::size_t>(LZ4_compress_default(
          contents.data(), packed.data(), static_cast<int>(contents.size()), static_cast<int>(packed.size()))));
    } else if (packing == kZstd) {
      packed.resize(ZSTD_compressBound(contents.size()));
      packed.resize(ZSTD_compress(packed.data(), packed.size(), contents.data(), contents.size(), 1));
    }
    append<std::uint16_t>(entries_, kind);
    append<std::uint16_t>(entries_, 0x101);
    append<std::uint32_t>(entries_, 64);
    append<std::uint64_t>(entries_, packed.size());
    append<std::uint32_t>(entries_, packing == kPlain ? 0 : static_cast<std::uint32_t>(packed.size()));
    append<std::uint64_t>(entries_, 0);
    append<std::uint32_t>(entries_, architecture);
    append<std::uint64_t>(entries_, 64);
    append<std::uint64_t>(entries_, packing);
    append<std::uint64_t>(entries_, 0);
    append<std::uint64_t>(entries_, packing == kPlain ? 0 : contents.size());
    entries_ += packed;
    return *this;
  }

  std::string bytes() const {
    std::string out;
    append<std::uint32_t>(out, 0xba55ed50);
    append<std::uint16_t>(out, 1);
    append<std::uint16_t>(out, 16);
    append<std::uint64_t>(out, entries_.size());
    return out + entries_;
  }

 private:
  std::string entries_;
};

std::string unpacked(const CodeImage& image) {
  std::vector<std::byte> buffer;
  const auto bytes = unpack(image.parts.at(0), buffer);
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

TEST(Fatbin, The_highest_image_of_the_same_major_version_not_above_the_chip_is_chosen) {
  const auto bytes =
      SampleFatbin().add(kElf, 75, "sm75").add(kElf, 80, "sm80").add(kElf, 86, "sm86").add(kElf, 90, "sm90").bytes();
  EXPECT_EQ(unpacked(choose_image(bytes.data(), {8, 9})), "sm86");
  EXPECT_EQ(unpacked(choose_image(bytes.data(), {8, 0})), "sm80");
  EXPECT_EQ(choose_image(bytes.data(), {9, 0}).architecture, 90);
}

TEST(Fatbin, A_chip_without_an_image_can_use_ptx_and_nothing_else) {
  const auto without = SampleFatbin().add(kElf, 90, "sm90").bytes();
  EXPECT_FALSE(choose_image(without.data(), {12, 0}).usable());
  const auto with = SampleFatbin().add(kElf, 90, "sm90").add(kPtx, 90, "ptx").bytes();
  EXPECT_TRUE(choose_image(with.data(), {12, 0}).usable());
  EXPECT_FALSE(choose_image(with.data(), {8, 0}).usable()) << "PTX for a newer chip";
}

TEST(Fatbin, Packed_images_are_unpacked) {
  const std::string contents(100'000, 'k');
  for (const Flag packing : {kLz4, kZstd}) {
    const auto bytes = SampleFatbin().add(kElf, 80, contents, packing).bytes();
    const auto image = choose_image(bytes.data(), {8, 0});
    EXPECT_EQ(image.size, Bytes{contents.size()});
    EXPECT_EQ(unpacked(image), contents);
  }
}

TEST(Fatbin, A_damaged_packed_image_unpacks_to_nothing) {
  for (const Flag packing : {kLz4, kZstd}) {
    auto bytes = SampleFatbin().add(kElf, 80, std::string(5000, 'k'), packing).bytes();
    std::memset(bytes.data() + 16 + 64, 0xff, 8);
    std::vector<std::byte> buffer;
    EXPECT_TRUE(unpack(choose_image(bytes.data(), {8, 0}).parts.at(0), buffer).empty());
  }
}

TEST(Fatbin, A_wrapper_leads_to_its_fat_binary) {
  const auto fatbin = SampleFatbin().add(kElf, 86, "sm86").bytes();
  struct {
    std::uint32_t magic = 0x466243b1;
    std::uint32_t version = 1;
    const void* data;
    const void* list = nullptr;
  } wrapper;
  wrapper.data = fatbin.data();
  EXPECT_EQ(unpacked(choose_image(&wrapper, {8, 6})), "sm86");
}

TEST(Fatbin, The_text_for_the_newest_chip_that_is_not_too_new_is_kept_if_there_is_no_machine_code) {
  const auto texts = SampleFatbin().add(kPtx, 50, "old", kLz4).add(kPtx, 70, "new").add(kPtx, 90, "newer").bytes();
  const auto image = choose_image(texts.data(), {8, 0});
  ASSERT_EQ(image.ptx.size(), 1u);
  EXPECT_EQ(image.ptx.front().unpacked_size, 3u);
  const auto with_code = SampleFatbin().add(kPtx, 50, "old").add(kElf, 80, "code").bytes();
  EXPECT_TRUE(choose_image(with_code.data(), {8, 0}).ptx.empty());
}

TEST(Fatbin, Text_is_taken_for_ptx) { EXPECT_TRUE(choose_image("//\n.version 8.4\n.target sm_80\n", {8, 0}).usable()); }

}  // namespace
}  // namespace dryfit::driver
