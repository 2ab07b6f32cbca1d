import CJoseShims
import Crypto
import JSON

/// The members of a JSON Web Key (RFC 7518, 6; RFC 8037, 2) and their names in libcrypto.
extension CryptoKey {
  private static let publicNumbers = ["RSA": [("n", "n"), ("e", "e")], "EC": [("x", "qx"), ("y", "qy")]]
  private static let privateNumbers = [
    "RSA": [
      ("d", "d"), ("p", "rsa-factor1"), ("q", "rsa-factor2"), ("dp", "rsa-exponent1"), ("dq", "rsa-exponent2"),
      ("qi", "rsa-coefficient1"),
    ], "EC": [("d", "priv")],
  ]

  /// The key that a JSON Web Key describes.
  /// - Parameter json: its members, all of them base64url: `KeyStrength` has checked the public ones.
  /// - Returns: nil for members that are no key.
  static func make(_ json: JSON, isPrivate: Bool) -> CryptoKey? {
    func bytes(_ name: String) -> [UInt8]? { json[name]?.string.flatMap(Base64URL.decode) }
    switch json["kty"]?.string {
    case "oct": return bytes("k").flatMap { CryptoKey("HMAC", raw: $0, isPrivate: true) }
    case "OKP": return bytes(isPrivate ? "d" : "x").flatMap { CryptoKey("ED25519", raw: $0, isPrivate: isPrivate) }
    case let type?:
      guard let members = cjose_members_new() else { return nil }
      var isComplete = true
      if type == "EC" {
        // The form of an uncompressed point (SEC 1, 2.3.3).
        let point = [4] + (bytes("x") ?? []) + (bytes("y") ?? [])
        isComplete = cjose_members_add_point(members, json["crv"]?.string ?? "", point, point.count)
      }
      let numbers = (type == "RSA" ? publicNumbers["RSA"] ?? [] : []) + (isPrivate ? privateNumbers[type] ?? [] : [])
      // An RSA key may leave out all numbers behind d.
      for (name, number) in numbers where json[name] != nil || name == "d" {
        guard let value = bytes(name), cjose_members_add_number(members, number, value, value.count) else {
          isComplete = false
          break
        }
      }
      // This also frees the members.
      let key = CryptoKey(owning: cjose_members_key(members, type, isPrivate))
      return isComplete ? key : nil
    case nil: return nil
    }
  }

  /// The type in a JSON Web Key; nil for a key of a type that is not supported.
  var webKeyType: String? { ["RSA": "RSA", "EC": "EC", "ED25519": "OKP", "HMAC": "oct"][type] }

  /// The JSON Web Key; nil for a key of a type or on a curve that is not supported.
  func webKey(isPrivate: Bool) -> JSON? {
    guard let kind = webKeyType else { return nil }
    var members: [String: JSON] = ["kty": .string(kind)]
    func set(_ name: String, _ bytes: [UInt8]?) { members[name] = bytes.map { .string(Base64URL.encode($0)) } }
    switch kind {
    case "oct": if isPrivate { set("k", raw(isPrivate: true)) }
    case "OKP":
      members["crv"] = "Ed25519"
      set("x", raw(isPrivate: false))
      if isPrivate { set("d", raw(isPrivate: true)) }
    default:
      var size = 0
      if kind == "EC" {
        guard let curve, let width = KeyStrength.coordinateSizes[curve] else { return nil }
        members["crv"] = .string(curve)
        size = width
      }
      let numbers = (Self.publicNumbers[kind] ?? []) + (isPrivate ? Self.privateNumbers[kind] ?? [] : [])
      for (name, number) in numbers {
        set(name, self.number(number).map { [UInt8](repeating: 0, count: max(0, size - $0.count)) + $0 })
      }
    }
    return .object(members)
  }
}
