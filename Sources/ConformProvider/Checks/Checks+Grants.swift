import Conform
import Core
import Crypto
import HTTPClient
import JOSE
import JSON

/// The device flow, backchannel authentication and token exchange.
extension ProviderCheck {
  private static let deviceTopic = Topic(
    "provider.device", "Device flow", wrong: .provider,
    means: "A device cannot sign in, or a stranger gets its tokens.",
    change: ["In general": "Bind the device code to its client, answer the errors of RFC 8628, and keep user codes short-lived."])

  private static let rfc8628 = "RFC 8628, 3"
  private static let deviceEndpoint = "device_authorization_endpoint"

  static let device: [ProviderCheck] = [
    .init(deviceTopic, "response", "The response has all members", "starts a device flow", .must("device_code, user_code, verification_uri and expires_in are required", "\(rfc8628).2"), needs: [deviceEndpoint]) { trial in
      let answer = try await trial.deviceCode()
      let missing = ["device_code", "user_code", "verification_uri", "expires_in"].filter { answer[$0] == nil }
      return trial.finding(missing.isEmpty, "it has", "no \(missing.joined(separator: ", "))")
    },
    .init(deviceTopic, "numbers", "expires_in and interval are numbers", "starts a device flow", .must("expires_in and interval are seconds, as numbers", "\(rfc8628).2"), needs: [deviceEndpoint]) { trial in
      let answer = try await trial.deviceCode()
      let wrong = ["expires_in", "interval"].filter { answer[$0] != nil && (answer[$0]?.string != nil || (answer[$0]?.lenientInteger ?? 0) <= 0) }
      return trial.finding(wrong.isEmpty, "they are", "no number: \(wrong.joined(separator: ", "))")
    },
    .init(deviceTopic, "https", "verification_uri is an https address", "reads verification_uri", .must("the user types a password there", "\(rfc8628).2 and 5.4"), needs: [deviceEndpoint]) { trial in
      let answer = try await trial.deviceCode()
      let problem = trial.problem(ofAddress: answer["verification_uri"] ?? .null)
      return trial.finding(problem == nil, "it is", "verification_uri \(problem ?? "")")
    },
    .init(deviceTopic, "page", "The page of verification_uri answers", "opens verification_uri", .must("the user can open the page", "\(rfc8628).3"), needs: [deviceEndpoint]) { trial in
      let answer = try await trial.deviceCode()
      return try await trial.get(answer.string("verification_uri") ?? "").status < 400 ? .kept("it does") : .broken("the page is an error")
    },
    .init(deviceTopic, "complete", "verification_uri_complete has the user code", "reads verification_uri_complete", .should("the address has the user code", "\(rfc8628).3.1"), needs: [deviceEndpoint]) { trial in
      let answer = try await trial.deviceCode()
      guard let url = answer.string("verification_uri_complete") else { return .notUsed("no verification_uri_complete") }
      return trial.finding(URLEncodedForm.decode(url).description.contains(answer.string("user_code") ?? " "), "it has", "the code is not in the address")
    },
    .init(deviceTopic, "code-length", "The device code has at least 128 bits", "measures device_code", .must("a device code cannot be guessed", "RFC 8628, 5.2"), needs: [deviceEndpoint]) { trial in
      let code = try await trial.deviceCode().string("device_code") ?? ""
      let bits = Double(code.count) * Alphabet.bits(code)
      return trial.finding(bits >= 128, "\(code.count) characters", "at most \(Int(bits)) bits")
    },
    .init(deviceTopic, "user-code", "The user code has no letters that look alike", "reads user_code", .should("a code for people is easy to type", "RFC 8628, 6.1"), needs: [deviceEndpoint]) { trial in
      let code = try await trial.deviceCode().string("user_code") ?? ""
      let letters = code.uppercased().filter { $0.isLetter || $0.isNumber }
      return trial.finding(letters.count >= 6 && !(letters.contains("0") && letters.contains("O")), "it has none", "the code is '\(code)'")
    },
    .init(deviceTopic, "different", "Each flow has other codes", "starts two flows", .must("codes are unpredictable", "RFC 8628, 5.1 and 5.2"), needs: [deviceEndpoint]) { trial in
      let (one, other) = (try await trial.deviceCode(), try await trial.deviceCode())
      return trial.finding(one.string("device_code") != other.string("device_code") && one.string("user_code") != other.string("user_code"), "they differ", "the codes are the same")
    },
    .init(deviceTopic, "pending", "Before the user agrees the error is authorization_pending", "polls at once", .must("the error is authorization_pending", "\(rfc8628).5"), needs: [deviceEndpoint]) { trial in
      let code = try await trial.deviceCode().string("device_code") ?? ""
      return try await trial.poll(code).refused("authorization_pending", "slow_down")
    },
    .init(deviceTopic, "slow-down", "A client that polls too often is told", "polls three times at once", .should("the error is slow_down", "\(rfc8628).5"), needs: [deviceEndpoint]) { trial in
      let code = try await trial.deviceCode().string("device_code") ?? ""
      var errors: [String] = []
      for _ in 0..<3 { errors.append(try await trial.poll(code).error ?? "none") }
      return trial.finding(errors.contains("slow_down"), "slow_down", "the errors are \(errors.joined(separator: ", "))")
    },
    .init(deviceTopic, "unknown", "An unknown device code is refused", "polls with a code that never was", .must("the error is invalid_grant or expired_token", "\(rfc8628).5; RFC 6749, 5.2"), needs: [deviceEndpoint]) { trial in
      try await trial.poll(SecureRandom.token()).refused("invalid_grant", "expired_token", "invalid_request")
    },
    .init(deviceTopic, "client", "A device code of another client is refused", "polls as another client", .must("the code is bound to its client", "RFC 8628, 3.4 and 5.2; RFC 6749, 5.2"), needs: [deviceEndpoint]) { trial in
      let other = try trial.otherClient
      let code = try await trial.deviceCode().string("device_code") ?? ""
      return try await trial.poll(code, as: other).refused("invalid_grant", "invalid_client", "unauthorized_client")
    },
    .init(deviceTopic, "missing", "A poll without device_code is refused", "leaves device_code out", .must("device_code is required", "\(rfc8628).4"), needs: [deviceEndpoint]) { trial in
      try await trial.poll(nil).refused("invalid_request", "invalid_grant")
    },
    .init(deviceTopic, "no-client", "A start without a client is refused", "leaves client_id out", .must("client_id is required", "\(rfc8628).1"), needs: [deviceEndpoint]) { trial in
      try await trial.post(try trial.endpoint(deviceEndpoint), ["scope": try trial.client.scope], as: nil).refused("invalid_request", "invalid_client")
    },
    .init(deviceTopic, "get", "GET is refused", "starts a device flow by GET", .must("the client uses POST", "\(rfc8628).1"), needs: [deviceEndpoint]) { trial in
      let fields: Fields = ["client_id": try trial.client.id, "scope": try trial.client.scope]
      return try await trial.get(WebAddress(try trial.endpoint(deviceEndpoint)).appending(fields.encoded)).refused()
    },
    .init(deviceTopic, "no-store", "The response is not stored", "reads Cache-Control", .must("the response has Cache-Control: no-store", "\(rfc8628).2"), needs: [deviceEndpoint]) { trial in
      let answer = try await trial.deviceCode()
      return trial.finding(answer.cacheControl.contains("no-store"), "it is not", "Cache-Control: \(answer.headers["Cache-Control"] ?? "missing")")
    },
  ]

