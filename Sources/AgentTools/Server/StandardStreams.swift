import Core
import Files
import Glibc
package import HostLoop
import JSON
package import MCP
import Terminal

/// The transport of standard input and output: a message a line.
@HostActor
package final class StandardStreams {
  /// The most bytes of a message.
  private static let longest = 8 << 20

  private let server: MCPServer
  private let session = MCPSession { message in HostActor.task { StandardStreams.write(message) } }
  private let end = CancellableWait<Void>()

  package init(_ server: MCPServer) { self.server = server }

  /// Serves until the end of the input.
  package func run() async throws {
    let lines = LineThread(longest: Self.longest) { [weak self] line in
      HostActor.task {
        guard let self else { return }
        if let line { self.take(line) } else { self.end.finish(.success(())) }
      }
    }
    lines.start()
    defer { session.end() }
    try await end.value()
  }

  private func take(_ line: LineThread.Line) {
    guard case .text(let bytes) = line else {
      return Self.write(.error(nil, RPCError(.parse, "the message is longer than \(Self.longest >> 20) MiB")))
    }
    guard bytes.contains(where: { $0 > UInt8(ascii: " ") }) else { return }
    do throws(RPCError) {
      let message = try RPCMessage(parsing: bytes)
      guard case .request(let id, let method, let params) = message else { return server.take(message, in: session) }
      let (server, session) = (server, session)
      session.run(id) {
        let answer = await server.answer(id, method, params, in: session) { message in
          HostActor.task { Self.write(message) }
        }
        HostActor.task { if !session.takeCancellation(of: id) { Self.write(answer) } }
      }
    } catch { Self.write(.error(nil, error)) }
  }

  private static func write(_ message: RPCMessage) {
    StandardOutput.write(data: message.json.encoded() + "\n")
    StandardOutput.flush()
  }
}

/// Reads standard input line by line. A separate thread does it, because reading blocks.
private final class LineThread: Sendable {
  enum Line: Sendable {
    case text([UInt8])
    case tooLong
  }

  private let longest: Int
  private let take: @Sendable (Line?) -> Void

  /// - Parameter take: gets each line, then nil.
  init(longest: Int, take: @escaping @Sendable (Line?) -> Void) {
    self.longest = longest
    self.take = take
  }

  func start() {
    if SystemThread.start({ self.read() }) == nil { take(nil) }
  }

  private func read() {
    var buffer = [UInt8](repeating: 0, count: 64 << 10)
    var line: [UInt8] = []
    var isTooLong = false
    while true {
      // An input that cannot be read has ended.
      let count = buffer.withUnsafeMutableBytes { (try? OpenFile.read(STDIN_FILENO, into: $0)) ?? 0 }
      guard count > 0 else { return take(nil) }
      var rest = buffer[..<count]
      while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
        line += rest[..<end]
        take(isTooLong || line.count > longest ? .tooLong : .text(line))
        (line, isTooLong) = ([], false)
        rest = rest[(end + 1)...]
      }
      line += rest
      if line.count > longest { (line, isTooLong) = ([], true) }
    }
  }
}
