import HTTPServer

/// The tenant's cookies, with the names of B2C's cookies.
enum Cookies {
  static let session = "x-ms-cpim-sso"
  static let browser = "x-ms-cpim-csrf"

  static func value(_ name: String, in request: ServerRequest) -> String? {
    for (field, value) in request.headers where field.lowercased() == "cookie" {
      for pair in value.split(separator: ";") {
        let pair = pair.drop { $0 == " " }
        if pair.hasPrefix("\(name)=") { return String(pair.dropFirst(name.count + 1)) }
      }
    }
    return nil
  }

  /// Cookies are `Lax`, because the client's link to the authorization endpoint comes from another site. They are
  /// `Secure` only over https, because over http some clients would not return them.
  static func set(_ name: String, _ value: String, isSecure: Bool) -> (String, String) {
    ("Set-Cookie", "\(name)=\(value); Path=/; HttpOnly; SameSite=Lax\(isSecure ? "; Secure" : "")")
  }

  static func clear(_ name: String, isSecure: Bool) -> (String, String) {
    ("Set-Cookie", "\(name)=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax\(isSecure ? "; Secure" : "")")
  }
}