  // MARK: CIBA

  private static let backchannelTopic = Topic(
    "provider.ciba", "Backchannel authentication", [.oidc, .fapi2], wrong: .provider,
    means: "A stranger can make the telephone of a user ask for consent.",
    change: ["In general": "Authenticate the client, and take exactly one hint."])

  private static let ciba = "backchannel_authentication_endpoint"

  static let backchannel: [ProviderCheck] = [
    .init(backchannelTopic, "response", "The response has auth_req_id and expires_in", "asks the user", .must("both are required", "CIBA Core 1.0, 7.3"), needs: [ciba]) { trial in
      let answer = try await trial.askUser().needed("the request")
      return trial.finding(answer["auth_req_id"] != nil && answer["expires_in"]?.lenientInteger != nil, "it has", "a member is missing")
    },
    .init(backchannelTopic, "pending", "Before the user answers the error is authorization_pending", "polls at once", .must("the error is authorization_pending", "CIBA Core 1.0, 11"), needs: [ciba]) { trial in
      let id = try await trial.askUser().needed("the request").string("auth_req_id") ?? ""
      let form: Fields = ["grant_type": "urn:openid:params:grant-type:ciba", "auth_req_id": id]
      return try await trial.post(try trial.endpoint("token_endpoint"), form, as: try trial.confidentialClient).refused("authorization_pending", "slow_down")
    },
    .init(backchannelTopic, "no-hint", "A request without a hint is refused", "leaves login_hint out", .must("exactly one hint is required", "CIBA Core 1.0, 7.1 and 13"), needs: [ciba]) { trial in
      try await trial.askUser { $0["login_hint"] = nil }.refused("invalid_request")
    },
    .init(backchannelTopic, "two-hints", "Two hints are refused", "sends login_hint and login_hint_token", .must("exactly one hint is required", "CIBA Core 1.0, 7.1 and 13"), needs: [ciba]) { trial in
      try await trial.askUser { $0["login_hint_token"] = "conform" }.refused("invalid_request")
    },
    .init(backchannelTopic, "unknown-user", "An unknown user is told", "asks for a user that never was", .should("the error is unknown_user_id", "CIBA Core 1.0, 13"), needs: [ciba]) { trial in
      try await trial.askUser { $0["login_hint"] = "conform-unknown" }.refused("unknown_user_id")
    },
    .init(backchannelTopic, "no-openid", "A request without openid is refused", "sends another scope", .must("the scope has openid", "CIBA Core 1.0, 7.1"), needs: [ciba]) { trial in
      try await trial.askUser { $0["scope"] = "offline_access" }.refused("invalid_scope", "invalid_request")
    },
    .init(backchannelTopic, "public", "A public client is refused", "asks as a client without a secret", .must("the client authenticates", "CIBA Core 1.0, 4 and 7.1"), needs: [ciba]) { trial in
      guard try trial.client.method == .none else { return .skipped("no public client is given") }
      return try await trial.askUser(as: try trial.client).refused()
    },
    .init(backchannelTopic, "unknown", "An unknown auth_req_id is refused", "polls with an ID that never was", .must("the error is invalid_grant", "CIBA Core 1.0, 11"), needs: [ciba]) { trial in
      let form: Fields = ["grant_type": "urn:openid:params:grant-type:ciba", "auth_req_id": SecureRandom.token()]
      return try await trial.post(try trial.endpoint("token_endpoint"), form, as: try trial.confidentialClient).refused("invalid_grant", "expired_token")
    },
  ]

