// SPDX-License-Identifier: Apache-2.0
#include "web/server.h"

#include <arpa/inet.h>
#include <microhttpd.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <list>
#include <set>

#include "base/text.h"
#include "web/unix_socket.h"

namespace parcast::web {
namespace {

using Clock = std::chrono::steady_clock;

constexpr const char* kNothingMayLoad = "default-src 'none'; frame-ancestors 'none'";
constexpr std::size_t kBlock = 32768;  // bytes of an event stream at a time

/// A connection, and what it may take time for.
struct Watched {
  enum class Phase { header, body, answer, idle };
  MHD_Connection* connection = nullptr;
  Phase phase = Phase::header;
  Clock::time_point since = Clock::now();

  void enter(Phase next) {
    phase = next;
    since = Clock::now();
  }
};

/// A request and its answer.
struct Exchange {
  MHD_Connection* connection = nullptr;
  Request request;
  std::optional<Response> response;
  bool is_asked = false, is_suspended = false, is_too_large = false;
  std::shared_ptr<Stream> events;

  void send(Response answer) {
    if (response) return;
    response = std::move(answer);
    if (!std::exchange(is_suspended, false)) return;
    MHD_resume_connection(connection);
  }
};

/// Copies the events of a page into the library's buffer. Waits by suspending the connection.
struct EventReader {
  std::shared_ptr<Stream> stream;
  MHD_Connection* connection = nullptr;
  bool is_suspended = false;

  void wake() {
    if (std::exchange(is_suspended, false)) MHD_resume_connection(connection);
  }
  static ssize_t read(void* self, std::uint64_t, char* buffer, std::size_t most) {
    auto& reader = *static_cast<EventReader*>(self);
    std::string& pending = reader.stream->pending;
    if (pending.empty() && reader.stream->is_closed) return MHD_CONTENT_READER_END_OF_STREAM;
    if (pending.empty()) {
      reader.is_suspended = true;
      MHD_suspend_connection(reader.connection);
      return 0;
    }
    const std::size_t count = std::min(pending.size(), most);
    std::copy_n(pending.begin(), count, buffer);
    pending.erase(0, count);
    return static_cast<ssize_t>(count);
  }
  static void free(void* self) {
    const std::unique_ptr<EventReader> reader(static_cast<EventReader*>(self));
    reader->stream->wake = nullptr;
    reader->stream->is_closed = true;
  }
};

MHD_Result add_header(void* into, MHD_ValueKind, const char* name, const char* value) {
  std::string key = name;
  std::ranges::transform(key, key.begin(), [](unsigned char c) { return std::tolower(c); });
  auto& headers = *static_cast<std::map<std::string, std::string>*>(into);
  // Of a header that is given twice no part is trusted.
  if (!headers.emplace(key, value ? value : "").second) headers[key] += "," + std::string(value ? value : "");
  return MHD_YES;
}

MHD_Result add_argument(void* into, MHD_ValueKind, const char* name, const char* value) {
  (*static_cast<std::map<std::string, std::string>*>(into))[name] = value ? value : "";
  return MHD_YES;
}

MHD_Response* response_of(const Response& answer, MHD_Connection* connection) {
  if (!answer.events)
    return MHD_create_response_from_buffer(answer.body.size(), const_cast<char*>(answer.body.data()),
                                           MHD_RESPMEM_MUST_COPY);
  auto* reader = new EventReader{answer.events, connection};
  answer.events->wake = [reader] { reader->wake(); };
  return MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, kBlock, &EventReader::read, reader,
                                           &EventReader::free);
}

MHD_Result queue(MHD_Connection* connection, const Response& answer) {
  MHD_Response* response = response_of(answer, connection);
  if (!response) return MHD_NO;
  const std::string policy = answer.policy.empty() ? kNothingMayLoad : answer.policy;
  const std::array<std::pair<const char*, const char*>, 8> headers{
      {{"Content-Type", answer.type.c_str()},
       {"Content-Security-Policy", policy.c_str()},
       {"X-Content-Type-Options", "nosniff"},
       {"X-Frame-Options", "DENY"},
       {"Referrer-Policy", "no-referrer"},  // the address has the token
       {"Cache-Control", "no-store"},
       {"Cross-Origin-Resource-Policy", "same-origin"},
       {"Cross-Origin-Opener-Policy", "same-origin"}}};
  for (const auto& [name, value] : headers) MHD_add_response_header(response, name, value);
  const MHD_Result queued = MHD_queue_response(connection, static_cast<unsigned>(answer.status), response);
  MHD_destroy_response(response);
  return queued;
}

}  // namespace

