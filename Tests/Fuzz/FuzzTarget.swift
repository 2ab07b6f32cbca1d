import Core
import HostLoop

/// A reader of foreign bytes, or what makes calls of them. It gets arbitrary bytes, and must return or throw.
struct FuzzTarget: Sendable {
  let name: String
  /// Reads the bytes. The errors that it throws are those of the reader.
  let read: @HostActor @Sendable (FuzzInput) async throws -> Void

  init(_ name: String, _ read: @escaping @HostActor @Sendable (FuzzInput) async throws -> Void) {
    self.name = name
    self.read = read
  }

  static let all = [
    rows, json, lua, icalendar, taskTimes, propertyLists, settings, tokens, keys, pem, redirects, metadata, answers,
    chunks, requests, html, xml, journals, blocks, databases, traces, webhooks, schedules, zones, jobs, compression,
    zip, xlsx, recognition, calls,
  ]
}

/// The bytes of one run, which a target may split.
struct FuzzInput: Sendable {
  private(set) var rest: ArraySlice<UInt8>

  init(_ bytes: [UInt8]) { rest = bytes[...] }

  var bytes: [UInt8] { Array(rest) }
  var text: String { String(decoding: rest, as: UTF8.self) }

  /// Takes the first byte; 0 if there is none.
  mutating func byte() -> UInt8 { rest.popFirst() ?? 0 }

  /// Takes the bytes up to the next byte of this value.
  mutating func part(until end: UInt8 = 0x0a) -> FuzzInput {
    let part = rest.prefix { $0 != end }
    rest = rest.dropFirst(part.count + 1)
    return FuzzInput(Array(part))
  }

  /// Takes so many bytes.
  mutating func part(_ count: Int) -> FuzzInput {
    let part = rest.prefix(count)
    rest = rest.dropFirst(count)
    return FuzzInput(Array(part))
  }

  /// Takes lines of the form `Name: value` up to an empty line.
  mutating func fields() -> [(String, String)] {
    var fields: [(String, String)] = []
    while !rest.isEmpty {
      let line = part().rest
      guard !line.isEmpty else { break }
      let name = line.prefix { $0 != UInt8(ascii: ":") }
      let value = line.dropFirst(name.count + 1).drop { $0 == 0x20 }
      fields.append((String(decoding: name, as: UTF8.self), String(decoding: value, as: UTF8.self)))
    }
    return fields
  }
}
