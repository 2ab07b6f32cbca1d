import Foundation
import Glibc

/// A server on loopback that speaks PostgreSQL's protocol (version 3.0) as far as a client listens, and then misbehaves.
package final class HostilePostgres: Sendable {
  /// The server's behavior after a statement.
  package enum Answer: Sendable {
    case messages([UInt8])
    /// The messages again and again, as fast as the client takes them, or with so many seconds in between.
    case endless([UInt8], start: [UInt8] = [], pause: Double = 0)
    case silence
  }

  package let port: Int
  private let listener: Int32
  private let greeting: Answer
  private let answer: @Sendable (String) -> Answer

  /// - Parameters:
  ///   - greeting: the answer to the start of a session; by default the client is let in.
  ///   - answer: gets each statement, and what the client says to sign in.
  package init(
    greeting: Answer = .messages(HostilePostgres.welcome),
    answer: @escaping @Sendable (String) -> Answer = { _ in .silence }
  ) throws {
    self.greeting = greeting
    self.answer = answer
    let bound = try LoopbackSocket.bound(backlog: 16)
    (listener, port) = (bound.descriptor, Int(bound.port))
    Thread.detachNewThread { [self] in
      while true {
        let client = accept(listener, nil, nil)
        guard client >= 0 else { return }
        Thread.detachNewThread { [self] in
          try? serve(client)
          close(client)
        }
      }
    }
  }

  /// Takes no more connections.
  package func end() { shutdown(listener, Int32(SHUT_RDWR)) }

  package var address: String { "postgresql://tests@127.0.0.1:\(port)/test" }

  // MARK: Messages

  /// Lets a client in, as PostgreSQL 15.
  package static let welcome: [UInt8] = {
    var bytes = message("R", [0, 0, 0, 0])
    for (name, value) in [
      ("server_version", "15.4"), ("client_encoding", "UTF8"), ("default_transaction_read_only", "off"),
      ("in_hot_standby", "off"),
    ] { bytes += message("S", text(name) + text(value)) }
    return bytes + ready
  }()

  package static let ready = message("Z", Array("I".utf8))
  package static func done(_ tag: String) -> [UInt8] { message("C", text(tag)) + ready }

  package static func message(_ type: Character, _ body: [UInt8]) -> [UInt8] {
    [type.asciiValue ?? 0] + big(Int32(body.count + 4)) + body
  }

  /// The columns of a result, with the OIDs of their types.
  package static func columns(_ columns: (name: String, type: Int32)...) -> [UInt8] {
    var body = big(Int16(columns.count))
    for (name, type) in columns {
      // No table, no size, no modifier, as text.
      body += text(name) + [0, 0, 0, 0, 0, 0]
      body += big(type) + [255, 255, 255, 255, 255, 255, 0, 0]
    }
    return message("T", body)
  }

  package static func row(_ values: String...) -> [UInt8] {
    var body = big(Int16(values.count))
    for value in values { body += big(Int32(value.utf8.count)) + Array(value.utf8) }
    return message("D", body)
  }

  package static func error(_ reason: String, _ state: String, severity: String = "ERROR") -> [UInt8] {
    let fields = ["S\(severity)", "V\(severity)", "C\(state)", "M\(reason)"]
    return message("E", fields.flatMap { text($0) } + [0])
  }

  /// A copy from the client, to the client, or both.
  package static func copy(_ type: Character) -> [UInt8] { message(type, [0] + big(Int16(0))) }

  private static func text(_ text: String) -> [UInt8] { Array(text.utf8) + [0] }

  private static func big<Number: FixedWidthInteger>(_ number: Number) -> [UInt8] {
    withUnsafeBytes(of: number.bigEndian) { Array($0) }
  }

  // MARK: Sessions

  private struct Gone: Error {}

  private func serve(_ client: Int32) throws {
    while true {
      let first = try receive(client, try size(client))
      // Requests for TLS or GSSAPI.
      guard first.starts(with: [4, 210, 22, 47]) || first.starts(with: [4, 210, 22, 48]) else { break }
      try send(client, Array("N".utf8))
    }
    try react(client, greeting, [])
    var sql = ""
    while true {
      let type = try receive(client, 1)[0]
      let body = try receive(client, try size(client))
      func part(_ index: Int) -> String {
        let parts = body.split(separator: 0, omittingEmptySubsequences: false)
        return String(decoding: parts[index], as: UTF8.self)
      }
      switch Character(Unicode.Scalar(type)) {
      case "X": return
      case "P": sql = part(1)
      case "Q": try react(client, answer(part(0)), [])
      case "p": try react(client, answer(String(decoding: body, as: UTF8.self)), [])
      case "S": try react(client, answer(sql), Self.message("1", []) + Self.message("2", []))
      default: break
      }
    }
  }

  private func react(_ client: Int32, _ answer: Answer, _ beginning: [UInt8]) throws {
    switch answer {
    case .messages(let bytes): try send(client, beginning + bytes)
    case .endless(let bytes, let start, let pause):
      try send(client, beginning + start)
      while true {
        try send(client, bytes)
        if pause > 0 { usleep(UInt32(pause * 1e6)) }
      }
    case .silence: _ = try receive(client, 1)
    }
  }

  private func size(_ client: Int32) throws -> Int {
    Int(try receive(client, 4).reduce(UInt32(0)) { $0 << 8 | UInt32($1) }) - 4
  }

  private func receive(_ client: Int32, _ count: Int) throws -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    var got = 0
    while got < count {
      let n = bytes[got...].withUnsafeMutableBytes { recv(client, $0.baseAddress, $0.count, 0) }
      guard n > 0 else { throw Gone() }
      got += n
    }
    return bytes
  }

  private func send(_ client: Int32, _ bytes: [UInt8]) throws {
    var sent = 0
    while sent < bytes.count {
      let n = bytes[sent...].withUnsafeBytes { Glibc.send(client, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
      guard n > 0 else { throw Gone() }
      sent += n
    }
  }
}
