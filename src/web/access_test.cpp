// SPDX-License-Identifier: Apache-2.0
#include "web/access.h"

#include <gmock/gmock.h>

namespace parcast::web {
namespace {

const std::string kToken = "0123456789abcdef0123456789abcdef";

Request request(const std::string& method = "GET", const std::string& path = "/" + kToken + "/api/library") {
  return {method, path, {}, {{"host", "127.0.0.1:8080"}}, ""};
}

int status_of(const Request& asked) {
  const auto refused = refusal(asked, kToken);
  return refused ? refused->status : 200;
}

TEST(Access, ATokenHas128Bits) {
  const auto one = new_token(), other = new_token();
  ASSERT_TRUE(one && other);
  EXPECT_THAT(*one, testing::MatchesRegex("[0-9a-f]+"));
  EXPECT_EQ(one->size(), 32u);
  EXPECT_NE(*one, *other);
}

TEST(Access, OnlyNamesOfThisHostAreHosts) {
  for (const char* good : {"127.0.0.1", "127.0.0.1:8080", "localhost", "localhost:9", "[::1]:65535"})
    EXPECT_TRUE(is_this_host(good)) << good;
  for (const char* bad :
       {"", "evil.example", "evil.example:8080", "127.0.0.1.evil.example", "localhost.evil.example:80",
        "127.0.0.1:", "127.0.0.1:80a", "127.0.0.1:808080", "localhost:80, evil.example",
        "evil.example,127.0.0.1", "127.0.0.2", "[::1", "user@localhost"})
    EXPECT_FALSE(is_this_host(bad)) << bad;
}

TEST(Access, ANameThatResolvesToThisHostIsRefused) {
  Request rebound = request();
  rebound.headers["host"] = "evil.example:8080";
  EXPECT_EQ(status_of(rebound), 403);
  rebound.headers.erase("host");
  EXPECT_EQ(status_of(rebound), 403);
  EXPECT_EQ(status_of(request()), 200);
}

TEST(Access, WithoutTheTokenThereIsNothing) {
  for (const std::string& path : {std::string("/"), std::string("/api/library"), "/" + kToken,
                                  "/" + kToken.substr(1) + "/", "/" + kToken.substr(0, 31) + "0/",
                                  "/x" + kToken + "/", "//" + kToken + "/", kToken + "/", std::string()})
    EXPECT_EQ(status_of(request("GET", path)), 403) << path;
  EXPECT_EQ(status_of(request("GET", "/" + kToken + "/")), 200);
}

TEST(Access, APageOfAnotherOriginIsRefused) {
  for (const char* origin : {"http://evil.example", "null", "https://127.0.0.1:8080", "http://127.0.0.1:8081",
                             "http://localhost:8080", "file://"}) {
    Request foreign = request();
    foreign.headers["origin"] = origin;
    EXPECT_EQ(status_of(foreign), 403) << origin;
  }
  Request own = request();
  own.headers["origin"] = "http://127.0.0.1:8080";
  EXPECT_EQ(status_of(own), 200);
}

TEST(Access, WhatTheBrowserCallsCrossSiteIsRefusedExceptALinkToThePage) {
  Request linked = request();
  for (const char* site : {"cross-site", "same-site"}) {
    linked.headers["sec-fetch-site"] = site;
    linked.headers["sec-fetch-mode"] = "navigate";
    EXPECT_EQ(status_of(linked), 403) << site;
  }
  linked.path = "/" + kToken + "/";
  EXPECT_EQ(status_of(linked), 200);
  linked.headers["sec-fetch-mode"] = "no-cors";
  EXPECT_EQ(status_of(linked), 403);
  for (const char* site : {"same-origin", "none"}) {
    Request own = request();
    own.headers["sec-fetch-site"] = site;
    EXPECT_EQ(status_of(own), 200) << site;
  }
}

TEST(Access, AChangeNeedsJsonAndTheHeader) {
  Request change = request("POST");
  EXPECT_EQ(status_of(change), 403);
  change.headers["content-type"] = "application/json";
  EXPECT_EQ(status_of(change), 403);
  change.headers["x-parcast"] = "1";
  EXPECT_EQ(status_of(change), 200);
  change.headers["content-type"] = "text/plain";  // what a form of another page can send
  EXPECT_EQ(status_of(change), 403);
}

TEST(Access, OtherMethodsHaveNoUse) {
  for (const char* method : {"PUT", "DELETE", "OPTIONS", "HEAD", "TRACE", "get"})
    EXPECT_EQ(status_of(request(method)), 405) << method;
}

}  // namespace
}  // namespace parcast::web
