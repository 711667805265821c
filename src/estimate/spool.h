// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "base/unique_fd.h"

namespace dryfit::estimate {

/// A temporary file without a name, which disappears with the process.
class SpoolFile {
 public:
  /// False: nothing was written, because the disk is full or no such file can be created.
  bool append(const void* data, std::size_t bytes);
  bool read(std::uint64_t offset, void* data, std::size_t bytes) const;

 private:
  UniqueFd file_;
  std::uint64_t written_ = 0;
};

/// Any number of records in the order in which they come: the last ones in memory, those before them in a file once
/// they are many.
template <class T>
class Spool {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  /// About 10 MB: a trace of a few steps never needs a file.
  static constexpr std::size_t kInMemory = std::size_t{1} << 18;

  void push_back(const T& record) {
    records_.push_back(record);
    if (records_.size() >= limit_) spill();
  }
  std::uint64_t size() const { return in_file_ + records_.size(); }

  /// Everything, in memory; the spool is empty afterwards. Only the last records if the file cannot be read.
  std::vector<T> take() {
    std::vector<T> all(in_file_);
    if (in_file_ > 0 && !file_.read(0, all.data(), in_file_ * sizeof(T))) all.clear();
    all.insert(all.end(), records_.begin(), records_.end());
    *this = {};
    return all;
  }

  /// Reads a finished spool from the beginning.
  class Reader {
   public:
    explicit Reader(const Spool& spool) : spool_(spool) {}

    /// The next one; null: there is none.
    const T* peek() {
      if (at_ == window_.size() && !refill()) return nullptr;
      return &window_[at_];
    }
    void pop() { ++at_; }
    /// How many were taken.
    std::uint64_t taken() const { return next_ - (window_.size() - at_); }
    /// The file could not be read: there should have been more.
    bool has_failed() const { return has_failed_; }

   private:
    static constexpr std::uint64_t kWindow = std::uint64_t{1} << 14;

    bool refill() {
      at_ = 0;
      window_.resize(std::min(kWindow, spool_.size() - next_));
      if (next_ < spool_.in_file_) {
        window_.resize(std::min<std::uint64_t>(window_.size(), spool_.in_file_ - next_));
        has_failed_ = !spool_.file_.read(next_ * sizeof(T), window_.data(), window_.size() * sizeof(T));
        if (has_failed_) window_.clear();
      } else {
        const auto first = spool_.records_.begin() + static_cast<std::ptrdiff_t>(next_ - spool_.in_file_);
        std::copy_n(first, window_.size(), window_.begin());
      }
      next_ += window_.size();
      return !window_.empty();
    }

    const Spool& spool_;
    std::vector<T> window_;
    std::size_t at_ = 0;      ///< in the window
    std::uint64_t next_ = 0;  ///< behind the window
    bool has_failed_ = false;
  };

 private:
  void spill() {
    if (!file_.append(records_.data(), records_.size() * sizeof(T))) {
      limit_ = static_cast<std::size_t>(-1);
      return;
    }
    in_file_ += records_.size();
    records_.clear();
  }

  std::vector<T> records_;
  SpoolFile file_;
  std::uint64_t in_file_ = 0;
  std::size_t limit_ = kInMemory;
};

}  // namespace dryfit::estimate
