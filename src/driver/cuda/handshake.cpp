// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
//
// The CUDA runtime asks its driver to identify itself before it works with it. Dryfit answers, for interoperability.
// All that concerns this is in this file; nothing else depends on it, and DRYFIT_RUNTIME_HANDSHAKE=OFF leaves it out.
#include "driver/cuda/handshake.h"

#if DRYFIT_RUNTIME_HANDSHAKE

#include <pthread.h>
#include <unistd.h>

#include <array>
#include <cstddef>
#include <cstring>
#include <span>

#include "card/identity.h"
#include "driver/cuda/driver.h"

namespace dryfit::driver {

namespace {

using Block = std::array<std::uint8_t, 16>;

/// The substitution table of RFC 1319.
constexpr std::array<std::uint8_t, 256> kSubstitution = {
    41,  46,  67,  201, 162, 216, 124, 1,   61,  54,  84,  161, 236, 240, 6,   19,  98,  167, 5,   243, 192, 199,
    115, 140, 152, 147, 43,  217, 188, 76,  130, 202, 30,  155, 87,  60,  253, 212, 224, 22,  103, 66,  111, 24,
    138, 23,  229, 18,  190, 78,  196, 214, 218, 158, 222, 73,  160, 251, 245, 142, 187, 47,  238, 122, 169, 104,
    121, 145, 21,  178, 7,   63,  148, 194, 16,  137, 11,  34,  95,  33,  128, 127, 93,  154, 90,  144, 50,  39,
    53,  62,  204, 231, 191, 247, 151, 3,   255, 25,  48,  179, 72,  165, 181, 209, 215, 94,  146, 42,  172, 86,
    170, 198, 79,  184, 56,  210, 150, 164, 125, 182, 118, 252, 107, 226, 156, 116, 4,   241, 69,  157, 112, 89,
    100, 113, 135, 32,  134, 91,  207, 101, 230, 45,  168, 2,   27,  96,  37,  173, 174, 176, 185, 246, 28,  70,
    97,  105, 52,  64,  126, 15,  85,  71,  163, 35,  221, 81,  175, 58,  195, 92,  249, 206, 186, 197, 234, 38,
    44,  83,  13,  110, 133, 40,  132, 9,   211, 223, 205, 244, 65,  129, 77,  82,  106, 220, 55,  200, 108, 193,
    171, 250, 36,  225, 123, 8,   12,  189, 177, 74,  120, 136, 149, 139, 227, 99,  232, 109, 233, 203, 213, 254,
    59,  0,   29,  57,  242, 239, 183, 14,  102, 88,  208, 228, 166, 119, 114, 248, 235, 117, 75,  10,  49,  68,
    80,  180, 143, 237, 31,  26,  219, 153, 141, 51,  159, 17,  131, 20,
};

/// The MD2 message digest, RFC 1319.
class Md2 {
 public:
  void add(std::span<const std::uint8_t> bytes) {
    for (const std::uint8_t byte : bytes) {
      pending_[pending_size_++] = byte;
      if (pending_size_ == pending_.size()) absorb();
    }
  }

  Block finish() {
    const auto padding = static_cast<std::uint8_t>(pending_.size() - pending_size_);
    Block pad;
    pad.fill(padding);
    add(std::span(pad).first(padding));
    const Block checksum = checksum_;
    add(checksum);
    Block digest;
    std::memcpy(digest.data(), state_.data(), digest.size());
    return digest;
  }

 private:
  void absorb() {
    std::uint8_t last = checksum_.back();
    for (std::size_t i = 0; i < pending_.size(); ++i) {
      state_[16 + i] = pending_[i];
      state_[32 + i] = pending_[i] ^ state_[i];
      last = checksum_[i] ^= kSubstitution[pending_[i] ^ last];
    }
    constexpr unsigned kRounds = 18;
    unsigned t = 0;
    for (unsigned round = 0; round < kRounds; ++round) {
      for (std::uint8_t& byte : state_) t = byte ^= kSubstitution[t];
      t = (t + round) & 0xff;
    }
    pending_size_ = 0;
  }

  std::array<std::uint8_t, 48> state_{};
  Block checksum_{};
  Block pending_{};
  std::size_t pending_size_ = 0;
};

template <class T>
std::span<const std::uint8_t> bytes_of(const T& value) {
  return {reinterpret_cast<const std::uint8_t*>(&value), sizeof value};
}

constexpr Block kKey = {0x14, 0x6a, 0xdd, 0xae, 0x53, 0xa9, 0xa7, 0x52, 0xaa, 0x08, 0x41, 0x36, 0x0b, 0xf5, 0x5a, 0x9f};

Block masked_key(std::uint8_t mask) {
  Block key = kKey;
  for (std::uint8_t& byte : key) byte ^= mask;
  return key;
}

/// What the digest covers: the process, the tables it was given, and the devices as the driver reports them.
struct Subject {
  std::uint32_t driver_version;
  std::uint32_t question_version;
  std::uint32_t process;
  std::uint32_t thread;
  const void* runtime_table;
  const void* handshake_table;
  const void* handshake_function;
  std::uint64_t seconds;
};

struct SubjectDevice {
  std::array<unsigned char, 16> uuid;
  std::int32_t pci_domain;
  std::int32_t pci_bus;
  std::int32_t pci_device;
};

Block digest(const HandshakeQuestion& question) {
  constexpr std::uint8_t kInnerMask = 0x36;
  constexpr std::uint8_t kOuterMask = 0x5c;
  const Subject subject{
      .driver_version = static_cast<std::uint32_t>(instance().version()),
      .question_version = question.version,
      .process = static_cast<std::uint32_t>(getpid()),
      .thread = static_cast<std::uint32_t>(pthread_self()),
      .runtime_table = question.runtime_table,
      .handshake_table = question.handshake_table,
      .handshake_function = question.handshake_function,
      .seconds = question.seconds,
  };
  Md2 inner;
  inner.add(masked_key(kInnerMask));
  inner.add(bytes_of(subject));
  for (int ordinal = 0; ordinal < instance().device_count(); ++ordinal) {
    const int slot = instance().device(ordinal)->slot();
    const PciAddress pci = pci_address(slot);
    inner.add(bytes_of(SubjectDevice{device_uuid(slot), pci.domain, pci.bus, pci.device}));
  }
  Md2 outer;
  outer.add(masked_key(kOuterMask));
  outer.add(inner.finish());
  return outer.finish();
}

}  // namespace

CUresult answer_handshake(const HandshakeQuestion& question, std::uint64_t answer[2]) {
  constexpr std::uint64_t kConstant = 0x8ed383aa1f4cd1e8;
  switch (question.version % 10) {
    case 0:
      answer[0] = 0x3341181c03cb675c;
      answer[1] = kConstant;
      break;
    case 1:
      answer[0] = 0x1841181c03cb675c;
      answer[1] = kConstant;
      break;
    default: {
      const Block block = digest(question);
      std::memcpy(answer, block.data(), block.size());
    }
  }
  return CUDA_SUCCESS;
}

}  // namespace dryfit::driver

#else

namespace dryfit::driver {

CUresult answer_handshake(const HandshakeQuestion&, std::uint64_t*) { return CUDA_ERROR_NOT_SUPPORTED; }

}  // namespace dryfit::driver

#endif
