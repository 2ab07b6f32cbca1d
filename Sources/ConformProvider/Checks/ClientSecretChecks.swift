import Conform
import Core
import Crypto
import HTTPClient
import JOSE
import JSON

/// Client authentication by secrets, wrong in each way.
enum ClientSecretChecks {
  static let topic = Topic(
    "provider.client", "Client authentication", wrong: .provider,
    means: "Somebody who is not the client gets the client's tokens.",
    change: [
      "In general": "Authenticate each confidential client at each endpoint, by the one method that it registered.",
      "Entra": "Prefer a certificate or a federated credential to a secret.",
    ])

  static let clients: [ProviderCheck] = secrets + ClientAssertionChecks.assertions

  private static let secrets: [ProviderCheck] = [
    .init(
      topic, "wrong-secret", "A wrong secret is refused", "sends another client_secret",
      .must("the error is invalid_client", "RFC 6749, 3.2.1 and 5.2"), danger: .mayLock
    ) { try await $0.withSecret(SecureRandom.token()).refused("invalid_client") },
    .init(
      topic, "empty-secret", "An empty secret is refused", "sends an empty client_secret",
      .must("the error is invalid_client", "RFC 6749, 3.2.1 and 5.2"), danger: .mayLock
    ) { try await $0.withSecret("").refused("invalid_client", "invalid_request") },
    .init(
      topic, "no-secret", "A confidential client without its secret is refused", "sends the client_id alone",
      .must("confidential clients authenticate", "RFC 6749, 3.2.1; RFC 9700, 2.5")
    ) { try await $0.withSecret(nil).refused("invalid_client", "invalid_request") },
    .init(
      topic, "secret-case", "A secret in another letter case is refused", "sends the secret in upper case",
      .must("secrets are compared exactly", "RFC 6749, 2.3.1 and 10.1"), danger: .mayLock
    ) { trial in
      let secret = try trial.secretClient.secret?.reveal() ?? ""
      let changed = secret == secret.uppercased() ? secret.lowercased() : secret.uppercased()
      return try await trial.withSecret(changed).refused("invalid_client")
    },
    .init(
      topic, "secret-space", "A secret with a space at its end is refused", "adds a space to the secret",
      .must("secrets are compared exactly", "RFC 6749, 2.3.1"), danger: .mayLock
    ) { trial in
      try await trial.withSecret((try trial.secretClient.secret?.reveal() ?? "") + " ").refused("invalid_client")
    },
    .init(
      topic, "basic-wrong", "A wrong secret in the header is refused by 401", "sends a wrong secret by HTTP Basic",
      .must("the status is 401, with WWW-Authenticate", "RFC 6749, 5.2"), danger: .mayLock
    ) { trial in
      let answer = try await trial.withHeader { Trial.basic($0.id, SecureRandom.token()) }
      guard answer.status == 401 else {
        return answer.isSuccess ? answer.refused() : .broken("the status is \(answer.shown)")
      }
      return trial.finding(
        answer.headers["WWW-Authenticate"] != nil, "401 with WWW-Authenticate", "401 without WWW-Authenticate")
    },
    .init(
      topic, "basic-other", "The secret of another client is refused", "sends another client's ID with this secret",
      .must("a secret belongs to its client", "RFC 6749, 2.3.1"), danger: .mayLock
    ) { trial in
      let other = try trial.client.id
      return try await trial.withHeader {
        Trial.basic(other == $0.id ? "conform-unknown" : other, $0.secret?.reveal() ?? "")
      }.refused()
    },
    .init(
      topic, "basic-broken", "A header that is no Base64 is refused", "sends Authorization: Basic %%%",
      .must("a malformed header is an error", "RFC 7617, 2; RFC 6749, 5.2"), danger: .mayLock
    ) { try await $0.withHeader { _ in "Basic %%%" }.refused() },
    .init(
      topic, "two-methods", "Two methods of authentication are refused", "sends the secret in header and form",
      .must("a request has one method of authentication", "RFC 6749, 2.3")
    ) { trial in
      let client = try trial.secretClient
      let (attempt, code) = try await trial.code(as: client)
      var form = attempt.form(code: code)
      form["client_id"] = client.id
      form["client_secret"] = client.secret?.reveal()
      let header = Trial.basic(client.id, client.secret?.reveal() ?? "")
      return try await trial.post(try trial.endpoint("token_endpoint"), form, as: nil, ["Authorization": header])
        .refused()
    },
    .init(
      topic, "ids-differ", "Another client_id beside the header is refused", "sends another client_id in the form",
      .must("the request names one client", "RFC 6749, 2.3 and 3.2.1")
    ) { trial in
      let client = try trial.secretClient
      let (attempt, code) = try await trial.code(as: client)
      var form = attempt.form(code: code)
      form["client_id"] = "conform-other"
      let header = Trial.basic(client.id, client.secret?.reveal() ?? "")
      return try await trial.post(try trial.endpoint("token_endpoint"), form, as: nil, ["Authorization": header])
        .refused()
    },
    .init(
      topic, "unknown", "An unknown client is refused", "sends a client_id that never was",
      .must("the error is invalid_client", "RFC 6749, 5.2")
    ) { trial in
      let form: Fields = [
        "grant_type": "authorization_code", "code": "x", "redirect_uri": try trial.client.redirectURI,
        "client_id": "conform-unknown",
      ]
      return try await trial.post(try trial.endpoint("token_endpoint"), form, as: nil).refused(
        "invalid_client", "unauthorized_client", "invalid_request")
    },
    .init(
      topic, "none", "A request without a client is refused", "sends no client_id",
      .must("public clients send client_id", "RFC 6749, 3.2.1 and 4.1.3")
    ) { trial in
      let (attempt, code) = try await trial.code()
      return try await trial.post(try trial.endpoint("token_endpoint"), attempt.form(code: code), as: nil)
        .refused("invalid_client", "invalid_request")
    },
    .init(
      topic, "id-twice", "Two client IDs are refused", "sends client_id twice",
      .must("parameters come once", "RFC 6749, 3.2")
    ) {
      try await $0.exchange {
        $0.add("client_id", "conform-first")
        $0.add("client_id", "conform-second")
      }.refused()
    },
    .init(
      topic, "public-secret", "A public client cannot send a secret", "sends a secret as a public client",
      .should("a client without a secret is not authenticated by one", "RFC 6749, 2.3.1")
    ) { trial in
      guard try trial.client.method == .none else { return .notUsed("a confidential client") }
      return try await trial.exchange { $0["client_secret"] = SecureRandom.token() }.refused()
    },
    .init(
      topic, "query-secret", "A secret in the query is refused", "sends the secret in the address",
      .must("secrets are not in addresses", "RFC 6749, 2.3.1"), danger: .mayLock
    ) { trial in
      let client = try trial.secretClient
      let (attempt, code) = try await trial.code(as: client)
      let secret: Fields = ["client_id": client.id, "client_secret": client.secret?.reveal() ?? ""]
      let url = WebAddress(try trial.endpoint("token_endpoint")).appending(secret.encoded)
      return try await trial.post(url, attempt.form(code: code), as: nil).refused()
    },
    .init(
      topic, "refresh-unauthenticated", "A refresh without the secret is refused",
      "refreshes as a confidential client without its secret",
      .must("confidential clients authenticate to refresh", "RFC 6749, 6")
    ) { trial in
      let client = try trial.secretClient
      let token = try await trial.refreshToken(as: client).token
      var bare = client
      (bare.method, bare.secret) = (.none, nil)
      return try await trial.refresh(token, as: bare).refused("invalid_client", "invalid_request")
    },
  ]
}