  // MARK: Token exchange

  private static let exchangeTopic = Topic(
    "provider.exchange", "Token exchange", wrong: .provider,
    means: "A token that is not valid, or belongs to somebody else, becomes a good one.",
    change: ["In general": "Check the subject token like an API, and issue nothing that is wider."])

  private static let exchangeGrant = "urn:ietf:params:oauth:grant-type:token-exchange"

  static let exchanges: [ProviderCheck] = [
    .init(exchangeTopic, "right", "The response has issued_token_type", "exchanges an access token", .must("issued_token_type is required", "RFC 8693, 2.2.1"), needs: ["grant_types_supported"]) { trial in
      let answer = try await trial.exchangeToken()
      guard answer.isSuccess else { return .notUsed("the client may not: \(answer.shown)") }
      return trial.finding(answer.string("issued_token_type") != nil, "it has", "there is no issued_token_type")
    },
    .init(exchangeTopic, "garbage", "A subject token that is none is refused", "exchanges the text conform", .must("the error is invalid_request", "RFC 8693, 2.2.2"), needs: ["grant_types_supported"]) { trial in
      try await trial.exchangeToken { $0["subject_token"] = "conform" }.refused()
    },
    .init(exchangeTopic, "unsigned", "An unsigned subject token is refused", "exchanges the claims with alg none", .must("the token is validated", "RFC 8693, 2.1; RFC 8725, 3.1"), needs: ["grant_types_supported"]) { trial in
      let claims = try trial.accessJWT().claims.object ?? [:]
      return try await trial.exchangeToken { $0["subject_token"] = Trial.unsigned(claims) }.refused()
    },
    .init(exchangeTopic, "changed", "A changed subject token is refused", "changes the payload of the subject token", .must("the token is validated", "RFC 8693, 2.1"), needs: ["grant_types_supported"]) { trial in
      try await trial.exchangeToken { $0["subject_token"] = Trial.tampered($0["subject_token"] ?? "") }.refused()
    },
    .init(exchangeTopic, "no-type", "A subject token without its type is refused", "leaves subject_token_type out", .must("subject_token_type is required", "RFC 8693, 2.1"), needs: ["grant_types_supported"]) { trial in
      try await trial.exchangeToken { $0["subject_token_type"] = nil }.refused()
    },
    .init(exchangeTopic, "type", "An unknown type is refused", "sends subject_token_type=conform", .must("the error is invalid_request", "RFC 8693, 2.2.2"), needs: ["grant_types_supported"]) { trial in
      try await trial.exchangeToken { $0["subject_token_type"] = "urn:conform" }.refused()
    },
    .init(exchangeTopic, "actor-type", "actor_token_type without actor_token is refused", "sends the type alone", .must("the type is not there without the token", "RFC 8693, 2.1"), needs: ["grant_types_supported"]) { trial in
      try await trial.exchangeToken { $0["actor_token_type"] = "urn:ietf:params:oauth:token-type:access_token" }.refused()
    },
    .init(exchangeTopic, "target", "An unknown audience is refused", "asks for a token for an unknown audience", .should("the error is invalid_target", "RFC 8693, 2.2.2"), needs: ["grant_types_supported"]) { trial in
      try await trial.exchangeToken { $0["audience"] = "conform-unknown" }.refused()
    },
  ]
}