class Server::Daemon {
 public:
  Daemon(const ServerOptions& options, Refuse refuse, Answer answer)
      : options_(options), refuse_(std::move(refuse)), answer_(std::move(answer)) {}
  ~Daemon() { stop(); }

  Result<void> start() {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(options_.port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    std::array<MHD_OptionItem, 2> place{{{MHD_OPTION_SOCK_ADDR, 0, &address}, {MHD_OPTION_END, 0, nullptr}}};
    if (!options_.socket.empty()) {
      PARCAST_ASSIGN(const int listening, listen_at(options_.socket));
      place[0] = {MHD_OPTION_LISTEN_SOCKET, listening, nullptr};
    }
    const Limits& limits = options_.limits;
    daemon_ = MHD_start_daemon(
        MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME, options_.port, nullptr, nullptr, &Daemon::on_request, this,
        MHD_OPTION_ARRAY, place.data(), MHD_OPTION_CONNECTION_LIMIT, limits.connections,
        MHD_OPTION_CONNECTION_MEMORY_LIMIT, limits.header, MHD_OPTION_CONNECTION_TIMEOUT,
        static_cast<unsigned>(limits.without_traffic.count()), MHD_OPTION_NOTIFY_CONNECTION,
        &Daemon::on_connection, this, MHD_OPTION_NOTIFY_COMPLETED, &Daemon::on_completed, this,
        MHD_OPTION_END);
    if (daemon_) return {};
    if (!options_.socket.empty()) return Error{"the server cannot be started", options_.socket.string(), ""};
    return Error{options_.port ? "port " + std::to_string(options_.port) +
                                     " of 127.0.0.1 cannot be used: " + std::strerror(errno)
                               : std::string("no port of 127.0.0.1 can be used: ") + std::strerror(errno),
                 "", options_.port ? "take another one, or leave --port out" : ""};
  }

  void step() {
    MHD_run(daemon_);
    const auto now = Clock::now();
    for (const Watched& each : watched_) {
      const auto allowed =
          each.phase == Watched::Phase::header ? options_.limits.until_header : options_.limits.until_body;
      if (each.phase == Watched::Phase::answer || now - each.since <= allowed) continue;
      const auto* socket = MHD_get_connection_info(each.connection, MHD_CONNECTION_INFO_CONNECTION_FD);
      if (socket) ::shutdown(socket->connect_fd, SHUT_RDWR);  // the library notices, and closes it
    }
  }

  MHD_Daemon* get() const { return daemon_; }

 private:
  static void on_connection(void* self, MHD_Connection* connection, void** context,
                            MHD_ConnectionNotificationCode what) {
    auto& all = static_cast<Daemon*>(self)->watched_;
    if (what == MHD_CONNECTION_NOTIFY_STARTED) {
      all.push_back({connection});
      *context = &all.back();
    } else {
      all.remove_if([&](const Watched& each) { return &each == *context; });
    }
  }

  static Watched* watched_of(MHD_Connection* connection) {
    const auto* info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    return info ? static_cast<Watched*>(info->socket_context) : nullptr;
  }

  static void enter(MHD_Connection* connection, Watched::Phase phase) {
    if (Watched* watched = watched_of(connection)) watched->enter(phase);
  }

  static void on_completed(void* self, MHD_Connection* connection, void** context,
                           MHD_RequestTerminationCode) {
    enter(connection, Watched::Phase::idle);
    auto* held = static_cast<std::shared_ptr<Exchange>*>(*context);
    if (!held) return;
    static_cast<Daemon*>(self)->open_.erase(*held);
    delete held;
    *context = nullptr;
  }

  static MHD_Result on_request(void* self, MHD_Connection* connection, const char* url, const char* method,
                               const char*, const char* data, std::size_t* size, void** context) {
    auto& daemon = *static_cast<Daemon*>(self);
    if (!*context) return daemon.begin(connection, url, method, context);
    Exchange& exchange = **static_cast<std::shared_ptr<Exchange>*>(*context);
    if (*size > 0) {
      daemon.take(exchange, data, *size);
      *size = 0;
      return MHD_YES;
    }
    return daemon.finish(*static_cast<std::shared_ptr<Exchange>*>(*context));
  }

  /// The header is complete.
  MHD_Result begin(MHD_Connection* connection, const char* url, const char* method, void** context) {
    enter(connection, Watched::Phase::body);
    auto exchange = std::make_shared<Exchange>();
    exchange->connection = connection;
    Request& request = exchange->request;
    request.method = method, request.path = url;
    MHD_get_connection_values(connection, MHD_HEADER_KIND, &add_header, &request.headers);
    MHD_get_connection_values(connection, MHD_GET_ARGUMENT_KIND, &add_argument, &request.query);
    open_.insert(exchange);
    *context = new std::shared_ptr<Exchange>(exchange);
    if (auto refused = refuse_(request)) return queue(connection, *refused);
    if (const auto length = parse_double(request.header("content-length"));
        length && *length > static_cast<double>(options_.limits.body))
      return queue(connection, too_large());
    return MHD_YES;
  }

  void take(Exchange& exchange, const char* data, std::size_t size) const {
    exchange.is_too_large |= exchange.request.body.size() + size > options_.limits.body;
    if (!exchange.is_too_large) exchange.request.body.append(data, size);
  }

  /// The body is complete, or the answer is there.
  MHD_Result finish(const std::shared_ptr<Exchange>& exchange) {
    if (!exchange->is_asked) {
      exchange->is_asked = true;
      enter(exchange->connection, Watched::Phase::answer);
      const std::weak_ptr<Exchange> asking = exchange;
      const Reply reply = [asking](Response response) {
        if (const auto still_there = asking.lock()) still_there->send(std::move(response));
      };
      if (is_stopping_)
        reply(ended());
      else if (exchange->is_too_large)
        reply(too_large());
      else
        answer_(exchange->request, reply);
    }
    if (exchange->response) return queue(exchange->connection, *exchange->response);
    exchange->is_suspended = true;
    MHD_suspend_connection(exchange->connection);
    return MHD_YES;
  }

  static Response too_large() { return error_response(413, {"the request is too large", "", ""}); }

  static Response ended() { return error_response(503, {"parcast ui has ended", "", ""}); }

  /// The library demands that no connection is suspended when it stops. Requests that come during the last
  /// steps are answered at once.
  void stop() {
    if (!daemon_) return;
    is_stopping_ = true;
    for (const auto& exchange : std::set(open_)) exchange->send(ended());
    constexpr int kLastSteps = 3;
    for (int i = 0; i < kLastSteps; ++i) MHD_run(daemon_);
    MHD_stop_daemon(daemon_);
    if (!options_.socket.empty()) ::unlink(options_.socket.c_str());
  }

  ServerOptions options_;
  Refuse refuse_;
  Answer answer_;
  MHD_Daemon* daemon_ = nullptr;
  bool is_stopping_ = false;
  std::list<Watched> watched_;
  std::set<std::shared_ptr<Exchange>> open_;
};

Result<std::unique_ptr<Server>> Server::start(const ServerOptions& options, Refuse refuse, Answer answer) {
  auto daemon = std::make_unique<Daemon>(options, std::move(refuse), std::move(answer));
  PARCAST_TRY(daemon->start());
  return std::unique_ptr<Server>(new Server(std::move(daemon)));
}

Server::Server(std::unique_ptr<Daemon> daemon) : daemon_(std::move(daemon)) {}
Server::~Server() = default;

std::uint16_t Server::port() const {
  const auto* info = MHD_get_daemon_info(daemon_->get(), MHD_DAEMON_INFO_BIND_PORT);
  return info ? info->port : 0;
}

void Server::step() {
  daemon_->step();
}

int Server::descriptor() const {
  return MHD_get_daemon_info(daemon_->get(), MHD_DAEMON_INFO_EPOLL_FD)->epoll_fd;
}

std::chrono::milliseconds Server::patience() const {
  constexpr MHD_UNSIGNED_LONG_LONG kMost = 100;  // milliseconds: deadlines are looked at as often
  MHD_UNSIGNED_LONG_LONG wanted = kMost;
  if (MHD_get_timeout(daemon_->get(), &wanted) != MHD_YES) wanted = kMost;
  return std::chrono::milliseconds(std::min(wanted, kMost));
}

}  // namespace parcast::web
