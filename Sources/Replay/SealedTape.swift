import Accounts
import Core
import Crypto
package import JOSE
package import JSON

/// The event of a trace with its tape, sealed by a key in a file beside the trace that only its owner may read.
package enum SealedTape {
  static let type = "replay"
  /// A compact token holds so much.
  static let largest = 40 << 20

  /// The file of the key.
  package static func keyPath(of trace: String) -> String { "\(trace).key" }

  /// Makes the key of a new trace. The key of an earlier trace in the same file goes with that.
  package static func makeKey(for trace: String) throws -> JWK {
    let file = KeyFile(path: keyPath(of: trace))
    try file.remove()
    return try file.write(try JWK.generateSymmetric(bits: 256))
  }

  /// The members of the event.
  /// - Parameter digest: of all lines before.
  package static func seal(_ tape: ReplayTape, after digest: [UInt8], with key: JWK) throws -> [String: JSON] {
    let text = JSON.object(["digest": .string(Base64URL.encode(digest)), "tape": tape.json]).encoded()
    return [
      "version": .integer(Int64(ReplayTape.version)), "sealed": .string(try JWE.seal(Array(text.utf8), key: key)),
    ]
  }

  /// Opens the tape of a trace.
  /// - Parameters:
  ///   - event: the last event but one of the trace; nil if it has no tape.
  ///   - digest: of all lines before it.
  /// - Throws: `ReplayError`.
  static func open(_ event: JSON, after digest: [UInt8], path: String) throws -> ReplayTape {
    let version = event["version"]?.lenientInteger.map { Int($0) } ?? 0
    guard version == ReplayTape.version else { throw ReplayError.otherVersion(path, version) }
    let place = keyPath(of: path)
    guard let key = try KeyFile(path: place).read() else {
      throw ReplayError(
        .keyUnusable, "the key of \(path) is missing: there is no file \(place)",
        hint: "the key was written beside the trace; copy both, and keep the mode 0600")
    }
    let plain: [UInt8]
    do throws(JOSEError) { plain = try JWE.open(event["sealed"]?.string ?? "", key: key) } catch {
      throw ReplayError.changed(path, "the key in \(place) does not open what is sealed in it")
    }
    guard let json = try? JSON(parsing: plain), let tape = json["tape"].flatMap(ReplayTape.init) else {
      throw ReplayError.changed(path, "its sealed part cannot be read")
    }
    guard json["digest"]?.string == Base64URL.encode(digest) else {
      throw ReplayError.changed(path, "its lines are not those that were recorded")
    }
    if let omission = tape.omission { throw ReplayError.notReplayable(path, omission) }
    return tape
  }
}
