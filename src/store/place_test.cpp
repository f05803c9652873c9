// SPDX-License-Identifier: Apache-2.0
#include "store/place.h"

#include <gmock/gmock.h>

namespace parcast::store {
namespace {

using testing::HasSubstr;

TEST(Place, APathIsAFileOfSqlite) {
  for (const char* path : {"parcast.db", "/data/a b.db", "./host=x", "runs=1.db"}) {
    const auto place = place_of(path);
    ASSERT_TRUE(place) << path;
    EXPECT_EQ(place->backend, Backend::sqlite) << path;
    EXPECT_EQ(place->connection, path);
  }
  EXPECT_EQ(place_of("sqlite:///data/host=x")->connection, "/data/host=x");
}

TEST(Place, UrlsAndKeywordsOfLibpqAreDatabases) {
  for (const char* url : {"postgresql://me@db/runs", "postgres://db/runs", "host=/run/postgresql dbname=runs",
                          "dbname = runs"}) {
    const auto place = place_of(url);
    ASSERT_TRUE(place) << url;
    EXPECT_EQ(place->backend, Backend::postgresql) << url;
    EXPECT_EQ(place->connection, url);
    EXPECT_EQ(place->shown, url);
  }
}

TEST(Place, PasswordsAreUsedAndNeverShown) {
  const auto shown = [](const std::string& url) {
    const auto place = place_of(url);
    EXPECT_EQ(place->connection, url);
    return place->shown;
  };
  EXPECT_EQ(shown("postgresql://me:s3c@ret@db:5432/runs"), "postgresql://me:***@db:5432/runs");
  EXPECT_EQ(shown("postgresql://db:5432/runs"), "postgresql://db:5432/runs");
  EXPECT_EQ(shown("postgresql://db/runs?user=me&password=s3cret&sslmode=require"),
            "postgresql://db/runs?user=me&password=***&sslmode=require");
  EXPECT_EQ(shown("host=db password=s3cret dbname=runs"), "host=db password=*** dbname=runs");
  EXPECT_EQ(shown("host=db password = 's3 \\'cret' dbname=runs"), "host=db password = *** dbname=runs");
  EXPECT_EQ(shown("password="), "password=***");
}

TEST(Place, OtherDatabasesAreErrorsWithAGuess) {
  const auto error = [](const std::string& url) { return to_string(place_of(url).error()); };
  EXPECT_THAT(
      error("mysql://me:s3cret@db/runs"),
      HasSubstr("mysql://me:***@db/runs: error: a store is kept in SQLite or PostgreSQL, not in mysql"));
  EXPECT_THAT(error("postgesql://db/runs"), HasSubstr("did you mean postgresql?"));
}

}  // namespace
}  // namespace parcast::store
