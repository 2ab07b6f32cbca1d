import Glibc
import HostLoop
import TestSupport

/// A server that sends the exact bytes of a test, and records its requests.
final class ScriptedServer: Sendable {
  struct Request: Sendable {
    var method = ""
    var target = ""
    var headers: [(name: String, value: String)] = []
    var body = ""
    /// The number of the request's connection, and the number of the request on this connection; both from 0.
    var connection = 0
    var position = 0

    func header(_ name: String) -> String? { headers.first { $0.name == name.lowercased() }?.value }
  }

  enum Answer: Sendable {
    /// The bytes, then the next request.
    case send(String)
    /// The bytes, then the end of the connection.
    case sendAndClose(String)
    /// Nothing, until the client hangs up.
    case silence

    /// A complete answer.
    static func ok(_ body: String = "", _ headers: [String] = [], status: String = "200 OK") -> Answer {
      let fields = (headers + ["Content-Length: \(body.utf8.count)"]).map { $0 + "\r\n" }.joined()
      return .send("HTTP/1.1 \(status)\r\n\(fields)\r\n\(body)")
    }

    static func redirect(_ status: Int, _ location: String) -> Answer {
      ok("", ["Location: \(location)"], status: "\(status) Moved")
    }
  }

  let port: UInt16
  private let listener: Int32
  private let answer: @Sendable (Request) -> Answer
  private let seen = Locked<(requests: [Request], connections: Int)>(([], 0))

  var url: String { "http://127.0.0.1:\(port)" }
  var requests: [Request] { seen.withLock { $0.requests } }
  var connections: Int { seen.withLock { $0.connections } }

  init(_ answer: @escaping @Sendable (Request) -> Answer) throws {
    self.answer = answer
    (listener, port) = try LoopbackSocket.bound(backlog: 128)
    Self.thread { [self] in accept() }
  }

  /// Ends the listener; connections end when their clients hang up.
  func stop() { shutdown(listener, Int32(SHUT_RDWR)) }

  private func accept() {
    while true {
      let client = Glibc.accept(listener, nil, nil)
      guard client >= 0 else { break }
      let number = seen.withLock { seen in
        seen.connections += 1
        return seen.connections - 1
      }
      Self.thread { [self] in serve(client, number) }
    }
    close(listener)
  }

  private func serve(_ client: Int32, _ connection: Int) {
    defer { close(client) }
    var received: [UInt8] = []
    var position = 0
    while let request = Self.readRequest(client, &received, connection, position) {
      position += 1
      seen.withLock { $0.requests.append(request) }
      switch answer(request) {
      case .send(let text):
        guard Self.write(client, text) else { return }
      case .sendAndClose(let text):
        _ = Self.write(client, text)
        return
      case .silence:
        var byte: UInt8 = 0
        while read(client, &byte, 1) > 0 {}
        return
      }
    }
  }

  private static func readRequest(_ client: Int32, _ received: inout [UInt8], _ connection: Int, _ position: Int)
    -> Request?
  {
    var headEnd = 0
    var bodyLength: Int?
    var request = Request(connection: connection, position: position)
    while true {
      if bodyLength == nil, let end = Self.headEnd(in: received) {
        headEnd = end
        let lines = String(decoding: received[..<end], as: UTF8.self).split(separator: "\r\n")
        let words = lines[0].split(separator: " ")
        (request.method, request.target) = (String(words[0]), String(words[1]))
        request.headers = lines.dropFirst().map { line in
          let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
          return (parts[0].lowercased(), String(parts[1].drop { $0 == " " }))
        }
        bodyLength = request.header("Content-Length").flatMap { Int($0) } ?? 0
      }
      if let bodyLength, received.count >= headEnd + bodyLength {
        request.body = String(decoding: received[headEnd..<(headEnd + bodyLength)], as: UTF8.self)
        received.removeFirst(headEnd + bodyLength)
        return request
      }
      var buffer = [UInt8](repeating: 0, count: 65_536)
      let count = read(client, &buffer, buffer.count)
      guard count > 0 else { return nil }
      received += buffer[..<count]
    }
  }

  private static func headEnd(in bytes: [UInt8]) -> Int? {
    guard bytes.count >= 4 else { return nil }
    return (4...bytes.count).first { bytes[($0 - 4)..<$0].elementsEqual([13, 10, 13, 10]) }
  }

  private static func write(_ client: Int32, _ text: String) -> Bool {
    var bytes = Array(text.utf8)[...]
    while !bytes.isEmpty {
      let count = bytes.withUnsafeBytes { send(client, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
      guard count > 0 else { return false }
      bytes = bytes.dropFirst(count)
    }
    return true
  }

  private static func thread(_ body: @escaping @Sendable () -> Void) {
    final class Box: Sendable {
      let body: @Sendable () -> Void
      init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }
    var thread = pthread_t()
    let context = Unmanaged.passRetained(Box(body)).toOpaque()
    let start: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = { context in
      if let context { Unmanaged<Box>.fromOpaque(context).takeRetainedValue().body() }
      return nil
    }
    guard pthread_create(&thread, nil, start, context) == 0 else { fatalError("no thread") }
    pthread_detach(thread)
  }
}
