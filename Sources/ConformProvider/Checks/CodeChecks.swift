import Conform
import Core
import Crypto
import HTTPClient
import HostLoop
import JSON

/// Authorization codes and PKCE.
enum CodeChecks {
  private static let topic = Topic(
    "provider.code", "Authorization codes", wrong: .provider,
    means: "Whoever reads a code in a log, a browser history or a referrer may sign in as the user.",
    change: [
      "In general": "Bind each code to its client, its redirect URI and its challenge, and delete it at its first use."
    ])

  private static let challenge = Topic(
    "provider.pkce", "PKCE", wrong: .provider,
    means: "A stolen code is enough for an attacker: nothing proves that the program that asked redeems it.",
    change: [
      "In general": "Check code_verifier for each code with a challenge, and require a challenge of each client.",
      "Entra": "PKCE is optional for confidential clients; the application has to send it by itself.",
      "B2C": "PKCE is required for single-page applications alone; other applications have to send it by themselves.",
    ])

  static let codes: [ProviderCheck] = redemption + verifiers

  private static let redemption: [ProviderCheck] = [
    .init(
      topic, "once", "A code works once", "redeems a code a second time",
      .must("a code is used once; a second use is refused", "RFC 6749, 4.1.2"),
      peers: ["oidf:oidcc-codereuse"]
    ) { trial in
      let (attempt, code) = try await trial.code()
      try await trial.redeem(attempt, code).needed("the first use of the code")
      return try await trial.redeem(attempt, code).refused("invalid_grant")
    },
    .init(
      topic, "reuse-revokes", "A second use of a code revokes its tokens", "redeems a code twice, then refreshes",
      .should("tokens that came of the code are revoked", "RFC 6749, 4.1.2 and 10.5")
    ) { trial in
      let (attempt, code) = try await trial.code()
      let answer = try await trial.redeem(attempt, code).needed("the first use of the code")
      guard let token = answer.string("refresh_token") else { return .notUsed("no refresh token is issued") }
      _ = try await trial.redeem(attempt, code)
      return try await trial.refresh(token).refused()
    },
    .init(
      topic, "unknown", "An unknown code is refused", "redeems a code that never was",
      .must("the error is invalid_grant", "RFC 6749, 5.2")
    ) { trial in
      try await trial.redeem(Attempt(try trial.client), "conform-\(SecureRandom.token())").refused("invalid_grant")
    },
    .init(
      topic, "changed", "A code with another last letter is refused", "changes the last letter of a code",
      .must("the error is invalid_grant", "RFC 6749, 5.2")
    ) { trial in
      let (attempt, code) = try await trial.code()
      let changed = String(code.dropLast()) + (code.last == "A" ? "B" : "A")
      // The last letter of base64 may have bits that mean nothing: the first letter has none.
      let first = (code.first == "A" ? "B" : "A") + changed.dropFirst()
      return try await trial.redeem(attempt, first).refused("invalid_grant")
    },
    .init(
      topic, "client", "A code of another client is refused", "redeems a code as another client",
      .must("a code works for its client alone", "RFC 6749, 4.1.3")
    ) { trial in
      let (attempt, code) = try await trial.code()
      let other = try trial.otherClient
      return try await trial.redeem(attempt, code, as: other) { $0["client_id"] = nil }.refused("invalid_grant")
    },
    .init(
      topic, "redirect", "Another redirect URI at the token endpoint is refused",
      "redeems a code with another redirect_uri",
      .must("redirect_uri is that of the authorization request", "RFC 6749, 4.1.3")
    ) {
      try await $0.exchange { $0["redirect_uri"] = ($0["redirect_uri"] ?? "") + "/other" }.refused(
        "invalid_grant", "invalid_request")
    },
    .init(
      topic, "redirect-missing", "A code without its redirect URI is refused", "redeems a code without redirect_uri",
      .must("redirect_uri is required if the authorization request had it", "RFC 6749, 4.1.3"),
      [.oidc, .b2c, .externalID]
    ) { try await $0.exchange { $0["redirect_uri"] = nil }.refused() },
    .init(
      topic, "missing", "A request without code is refused", "leaves code out",
      .must("the error is invalid_request", "RFC 6749, 5.2")
    ) { trial in
      var attempt = Attempt(try trial.client)
      attempt.fields["code"] = nil
      return try await trial.redeem(attempt, "x") { $0["code"] = nil }.refused("invalid_request", "invalid_grant")
    },
    .init(
      topic, "twice", "Two codes in one request are refused", "sends code twice",
      .must("parameters come once", "RFC 6749, 3.2")
    ) { try await $0.exchange { $0.add("code", "conform") }.refused("invalid_request", "invalid_grant") },
    .init(
      topic, "length", "A code has at least 128 bits", "measures a code",
      .must("a code cannot be guessed: the probability is at most 2^-128", "RFC 6749, 10.10")
    ) { trial in
      guard let code = try trial.right.landing.code else { return .notUsed("no code") }
      let bits = Double(code.count) * Alphabet.bits(code)
      return trial.finding(
        bits >= 128, "\(code.count) characters", "\(code.count) characters, at most \(Int(bits)) bits")
    },
    .init(
      topic, "different", "Each code is another one", "asks for two codes",
      .must("a code is unpredictable", "RFC 6749, 10.10")
    ) { trial in
      let first = try await trial.code().code
      let second = try await trial.code().code
      return trial.finding(first != second, "they differ", "two requests gave the same code")
    },
    .init(
      topic, "session", "A code does not need the browser's cookies", "redeems a code without cookies",
      .must("the token endpoint authenticates the client, not a browser", "RFC 6749, 4.1.3")
    ) { trial in
      let (attempt, code) = try await trial.code()
      return try await trial.redeem(attempt, code).accepted()
    },
  ]

