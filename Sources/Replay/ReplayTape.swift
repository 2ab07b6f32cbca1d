import Core
import Crypto
package import JSON

/// The part of a trace for a replay: the beginning of the run, its inputs, and the answers of servers.
package struct ReplayTape: Sendable {
  /// The version of the kept form.
  package static let version = 1

  /// The beginning of the run: its script and options, as the program keeps them.
  package var run: JSON = [:]
  /// The moment in seconds since 1970.
  package var began = 0.0
  var inputs: [RunInput: [KeptInput]] = [:]
  /// In the order in which they began.
  var exchanges: [KeptExchange] = []
  /// Why it is not whole; nil if it is.
  var omission: String?

  init() {}

  init?(_ json: JSON) {
    guard let run = json["run"], let began = json["began"]?.anyNumber, let inputs = json["inputs"]?.object,
      let exchanges = json["exchanges"]?.array
    else { return nil }
    self.run = run
    self.began = began
    omission = json["omission"]?.string
    for (name, list) in inputs {
      guard let kind = RunInput(rawValue: name) else { return nil }
      self.inputs[kind] = (list.array ?? []).compactMap(KeptInput.init)
    }
    self.exchanges = exchanges.compactMap(KeptExchange.init)
    guard self.exchanges.count == exchanges.count else { return nil }
  }

  var json: JSON {
    var members: [String: JSON] = [
      "run": run, "began": .number(began),
      "inputs": .object(Dictionary(uniqueKeysWithValues: inputs.map { ($0.rawValue, .array($1.map(\.json))) })),
      "exchanges": .array(exchanges.map(\.json)),
    ]
    members["omission"] = omission.map { .string($0) }
    return .object(members)
  }
}

/// Something that a run took in, or the error that it got in its place.
struct KeptInput: Sendable {
  let about: String
  let result: Result<[UInt8], KeptFailure>

  var size: Int { about.utf8.count + ((try? result.get().count) ?? 64) }
}

/// An error of the recorded run.
package struct KeptFailure: Failure {
  package let code: String
  package let message: String
  package let hint: String?

  init(_ error: any Error) {
    let failure = error as? any Failure
    code = failure?.code ?? "error"
    message = failure?.message ?? String(describing: error)
    hint = failure?.hint
  }

  init?(_ json: JSON) {
    guard let code = json["code"]?.string, let message = json["message"]?.string else { return nil }
    self.code = code
    self.message = message
    hint = json["hint"]?.string
  }

  var json: JSON {
    var members: [String: JSON] = ["code": .string(code), "message": .string(message)]
    members["hint"] = hint.map { .string($0) }
    return .object(members)
  }
}

extension KeptInput {
  init?(_ json: JSON) {
    guard let about = json["about"]?.string else { return nil }
    self.about = about
    if let failure = json["failure"].flatMap(KeptFailure.init) {
      result = .failure(failure)
    } else if let bytes = json["value"]?.keptBytes {
      result = .success(bytes)
    } else {
      return nil
    }
  }

  var json: JSON {
    switch result {
    case .success(let bytes): ["about": .string(about), "value": JSON(keeping: bytes)]
    case .failure(let failure): ["about": .string(about), "failure": failure.json]
    }
  }
}

extension JSON {
  /// Bytes: as text where they are text.
  init(keeping bytes: [UInt8]) {
    if let text = String(validating: bytes, as: UTF8.self), !bytes.contains(0) {
      self = .string(text)
    } else {
      self = ["base64": .string(Base64URL.encode(bytes))]
    }
  }

  var keptBytes: [UInt8]? { string.map { Array($0.utf8) } ?? self["base64"]?.string.flatMap(Base64URL.decode) }
}
