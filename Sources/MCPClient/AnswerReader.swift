import Core
import HostLoop
import JSON
import MCP

/// Reads the answer to one request as it comes: a message as JSON, or events with messages of which the last is the answer.
@HostActor
final class AnswerReader {
  /// The bytes of an answer with all its events.
  nonisolated static let largest = 16 << 20

  /// The messages, up to the answer.
  let messages: AsyncThrowingStream<RPCMessage, any Error>

  private let id: RPCID
  private let continuation: AsyncThrowingStream<RPCMessage, any Error>.Continuation
  private var size = 0
  private var events = EventReader()
  /// The bytes of an answer that is one message.
  private var text: [UInt8] = []
  /// True for events; nil before the first byte. A line of an event never begins with a brace.
  private var hasEvents: Bool?
  private(set) var isAnswered = false

  init(_ id: RPCID) {
    self.id = id
    (messages, continuation) = AsyncThrowingStream.makeStream()
  }

  /// Takes a part of the body of an answer with status 200. Returns false if no more is wanted.
  func take(_ bytes: UnsafeRawBufferPointer) -> Bool {
    size += bytes.count
    guard size <= Self.largest else {
      continuation.finish(
        throwing: MCPClientError(
          .tooLarge, "the answer is larger than \(Self.largest >> 20) MiB",
          hint: "ask the server for less, for example a part or a page"))
      return false
    }
    if hasEvents == nil, let first = bytes.first(where: { $0 > 0x20 }) { hasEvents = first != UInt8(ascii: "{") }
    guard hasEvents == true else {
      text += bytes
      return true
    }
    for event in events.take(bytes) where !event.isEmpty { take(event) }
    return true
  }

  /// Ends the messages: the whole body has come.
  func end() {
    if !text.isEmpty { take(text) }
    continuation.finish(
      throwing: isAnswered
        ? nil : MCPClientError(.malformed, "the answer of the server ends before the result", hint: "call it again"))
  }

  func fail(_ error: any Error) { continuation.finish(throwing: error) }

  private func take(_ message: [UInt8]) {
    guard !isAnswered else { return }
    do {
      let message = try RPCMessage(parsing: message)
      switch message {
      case .result(id, _), .error(id, _), .error(nil, _): isAnswered = true
      default: break
      }
      continuation.yield(message)
      if isAnswered { continuation.finish() }
    } catch {
      continuation.finish(
        throwing: MCPClientError(.malformed, "the server sent something that is not a message: \(error.message)"))
    }
  }
}
