// SPDX-License-Identifier: Apache-2.0
#include "web/serve.h"

#include <poll.h>

#include "web/access.h"

namespace parcast::web {
namespace {

using Clock = std::chrono::steady_clock;

constexpr auto kBetweenSigns = std::chrono::seconds(10);  // of life; a page that left is noticed by them
constexpr const char* kSign = ": \n\n";

void wait_for(const Server& server, const Tasks& tasks) {
  std::vector<pollfd> watched{{server.descriptor(), POLLIN, 0}};
  for (const int descriptor : tasks.descriptors()) watched.push_back({descriptor, POLLIN, 0});
  ::poll(watched.data(), watched.size(), static_cast<int>(server.patience().count()));
}

}  // namespace

Result<void> serve(Settings settings, const ServerOptions& options,
                   const std::function<void(const std::string& url, const Session& session)>& ready,
                   const std::atomic<bool>& is_over) {
  PARCAST_ASSIGN(const std::string token, new_token());
  PARCAST_ASSIGN(const std::unique_ptr<Session> session, Session::open(std::move(settings)));
  PARCAST_ASSIGN(const std::unique_ptr<Server> server,
                 Server::start(
                     options, [&](const Request& request) { return refusal(request, token); },
                     [&](const Request& request, const Reply& reply) {
                       session->answer(request, request.path.substr(token.size() + 1), reply);
                     }));
  const std::string host =
      options.socket.empty() ? "127.0.0.1:" + std::to_string(server->port()) : "localhost:8080";
  ready("http://" + host + "/" + token + "/", *session);
  auto next_sign = Clock::now() + kBetweenSigns;
  while (!is_over) {
    wait_for(*server, session->tasks());
    server->step();
    session->step();
    if (Clock::now() < next_sign) continue;
    session->pages().send(kSign);
    next_sign = Clock::now() + kBetweenSigns;
  }
  session->pages().close();
  return {};
}

}  // namespace parcast::web
