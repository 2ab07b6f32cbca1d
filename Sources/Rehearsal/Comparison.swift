import Core
import Crypto
import HostLoop
import JSON
import LocalTenant

/// The same application and the same user at both tenants, request by request.
@HostActor
struct Comparison {
  typealias Row = RehearsalResult.Row

  let old: RehearsalTenant
  let new: RehearsalTenant
  private let user = LocalTenant.seededUsers[0]

  init(old: RehearsalTenant, new: RehearsalTenant) {
    self.old = old
    self.new = new
  }

  func rows() async throws -> [Row] {
    let tokens = (try await tokens(old), try await tokens(new))
    return try await endpoints() + policies() + Self.claims("ID token", "id_token", tokens)
      + Self.claims("access token", "access_token", tokens) + Self.lifetimes(tokens) + errors()
  }

  // MARK: Documents

  private func endpoints() async throws -> [Row] {
    let documents = (try await old.metadata().body?.object ?? [:], try await new.metadata().body?.object ?? [:])
    func shown(_ value: JSON?, _ tenant: RehearsalTenant) -> String {
      guard let value else { return "–" }
      if let text = value.string { return text.replacing(tenant.tenant.url, with: "") }
      return value.array?.compactMap(\.string).joined(separator: " ") ?? value.encoded()
    }
    return Set(documents.0.keys).union(documents.1.keys).sorted().map { name in
      let (one, other) = (shown(documents.0[name], old), shown(documents.1[name], new))
      let advice = one == other ? nil : Advice.endpoints[name] ?? "read the metadata document of the new tenant"
      return Row(area: "metadata", name: name, old: one, new: other, advice: advice)
    }
  }

  private func policies() async throws -> [Row] {
    var rows: [Row] = []
    for (role, policy) in [
      ("sign-in and sign-up", "b2c_1_susi"), ("sign-up", "b2c_1_signup"), ("password reset", "b2c_1_reset"),
      ("profile", "b2c_1_edit"), ("password grant", "b2c_1_ropc"), ("second factor", "b2c_1_mfa"),
    ] {
      let there = try await old.metadata(policy: policy).status == 200
      rows.append(
        Row(
          area: "policy", name: role, old: there ? policy : "–", new: "–", advice: Advice.policies[policy]))
    }
    return rows
  }

  // MARK: Tokens

  private func tokens(_ tenant: RehearsalTenant) async throws -> RehearsalTenant.Answer {
    let landing = try await tenant.authorize((user.username, user.password)) ?? []
    let code = landing.first { $0.0 == "code" }?.1 ?? ""
    return try await tenant.redeem(code)
  }

  private nonisolated static func claims(
    _ area: String, _ member: String, _ tokens: (RehearsalTenant.Answer, RehearsalTenant.Answer)
  ) -> [Row] {
    let sets = (payload(tokens.0.string(member)), payload(tokens.1.string(member)))
    return Set(sets.0.keys).union(sets.1.keys).sorted().map { name in
      let (one, other) = (kind(name, sets.0[name]), kind(name, sets.1[name]))
      return Row(
        area: area, name: name, old: one, new: other,
        advice: one == other ? nil : Advice.claims[name] ?? "do not rely on the claim")
    }
  }

  private nonisolated static func payload(_ token: String?) -> [String: JSON] {
    let parts = (token ?? "").split(separator: ".")
    guard parts.count == 3, let bytes = Base64URL.decode(String(parts[1])) else { return [:] }
    return (try? JSON(parsing: bytes))?.object ?? [:]
  }

  /// The form of a claim: values that differ in each token would hide what an application has to know.
  private nonisolated static func kind(_ name: String, _ value: JSON?) -> String {
    switch value {
    case nil: "–"
    case .array(let values): "list of \(values.count)"
    case .integer, .number: ["exp", "nbf", "iat", "auth_time"].contains(name) ? "time" : "number"
    case .string(let text):
      switch name {
      case "iss": text.hasSuffix("/v2.0/") ? "…/v2.0/" : "…/v2.0"
      case "ver", "tfp", "acr", "scp", "idp": text
      default: text.count == 36 && text.split(separator: "-").count == 5 ? "GUID" : "text"
      }
    default: "value"
    }
  }

  private nonisolated static func lifetimes(_ tokens: (RehearsalTenant.Answer, RehearsalTenant.Answer)) -> [Row] {
    func number(_ answer: RehearsalTenant.Answer, _ name: String) -> String {
      answer.body?[name].map { value in
        "\(value.lenientInteger.map(String.init) ?? value.encoded())\(value.string == nil ? "" : " (text)")"
      } ?? "–"
    }
    return ["expires_in", "id_token_expires_in", "refresh_token_expires_in", "not_before", "expires_on"].map { name in
      let isTime = ["not_before", "expires_on"].contains(name)
      func shown(_ answer: RehearsalTenant.Answer) -> String {
        isTime ? (answer.body?[name] == nil ? "–" : "time") : number(answer, name)
      }
      let (one, other) = (shown(tokens.0), shown(tokens.1))
      return Row(
        area: "lifetime", name: name, old: one, new: other,
        advice: one == other ? nil : "do not rely on \(name); exp of the token tells the time")
    }
  }

  // MARK: Errors

  private func errors() async throws -> [Row] {
    var rows: [Row] = []
    for mistake in Mistake.all {
      let (one, other) = (try await mistake.outcome(old), try await mistake.outcome(new))
      rows.append(
        Row(
          area: "error", name: mistake.name, old: one, new: other,
          advice: one == other ? nil : "compare error, not the code in error_description"))
    }
    return rows
  }
}
