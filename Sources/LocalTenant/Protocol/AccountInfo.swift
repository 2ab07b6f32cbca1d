import JOSE
import JSON

/// The account information that Microsoft's libraries need besides tokens: JSON in base64url.
enum AccountInfo {
  static func profile(_ user: User) -> String {
    encoded([
      "ver": "1.0", "tid": .string(Contoso.id), "sub": nil, "name": .string(user.displayName),
      "preferred_username": .string(user.email), "idp": nil,
    ])
  }

  /// The value that Microsoft's libraries use to identify an account.
  static func client(_ user: User, _ address: PolicyAddress) -> String {
    encoded(["uid": .string("\(user.id)-\(address.policyID)"), "utid": .string(Contoso.id)])
  }

  private static func encoded(_ json: JSON) -> String { Base64URL.encode(json.encoded().utf8) }
}
