import Core
import Crypto
import JSON

/// The check of every key that is read. Anybody can make signatures for a key with wrong or too small numbers.
enum KeyStrength {
  /// RFC 7518, 3.3.
  private static let smallestModulus = 2048
  /// libcrypto refuses larger ones, and each verification would take seconds.
  private static let largestModulus = 16_384
  /// The bytes of a coordinate (RFC 7518, 6.2.1.2).
  static let coordinateSizes = ["P-256": 32, "P-384": 48, "P-521": 66]

  /// - Throws: `invalid_key`, with the member that is wrong and what it must be.
  static func check(_ json: JSON, _ type: String) throws(JOSEError) {
    switch type {
    case "RSA": try checkRSA(json)
    case "EC": try checkPoint(json)
    case "OKP": try checkEdwardsPoint(json)
    default: _ = try bytes("k", json, type)
    }
  }

  private static func checkRSA(_ json: JSON) throws(JOSEError) {
    let modulus = try number("n", json)
    let exponent = try number("e", json)
    let bits = bitCount(modulus)
    guard (smallestModulus...largestModulus).contains(bits) else {
      throw JOSEError(
        .invalidKey,
        "the RSA key has \(bits) bits; \(bits < smallestModulus ? "at least \(smallestModulus) are needed" : "at most \(largestModulus) are supported")"
      )
    }
    guard isOdd(modulus) else {
      throw JOSEError(.invalidKey, "the RSA key's modulus (n) is even, so it is not a modulus")
    }
    guard isOdd(exponent), exponent != [1] else {
      throw JOSEError(
        .invalidKey,
        "the RSA key's exponent (e) is \(exponent == [1] ? "1" : "even"), which makes no signature; it must be odd and at least 3"
      )
    }
    // Both have no zeros in front, so the shorter one is the smaller one.
    guard
      exponent.count < modulus.count || exponent.lexicographicallyPrecedes(modulus) && exponent.count == modulus.count
    else { throw JOSEError(.invalidKey, "the RSA key's exponent (e) is not below its modulus (n)") }
  }

  private static func checkPoint(_ json: JSON) throws(JOSEError) {
    let curve = json["crv"]?.string ?? ""
    guard let size = coordinateSizes[curve] else {
      throw JOSEError(
        .invalidKey,
        "the EC key is on the curve \"\(curve)\"; \(coordinateSizes.keys.sorted().joined(separator: ", ")) are supported"
      )
    }
    let (x, y) = (try bytes("x", json, "EC"), try bytes("y", json, "EC"))
    guard x.count == size, y.count == size else {
      throw JOSEError(
        .invalidKey, "the EC key's x and y have \(x.count) and \(y.count) bytes; on \(curve) both have \(size)")
    }
  }

  /// RFC 8037, 2.
  private static func checkEdwardsPoint(_ json: JSON) throws(JOSEError) {
    let curve = json["crv"]?.string ?? ""
    guard curve == "Ed25519" else {
      throw JOSEError(.invalidKey, "the OKP key is on the curve \"\(curve)\"; Ed25519 is supported")
    }
    let size = try bytes("x", json, "OKP").count
    guard size == 32 else { throw JOSEError(.invalidKey, "the OKP key's x has \(size) bytes; on Ed25519 it has 32") }
  }

  private static func number(_ name: String, _ json: JSON) throws(JOSEError) -> [UInt8] {
    Array(try bytes(name, json, "RSA").drop { $0 == 0 })
  }

  private static func bytes(_ name: String, _ json: JSON, _ type: String) throws(JOSEError) -> [UInt8] {
    guard let bytes = json[name]?.string.flatMap(Base64URL.decode) else {
      throw JOSEError(.invalidKey, "the \(type) key's member \"\(name)\" is not base64url")
    }
    return bytes
  }

  private static func bitCount(_ number: [UInt8]) -> Int {
    number.first.map { number.count * 8 - $0.leadingZeroBitCount } ?? 0
  }

  private static func isOdd(_ number: [UInt8]) -> Bool { number.last.map { $0 & 1 == 1 } ?? false }
}
