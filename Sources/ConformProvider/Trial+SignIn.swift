import Conform
import Core
import Crypto
import HTTPClient
import HostLoop
import JOSE
import JSON
import UserAgents

extension Trial {
  /// Thrown from a trip when it would leave the provider.
  private struct Arrival: Error { let url: String }

  // MARK: Authorization

  /// Opens an authorization request, and fills in the pages, until a redirect leaves the provider or a page ends the trip.
  func authorize(_ attempt: Attempt, cookies: CookieJar? = nil) async throws -> Landing {
    var fields = attempt.fields
    if provider.needsPushing {
      let answer = try await push(attempt)
      guard answer.isSuccess else {
        return Landing(
          url: nil, status: answer.status, said: "the pushed request was refused", last: answer, refusal: answer.error)
      }
      fields = Self.fields(naming: answer, attempt)
    }
    return try await self.open(try endpoint("authorization_endpoint"), fields, attempt, cookies: cookies)
  }

  /// The same for a right request with changes.
  func authorize(_ change: (inout Fields) throws -> Void) async throws -> Landing {
    var attempt = Attempt(try client)
    try change(&attempt.fields)
    return try await authorize(attempt)
  }

  /// Opens the endpoint with these fields.
  func open(
    _ endpoint: String, _ fields: Fields, _ attempt: Attempt, cookies: CookieJar? = nil
  ) async throws -> Landing {
    guard let user = provider.options.user else {
      throw EndOfProbe(.skipped("no user is given, who could sign in"))
    }
    let url = WebAddress(endpoint).appending(fields.encoded)
    let targets = Set([attempt.client.redirectURI, fields["redirect_uri"], attempt.fields["redirect_uri"]])
      .compactMap(\.self).map { WebAddress($0).base }
    var trip = NavigationRequest(
      url: url, redirectURI: fields["redirect_uri"] ?? attempt.client.redirectURI, timeout: 30, username: user.name,
      password: user.password)
    trip.cookies = cookies ?? provider.session
    trip.answer.state = nil
    trip.onNavigate = { url, _ in
      let base = WebAddress(url).base
      let scheme = base.prefix { $0 != ":" }.lowercased()
      if targets.contains(base) || !["http", "https"].contains(scheme) { throw Arrival(url: url) }
      return .show
    }
    do {
      let end = try await HeadlessAgent(http: http).open(trip)
      return landing(end)
    } catch let arrival as Arrival {
      return landing(arrival.url)
    } catch let error as UserAgentError {
      // A redirect that would send the form on to the client (307) is not followed.
      if let location = answers.last?.headers["Location"], targets.contains(WebAddress(location).base) {
        return landing(location)
      }
      return Landing(url: nil, status: answers.last?.status ?? 0, said: error.message, last: answers.last)
    } catch let error as HTTPError {
      throw EndOfProbe(.unclear("no answer: \(error.message)"))
    }
  }

  private func landing(_ url: String) -> Landing {
    for parameter in WebAddress(url).parameters where SecretName.kind(parameter.name) != nil {
      if let value = parameter.value { Redaction.register(value) }
    }
    return Landing(url: url, status: answers.last?.status ?? 0, said: "", last: answers.last)
  }

  /// Pushes the request, and returns the fields that name it.
  func pushed(_ attempt: Attempt) async throws -> Fields {
    Self.fields(naming: try await push(attempt).needed("the pushed request"), attempt)
  }

  func push(_ attempt: Attempt) async throws -> Answer {
    try await post(try endpoint("pushed_authorization_request_endpoint"), attempt.fields, as: attempt.client)
  }

  private static func fields(naming answer: Answer, _ attempt: Attempt) -> Fields {
    ["client_id": attempt.client.id, "request_uri": answer.string("request_uri") ?? ""]
  }

  // MARK: Tokens

