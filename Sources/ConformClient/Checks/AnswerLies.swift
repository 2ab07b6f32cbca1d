import Conform
import Core

/// Lies and truths in the authorization response.
enum AnswerLies {
  static let all: [ClientCheck] =
    stateLies + issuerLies + codeLies + errorAnswers + answerTruths + browserRequests

  private static let t = Topic.clientAnswer
  private static let stateRule = Rule.must(
    "The client refuses an answer whose state is not that of its request.", "RFC 6749, 10.12")
  private static let issuerRule = Rule.should(
    "A client compares iss of the answer with the issuer of its request, and refuses another one.", "RFC 9207, 2.4")

  private static let stateLies: [ClientCheck] = [
    state(
      "state-other", "Answer with another state",
      peers: ["oidf:fapi2-security-profile-final-client-test-ensure-authorization-response-with-invalid-state-fails"]
    ) { _ in
      "an-attackers-state"
    },
    state(
      "state-missing", "Answer without state",
      peers: [
        "oidf:fapi2-security-profile-final-client-test-ensure-authorization-response-with-invalid-missing-state-fails"
      ]
    ) { _ in nil },
    state("state-empty", "Answer with an empty state") { _ in "" },
    state("state-cut", "Answer with a state that lacks its end") { String($0.dropLast()) },
    state("state-longer", "Answer with a state that is longer") { $0 + "0" },
    state("state-case", "Answer with a state in other letter case") { text in
      String(text.map { $0.isUppercase ? Character($0.lowercased()) : Character($0.uppercased()) })
    },
    t.answerLie(
      "state-twice", "Answer with two states, the first one wrong",
      .should("Response parameters are not included more than once.", "RFC 6749, 3.1"),
      .callback { fields, _ in
        guard fields["state"] != nil else { throw NoLie() }
        fields.all.insert(("state", "an-attackers-state"), at: 0)
      }),
    t.answerLie(
      "state-error", "Error with another state",
      .should("The client refuses an answer whose state is not that of its request.", "RFC 6749, 4.1.2.1"),
      .callback { fields, _ in
        guard fields["state"] != nil else { throw NoLie() }
        fields.refuse("access_denied")
        fields["state"] = "an-attackers-state"
      }),
  ]

  private static func state(
    _ name: String, _ title: String, peers: [String] = [], _ change: @escaping @Sendable (String) -> String?
  ) -> ClientCheck {
    t.answerLie(
      name, title, stateRule, peers: peers,
      .callback { fields, _ in
        guard let state = fields["state"] else { throw NoLie() }
        fields["state"] = change(state)
      })
  }

  private static let issuerLies: [ClientCheck] = [
    issuer(
      "iss-other", "Answer with iss of another issuer",
      peers: ["oidf:fapi2-security-profile-final-client-test-invalid-authorization-response-iss"]
    ) {
      _ in "https://attacker.example"
    },
    issuer(
      "iss-missing", "Answer without iss, which the metadata promise",
      peers: ["oidf:fapi2-security-profile-final-client-test-remove-authorization-response-iss"]
    ) { _ in nil },
    issuer("iss-empty", "Answer with an empty iss") { _ in "" },
    issuer("iss-slash", "Answer with a slash behind iss") { $0 + "/" },
    issuer("iss-prefix", "Answer with iss that is a part of the issuer") { String($0.dropLast(5)) },
    issuer("iss-case", "Answer with iss in capitals") { $0.uppercased() },
    t.answerLie(
      "iss-twice", "Answer with two iss, the first one wrong", issuerRule,
      .callback { fields, _ in
        guard fields["iss"] != nil else { throw NoLie() }
        fields.all.insert(("iss", "https://attacker.example"), at: 0)
      }),
  ]

  private static func issuer(
    _ name: String, _ title: String, peers: [String] = [], _ change: @escaping @Sendable (String) -> String?
  ) -> ClientCheck {
    var check = t.answerLie(
      name, title, issuerRule, peers: peers,
      .callback { fields, _ in
        guard let issuer = fields["iss"] else { throw NoLie() }
        fields["iss"] = change(issuer)
      })
    // The metadata promise iss.
    if name == "iss-missing" { check.needs = .metadata }
    return check
  }

