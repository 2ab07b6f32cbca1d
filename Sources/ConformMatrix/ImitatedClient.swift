import Conform
import Core
import Crypto
import FoundationEssentials
import HTTPClient
import HostLoop
import Imitation
import JSON
import LocalTenant
import Parties
import UserAgents

/// One sign-in with the habits of a client at a provider's imitation.
@HostActor
struct ImitatedClient {
  let provider: PartyProfile
  let client: PartyProfile
  let tenant: LocalTenant
  let imitation: Imitation
  let http: HTTPClient

  static let redirectURI = "http://localhost:8914/callback"

  private var issuer: String {
    "\(tenant.url)/contoso.onmicrosoft.com\(tenant.kind == .b2c ? "/b2c_1_susi" : "")/v2.0"
  }

  /// Signs in. Throws `Obstacle` at the first thing that breaks.
  func signIn() async throws {
    _ = imitation.takeMarks()
    let metadata = try await metadata()
    let request = request
    let answer = try await authorize(request, metadata)
    let token = try await redeem(answer, request, metadata)
    try check(.token, token, same: ["scope": request.first { $0.name == "scope" }?.value ?? ""])
    try checkIDToken(token, request, metadata)
    try await askUserinfo(token, metadata)
    try await refresh(token, metadata)
  }

  // MARK: Steps

  private func metadata() async throws -> [String: JSON] {
    let url = "\(issuer)/.well-known/openid-configuration"
    let members = try await json(HTTPRequest(url: url, headers: ["Accept": "application/json"])).members
    if client.habits.contains(where: { $0.skipsMetadata }) {
      return endpoints.merging(members.filter { $0.key == "userinfo_endpoint" }) { $1 }.merging(
        ["issuer": .string(issuer)]) { $1 }
    }
    try check(.metadata, members, same: ["issuer": issuer])
    return endpoints.merging(members) { $1 }
  }

  private var endpoints: [String: JSON] {
    let base = "\(issuer.dropLast("/v2.0".count))/oauth2/v2.0"
    return ["authorization_endpoint": .string("\(base)/authorize"), "token_endpoint": .string("\(base)/token")]
  }

  /// The authorization request: that of a careful client, with the habits of this one.
  private var request: [(name: String, value: String)] {
    let application = application
    var fields: [String: String] = [
      "response_type": "code", "client_id": application.id, "redirect_uri": Self.redirectURI, "scope": "openid",
      "state": SecureRandom.token(16), "nonce": SecureRandom.token(16),
      "code_challenge": Base64URL.encode(SHA256.hash(Self.verifier.utf8)), "code_challenge_method": "S256",
    ]
    for case .authorize(let changes) in client.habits.flatMap(\.effects) {
      for (name, value) in changes { fields[name] = value.string }
    }
    return fields.sorted { $0.key < $1.key }.map { (name: $0.key, value: $0.value) }
  }

  private static let verifier = "a-verifier-of-forty-three-characters-at-least"

  private var application: Application {
    method == "none" ? LocalTenant.nativeApplication : LocalTenant.webApplication
  }

  private var method: String {
    for case .authentication(let method) in client.habits.flatMap(\.effects) { return method }
    return "none"
  }

  private func authorize(
    _ request: [(name: String, value: String)], _ metadata: [String: JSON]
  ) async throws -> [String: JSON] {
    let user = LocalTenant.seededUsers[0]
    let url = WebAddress(metadata["authorization_endpoint"]?.string ?? "").appending(
      URLEncodedForm.encode(request.map { ($0.name, $0.value) }))
    let landing = try await ImitatedBrowser(http: http).open(
      url, redirectURI: Self.redirectURI, username: user.username, password: Secret(user.password))
    guard let landing else {
      throw refused("the authorization request ends at a page of the provider", request.map(\.name))
    }
    let fields = Dictionary(landing.map { ($0.0, JSON.string($0.1)) }) { first, _ in first }
    if let error = fields["error"]?.string {
      let description = fields["error_description"]?.string.map { " (\($0.prefix(80)))" } ?? ""
      throw refused("the provider refuses the authorization request: \(error)\(description)", request.map(\.name))
    }
    let state = request.first { $0.name == "state" }?.value ?? ""
    try check(.callback, fields, same: ["state": state, "iss": metadata["issuer"]?.string ?? ""])
    return fields
  }

  private func redeem(
    _ answer: [String: JSON], _ request: [(name: String, value: String)], _ metadata: [String: JSON]
  ) async throws -> [String: JSON] {
    var form = [
      ("grant_type", "authorization_code"), ("code", answer["code"]?.string ?? ""),
      ("redirect_uri", Self.redirectURI),
    ]
    if request.contains(where: { $0.name == "code_challenge" }) { form.append(("code_verifier", Self.verifier)) }
    return try await token(form, "the token request", metadata)
  }

  private func token(
    _ given: [(String, String)], _ what: String, _ metadata: [String: JSON]
  ) async throws -> [String: JSON] {
    var form = given
    for case .tokenRequest(let condition, let changes) in client.habits.flatMap(\.effects)
    where condition.holds(form, at: "token") {
      form.removeAll { changes[$0.0] != nil }
      form += changes.compactMap { name, value in value.string.map { (name, $0) } }
    }
    var headers: HTTPHeaders = ["Accept": "application/json"]
    switch method {
    case "client_secret_basic":
      let pair = [application.id, application.secret ?? ""].map(URLEncodedForm.percentEncode).joined(separator: ":")
      headers["Authorization"] = "Basic \(Data(pair.utf8).base64EncodedString())"
    case "client_secret_post": form += [("client_id", application.id), ("client_secret", application.secret ?? "")]
    default: form.append(("client_id", application.id))
    }
    let request = HTTPRequest.form(
      url: metadata["token_endpoint"]?.string ?? "", fields: form, headers: headers)
    let (status, members) = try await json(request)
    if let error = members["error"]?.string {
      throw refused("the provider refuses \(what): \(status) \(error)", form.map(\.0) + ["client authentication"])
    }
    guard (200..<300).contains(status), members["access_token"]?.string != nil else {
      throw Obstacle(
        "\(what) gives no access token: \(status)", provider: provider.habit(changing: .token, "access_token"),
        client: client.habits.first { $0.sets(["scope", "client authentication"]) })
    }
    return members
  }