  /// A code of a right authorization request, with changes.
  func code(
    as given: ProviderClient? = nil, _ change: (inout Fields) -> Void = { _ in }
  ) async throws -> (attempt: Attempt, code: String) {
    var attempt = Attempt(try given ?? client)
    change(&attempt.fields)
    let landing = try await authorize(attempt)
    guard let code = landing.code else {
      throw EndOfProbe(.unclear("the authorization request gave no code: \(landing.shown)"))
    }
    return (attempt, code)
  }

  /// Redeems a code, with a form that may be changed.
  func redeem(
    _ attempt: Attempt, _ code: String, as client: ProviderClient? = nil, _ headers: HTTPHeaders = [:],
    _ change: (inout Fields) -> Void = { _ in }
  ) async throws -> Answer {
    var form = attempt.form(code: code)
    change(&form)
    return try await post(try endpoint("token_endpoint"), form, as: client ?? attempt.client, headers)
  }

  /// A code of a right request that is redeemed with a changed form.
  func exchange(_ change: (inout Fields) -> Void) async throws -> Answer {
    let (attempt, code) = try await code()
    return try await redeem(attempt, code, [:], change)
  }

  /// The response of the token endpoint to a right sign-in of this trial.
  func tokens(as client: ProviderClient? = nil) async throws -> Answer {
    let (attempt, code) = try await code(as: client)
    return try await redeem(attempt, code).needed("the token request")
  }

  func refreshToken(as client: ProviderClient? = nil) async throws -> (token: String, answer: Answer) {
    let answer = try await tokens(as: client)
    guard let token = answer.string("refresh_token") else { throw EndOfProbe(.notUsed("no refresh token is issued")) }
    return (token, answer)
  }

  func refresh(
    _ token: String, as given: ProviderClient? = nil, _ change: (inout Fields) -> Void = { _ in }
  ) async throws -> Answer {
    var form: Fields = ["grant_type": "refresh_token", "refresh_token": token]
    change(&form)
    return try await post(try endpoint("token_endpoint"), form, as: try given ?? client)
  }

  // MARK: Client authentication

  /// Adds the client's ID and its authentication to a form or to the header.
  func authenticate(
    _ client: ProviderClient, _ form: inout Fields, _ headers: inout HTTPHeaders, to url: String
  ) throws {
    switch client.method {
    case .basic:
      headers["Authorization"] = Self.basic(client.id, client.secret?.reveal() ?? "")
      return
    case .none: break
    case .post: form["client_secret"] = form["client_secret"] ?? client.secret?.reveal()
    case .keyJWT where form["client_assertion"] == nil:
      form["client_assertion_type"] = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"
      form["client_assertion"] = try assertion(client)
    case .keyJWT: break
    }
    form["client_id"] = form["client_id"] ?? client.id
  }

  static func basic(_ id: String, _ secret: String) -> String {
    let text = "\(URLEncodedForm.percentEncode(id)):\(URLEncodedForm.percentEncode(secret))"
    let encoded = Base64URL.encode(text.utf8).replacing("-", with: "+").replacing("_", with: "/")
    return "Basic \(encoded)\(String(repeating: "=", count: (4 - encoded.count % 4) % 4))"
  }

  /// A client assertion (RFC 7523) whose audience is the issuer, with changes.
  func assertion(
    _ client: ProviderClient, _ change: (inout [String: JSON]) -> Void = { _ in }
  ) throws -> String {
    guard let key = client.key else { throw EndOfProbe(.skipped("the client has no key")) }
    var claims = JWT.assertion(
      issuer: client.id, subject: client.id, audience: provider.issuer, now: UnixTime.now.seconds)
    change(&claims)
    return try JWT.sign(.object(claims), key: key)
  }
}

extension Trial {
  /// A sign-in without a mistake.
  func rightSignIn() async throws -> (attempt: Attempt, landing: Landing, token: Answer) {
    let attempt = Attempt(try client)
    let landing = try await authorize(attempt)
    guard let code = landing.code else {
      throw EndOfProbe(.unclear("the authorization request gave no code: \(landing.shown)"))
    }
    return (attempt, landing, try await redeem(attempt, code).needed("the token request"))
  }
}
