// HTTP and WebSockets, byte by byte.
#include <gtest/gtest.h>

#include "taut/server/http_request.hpp"
#include "taut/server/websocket_frames.hpp"

namespace taut::server {
namespace {

/// As a client sends it, with a mask.
std::string from_client(unsigned first, std::string_view content) {
  std::string frame = frame_head(FrameType::text, content.size());
  frame[0] = static_cast<char>(first);
  frame[1] = static_cast<char>(frame[1] | 0x80);
  constexpr std::string_view mask = "\x12\x34\x56\x78";
  frame += mask;
  for (std::size_t i = 0; i < content.size(); ++i)
    frame += static_cast<char>(content[i] ^ mask[i % 4]);
  return frame;
}

constexpr std::size_t most = 100'000;

TEST(WebSocketFrames, AnswerToAKey) {  // the example of RFC 6455
  EXPECT_EQ(accept_key("dGhlIHNhbXBsZSBub25jZQ=="), "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=");
}

TEST(WebSocketFrames, MessagesOfAllLengthsComeThroughHoweverTheyAreCut) {
  for (const std::size_t size : {0, 1, 125, 126, 65535, 65536})
    for (const std::size_t part : {std::size_t{1}, std::size_t{3}, std::size_t{100'000}}) {
      const std::string text(size, 'x');
      const std::string bytes = from_client(0x81, text) + from_client(0x82, "next");
      FrameReader reader(most);
      std::vector<FrameReader::Message> found;
      for (std::size_t i = 0; i < bytes.size(); i += part) {
        reader.add(std::string_view(bytes).substr(i, part));
        while (auto message = reader.next()) found.push_back(std::move(*message));
      }
      ASSERT_EQ(found.size(), 2u) << size;
      EXPECT_EQ(found[0].content, text);
      EXPECT_EQ(found[1].type, FrameType::binary);
      EXPECT_EQ(found[1].content, "next");
    }
}

TEST(WebSocketFrames, PartsOfAMessageWithAPingBetweenThem) {
  FrameReader reader(most);
  reader.add(from_client(0x01, "one, ") + from_client(0x89, "ping") + from_client(0x00, "two, ") +
             from_client(0x80, "three"));
  const auto ping = reader.next();
  ASSERT_TRUE(ping);
  EXPECT_EQ(ping->type, FrameType::ping);
  EXPECT_EQ(ping->content, "ping");
  const auto message = reader.next();
  ASSERT_TRUE(message);
  EXPECT_EQ(message->content, "one, two, three");
  EXPECT_FALSE(reader.next());
  EXPECT_EQ(reader.trouble(), 0u);
}

TEST(WebSocketFrames, WhatIsWrongIsRefused) {
  const auto trouble = [](const std::string& bytes) {
    FrameReader reader(most);
    reader.add(bytes);
    while (reader.next()) {
    }
    return reader.trouble();
  };
  EXPECT_EQ(trouble(whole_frame(FrameType::text, "without a mask")), 1002u);
  EXPECT_EQ(trouble(from_client(0xC1, "an extension")), 1002u);
  EXPECT_EQ(trouble(from_client(0x83, "no such type")), 1002u);
  EXPECT_EQ(trouble(from_client(0x80, "more of nothing")), 1002u);
  EXPECT_EQ(trouble(from_client(0x01, "begun") + from_client(0x81, "begun again")), 1002u);
  EXPECT_EQ(trouble(from_client(0x09, "half a ping")), 1002u);
  EXPECT_EQ(trouble(from_client(0x89, std::string(126, 'x'))), 1002u);
  EXPECT_EQ(trouble(from_client(0x81, std::string(most + 1, 'x')).substr(0, 10)), 1009u)
      << "said before it has come";
  EXPECT_EQ(trouble(from_client(0x01, std::string(most, 'x')) + from_client(0x80, "x")), 1009u);
  EXPECT_EQ(trouble(std::string("\x81\xff\xff\xff\xff\xff\xff\xff\xff\xff", 10)), 1009u);
  EXPECT_EQ(trouble(from_client(0x81, "\xC0\x80")), 1007u);
}

TEST(HttpRequests, AreRead) {
  const auto found = parse_http_request(
      "GET /ws?token=a HTTP/1.1\r\nHost: localhost:80\r\nConnection: keep-alive, Upgrade\r\n"
      "UPGRADE:websocket \r\n\r\n");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->method, "GET");
  EXPECT_EQ(found->target, "/ws?token=a");
  EXPECT_EQ(found->field("host"), "localhost:80");
  EXPECT_EQ(found->field("origin"), "");
  EXPECT_TRUE(found->asks_for_websocket());
  EXPECT_TRUE(found->keeps_alive());
  EXPECT_FALSE(found->has_body());
  EXPECT_FALSE(parse_http_request("GET / HTTP/1.0\r\n\r\n")->keeps_alive());
  EXPECT_FALSE(parse_http_request("GET / HTTP/1.1\r\nConnection: Close\r\n\r\n")->keeps_alive());
  EXPECT_TRUE(parse_http_request("POST / HTTP/1.1\r\nContent-Length: 5\r\n\r\n")->has_body());
}

TEST(HttpRequests, WhatIsNoneIsRefused) {
  for (const char* bad :
       {"\r\n\r\n", "GET /\r\n\r\n", "GET / HTTP/2\r\n\r\n", "GET  HTTP/1.1\r\n\r\n",
        "GET /a b HTTP/1.1\r\n\r\n", "G@T / HTTP/1.1\r\n\r\n", "GET / HTTP/1.1\r\nno colon\r\n\r\n",
        "GET / HTTP/1.1\r\n folded: x\r\n\r\n", "GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
        "GET / HTTP/1.1\r\nA: \x01\r\n\r\n"})
    EXPECT_FALSE(parse_http_request(bad)) << bad;
}

}  // namespace
}  // namespace taut::server
