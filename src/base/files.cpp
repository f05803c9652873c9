// SPDX-License-Identifier: Apache-2.0
#include "base/files.h"

#include <fcntl.h>
#include <openssl/evp.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "base/umask.h"

namespace parcast {
namespace {

Error system_error(const std::string& what, const std::filesystem::path& path, int code) {
  const char* hint = code == ENOENT   ? "check the path"
                     : code == ENOSPC ? "free some space, or write to another folder with -o"
                     : code == EACCES ? "check the permissions, or write to another folder with -o"
                                      : "";
  return Error{what + ": " + std::strerror(code), path.string(), hint};
}

/// Closes the descriptor and removes the file, unless `path` was cleared.
struct Temporary {
  std::string path;
  int descriptor = -1;
  ~Temporary() {
    if (descriptor >= 0) ::close(descriptor);
    if (!path.empty()) ::unlink(path.c_str());
  }
};

}  // namespace

Result<InputFile> InputFile::open(const std::filesystem::path& path) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return system_error("cannot be read", path, errno);
  struct stat status {};
  const bool regular = ::fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode);
  return InputFile(
      path, descriptor,
      regular ? std::optional<std::uint64_t>(static_cast<std::uint64_t>(status.st_size)) : std::nullopt);
}

InputFile::~InputFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

Result<std::size_t> InputFile::read(char* into, std::size_t size) {
  std::size_t done = 0;
  while (done < size) {
    const ssize_t got = ::read(descriptor_, into + done, size - done);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return system_error("cannot be read", path_, errno);
    if (got == 0) break;
    done += static_cast<std::size_t>(got);
  }
  return done;
}

Result<std::string> InputFile::rest() {
  std::string content;
  content.reserve(static_cast<std::size_t>(size_.value_or(0)));
  std::array<char, 1 << 16> buffer;
  for (;;) {
    PARCAST_ASSIGN(const std::size_t got, read(buffer.data(), buffer.size()));
    content.append(buffer.data(), got);
    if (got < buffer.size()) return content;
  }
}

Result<std::string> read_file(const std::filesystem::path& path) {
  PARCAST_ASSIGN(InputFile file, InputFile::open(path));
  return file.rest();
}

Result<void> write_file(const std::filesystem::path& path, std::string_view content) {
  Temporary temporary{path.string() + ".XXXXXX"};
  temporary.descriptor = ::mkostemp(temporary.path.data(), O_CLOEXEC);
  if (temporary.descriptor < 0) {
    const int code = errno;
    temporary.path.clear();
    return system_error("cannot be written", path, code);
  }
  ::fchmod(temporary.descriptor, after_umask(0666));
  for (std::size_t done = 0; done < content.size();) {
    const ssize_t put = ::write(temporary.descriptor, content.data() + done, content.size() - done);
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) return system_error("cannot be written", path, errno);
    done += static_cast<std::size_t>(put);
  }
  if (::fsync(temporary.descriptor) != 0 && errno != EINVAL && errno != EROFS)
    return system_error("cannot be written", path, errno);
  if (::rename(temporary.path.c_str(), path.c_str()) != 0)
    return system_error("cannot be written", path, errno);
  temporary.path.clear();
  return {};
}

std::string digest(std::string_view content) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> bytes;
  unsigned length = 0;
  EVP_Digest(content.data(), content.size(), bytes.data(), &length, EVP_sha256(), nullptr);
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string out;
  for (unsigned i = 0; i < length; ++i) {
    out += kDigits[bytes[i] >> 4];
    out += kDigits[bytes[i] & 15];
  }
  return out;
}

Result<std::string> digest_of_file(const std::filesystem::path& path) {
  PARCAST_ASSIGN(const std::string content, read_file(path));
  return digest(content);
}

}  // namespace parcast
