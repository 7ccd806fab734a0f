// The frames of a WebSocket (RFC 6455), as a server reads and writes them. Knows nothing of
// sockets.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace taut::server {

enum class FrameType : unsigned char {
  more = 0,
  text = 1,
  binary = 2,
  close = 8,
  ping = 9,
  pong = 10
};

/// What comes before the bytes of a message that is sent as one frame.
std::string frame_head(FrameType type, std::size_t size);
std::string whole_frame(FrameType type, std::string_view content);
/// Says why a connection is closed: 1002 for what is no WebSocket, 1007 for text that is not UTF-8,
/// 1009 for what is too long.
std::string close_frame(unsigned code);

/// What a server answers to the key of a client, which shows that it speaks this protocol.
std::string accept_key(std::string_view key);

/// Puts messages together from bytes as they come.
class FrameReader {
 public:
  explicit FrameReader(std::size_t most_bytes) : most_bytes_(most_bytes) {}

  struct Message {
    FrameType type = FrameType::text;
    std::string content;
  };
  void add(std::string_view bytes) { buffer_.append(bytes); }
  /// The next message, or what controls the connection; nothing: more bytes are needed, or
  /// `trouble()`.
  std::optional<Message> next();
  /// The code for close_frame(); 0: all is well.
  unsigned trouble() const { return trouble_; }

 private:
  std::optional<Message> fail(unsigned code);

  std::size_t most_bytes_;
  std::string buffer_;
  std::string content_;               // of a message so far
  FrameType type_ = FrameType::more;  // … more: there is none
  unsigned trouble_ = 0;
};

}  // namespace taut::server
