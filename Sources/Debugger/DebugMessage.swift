package import JSON

/// The messages of the Debug Adapter Protocol as data: a header with the length, then JSON.
package enum DebugMessage {
  /// The most bytes of one message.
  static let most = 16 << 20

  package static func encoded(_ message: JSON) -> [UInt8] {
    let body = Array(message.encoded().utf8)
    return Array("Content-Length: \(body.count)\r\n\r\n".utf8) + body
  }
}

/// Finds the messages in the bytes of a stream.
package struct DebugMessageReader: Sendable {
  package struct Malformed: Error, CustomStringConvertible {
    package let description: String
  }

  private var buffer: [UInt8] = []

  package init() {}

  package mutating func append(_ bytes: some Sequence<UInt8>) { buffer.append(contentsOf: bytes) }

  /// The next whole message; nil if more bytes are needed.
  package mutating func next() throws(Malformed) -> JSON? {
    guard let end = buffer.firstRange(of: Array("\r\n\r\n".utf8)) else {
      if buffer.count > 4096 { throw Malformed(description: "expected a header with Content-Length, got other bytes") }
      return nil
    }
    let length = try Self.length(in: String(decoding: buffer[..<end.lowerBound], as: UTF8.self))
    guard buffer.count >= end.upperBound + length else { return nil }
    let body = Array(buffer[end.upperBound..<end.upperBound + length])
    buffer.removeFirst(end.upperBound + length)
    do { return try JSON(parsing: body) } catch {
      throw Malformed(description: "a message is not JSON: \(error.message)")
    }
  }

  /// Throws for a line that the protocol does not have. A page of a browser can send a request of HTTP to a port of this machine,
  /// and its body would be a message.
  private static func length(in header: String) throws(Malformed) -> Int {
    var length: Int?
    for line in header.split(separator: "\r\n") {
      let parts = line.split(separator: ":", maxSplits: 1)
      let name = parts.count == 2 ? parts[0].lowercased() : ""
      guard name == "content-length" && length == nil || name == "content-type" else {
        throw Malformed(description: "expected a header with Content-Length, got '\(line.prefix(80))'")
      }
      guard name == "content-length" else { continue }
      let text = parts[1].drop { $0 == " " }
      guard let number = Int(text), (0...DebugMessage.most).contains(number) else {
        throw Malformed(description: "Content-Length: expected a number up to \(DebugMessage.most), got '\(text)'")
      }
      length = number
    }
    guard let length else {
      throw Malformed(description: "expected a header with Content-Length, got '\(header.prefix(80))'")
    }
    return length
  }
}
