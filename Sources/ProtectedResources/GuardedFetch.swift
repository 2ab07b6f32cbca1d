import Core
import HTTPClient
import HostLoop
import JSON

/// Fetches JSON documents from addresses that other servers name. Such an address may lead anywhere, so that each fetch
/// keeps to rules: https (except on this machine, if the person named this machine), no redirect to another host, no
/// private address, 64 KiB, 5 seconds, JSON.
@HostActor
struct GuardedFetch: Sendable {
  private static let maximumSize = 64 << 10
  private static let timeout = 5.0
  private static let maximumRedirects = 3

  private let http: HTTPClient
  /// The server that the person named. It may be anywhere.
  private let named: Origin
  private let allowsPrivate: Bool

  /// - Parameters:
  ///   - named: the server that the person named, which may be anywhere.
  ///   - allowsPrivate: true if the person lets other documents come from private addresses.
  nonisolated init(_ http: HTTPClient, named: Origin, allowsPrivate: Bool) {
    self.http = http
    self.named = named
    self.allowsPrivate = allowsPrivate
  }

  /// The content of an address.
  enum Finding {
    case document(JSON)
    /// The server has no JSON object there; the text says what it has.
    case nothing(String)
  }

  /// Looks for a JSON object.
  /// - Parameter what: names the document in messages.
  /// - Throws: `unsafe_document` if a rule forbids the address or the answer, or the error of the request.
  func find(_ url: String, _ what: String) async throws -> Finding {
    var url = url
    for _ in 0...Self.maximumRedirects {
      let response = try await get(url, what)
      guard [301, 302, 303, 307, 308].contains(response.status), let location = response.headers["Location"] else {
        return Self.read(response)
      }
      guard let next = resolve(reference: location, against: url), let origin = Origin(next), origin == Origin(url)
      else {
        throw unsafe(what, url, "redirects to another server, \"\(WebAddress(location).shown)\"")
      }
      url = next
    }
    throw unsafe(what, url, "redirects again and again")
  }

  private func get(_ url: String, _ what: String) async throws -> HTTPResponse {
    let origin = try check(url, what)
    var request = HTTPRequest(url: url, headers: ["Accept": "application/json"], timeout: Self.timeout)
    request.followsRedirects = false
    request.maximumBodySize = Self.maximumSize
    request.addresses = isExempt(origin) ? .anywhere : .publicOnly
    do { return try await http.send(request) } catch {
      switch error.kind {
      case .privateAddress: throw privateAddress(what, url, error.message)
      case .tooLarge: throw unsafe(what, url, "is larger than \(Self.maximumSize >> 10) KiB")
      case .timeout: throw unsafe(what, url, "did not come within \(Int(Self.timeout)) seconds")
      default: throw error
      }
    }
  }

  /// Checks an address before anything is sent there.
  func check(_ url: String, _ what: String) throws(DiscoveryError) -> Origin {
    guard let origin = Origin(url) else { throw unsafe(what, url, "is not at an https address") }
    guard origin.scheme == "https" || origin.isLoopback && named.isLoopback else {
      throw unsafe(what, url, "is not at an https address", hint: "the server must offer https")
    }
    guard isExempt(origin) || !origin.isLoopback && !PrivateAddress.contains(origin.host) else {
      throw privateAddress(what, url, "\(origin.authority) is a private address")
    }
    return origin
  }

  /// A server on this machine may name others there: the person named this machine.
  private func isExempt(_ origin: Origin) -> Bool {
    allowsPrivate || origin.host == named.host || origin.isLoopback && named.isLoopback
  }

  private static func read(_ response: HTTPResponse) -> Finding {
    guard response.status == 200 else { return .nothing("status \(response.status)") }
    guard let json = try? JSON(parsing: response.body, maximumDepth: 32), json.object != nil else {
      return .nothing("no JSON object")
    }
    return .document(json)
  }

  private func privateAddress(_ what: String, _ url: String, _ reason: String) -> DiscoveryError {
    unsafe(
      what, url, "would be fetched from a private address: \(reason)",
      hint: "if that server is yours, sign in with --private-network (private_network = true)")
  }

  private func unsafe(_ what: String, _ url: String, _ reason: String, hint: String? = nil) -> DiscoveryError {
    DiscoveryError(.unsafeDocument, "\(what) \"\(WebAddress(url).shown)\" \(reason)", hint: hint)
  }
}
