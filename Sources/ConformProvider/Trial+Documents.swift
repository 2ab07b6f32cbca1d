import Conform
import Core
import Crypto
import HTTPClient
import JOSE
import JSON

extension Trial {
  /// Looks at a member of the metadata. The check is not used without the member.
  /// - Parameter problem: the problem of the value; nil if there is none.
  func member(_ name: String, _ problem: (JSON) -> String?) throws -> Finding {
    guard let value = provider.metadata[name] else { throw EndOfProbe(.notUsed("no \(name) in the metadata")) }
    return problem(value).map { .broken("\(name) \($0)") } ?? .kept(Self.shown(name, value))
  }

  /// Looks for a member that has to be there.
  func required(_ name: String, _ problem: (JSON) -> String? = { _ in nil }) -> Finding {
    guard let value = provider.metadata[name], value != .null else { return .broken("the metadata has no \(name)") }
    return problem(value).map { .broken("\(name) \($0)") } ?? .kept(Self.shown(name, value))
  }

  /// Looks at the texts of a list in the metadata.
  func list(_ name: String, _ problem: ([String]) -> String?) throws -> Finding {
    try member(name) { value in
      guard let items = value.array else { return "is not a list" }
      return problem(items.compactMap(\.string))
    }
  }

  /// All values of the list have to be among these.
  func values(_ name: String, among known: Set<String>) throws -> Finding {
    try list(name) { items in
      let others = items.filter { !known.contains($0) }
      return others.isEmpty ? nil : "has \(others.joined(separator: ", "))"
    }
  }

  /// The list must not have these values.
  func values(_ name: String, without forbidden: Set<String>) throws -> Finding {
    try list(name) { items in
      let found = items.filter(forbidden.contains)
      return found.isEmpty ? nil : "has \(found.joined(separator: ", "))"
    }
  }

  /// The list has to have this value.
  func values(_ name: String, with value: String) throws -> Finding {
    try list(name) { $0.contains(value) ? nil : "has no \(value): \($0.joined(separator: ", "))" }
  }

  /// The problem of an address that has to be https; http is allowed on this machine.
  func problem(ofAddress value: JSON) -> String? {
    guard let text = value.string, let origin = Origin(text) else { return "is not an absolute address" }
    if origin.scheme == "https" || origin.isLoopback && provider.isLoopback { return nil }
    return "is not https: \(WebAddress(text).shown)"
  }

  private static func shown(_ name: String, _ value: JSON) -> String {
    let text = value.encoded()
    return "\(name) is \(text.count > 160 ? text.prefix(159) + "…" : text)"
  }

  /// A finding about a response that has been fetched before the checks.
  func finding(_ isKept: Bool, _ kept: String, _ broken: String) -> Finding { isKept ? .kept(kept) : .broken(broken) }
}

extension Base64URL {
  /// The number of bits of an integer in base64url; 0 for another text.
  static func bits(_ text: String?) -> Int {
    guard let bytes = text.flatMap({ decode($0) }) else { return 0 }
    let significant = bytes.drop { $0 == 0 }
    guard let first = significant.first else { return 0 }
    return significant.count * 8 - first.leadingZeroBitCount
  }

  static func beginsWithZero(_ text: String) -> Bool { decode(text)?.first == 0 }
}

extension Trial {
  /// The keys of the provider. The check ends without them.
  func keys() throws -> [JSON] {
    guard provider.keysAnswer?["keys"]?.array != nil else { throw EndOfProbe(.notUsed("no keys could be fetched")) }
    return provider.keys
  }

  /// Looks at each key.
  func eachKey(_ problem: String, _ isRight: (JSON) -> Bool) throws -> Finding {
    let wrong = try keys().filter { !isRight($0) }
    guard let first = wrong.first else { return .kept("\(provider.keys.count) keys") }
    return .broken("the key \(first["kid"]?.string ?? "without kid") \(problem)")
  }

  /// The first page of a right authorization request. Without a client, it is the error page.
  func signInPage() async throws -> Answer {
    var fields: Fields = ["client_id": "conform-unknown", "response_type": "code"]
    if let client = provider.options.client, provider.options.isActive {
      let attempt = Attempt(client)
      fields = provider.needsPushing ? try await pushed(attempt) : attempt.fields
    }
    var answer = try await get(WebAddress(try endpoint("authorization_endpoint")).appending(fields.encoded))
    for _ in 0..<5 {
      guard let location = answer.headers["Location"], Origin(location) != nil else { break }
      answer = try await get(location)
    }
    guard answer.mediaType == "text/html" else { throw EndOfProbe(.notUsed("there is not a page: \(answer.shown)")) }
    return answer
  }

  /// The claims of the ID token of the right sign-in.
  func idClaims() throws -> JSON { try idToken(in: try right.token).claims }

  /// Looks at a claim that has to be there.
  func claim(_ name: String, _ problem: (JSON) -> String?) throws -> Finding {
    guard let value = try idClaims()[name] else { return .broken("the ID token has no \(name)") }
    return problem(value).map { .broken("\(name) \($0)") } ?? .kept("\(name) is right")
  }

  /// The access token of the right sign-in, if it is a JWT.
  func accessJWT() throws -> JWT {
    guard let token = try? JWT(decoding: try right.accessToken) else {
      _ = try right
      throw EndOfProbe(.notUsed("the access token is no JWT"))
    }
    return token
  }
}
