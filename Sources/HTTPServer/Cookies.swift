extension ServerRequest {
  /// The value of the first cookie of that name (RFC 6265, 4.2).
  package func cookie(_ name: String) -> String? {
    for (field, value) in headers where field.lowercased() == "cookie" {
      for pair in value.split(separator: ";") {
        let pair = pair.drop { $0 == " " }
        if pair.hasPrefix("\(name)=") { return String(pair.dropFirst(name.count + 1)) }
      }
    }
    return nil
  }
}

extension ServerResponse {
  /// The header field that sets a cookie for a session of the browser. Nil removes the cookie.
  ///
  /// It is `Lax`, because a provider's redirect and a client's link come from another site. It is `Secure` only over https,
  /// because over http some clients would not return it.
  package static func cookie(_ name: String, _ value: String?, isSecure: Bool) -> (String, String) {
    let age = value == nil ? " Max-Age=0;" : ""
    let secure = isSecure ? "; Secure" : ""
    return ("Set-Cookie", "\(name)=\(value ?? ""); Path=/;\(age) HttpOnly; SameSite=Lax\(secure)")
  }
}
