/// What a parameter, a field of a form, a member of JSON or a header field holds, by its name.
enum SecretName {
  /// Nil for what may be shown.
  static func kind(_ name: some StringProtocol) -> SecretLabels.Kind? {
    let plain = name.lowercased().filter { $0.isLetter || $0.isNumber }
    if let known = names[plain] { return known }
    if harmless.contains(plain) || harmlessEndings.contains(where: plain.hasSuffix) { return nil }
    return parts.first { plain.contains($0.part) }?.kind
  }

  private static let names: [String: SecretLabels.Kind] = [
    "accesstoken": .accessToken, "refreshtoken": .refreshToken, "idtoken": .idToken, "idtokenhint": .idToken,
    "logouttoken": .token, "token": .token, "subjecttoken": .token, "actortoken": .token, "code": .code,
    "devicecode": .deviceCode, "usercode": .userCode, "codeverifier": .verifier, "assertion": .assertion,
    "clientassertion": .assertion, "samlresponse": .assertion, "samlrequest": .assertion, "request": .assertion,
    "clientsecret": .clientSecret, "pin": .oneTimeCode, "otp": .oneTimeCode, "verificationcode": .oneTimeCode,
    "verificationuricomplete": .userCode, "cookie": .cookie, "setcookie": .cookie, "authorization": .credentials,
    "proxyauthorization": .credentials, "requestverificationtoken": .formToken, "tx": .formToken,
    "confirmation": .formToken,
  ]

  /// They look like secrets, and say what kind of thing something is.
  private static let harmless: Set<String> = [
    "tokentype", "tokentypehint", "tokenendpoint", "tokenuse", "issuedtokentype", "requestedtokentype",
    "subjecttokentype", "tokenendpointauthmethod", "passwordresetpolicy", "passwordexpired",
  ]

  /// What metadata says of tokens and secrets: which kinds there are, and where.
  private static let harmlessEndings = ["supported", "endpoint", "responsealg", "signedresponsealg"]

  /// Whether a field of that name is one of an authorization response that an address shows, too.
  static func isPublic(_ name: some StringProtocol) -> Bool { publicFields.contains(name.lowercased()) }

  private static let publicFields: Set<String> = [
    "state", "iss", "session_state", "scope", "client_id", "client_info", "error", "error_description", "error_uri",
    "redirect_uri", "nonce",
  ]

  private static let parts: [(part: String, kind: SecretLabels.Kind)] = [
    ("password", .password), ("passwd", .password), ("passphrase", .password), ("pwd", .password),
    ("secret", .secret), ("credential", .credentials), ("csrf", .formToken), ("xsrf", .formToken),
    ("apikey", .secret), ("subscriptionkey", .secret), ("functionskey", .secret), ("privatekey", .secret),
    ("verificationcode", .oneTimeCode), ("onetime", .oneTimeCode), ("otpcode", .oneTimeCode),
    ("emailcode", .oneTimeCode), ("smscode", .oneTimeCode), ("totp", .oneTimeCode), ("assertion", .assertion),
    ("sessiontoken", .token), ("authtoken", .token), ("token", .token),
  ]
}
