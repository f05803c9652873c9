// SPDX-License-Identifier: Apache-2.0
// The server under attack: what a page of another origin, another user of this host, or a broken client may
// send.
#include "web/server.h"

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <future>
#include <thread>

#include "web/serve.h"
#include "web/testing/fake_parcast.h"

namespace parcast::web {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

/// A served folder, with a script in place of parcast.
class Served {
 public:
  explicit Served(const FakeParcast& fake, const ServerOptions& options = {}) {
    std::promise<std::string> address;
    auto url = address.get_future();
    thread_ = std::thread([this, &fake, options, address = std::move(address)]() mutable {
      Settings settings{fake.program(), std::filesystem::canonical(fake.folder()), "", 2};
      const auto served = serve(
          settings, options, [&](const std::string& at, const Session&) { address.set_value(at); }, is_over_);
      if (!served) address.set_value(served.error().what);
    });
    url_ = url.get();
  }
  ~Served() {
    is_over_ = true;
    thread_.join();
  }
  int port() const { return std::stoi(url_.substr(url_.rfind(':') + 1)); }
  std::string root() const { return url_.substr(url_.find('/', 7)); }
  const std::string& url() const { return url_; }

 private:
  std::atomic<bool> is_over_{false};
  std::string url_;
  std::thread thread_;
};

class Connection {
 public:
  explicit Connection(int port) : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<std::uint16_t>(port));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(::connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  }
  explicit Connection(const std::filesystem::path& path)
      : socket_(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    path.string().copy(address.sun_path, sizeof address.sun_path - 1);
    EXPECT_EQ(::connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  }
  Connection(Connection&& other) noexcept : socket_(std::exchange(other.socket_, -1)) {}
  ~Connection() { close(); }
  void close() {
    if (socket_ >= 0) ::close(std::exchange(socket_, -1));
  }

  bool send(const std::string& text) const {
    return ::send(socket_, text.data(), text.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(text.size());
  }
  /// Returns what comes until the server closes, until `part` has come, or until the time is over.
  std::string receive(std::chrono::milliseconds time = 5s, const std::string& part = "") const {
    std::string out;
    const auto end = Clock::now() + time;
    for (;;) {
      const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now()).count();
      pollfd watched{socket_, POLLIN, 0};
      if (left <= 0 || ::poll(&watched, 1, static_cast<int>(left)) <= 0) return out;
      char buffer[65536];
      const ssize_t got = ::recv(socket_, buffer, sizeof buffer, 0);
      if (got <= 0) return out;
      out.append(buffer, static_cast<std::size_t>(got));
      if (!part.empty() && out.find(part) != std::string::npos) return out;
    }
  }
  /// Returns whether the server closes within the time.
  bool is_closed_within(std::chrono::milliseconds time) const {
    pollfd watched{socket_, POLLIN, 0};
    char byte;
    return ::poll(&watched, 1, static_cast<int>(time.count())) > 0 && ::recv(socket_, &byte, 1, 0) <= 0;
  }

 private:
  int socket_;
};

struct Asked {
  std::string method = "GET", path, host = "127.0.0.1", headers = "", body = "";
};

std::string text_of(const Asked& asked) {
  return asked.method + " " + asked.path + " HTTP/1.1\r\nHost: " + asked.host + "\r\nConnection: close\r\n" +
         asked.headers +
         (asked.body.empty() ? "" : "Content-Length: " + std::to_string(asked.body.size()) + "\r\n") +
         "\r\n" + asked.body;
}

std::string answer(const Served& served, const Asked& asked) {
  const Connection connection(served.port());
  connection.send(text_of(asked));
  return connection.receive();
}

int status(const std::string& answer) {
  return answer.size() > 12 ? std::stoi(answer.substr(9, 3)) : 0;
}

const std::string kChange = "X-Parcast: 1\r\nContent-Type: application/json\r\n";

std::string experiment(const std::string& model) {
  return R"({"model":")" + model + R"(","machine":"sp-2","axes":[{"name":"p","values":"1,2,4"}]})";
}

TEST(Server, GivesThePageWithAStrictPolicy) {
  FakeParcast fake("");
  Served served(fake);
  const std::string page = answer(served, {.path = served.root()});
  EXPECT_EQ(status(page), 200);
  EXPECT_THAT(
      page, HasSubstr("Content-Security-Policy: default-src 'none'; script-src 'self'; style-src 'self'; "));
  EXPECT_THAT(page, HasSubstr("frame-ancestors 'none'"));
  EXPECT_THAT(page, Not(HasSubstr("unsafe-inline")));
  for (const char* header : {"X-Content-Type-Options: nosniff", "Referrer-Policy: no-referrer",
                             "Cache-Control: no-store", "Cross-Origin-Resource-Policy: same-origin"})
    EXPECT_THAT(page, HasSubstr(header));
  EXPECT_THAT(page, Not(HasSubstr("Access-Control-Allow")));
}

TEST(Server, RefusesARebindingHostAMissingTokenAndAForeignPage) {
  FakeParcast fake("");
  Served served(fake);
  const std::string list = served.root() + "api/library";
  EXPECT_EQ(status(answer(served, {.path = list})), 200);
  EXPECT_EQ(status(answer(served, {.path = list, .host = "evil.example"})), 403);
  EXPECT_EQ(status(answer(served, {.path = list, .host = "evil.example:" + std::to_string(served.port())})),
            403);
  EXPECT_EQ(status(answer(served, {.path = list, .headers = "Host: evil.example\r\n"})),
            403);  // a second one
  EXPECT_EQ(status(answer(served, {.path = "/api/library"})), 403);
  EXPECT_EQ(status(answer(served, {.path = "/"})), 403);
  EXPECT_EQ(status(answer(served, {.path = "/ui.js"})), 403);
  EXPECT_EQ(status(answer(served, {.path = list, .headers = "Origin: http://evil.example\r\n"})), 403);
  EXPECT_EQ(status(answer(served, {.path = list, .headers = "Sec-Fetch-Site: cross-site\r\n"})), 403);
}

TEST(Server, ChangesNothingWithoutTheHeader) {
  FakeParcast fake(std::string("echo \"$*\" >> calls\n") + FakeParcast::kPredicts);
  fake.write("a.model.json", "");
  Served served(fake);
  const Asked plain{.method = "POST",
                    .path = served.root() + "api/experiments",
                    .headers = "Content-Type: text/plain\r\n",
                    .body = experiment("a.model.json")};
  EXPECT_EQ(status(answer(served, plain)), 403);
  EXPECT_EQ(status(answer(served, {.path = served.root() + "api/experiments"})), 404);  // no GET
  Asked foreign = plain;
  foreign.headers = kChange + "Origin: http://evil.example\r\n";
  EXPECT_EQ(status(answer(served, foreign)), 403);
  std::this_thread::sleep_for(200ms);
  EXPECT_FALSE(std::filesystem::exists(fake.folder() / "calls"));
  Asked good = plain;
  good.headers = kChange;
  EXPECT_EQ(status(answer(served, good)), 200);
}

TEST(Server, OpensOnlyWhatItLists) {
  FakeParcast fake("echo secret");
  fake.write("a.model.json", "");
  fake.write("private.txt", "");
  Served served(fake);
  const auto asked = [&](const std::string& path) { return answer(served, {.path = served.root() + path}); };
  EXPECT_THAT(asked("api/model?path=a.model.json"), HasSubstr("secret"));
  for (const char* path :
       {"api/model?path=private.txt", "api/model?path=../../etc/passwd", "api/model?path=/etc/passwd",
        "api/model?path=./a.model.json", "api/model?path=", "api/model", "api/text?path=private.txt",
        "api/machine?name=/etc/passwd", "api/machine?name=--help", "api/machine?name=../x",
        "api/description?path=private.txt", "../a.model.json", "private.txt", "%2e%2e/etc/passwd",
        "report?experiment=%7B%22model%22:%22private.txt%22%7D", "report?recording=private.txt",
        "report?recording=a.model.json"}) {
    const std::string given = asked(path);
    EXPECT_EQ(status(given), 404) << path;
    EXPECT_THAT(given, Not(HasSubstr("secret"))) << path;
  }
}

TEST(Server, NamesOfFilesArePlainTextOfJson) {
  FakeParcast fake("");
  fake.write("<img src=x onerror=alert(1)>.model.json", "");
  Served served(fake);
  const std::string list = answer(served, {.path = served.root() + "api/library"});
  EXPECT_THAT(list, HasSubstr("Content-Type: application/json"));
  EXPECT_THAT(list, HasSubstr("Content-Security-Policy: default-src 'none'"));
  const std::string wrong = answer(served, {.path = served.root() + "%3Cscript%3Ealert(1)%3C/script%3E"});
  EXPECT_EQ(status(wrong), 404);
  EXPECT_THAT(wrong, HasSubstr("Content-Type: application/json"));
}

TEST(Server, AReportHasThePolicyThatItNamesItself) {
  FakeParcast fake(
      "while [ $# -gt 0 ]; do [ \"$1\" = -o ] && file=$2; shift; done\n"
      "echo '<head><meta http-equiv=\"Content-Security-Policy\" content=\"default-src x\"></head>"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src *\">' > $file");
  fake.write("a.model.json", "");
  Served served(fake);
  const std::string page = answer(
      served, {.path = served.root() +
                       "report?experiment=%7B%22model%22:%22a.model.json%22,%22machine%22:%22sp-2%22%7D"});
  EXPECT_EQ(status(page), 200);
  EXPECT_THAT(page, HasSubstr("Content-Security-Policy: default-src x; frame-ancestors 'none'\r\n"));
}

TEST(Server, ARecordingOpensAsItsReport) {
  FakeParcast fake(
      "words=\"$*\"; while [ $# -gt 0 ]; do [ \"$1\" = -o ] && file=$2; shift; done\n"
      "echo \"<head></head>$words\" > $file");
  fake.write("a b.recording/meta.json", "{}");
  Served served(fake);
  const std::string page = answer(served, {.path = served.root() + "report?recording=a%20b.recording"});
  EXPECT_EQ(status(page), 200);
  EXPECT_THAT(page, HasSubstr("Content-Type: text/html"));
  EXPECT_THAT(page, HasSubstr("</head>report " + std::filesystem::canonical(fake.folder()).string() +
                              "/a b.recording -o "));
}

TEST(Server, TooLargeHeadersAndBodiesAreRefused) {
  FakeParcast fake("");
  ServerOptions options;
  options.limits.body = 1000;
  Served served(fake, options);
  const std::string long_header = "X-Long: " + std::string(20000, 'x') + "\r\n";
  const int refused = status(answer(served, {.path = served.root(), .headers = long_header}));
  EXPECT_TRUE(refused == 431 || refused == 413 || refused == 0) << refused;
  EXPECT_EQ(status(answer(served,
                          {.path = served.root(), .headers = "X-Short: " + std::string(8000, 'x') + "\r\n"})),
            200);
  Asked change{.method = "POST", .path = served.root() + "api/experiments", .headers = kChange};
  change.body = std::string(1001, ' ');
  EXPECT_EQ(status(answer(served, change)), 413);
  // Of an unknown length: by chunks.
  Connection chunked(served.port());
  chunked.send("POST " + change.path +
               " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n" +
               kChange + "\r\n");
  for (int i = 0; i < 3; ++i) chunked.send("190\r\n" + std::string(400, ' ') + "\r\n");
  chunked.send("0\r\n\r\n");
  EXPECT_EQ(status(chunked.receive()), 413);
}

TEST(Server, AHeaderThatTricklesIsCutOff) {
  FakeParcast fake("");
  ServerOptions options;
  options.limits.until_header = 400ms;
  Served served(fake, options);
  const Connection slow(served.port());
  const auto began = Clock::now();
  slow.send("GET / HTTP/1.1\r\nX: ");
  bool is_cut = false;
  for (int i = 0; i < 60 && !is_cut; ++i) {
    slow.send("x");
    is_cut = slow.is_closed_within(50ms);
  }
  EXPECT_TRUE(is_cut);
  EXPECT_GE(Clock::now() - began, 350ms);
  EXPECT_LT(Clock::now() - began, 3s);
  EXPECT_EQ(status(answer(served, {.path = served.root()})), 200);
}

TEST(Server, ABodyThatTricklesIsCutOff) {
  FakeParcast fake("");
  ServerOptions options;
  options.limits.until_body = 400ms;
  Served served(fake, options);
  const Connection slow(served.port());
  slow.send("POST " + served.root() +
            "api/experiments HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n" + kChange + "\r\n");
  bool is_cut = false;
  for (int i = 0; i < 60 && !is_cut; ++i) {
    slow.send("x");
    is_cut = slow.is_closed_within(50ms);
  }
  EXPECT_TRUE(is_cut);
}

TEST(Server, SixtyFourConnectionsAtMost) {
  FakeParcast fake("");
  ServerOptions options;
  options.limits.until_header = 60s;
  Served served(fake, options);
  std::vector<Connection> idle;
  for (int i = 0; i < 64; ++i) idle.emplace_back(served.port());
  std::this_thread::sleep_for(300ms);
  const Connection one_more(served.port());
  one_more.send(text_of({.path = served.root()}));
  EXPECT_EQ(one_more.receive(500ms), "");
  idle.front().close();
  EXPECT_THAT(one_more.receive(), StartsWith("HTTP/1.1 200"));
}

TEST(Server, IdleConnectionsMakeRoomByTheirDeadline) {
  FakeParcast fake("");
  ServerOptions options;
  options.limits.until_header = 500ms;
  Served served(fake, options);
  std::vector<Connection> idle;
  for (int i = 0; i < 64; ++i) idle.emplace_back(served.port());
  EXPECT_EQ(status(answer(served, {.path = served.root()})), 200);
}

TEST(Server, GarbageEndsItsConnectionOnly) {
  FakeParcast fake("");
  Served served(fake);
  for (const std::string& text :
       {std::string("\0\0\0\0", 4), std::string("GET\r\n\r\n"), std::string("GET / HTTP/9.9\r\n\r\n"),
        std::string("POST / HTTP/1.1\r\nContent-Length: -5\r\n\r\n"), std::string(5000, '\n'),
        "GET " + served.root() + "?a=%zz&%&=&b HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"}) {
    const Connection connection(served.port());
    connection.send(text);
    connection.receive(200ms);
  }
  EXPECT_EQ(status(answer(served, {.path = served.root()})), 200);
}

TEST(Server, PointsArriveAsEvents) {
  FakeParcast fake(FakeParcast::kPredicts);
  fake.write("a.model.json", "");
  Served served(fake);
  const Connection page(served.port());
  page.send("GET " + served.root() + "api/events HTTP/1.1\r\nHost: localhost\r\n\r\n");
  EXPECT_THAT(page.receive(5s, "data: []"), HasSubstr("event: runs\ndata: []"));
  const Asked begin{.method = "POST",
                    .path = served.root() + "api/experiments",
                    .headers = kChange,
                    .body = experiment("a.model.json")};
  EXPECT_THAT(answer(served, begin), HasSubstr("{\"id\":1}"));
  const std::string events = page.receive(10s, "\"status\":\"done\",\"experiment\"");
  EXPECT_THAT(events, HasSubstr("event: point"));
  EXPECT_THAT(events, HasSubstr("\"value\":0.004"));
}

TEST(Server, AnExperimentIsCancelled) {
  FakeParcast fake("[ $1 = predict ] && sleep 100");
  fake.write("a.model.json", "");
  Served served(fake);
  const auto post = [&](const std::string& path, const std::string& body) {
    return answer(served, {.method = "POST", .path = served.root() + path, .headers = kChange, .body = body});
  };
  EXPECT_EQ(status(post("api/experiments", experiment("a.model.json"))), 200);
  EXPECT_EQ(status(post("api/experiments/cancel", "{\"id\":2}")), 409);
  EXPECT_EQ(status(post("api/experiments/cancel", "{\"id\":\"1\"}")), 400);
  EXPECT_EQ(status(post("api/experiments/cancel", "{\"id\":1}")), 200);
  EXPECT_EQ(status(post("api/experiments/cancel", "{\"id\":1}")), 409);
  EXPECT_EQ(status(post("api/experiments/remove", "{\"id\":1}")), 200);
}

TEST(Server, EndsWhileRequestsWaitAndPagesListen) {
  FakeParcast fake("sleep 100");
  fake.write("a.model.json", "");
  auto served = std::make_unique<Served>(fake);
  const Connection page(served->port()), waiting(served->port());
  page.send("GET " + served->root() + "api/events HTTP/1.1\r\nHost: localhost\r\n\r\n");
  waiting.send(text_of({.path = served->root() + "api/model?path=a.model.json"}));
  page.receive(5s, "data: []");
  const auto began = Clock::now();
  served.reset();
  EXPECT_LT(Clock::now() - began, 5s);
  EXPECT_THAT(waiting.receive(1s), AnyOf(StartsWith("HTTP/1.1 503"), testing::Eq("")));
}

TEST(Server, AUnixSocketIsForItsOwnerOnly) {
  FakeParcast fake("");
  const std::filesystem::path path = fake.folder() / "s";
  ServerOptions options;
  options.socket = path;
  {
    Served served(fake, options);
    struct stat what {};
    ASSERT_EQ(::stat(path.c_str(), &what), 0);
    EXPECT_EQ(what.st_mode & 0777, 0600u);
    const Connection connection(path);
    connection.send(text_of({.path = served.root(), .host = "localhost:8080"}));
    EXPECT_THAT(connection.receive(), StartsWith("HTTP/1.1 200"));
    EXPECT_THAT(Served(fake, options).url(), HasSubstr("something else"));  // a server that is in use
  }
  EXPECT_FALSE(std::filesystem::exists(path));
  fake.write("s", "mine");
  EXPECT_THAT(Served(fake, options).url(), HasSubstr("something else"));
}

TEST(Server, APortThatIsTakenIsSaid) {
  FakeParcast fake("");
  Served first(fake);
  ServerOptions options;
  options.port = static_cast<std::uint16_t>(first.port());
  EXPECT_THAT(Served(fake, options).url(), HasSubstr("cannot be used"));
}

}  // namespace
}  // namespace parcast::web
