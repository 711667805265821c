// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "estimate/byte_source.h"

#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace dryfit::estimate {
namespace {

constexpr unsigned kZlibBuffer = 1u << 18;

/// zlib passes uncompressed data through.
class FileSource : public ByteSource {
 public:
  FileSource(gzFile file, std::uintmax_t size) : file_(file), size_(size) { gzbuffer(file_, kZlibBuffer); }
  ~FileSource() override { gzclose(file_); }
  FileSource(const FileSource&) = delete;
  FileSource& operator=(const FileSource&) = delete;

  std::size_t read(std::span<char> room) override {
    std::size_t filled = 0;
    while (filled < room.size() && damage_.empty()) {
      const auto wanted = static_cast<unsigned>(std::min<std::size_t>(room.size() - filled, 1u << 30));
      const int got = gzread(file_, room.data() + filled, wanted);
      if (got > 0) filled += static_cast<std::size_t>(got);
      if (got < static_cast<int>(wanted)) {
        note_damage();
        break;
      }
    }
    return filled;
  }

  const std::string& damage() const override { return damage_; }

  double progress() const override {
    const auto offset = gzoffset(file_);
    return size_ == 0 || offset < 0 ? 0 : std::min(1.0, static_cast<double>(offset) / static_cast<double>(size_));
  }

 private:
  void note_damage() {
    int code = Z_OK;
    const char* words = gzerror(file_, &code);
    if (code == Z_OK || code == Z_STREAM_END) return;
    damage_ = code == Z_BUF_ERROR ? "its compressed data is cut off"
                                  : "its compressed data is damaged (" + std::string(words) + ")";
  }

  gzFile file_;
  std::uintmax_t size_;
  std::string damage_;
};

class MemorySource : public ByteSource {
 public:
  explicit MemorySource(std::string_view text) : rest_(text), size_(text.size()) {}

  std::size_t read(std::span<char> room) override {
    const auto count = std::min(room.size(), rest_.size());
    std::copy_n(rest_.data(), count, room.data());
    rest_.remove_prefix(count);
    return count;
  }
  const std::string& damage() const override { return damage_; }
  double progress() const override {
    return size_ == 0 ? 1 : 1 - static_cast<double>(rest_.size()) / static_cast<double>(size_);
  }

 private:
  std::string_view rest_;
  std::size_t size_;
  std::string damage_;
};

}  // namespace

Result<std::unique_ptr<ByteSource>> open_file(const std::filesystem::path& path) {
  const auto cannot = [&](const std::string& why) {
    return Error{"cannot read '" + path.string() + "': " + why,
                 "Name a trace that torch.profiler or `dryfit profile` wrote."};
  };
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) return cannot("it is a folder");
  const auto size = std::filesystem::file_size(path, error);
  gzFile file = gzopen(path.c_str(), "rb");
  if (!file) return cannot(std::strerror(errno));
  return std::unique_ptr<ByteSource>(std::make_unique<FileSource>(file, error ? 0 : size));
}

std::unique_ptr<ByteSource> from_memory(std::string_view text) { return std::make_unique<MemorySource>(text); }

}  // namespace dryfit::estimate
