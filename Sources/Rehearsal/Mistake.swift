import HostLoop
import LocalTenant

/// A wrong request that both tenants get.
struct Mistake: Sendable {
  let name: String
  let outcome: @HostActor @Sendable (RehearsalTenant) async throws -> String

  static let all: [Mistake] = [
    token(
      "unknown code",
      ["grant_type": "authorization_code", "code": "none", "redirect_uri": "http://localhost:8914/callback"]),
    token("code without its verifier", ["grant_type": "authorization_code", "code": "none"]),
    token("unknown refresh token", ["grant_type": "refresh_token", "refresh_token": "none", "scope": "openid"]),
    token("refresh without a scope", ["grant_type": "refresh_token", "refresh_token": "none"]),
    token("unknown application", ["grant_type": "authorization_code", "code": "none", "client_id": "none"]),
    token(
      "wrong secret",
      [
        "grant_type": "client_credentials", "client_id": LocalTenant.webApplication.id, "client_secret": "wrong",
        "scope": "https://contoso.onmicrosoft.com/tasks/.default",
      ]),
    token("unknown grant", ["grant_type": "magic"]),
    token(
      "password grant", ["grant_type": "password", "username": "alice", "password": "wrong", "scope": "openid"]),
    authorize("no session, prompt=none", ["prompt": "none"]),
    authorize("unknown scope", ["scope": "openid https://contoso.onmicrosoft.com/none/read"]),
    authorize("unknown response type", ["response_type": "magic"]),
    authorize("another redirect URI", ["redirect_uri": "https://elsewhere.example/callback"]),
  ]

  private static func token(_ name: String, _ fields: [String: String]) -> Mistake {
    Mistake(name: name) { tenant in
      let all = ["client_id": tenant.clientID].merging(fields) { $1 }
      let answer = try await tenant.post("oauth2/v2.0/token", all.map { ($0.key, $0.value) })
      return shown("\(answer.status)", answer.string("error"), answer.string("error_description"))
    }
  }

  private static func authorize(_ name: String, _ changes: [String: String]) -> Mistake {
    Mistake(name: name) { tenant in
      let user = LocalTenant.seededUsers[0]
      guard let fields = try await tenant.authorize((user.username, user.password), changes) else { return "a page" }
      func field(_ name: String) -> String? { fields.first { $0.0 == name }?.1 }
      return shown("redirect", field("error") ?? "no error", field("error_description"))
    }
  }

  /// `400 invalid_grant AADB2C90080`
  private static func shown(_ status: String, _ error: String?, _ description: String?) -> String {
    let code = description?.prefix { $0.isLetter || $0.isNumber } ?? ""
    return [status, error ?? "", code.hasPrefix("AAD") ? String(code) : ""].filter { !$0.isEmpty }
      .joined(separator: " ")
  }
}

/// The changes that an application needs.
enum Advice {
  static let endpoints = [
    "issuer": "compare iss with the issuer of the new metadata document",
    "authorization_endpoint": "the policy is gone from the address: the user flow belongs to the application",
    "token_endpoint": "the policy is gone from the address",
    "jwks_uri": "take the keys from the new document; no key moves",
    "end_session_endpoint": "sign out at the tenant that signed in",
    "grant_types_supported": "the password grant is gone; native authentication takes its place",
  ]

  static let policies = [
    "b2c_1_susi": "make a user flow, and assign it to the application",
    "b2c_1_signup": "the user flow has the sign-up; prompt=create opens it",
    "b2c_1_reset": "the user flow has the reset; AADB2C90118 does not come any more",
    "b2c_1_edit": "edit the profile by Microsoft Graph",
    "b2c_1_ropc": "use native authentication (flow native)",
    "b2c_1_mfa": "a policy of Conditional Access demands the second factor",
  ]

  static let claims = [
    "iss": "accept the new issuer; keep accounts by oid, or by a mapping",
    "sub": "sub differs per application and tenant: map the users by email or a moved ID",
    "emails": "emails (a list) becomes email (a text)", "email": "emails (a list) becomes email (a text)",
    "tfp": "the policy is not named any more", "tid": "tid names the tenant", "ver": "the version is 2.0",
    "idp": "read the identity provider elsewhere, or not at all",
    "preferred_username": "preferred_username is for the screen only",
    "scp": "compare the words of scp, whatever their order",
  ]
}
