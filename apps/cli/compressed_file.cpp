// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "compressed_file.h"

#include <unistd.h>
#include <zlib.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <memory>
#include <string>

namespace dryfit::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kPiece = 1 << 20;

struct Closing {
  void operator()(gzFile_s* file) const { gzclose(file); }
};

Error cannot_write(const fs::path& path) {
  const std::string why = errno != 0 ? std::strerror(errno) : "unknown error";
  return {"cannot write '" + path.string() + "': " + why, "Choose another file with -o."};
}

/// "wT" is zlib's word for plain.
Status copy(const fs::path& source, const fs::path& target, bool compressed, const Done& done) {
  std::ifstream input(source, std::ios::binary);
  if (!input) return Error{"cannot read '" + source.string() + "': " + std::strerror(errno), ""};
  std::error_code ignored;
  const auto size = static_cast<double>(fs::file_size(source, ignored));
  errno = 0;
  std::unique_ptr<gzFile_s, Closing> output(gzopen(target.c_str(), compressed ? "wb6" : "wbT"));
  if (!output) return cannot_write(target);
  const auto piece = std::make_unique<std::array<char, kPiece>>();
  double written = 0;
  while (input.read(piece->data(), kPiece) || input.gcount() > 0) {
    const auto length = static_cast<unsigned>(input.gcount());
    if (gzwrite(output.get(), piece->data(), length) != static_cast<int>(length)) return cannot_write(target);
    written += length;
    if (done && size > 0) done(written / size);
  }
  if (gzclose(output.release()) != Z_OK) return cannot_write(target);
  return {};
}

}  // namespace

Result<Bytes> store_compressed(const fs::path& source, const fs::path& target, const Done& done) {
  fs::path temporary = target;
  temporary += "." + std::to_string(::getpid()) + ".tmp";
  const auto status = copy(source, temporary, target.extension() == ".gz", done);
  std::error_code error;
  if (!status) {
    fs::remove(temporary, error);
    return status.error();
  }
  fs::rename(temporary, target, error);
  if (error) {
    std::error_code ignored;
    fs::remove(temporary, ignored);
    return Error{"cannot write '" + target.string() + "': " + error.message(), "Choose another file with -o."};
  }
  return Bytes{fs::file_size(target, error)};
}

}  // namespace dryfit::cli
