package import Core
package import HTTPClient
package import HostLoop
package import JSON
import Settings

/// The reason why no settings could be made.
package typealias SetupError = DomainError<SetupProblem>

package enum SetupProblem: String, FailureKind {
  case noMetadata = "no_metadata"
  case notRegistered = "not_registered"
}

/// Finds the metadata document of a provider by any address of it.
@HostActor
package struct ProviderLookup {
  /// A provider and how the settings name it.
  package struct Found: Sendable {
    /// The settings `authority`, and what follows from it.
    package let settings: [String: JSON]
    package let metadata: [String: JSON]
    package let metadataURL: String
    /// The addresses of the servers that the metadata names.
    let addresses: AddressRule
  }

  private let http: HTTPClient

  package init(_ configuration: HTTPClientConfiguration) { http = HTTPClient(configuration) }

  /// Asks the places where a metadata document may be.
  /// - Parameter kind: the setting `kind`; nil to let the addresses decide.
  package func find(_ url: String, kind: String?) async throws -> Found {
    var answers: [String] = []
    for candidate in try candidates(url, kind) {
      var request = HTTPRequest(url: candidate.url, headers: ["Accept": "application/json"], maximumBodySize: 4 << 20)
      request.addresses = .named
      let response = try await http.send(request)
      guard (200..<300).contains(response.status), let members = (try? JSON(parsing: response.body))?.object,
        let issuer = members["issuer"]?.string, members["token_endpoint"]?.string != nil
      else {
        answers.append("\(WebAddress(candidate.url).shown) answered \(response.status)")
        continue
      }
      var settings = candidate.settings
      if candidate.isOAuth {
        settings["metadataURL"] = .string(candidate.url)
        settings["issuer"] = .string(issuer)
      }
      return Found(
        settings: settings, metadata: members, metadataURL: candidate.url, addresses: .near(response.address))
    }
    throw SetupError(
      .noMetadata, "there is no metadata document of a provider: \(answers.joined(separator: "; "))",
      hint: "give the issuer as the provider's pages name it, or the address of its metadata document")
  }

  private struct Candidate {
    let url: String
    let settings: [String: JSON]
    /// True for a document of RFC 8414, which the settings name by its address.
    var isOAuth = false
  }

  private func candidates(_ url: String, _ kind: String?) throws -> [Candidate] {
    var settings: [String: JSON] = ["authority": .string(Self.authority(of: url))]
    settings["kind"] = kind.map(JSON.string)
    let given = try Settings(values: settings, source: url)
    var list = given.metadataURL(policy: nil).map { [Candidate(url: $0, settings: settings)] } ?? []
    let name = "/.well-known/oauth-authorization-server"
    if url.contains(name) {
      list.append(Candidate(url: url, settings: [:], isOAuth: true))
    } else if !url.contains("/.well-known/"), let origin = Origin(url) {
      // RFC 8414, 3.1: the well-known part stands in front of the path.
      let path = String(WebAddress(url).path)
      list.append(Candidate(url: "\(origin)\(name)\(path == "/" ? "" : path)", settings: [:], isOAuth: true))
    }
    return list
  }

  /// The address without the end that the program adds itself.
  private static func authority(of url: String) -> String {
    var text = url
    let ending = "/.well-known/openid-configuration"
    if text.hasSuffix(ending) { text = String(text.dropLast(ending.count)) }
    return text
  }

  // MARK: Registration

  /// Registers an application at a provider that takes registrations of everybody (RFC 7591).
  /// - Returns: the settings of the application.
  package func register(at found: Found, redirectURL: String, scopes: String) async throws -> [String: JSON] {
    guard let url = found.metadata["registration_endpoint"]?.string else {
      throw SetupError(
        .notRegistered, "\(WebAddress(found.metadataURL).shown) offers no registration of applications",
        hint: "register the application at the provider's pages, and give --client-id")
    }
    var metadata: [String: JSON] = [
      "client_name": "b2c-run", "redirect_uris": [.string(redirectURL)], "token_endpoint_auth_method": "none",
      "grant_types": ["authorization_code", "refresh_token"], "response_types": ["code"],
      "application_type": "native",
    ]
    if !scopes.isEmpty { metadata["scope"] = .string(scopes) }
    var request = HTTPRequest(
      method: "POST", url: url, headers: ["Content-Type": "application/json", "Accept": "application/json"],
      body: Array(JSON.object(metadata).encoded().utf8))
    request.addresses = found.addresses
    let response = try await http.send(request)
    let answer = (try? JSON(parsing: response.body))?.object ?? [:]
    guard let id = answer["client_id"]?.string else {
      let reason = answer["error"]?.string.map { " \($0)" } ?? ""
      throw SetupError(
        .notRegistered, "the provider did not register an application: \(response.status)\(reason)",
        hint: "register it at the provider's pages, and give --client-id")
    }
    var settings: [String: JSON] = ["clientID": .string(id)]
    settings["clientSecret"] = answer["client_secret"]
    return settings
  }
}