  private static let verifierRule = Rule.must(
    "the provider checks code_verifier for each code with a challenge", "RFC 7636, 4.6; RFC 9700, 2.1.1")

  private static let verifiers: [ProviderCheck] = [
    .init(
      challenge, "wrong", "Another verifier is refused", "redeems a code with another code_verifier", verifierRule
    ) { try await $0.exchange { $0["code_verifier"] = SecureRandom.token(32) }.refused("invalid_grant") },
    .init(
      challenge, "missing", "A code without its verifier is refused", "redeems a code without code_verifier",
      verifierRule
    ) { try await $0.exchange { $0["code_verifier"] = nil }.refused("invalid_grant", "invalid_request") },
    .init(
      challenge, "empty", "An empty verifier is refused", "redeems a code with an empty code_verifier", verifierRule
    ) { try await $0.exchange { $0["code_verifier"] = "" }.refused("invalid_grant", "invalid_request") },
    .init(
      challenge, "challenge-as-verifier", "The challenge is not a verifier",
      "redeems a code with the challenge as code_verifier",
      .must("the method of the authorization request counts", "RFC 7636, 4.6 and 7.2")
    ) { trial in
      let (attempt, code) = try await trial.code()
      let answer = try await trial.redeem(attempt, code) { $0["code_verifier"] = attempt.fields["code_challenge"] }
      return answer.refused("invalid_grant")
    },
    .init(
      challenge, "shorter", "A part of the verifier is refused", "redeems a code with a shorter code_verifier",
      verifierRule
    ) { try await $0.exchange { $0["code_verifier"] = String(($0["code_verifier"] ?? "").dropLast()) }.refused() },
    .init(
      challenge, "longer", "A longer verifier is refused", "redeems a code with a longer code_verifier", verifierRule
    ) { try await $0.exchange { $0["code_verifier"] = ($0["code_verifier"] ?? "") + "A" }.refused() },
    .init(
      challenge, "verifier-alone", "A verifier without a challenge is refused",
      "sends no challenge, then a code_verifier",
      .must("a verifier is accepted only if the authorization request had a challenge", "RFC 9700, 2.1.1 and 4.8.2")
    ) { trial in
      let landing = try await trial.authorize { $0.withoutChallenge() }
      if landing.error != nil { return .kept("a challenge is required: \(landing.shown)") }
      let (attempt, code) = try await trial.code { $0.withoutChallenge() }
      return try await trial.redeem(attempt, code).refused("invalid_grant", "invalid_request")
    },
    .init(
      challenge, "required", "A public client has to send a challenge", "sends no challenge",
      .must("public clients use PKCE, and the provider enforces it", "RFC 9700, 2.1.1; OAuth 2.1 draft, 4.1.1"),
      [.oauth21, .fapi2, .mcp]
    ) { trial in
      guard try trial.client.method == .none else { return .notUsed("a confidential client") }
      return try await trial.authorize { $0.withoutChallenge() }.refused("invalid_request")
    },
    .init(
      challenge, "plain", "The method plain is refused", "sends code_challenge_method=plain",
      .should(
        "S256 is the method that does not show the verifier", "RFC 9700, 2.1.1; FAPI 2.0 Security Profile, 5.3.2.2"),
      [.oauth21, .fapi2, .mcp]
    ) { trial in
      try await trial.authorize {
        $0["code_challenge"] = SecureRandom.token(32)
        $0["code_challenge_method"] = "plain"
      }.refused("invalid_request")
    },
    .init(
      challenge, "unknown-method", "An unknown method is refused", "sends code_challenge_method=S1",
      .must("the error is invalid_request", "RFC 7636, 4.4.1")
    ) { try await $0.authorize { $0["code_challenge_method"] = "S1" }.refused("invalid_request") },
    .init(
      challenge, "method-case", "The method is compared exactly", "sends code_challenge_method=s256",
      .should("the method is S256, in this letter case", "RFC 7636, 4.3")
    ) { try await $0.authorize { $0["code_challenge_method"] = "s256" }.refused("invalid_request") },
    .init(
      challenge, "method-alone", "A method without a challenge is refused", "sends code_challenge_method alone",
      .should("a method belongs to a challenge", "RFC 7636, 4.3 and 4.4.1"), [.oauth21, .mcp, .fapi2]
    ) { try await $0.authorize { $0["code_challenge"] = nil }.refused("invalid_request") },
    .init(
      challenge, "short-challenge", "A challenge of 10 characters is refused", "sends a short challenge",
      .should("a challenge has 43 to 128 characters", "RFC 7636, 4.2")
    ) { try await $0.authorize { $0["code_challenge"] = "conform123" }.refused("invalid_request") },
    .init(
      challenge, "twice", "Two challenges are refused", "sends code_challenge twice",
      .must("parameters come once", "RFC 6749, 3.1")
    ) { trial in
      try await trial.authorize { $0.add("code_challenge", SecureRandom.token(32)) }.refused("invalid_request")
    },
    .init(
      challenge, "offered", "S256 works though the metadata does not say so", "signs in with S256",
      .may("the metadata may leave code_challenge_methods_supported out", "RFC 8414, 2")
    ) { trial in
      guard trial.provider.metadata["code_challenge_methods_supported"] == nil else {
        return .notUsed("the metadata says so")
      }
      return try await trial.exchange { $0["code_verifier"] = SecureRandom.token(32) }.refused()
    },
  ]
}

/// The letters that a random text is made of.
enum Alphabet {
  /// The bits of each character, as an upper bound.
  static func bits(_ text: String) -> Double {
    if text.allSatisfy({ $0.isNumber }) { return 3.32 }
    if text.allSatisfy({ $0.isHexDigit && !($0.isLetter && $0.isUppercase) }) { return 4 }
    return 6
  }
}
