/// The one list of secrets by name: of parameters, fields of forms, members of JSON and header fields.
package enum SecretName {
  /// The kind of a secret; its raw value is the text for people.
  package enum Kind: String, Sendable {
    case accessToken = "access token"
    case refreshToken = "refresh token"
    case idToken = "id token"
    case token = "token"
    case code = "code"
    case deviceCode = "device code"
    case userCode = "user code"
    case verifier = "verifier"
    case assertion = "assertion"
    case requestObject = "request object"
    case clientSecret = "client secret"
    case credentials = "credentials"
    case password = "password"
    case oneTimeCode = "one-time code"
    case cookie = "cookie"
    case formToken = "form token"
    case secret = "secret"
    case requestID = "request ID"
  }

  /// The kind of secret that a field of that name holds; nil if the value may be shown.
  package static func kind(_ name: some StringProtocol) -> Kind? {
    let plain = name.lowercased().filter { $0.isLetter || $0.isNumber }
    if let known = names[plain] { return known }
    if harmless.contains(plain) || harmlessEndings.contains(where: plain.hasSuffix) { return nil }
    return parts.first { plain.contains($0.part) }?.kind
  }

  private static let names: [String: Kind] = [
    "accesstoken": .accessToken, "refreshtoken": .refreshToken, "idtoken": .idToken, "idtokenhint": .idToken,
    "logouttoken": .token, "token": .token, "subjecttoken": .token, "actortoken": .token, "code": .code,
    "devicecode": .deviceCode, "usercode": .userCode, "codeverifier": .verifier, "assertion": .assertion,
    "clientassertion": .assertion, "samlresponse": .assertion, "samlrequest": .assertion, "request": .requestObject,
    "response": .assertion,
    "clientsecret": .clientSecret, "pin": .oneTimeCode, "otp": .oneTimeCode, "oob": .oneTimeCode,
    "verificationcode": .oneTimeCode,
    "verificationuricomplete": .userCode, "cookie": .cookie, "setcookie": .cookie, "authorization": .credentials,
    "proxyauthorization": .credentials, "sig": .secret, "requestverificationtoken": .formToken, "tx": .formToken,
    "confirmation": .formToken, "authreqid": .requestID, "authsession": .requestID,
    // References that are good once, as a code is.
    "requesturi": .requestID, "logouthint": .requestID, "sessioncode": .code, "samlart": .code,
    "loginchallenge": .requestID, "consentchallenge": .requestID, "logoutchallenge": .requestID,
    "loginverifier": .requestID, "consentverifier": .requestID, "logoutverifier": .requestID, "oobcode": .oneTimeCode,
  ]

  /// Names that look like those of secrets, but say what kind of thing something is.
  private static let harmless: Set<String> = [
    "tokentype", "tokentypehint", "tokenendpoint", "tokenuse", "issuedtokentype", "requestedtokentype",
    "subjecttokentype", "tokenendpointauthmethod", "clientassertiontype", "passwordresetpolicy", "passwordexpired",
  ]

  /// The endings of names in metadata that describe kinds and places of tokens and secrets.
  private static let harmlessEndings = ["supported", "endpoint", "responsealg", "signedresponsealg"]

  /// True for a field of an authorization response that an address shows, too.
  package static func isPublic(_ name: some StringProtocol) -> Bool { publicFields.contains(name.lowercased()) }

  private static let publicFields: Set<String> = [
    "state", "iss", "session_state", "scope", "client_id", "client_info", "error", "error_description", "error_uri",
    "redirect_uri", "nonce",
  ]

  private static let parts: [(part: String, kind: Kind)] = [
    ("password", .password), ("passwd", .password), ("passphrase", .password), ("pwd", .password),
    ("secret", .secret), ("credential", .credentials), ("csrf", .formToken), ("xsrf", .formToken),
    ("apikey", .secret), ("subscriptionkey", .secret), ("functionskey", .secret), ("privatekey", .secret),
    ("verificationcode", .oneTimeCode), ("onetime", .oneTimeCode), ("otpcode", .oneTimeCode),
    ("emailcode", .oneTimeCode), ("smscode", .oneTimeCode), ("totp", .oneTimeCode), ("assertion", .assertion),
    ("sessiontoken", .token), ("authtoken", .token), ("token", .token),
  ]
}
