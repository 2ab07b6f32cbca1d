import Core
import HTTPClient
import HTTPServer
import HostLoop
import JSON
import LocalTenant
import Synchronization

/// The clients that are named by the addresses of their metadata documents. The tenant hosts some documents itself, and fetches others
/// with guards: https, no redirect, no private address, 5 KiB, 5 seconds.
final class ClientDocuments: Sendable {
  private static let folder = "/clients/"
  private static let largest = 5 << 10
  private static let timeout = 5.0
  /// The seconds that a document is good for.
  private static let lifetime = 60.0

  private let allowsPrivate: Bool
  /// The time at which each client was read.
  private let known = Mutex<[String: Double]>([:])

  /// - Parameter allowsPrivate: true if documents may come from private addresses.
  init(allowsPrivate: Bool) { self.allowsPrivate = allowsPrivate }

  /// The document that the tenant hosts at the path: `/clients/NAME.json`; nil for another path.
  func hosted(_ path: String, at origin: String) -> JSON? {
    guard path.hasPrefix(Self.folder), path.hasSuffix(".json") else { return nil }
    let name = path.dropFirst(Self.folder.count).dropLast(".json".count)
    guard !name.isEmpty, name.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-" || $0 == "_") })
    else {
      return nil
    }
    let redirects = ["http://127.0.0.1:8743/callback", "http://127.0.0.1/callback", "http://localhost/callback"]
    return [
      "client_id": .string(origin + path), "client_name": .string(String(name)), "token_endpoint_auth_method": "none",
      "redirect_uris": .array(redirects.map(JSON.string)), "grant_types": ["authorization_code", "refresh_token"],
      "response_types": ["code"],
    ]
  }

  /// The answer to a request of a client that is named by an address; nil for another client, and for one that is known.
  func answer(
    _ request: ServerRequest, at origin: String, _ tenant: LocalTenant?,
    _ next: @escaping @Sendable (ServerRequest) -> ServerResponse
  ) -> ServerResponse? {
    guard let tenant, request.path.contains("/oauth2/"), let address = Self.client(request),
      address.hasPrefix("https://") || address.hasPrefix("http://")
    else { return nil }
    if known.withLock({ ($0[address] ?? 0) > HostLoop.uptime }) { return nil }
    let isOwn = address.hasPrefix("\(origin)\(Self.folder)")
    let mayBePlain = isOwn || allowsPrivate && Origin(address)?.isLoopback == true
    if let problem = ClientDocument.problem(withAddress: address, mayBePlain) { return Self.refusal(problem) }
    if isOwn {
      guard let json = hosted(String(WebAddress(address).path), at: origin) else {
        return Self.refusal("The tenant hosts no such client metadata document.")
      }
      return register(json, address, tenant)
    }
    let pending = PendingResponse()
    HostActor.task { [self, weak tenant] in
      do {
        let json = try await fetch(address)
        guard let tenant else { return pending.finish(ServerResponse(status: 503)) }
        pending.finish(register(json, address, tenant) ?? next(request))
      } catch let refusal as ClientDocument.Refusal { pending.finish(Self.refusal(refusal.reason)) }
    }
    return .later(pending)
  }

  private static func client(_ request: ServerRequest) -> String? {
    (request.query + request.form).first { $0.0 == "client_id" }?.1
  }

  /// Lets the tenant know the client. Returns the refusal if its document is wrong.
  private func register(_ json: JSON, _ address: String, _ tenant: LocalTenant) -> ServerResponse? {
    do {
      let document = try ClientDocument(json, at: address)
      _ = try tenant.addApplication(document.metadata, id: address)
    } catch let refusal as ClientDocument.Refusal { return Self.refusal(refusal.reason) } catch {
      return Self.refusal("The client metadata document is wrong: \(error).")
    }
    known.withLock { $0[address] = HostLoop.uptime + Self.lifetime }
    return nil
  }

  @HostActor private func fetch(_ address: String) async throws(ClientDocument.Refusal) -> JSON {
    var request = HTTPRequest(
      url: address, headers: ["Accept": "application/json"], timeout: Self.timeout, followsRedirects: false,
      maximumBodySize: Self.largest)
    request.addresses = allowsPrivate ? .anywhere : .publicOnly
    if !allowsPrivate, let origin = Origin(address), origin.isLoopback || PrivateAddress.contains(origin.host) {
      throw ClientDocument.Refusal(reason: "The client metadata document is at a private address.")
    }
    let response: HTTPResponse
    do { response = try await HTTPClient(HTTPClientConfiguration()).send(request) } catch {
      throw ClientDocument.Refusal(reason: "The client metadata document cannot be fetched: \(error.message)")
    }
    guard response.status == 200, let json = try? JSON(parsing: response.body, maximumDepth: 32) else {
      throw ClientDocument.Refusal(
        reason: "The client metadata document is not there: status \(response.status), or not JSON.")
    }
    return json
  }

  /// No redirect: nobody vouches for the redirect URI.
  private static func refusal(_ reason: String) -> ServerResponse {
    let json: JSON = ["error": "invalid_client", "error_description": .string(reason)]
    return ServerResponse(status: 400, text: json.encoded(), type: "application/json")
  }
}
