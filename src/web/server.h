// SPDX-License-Identifier: Apache-2.0
#pragma once
// Carries requests and answers over HTTP on this host, with limits. One thread does everything: the caller's,
// in step(). libmicrohttpd parses and writes; server.cpp alone includes it.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "base/result.h"
#include "web/message.h"

namespace parcast::web {

struct Limits {
  unsigned connections = 64;                   // further ones wait in the kernel's queue
  std::size_t header = std::size_t{16} << 10;  // bytes
  std::size_t body = std::size_t{1} << 20;     // bytes
  std::chrono::milliseconds until_header{5'000}, until_body{30'000};  // from the connection, from its header
  std::chrono::seconds without_traffic{30};
};

struct ServerOptions {
  std::uint16_t port = 0;        // of 127.0.0.1; 0: any that is free
  std::filesystem::path socket;  // a Unix socket instead, for its owner only
  Limits limits = {};
};

class Server {
 public:
  /// Returns the refusal of a request by its header, before the body is read; nothing: it is answered.
  using Refuse = std::function<std::optional<Response>(const Request&)>;
  using Answer = std::function<void(const Request&, const Reply&)>;

  static Result<std::unique_ptr<Server>> start(const ServerOptions& options, Refuse refuse, Answer answer);
  Server(const Server&) = delete;
  ~Server();  // requests without an answer get 503; removes the socket

  std::uint16_t port() const;
  /// Receives and sends what is possible without waiting, and closes connections beyond their time.
  void step();
  /// Readable when step() has something to do.
  int descriptor() const;
  /// How long step() may be left out.
  std::chrono::milliseconds patience() const;

 private:
  class Daemon;
  explicit Server(std::unique_ptr<Daemon> daemon);
  std::unique_ptr<Daemon> daemon_;
};

}  // namespace parcast::web
