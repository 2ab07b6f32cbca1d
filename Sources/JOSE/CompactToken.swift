import Core
import Crypto
import JSON

/// The parts of a compact JWS or JWE between the dots, within limits that no honest token reaches.
struct CompactToken {
  static let maximumSize = 256 << 10
  static let maximumDepth = 32

  private let parts: [Substring]

  init(_ compact: String, parts count: Int, maximumSize: Int = CompactToken.maximumSize) throws(JOSEError) {
    guard compact.utf8.count <= maximumSize else {
      throw JOSEError(
        .malformed, "the token is longer than \(maximumSize >> 10) KiB: \(compact.utf8.count >> 10) KiB")
    }
    // By bytes: to find the characters of a token takes as long as to hash it.
    parts = compact.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false).map(Substring.init)
    guard parts.count == count else {
      throw JOSEError(
        .malformed, "the token is not in compact form: it has \(parts.count) parts between dots instead of \(count)")
    }
  }

  subscript(index: Int) -> String { String(parts[index]) }

  func bytes(_ index: Int, _ name: String) throws(JOSEError) -> [UInt8] {
    guard let bytes = Base64URL.decode(parts[index]) else {
      throw JOSEError(.malformed, "the token's \(name) is not base64url")
    }
    return bytes
  }

  func object(_ index: Int, _ name: String) throws(JOSEError) -> JSON {
    let json: JSON
    do {
      json = try JSON(parsing: bytes(index, name), maximumDepth: Self.maximumDepth)
    } catch let error as JSONError {
      throw JOSEError(.malformed, "the token's \(name) is not JSON: \(error.reason)")
    } catch let error as JOSEError {
      throw error
    } catch {
      throw JOSEError(.malformed, "the token's \(name) cannot be read: \(error)")
    }
    guard json.object != nil else { throw JOSEError(.malformed, "the token's \(name) is not a JSON object") }
    return json
  }

  /// The header. A header with `crit` is refused: this program knows no extension (RFC 7515, 4.1.11).
  func header() throws(JOSEError) -> JSON {
    let header = try object(0, "header")
    guard header["crit"] == nil else {
      throw JOSEError(.malformed, "the token's header demands an extension (\"crit\") that is not supported")
    }
    return header
  }
}