  private static let codeLies: [ClientCheck] = [
    t.lie(
      "code-missing", "Answer without a code", .must("A response has a code.", "RFC 6749, 4.1.2"),
      .callback { fields, _ in fields["code"] = try present(fields["code"]) { _ in nil } }),
    t.lie(
      "code-empty", "Answer with an empty code",
      .must("A parameter without a value counts as left out.", "RFC 6749, 3.1"),
      .callback { fields, _ in fields["code"] = try present(fields["code"]) { _ in "" } }),
    t.lie(
      "code-other", "Answer with a code that the tenant never made",
      .must("A refused code ends the sign-in.", "RFC 6749, 5.2"),
      .callback { fields, _ in fields["code"] = try present(fields["code"]) { _ in "a-code-of-an-attacker" } }),
    t.answerLie(
      "code-twice", "Answer with two codes",
      .should("Response parameters are not included more than once.", "RFC 6749, 3.1"),
      .callback { fields, _ in
        guard fields["code"] != nil else { throw NoLie() }
        fields.all.insert(("code", "a-code-of-an-attacker"), at: 0)
      }),
    t.answerLie(
      "code-and-error", "Answer with a code and an error",
      .should("An error in the answer means that the request failed.", "RFC 6749, 4.1.2.1"),
      .callback { fields, _ in
        guard fields["code"] != nil else { throw NoLie() }
        fields["error"] = "access_denied"
      }),
    t.lie(
      "token-in-front", "Answer with a token in place of the code",
      .must("A client takes no access token that it did not ask for in the answer.", "RFC 9700, 2.1.2"),
      .callback { fields, _ in
        guard fields["code"] != nil else { throw NoLie() }
        fields["code"] = nil
        fields["access_token"] = "an-attackers-token"
        fields["token_type"] = "Bearer"
      }),
  ]

  private static func present(_ value: String?, _ change: (String) -> String?) throws -> String? {
    guard let value else { throw NoLie() }
    return change(value)
  }

  private static let errorAnswers: [ClientCheck] = [
    ("access_denied", "RFC 6749, 4.1.2.1"), ("server_error", "RFC 6749, 4.1.2.1"),
    ("temporarily_unavailable", "RFC 6749, 4.1.2.1"), ("invalid_scope", "RFC 6749, 4.1.2.1"),
    ("unauthorized_client", "RFC 6749, 4.1.2.1"), ("login_required", "OpenID Connect Core 1.0, 3.1.2.6"),
    ("interaction_required", "OpenID Connect Core 1.0, 3.1.2.6"),
    ("consent_required", "OpenID Connect Core 1.0, 3.1.2.6"),
    ("an_error_of_tomorrow", "RFC 6749, 4.1.2.1"),
  ].map { error, source in
    t.lie(
      "error-\(error.replacing("_", with: "-"))", "Answer with the error \(error)",
      .must("An error ends the sign-in.", source),
      .callback { fields, _ in fields.refuse(error) })
  }

  private static let ignoreRule = Rule.must(
    "A client ignores response parameters that it does not know.", "RFC 6749, 4.1.2")

  private static let answerTruths: [ClientCheck] = [
    t.truth(
      "extra", "Answer with unknown parameters", ignoreRule,
      .callback { fields, _ in fields.all += [("session_state", "5f2b.1"), ("conform", "å ö & =")] }),
    t.truth(
      "extra-first", "Answer with unknown parameters in front", ignoreRule,
      .callback { fields, _ in fields.all.insert(("client_info", "eyJ1aWQiOiIxIn0"), at: 0) }),
    t.truth(
      "extra-empty", "Answer with an unknown empty parameter", ignoreRule,
      .callback { fields, _ in fields.all.append(("error_uri_hint", "")) }),
    t.truth(
      "extra-long", "Answer with a long unknown parameter", ignoreRule,
      .callback { fields, _ in fields.all.append(("conform", String(repeating: "x", count: 2000))) }),
    t.truth(
      "order", "Answer with its parameters in another order",
      .must("The order of parameters has no meaning.", "RFC 6749, 4.1.2"),
      .callback { fields, _ in fields.all.reverse() }),
    t.truth(
      "scope", "Answer with scope",
      ignoreRule, .callback { fields, _ in fields.all.append(("scope", "openid")) }),
  ]

  /// Requests of the browser that come before the answer.
  private static let browserRequests: [ClientCheck] = [
    t.behavior(
      "injected", "Answer of an attacker before the right one", stateRule,
      asking { address in
        var forged = address
        forged.set("code", "a-code-of-an-attacker")
        forged.set("state", "an-attackers-state")
        return [forged.text]
      }
    ) { run, _ in
      guard !run.callbacks.isEmpty else { return .notUsed("the browser brought the program no answer") }
      if let taken = run.redemptions.first(where: { $0.field("code") == "a-code-of-an-attacker" }) {
        return .broken("the program redeems the code of the attacker: \(taken.line)")
      }
      return .kept(
        run.isSuccess ? "the program passes over it, and takes the right one" : "the program ends the sign-in")
    },
    t.behavior(
      "favicon", "Request for /favicon.ico before the answer",
      .should("The listener of a loopback redirect URI continues after other requests.", "RFC 8252, 7.3"),
      asking { address in ["\(address.base.dropLast(address.path.count))/favicon.ico"] }
    ) { run, _ in
      guard !run.callbacks.isEmpty else { return .notUsed("the browser brought the program no answer") }
      return run.isSuccess
        ? .kept("the program signs the user in") : .broken("the program fails: \(run.resultText)\(run.reason)")
    },
  ]

  private static func asking(_ urls: @escaping @Sendable (WebAddress) -> [String]) -> Lie {
    var lie = Lie()
    lie.asksBefore = { urls(WebAddress($0)) }
    return lie
  }
}
