import Conform
import Core
import Crypto
import HTTPClient
import JOSE
import JSON

/// prompt, max_age and the other parameters of OpenID Connect.
enum PromptChecks {
  static let prompts: [ProviderCheck] = [
    .init(
      AuthorizationChecks.topic, "prompt-none", "prompt=none without a session is an error",
      "sends prompt=none without cookies",
      .must(
        "without a session the error is login_required or interaction_required",
        "OpenID Connect Core 1.0, 3.1.2.1 and 3.1.2.6"),
      .openID, peers: ["oidf:oidcc-prompt-none-not-logged-in"]
    ) { trial in
      var attempt = Attempt(try trial.client)
      attempt.fields["prompt"] = "none"
      return try await trial.authorize(attempt, cookies: CookieJar()).refused(
        "login_required", "interaction_required", "consent_required", "account_selection_required")
    },
    .init(
      AuthorizationChecks.topic, "prompt-none-session", "prompt=none with a session gives a code",
      "sends prompt=none with the session of a sign-in",
      .should("a signed-in user is not asked again", AuthorizationChecks.core), .openID,
      peers: ["oidf:oidcc-prompt-none-logged-in"]
    ) { trial in
      _ = try trial.right
      let landing = try await trial.authorize { $0["prompt"] = "none" }
      if let error = landing.error, error.hasSuffix("_required") { return .told(landing) }
      return landing.accepted()
    },
    .init(
      AuthorizationChecks.topic, "prompt-none-login", "prompt=none with login is refused",
      "sends prompt=\"none login\"",
      .must("none stands alone", AuthorizationChecks.core), .openID
    ) { try await $0.authorize { $0["prompt"] = "none login" }.refused("invalid_request") },
    .init(
      AuthorizationChecks.topic, "prompt-login", "prompt=login signs the user in again",
      "compares auth_time after prompt=login",
      .must("the user authenticates again", AuthorizationChecks.core), .openID, peers: ["oidf:oidcc-prompt-login"]
    ) { try await $0.signsInAgain { $0["prompt"] = "login" } },
    .init(
      AuthorizationChecks.topic, "max-age-0", "max_age=0 signs the user in again", "looks for a page after max_age=0",
      .should("max_age=0 has the effect of prompt=login", AuthorizationChecks.core), .openID
    ) { try await $0.signsInAgain { $0["max_age"] = "0" } },
    .init(
      AuthorizationChecks.topic, "max-age", "max_age puts auth_time into the ID token", "sends max_age=10000",
      .must("auth_time is required if max_age was sent", "OpenID Connect Core 1.0, 2 and 3.1.2.1"), .openID,
      peers: ["oidf:oidcc-max-age-10000"]
    ) { trial in
      let (attempt, code) = try await trial.code { $0["max_age"] = "10000" }
      let claims = try trial.idToken(in: try await trial.redeem(attempt, code).needed("the token request")).claims
      return trial.finding(
        claims["auth_time"]?.anyNumber != nil, "it does", "auth_time is \(claims["auth_time"]?.encoded() ?? "missing")")
    },
    .init(
      AuthorizationChecks.topic, "max-age-text", "A max_age that is not a number is refused", "sends max_age=conform",
      .should("an invalid parameter is invalid_request", "RFC 6749, 4.1.2.1"), .openID
    ) { try await $0.authorize { $0["max_age"] = "conform" }.refused("invalid_request") },
    .init(
      AuthorizationChecks.topic, "login-hint", "login_hint is taken", "sends login_hint",
      .must("an unknown or known hint is not an error", AuthorizationChecks.core), .openID,
      peers: ["oidf:oidcc-login-hint"]
    ) { trial in
      let name = trial.provider.options.user?.name ?? ""
      return try await trial.authorize { $0["login_hint"] = name }.accepted()
    },
    .init(
      AuthorizationChecks.topic, "ui-locales", "ui_locales is taken", "sends ui_locales=se",
      .must("an unsupported language is not an error", AuthorizationChecks.core), .openID,
      peers: ["oidf:oidcc-ui-locales"]
    ) { try await $0.authorize { $0["ui_locales"] = "se" }.accepted() },
    .init(
      AuthorizationChecks.topic, "claims-locales", "claims_locales is taken", "sends claims_locales=se",
      .must("an unsupported language is not an error", "OpenID Connect Core 1.0, 5.2"),
      .openID, peers: ["oidf:oidcc-claims-locales"]
    ) { try await $0.authorize { $0["claims_locales"] = "se" }.accepted() },
    .init(
      AuthorizationChecks.topic, "display", "display=page is taken", "sends display=page",
      .must("display is not an error", AuthorizationChecks.core), .openID,
      peers: ["oidf:oidcc-display-page"]
    ) { try await $0.authorize { $0["display"] = "page" }.accepted() },
    .init(
      AuthorizationChecks.topic, "display-popup", "display=popup is taken", "sends display=popup",
      .must("display is not an error", AuthorizationChecks.core),
      .openID,
      peers: ["oidf:oidcc-display-popup"]
    ) { try await $0.authorize { $0["display"] = "popup" }.accepted() },
    .init(
      AuthorizationChecks.topic, "acr-values", "Unknown acr_values are not errors", "sends acr_values=conform:1",
      .must("acr is a voluntary claim", "\(AuthorizationChecks.core); OpenID Connect Core 1.0, 5.5.1.1"), .openID,
      peers: ["oidf:oidcc-ensure-request-with-acr-values-succeeds"]
    ) { try await $0.authorize { $0["acr_values"] = "conform:1 conform:2" }.accepted() },
    .init(
      AuthorizationChecks.topic, "hint-broken", "A broken id_token_hint is not followed",
      "sends an id_token_hint that is not a token",
      .should("the hint is an ID token of the provider", AuthorizationChecks.core), .openID
    ) { trial in
      let landing = try await trial.authorize {
        $0["id_token_hint"] = "conform"
        $0["prompt"] = "none"
      }
      return landing.refused()
    },
    .init(
      AuthorizationChecks.topic, "hint", "id_token_hint of the user is taken",
      "sends the ID token of the sign-in with prompt=none",
      .should("the hint of the signed-in user succeeds", AuthorizationChecks.core), .openID,
      peers: ["oidf:oidcc-id-token-hint"]
    ) { trial in
      guard let token = try trial.right.idToken else { return .notUsed("no ID token is issued") }
      let landing = try await trial.authorize {
        $0["id_token_hint"] = token
        $0["prompt"] = "none"
      }
      return landing.hasResult ? .kept(landing.shown) : .broken(landing.shown)
    },
    .init(
      AuthorizationChecks.topic, "claims", "The parameter claims is not an error", "asks for the claim name",
      .should("claims is ignored where it is not supported", "OpenID Connect Core 1.0, 5.5"), .openID,
      peers: ["oidf:oidcc-claims-essential"]
    ) { try await $0.authorize { $0["claims"] = #"{"id_token":{"name":{"essential":true}}}"# }.accepted() },
  ]
}