extension Trial {
  func deviceCode(as given: ProviderClient? = nil) async throws -> Answer {
    let client = try given ?? client
    return try await post(try endpoint("device_authorization_endpoint"), ["scope": client.scope], as: client)
      .needed("the start of the device flow")
  }

  func poll(_ code: String?, as given: ProviderClient? = nil) async throws -> Answer {
    var form: Fields = ["grant_type": "urn:ietf:params:oauth:grant-type:device_code"]
    form["device_code"] = code
    return try await post(try endpoint("token_endpoint"), form, as: try given ?? client)
  }

  func askUser(as given: ProviderClient? = nil, _ change: (inout Fields) -> Void = { _ in }) async throws -> Answer {
    let client = try given ?? confidentialClient
    var form: Fields = ["scope": client.scope, "login_hint": provider.options.user?.name ?? ""]
    change(&form)
    return try await post(try endpoint("backchannel_authentication_endpoint"), form, as: client)
  }

  func exchangeToken(_ change: (inout Fields) -> Void = { _ in }) async throws -> Answer {
    let grant = "urn:ietf:params:oauth:grant-type:token-exchange"
    guard provider.list("grant_types_supported")?.contains(grant) == true else {
      throw EndOfProbe(.notUsed("no token exchange"))
    }
    let (client, token) = try await ownAccessToken()
    var form: Fields = [
      "grant_type": grant, "subject_token": token,
      "subject_token_type": "urn:ietf:params:oauth:token-type:access_token",
    ]
    change(&form)
    return try await post(try endpoint("token_endpoint"), form, as: client)
  }
}