  private func checkIDToken(
    _ token: [String: JSON], _ request: [(name: String, value: String)], _ metadata: [String: JSON]
  ) throws {
    guard demands(.claims) else { return }
    let claims = Self.claims(token) ?? [:]
    guard !claims.isEmpty else { throw missing(.token, "id_token", demand(.claims)) }
    try check(
      .claims, claims,
      same: [
        "iss": metadata["issuer"]?.string ?? "", "aud": application.id,
        "nonce": request.first { $0.name == "nonce" }?.value ?? "",
      ])
  }

  private func askUserinfo(_ token: [String: JSON], _ metadata: [String: JSON]) async throws {
    guard let habit = client.habits.first(where: { $0.asksUserinfo }) else { return }
    guard let url = metadata["userinfo_endpoint"]?.string else { throw missing(.metadata, "userinfo_endpoint", habit) }
    let (status, members) = try await json(
      HTTPRequest(url: url, headers: ["Authorization": "Bearer \(token["access_token"]?.string ?? "")"]))
    guard (200..<300).contains(status) else {
      throw Obstacle(
        "userinfo answers \(status)", provider: refusing() ?? provider.habit(changing: .token, "access_token"),
        client: habit)
    }
    try check(.userinfo, members, same: ["sub": Self.claims(token)?["sub"]?.string ?? ""])
  }

  private func refresh(_ token: [String: JSON], _ metadata: [String: JSON]) async throws {
    guard let habit = client.habits.first(where: { $0.refreshes }) else { return }
    guard let text = token["refresh_token"]?.string else { throw missing(.token, "refresh_token", habit) }
    let form = [
      ("grant_type", "refresh_token"), ("refresh_token", text),
      ("scope", request.first { $0.name == "scope" }?.value ?? ""),
    ]
    try check(.refresh, try await self.token(form, "the refresh", metadata), same: [:])
  }

  // MARK: Messages

  private func json(_ request: HTTPRequest) async throws -> (status: Int, members: [String: JSON]) {
    let response = try await http.send(request)
    return (response.status, (try? JSON(parsing: response.body))?.object ?? [:])
  }

  private static func claims(_ token: [String: JSON]) -> [String: JSON]? {
    let parts = (token["id_token"]?.string ?? "").split(separator: ".")
    guard parts.count == 3, let bytes = Base64URL.decode(String(parts[1])) else { return nil }
    return (try? JSON(parsing: bytes))?.object
  }

  // MARK: Demands

  private func demands(_ part: MessagePart) -> Bool { demand(part) != nil }

  private func demand(_ part: MessagePart) -> PartyProfile.Habit? {
    client.habits.first { habit in
      habit.effects.contains { if case .requires(part, _) = $0 { true } else { false } }
    }
  }

  /// Compares a message with what the client requires of it.
  /// - Parameter same: the values behind the word `same`.
  private func check(_ part: MessagePart, _ members: [String: JSON], same: [String: String]) throws {
    for habit in client.habits {
      for case .requires(part, let demands) in habit.effects {
        for (name, demand) in demands.sorted(by: { $0.key < $1.key }) {
          guard let value = members[name] else {
            if demand == "same?" { continue }
            throw missing(part, name, habit)
          }
          guard !Self.fits(value, demand, same[name]) else { continue }
          let shown = value.string ?? value.encoded()
          let wanted = demand.hasPrefix("same") ? same[name] ?? "" : demand
          throw Obstacle(
            "\(name) of \(part.noun) is \(tidy(shown)), and the client wants \(tidy(wanted))",
            provider: provider.habit(changing: part, name) ?? provider.habit(deciding: name), client: habit)
        }
      }
    }
  }

  private static func fits(_ value: JSON, _ demand: String, _ same: String?) -> Bool {
    switch demand {
    case "*": true
    case "number": value.anyNumber != nil
    case "same", "same?":
      value.string == same || value.array?.contains { $0.string == same } == true
        || Set((value.string ?? "").split(separator: " ")) == Set((same ?? "").split(separator: " "))
    default: value.string == demand || value.array?.contains { $0.string == demand } == true
    }
  }

  /// The port of a tenant differs in each run.
  private func tidy(_ text: String) -> String {
    text.replacing(tenant.url, with: "{origin}").replacing(String(WebAddress(tenant.url).authority), with: "{host}")
  }

  private func missing(_ part: MessagePart, _ name: String, _ habit: PartyProfile.Habit?) -> Obstacle {
    Obstacle("\(part.noun) has no \(name)", provider: provider.habit(changing: part, name), client: habit)
  }

  // MARK: Refusals

  private func refusing() -> PartyProfile.Habit? {
    let name = imitation.takeMarks().refusal?.habit
    return provider.habits.first { $0.name == name }
  }

  /// A refusal of the provider, and the habit of the client that the provider does not take.
  private func refused(_ text: String, _ parameters: [String]) -> Obstacle {
    let marks = imitation.takeMarks()
    let providerHabit = provider.habits.first { $0.name == marks.refusal?.habit }
    let wanted = marks.refusal?.parameters ?? Set(parameters)
    return Obstacle(text, provider: providerHabit, client: client.habits.first { $0.sets(wanted) })
  }
}
