import Core
import Crypto
import HostLoop
import JSON
import Lua
import LuaKit

extension HostFunction {
  /// The function in a run that is kept and in its replay, which gets the results of the recorded run and calls nobody.
  @HostActor
  func kept(by tape: any RunTape) -> HostFunction {
    let name = name
    switch body {
    case .question: return self
    case .immediate(let body):
      return HostFunction(name, doc, parameters, returns: results, isVariadic: isVariadic) { arguments in
        try KeptResults.values(tape.input(.tenant, name) { try KeptResults.bytes(body(arguments)) })
      }
    case .suspending(let body):
      return .suspending(name, doc, parameters, returns: results, isVariadic: isVariadic) { arguments in
        try KeptResults.values(
          await tape.input(.tenant, name, waiting: { try await KeptResults.bytes(body(arguments)) }))
      }
    }
  }
}

/// The results of a function as bytes, with secrets, for a place that seals them.
@HostActor
enum KeptResults {
  static func bytes(_ values: [LuaValue]) throws -> [UInt8] {
    Array(JSON.array(try values.map(json)).encoded().utf8)
  }

  static func values(_ bytes: [UInt8]) throws -> [LuaValue] { try (JSON(parsing: bytes).array ?? []).map(value) }

  private static func json(_ value: LuaValue) throws -> JSON {
    switch value {
    case .nil: return .null
    case .boolean(let value): return .bool(value)
    case .integer(let value): return .integer(value)
    case .number(let value): return ["bits": .string(String(value.bitPattern))]
    case .bytes(let bytes):
      if let text = String(validating: bytes, as: UTF8.self), !bytes.contains(0) { return .string(text) }
      return ["bytes": .string(Base64URL.encode(bytes))]
    case .list(let elements, _): return .array(try elements.map(json))
    case .record(let fields):
      return ["fields": .array(try fields.map { .array([.string($0.name), try json($0.value)]) })]
    case .object(let object):
      guard let secret = object as? LuaSecret else { break }
      return ["secret": .string(secret.secret.reveal())]
    case .table, .function, .other: break
    }
    throw LuaError(code: "not_replayable", message: "a trace cannot keep a result of the type \(value.typeName)")
  }

  private static func value(_ json: JSON) -> LuaValue {
    switch json {
    case .null: return .nil
    case .bool(let value): return .boolean(value)
    case .integer(let value): return .integer(value)
    case .number(let value): return .number(value)
    case .string(let text): return .string(text)
    case .array(let elements): return .list(elements.map(value))
    case .object:
      if let bits = json["bits"]?.string.flatMap({ UInt64($0) }) { return .number(Double(bitPattern: bits)) }
      if let bytes = json["bytes"]?.string.flatMap(Base64URL.decode) { return .bytes(bytes) }
      if let secret = json["secret"]?.string { return .secret(Secret(secret)) }
      let fields = (json["fields"]?.array ?? []).compactMap(\.array).filter { $0.count == 2 }
      return .record(fields.map { (name: $0[0].string ?? "", value: value($0[1])) })
    }
  }
}
