import HTTPClient
import HostLoop
import JSON

/// JSON documents of a provider (metadata, keys), kept in memory as long as the provider allows, fetched once at a time.
@HostActor
final class DocumentCache {
  private struct Document {
    var json: JSON
    var tag: String?
    /// The numeric address of the server that gave it.
    var address: String?
    var freshUntil: Double
  }

  private static let maximumSize = 1 << 20
  /// How long a document is kept, in seconds: at least, at most, and where the provider does not say.
  private static let lifetime = (shortest: 60.0, longest: 86_400.0, usual: 3_600.0)

  nonisolated static let addressHint = "check authority, authURL and policies in the settings"

  private let http: HTTPClient
  private let clock: ClockComparison
  private let now: @Sendable () -> Double
  private let timeout: Double
  private var documents: [String: Document] = [:]
  private var fetches: [String: SharedResult<JSON>] = [:]
  /// The times of searches, by URL.
  private var searches: [String: Double] = [:]

  /// An unknown key is looked for at most once in so many seconds, however many tokens name it.
  private static let searchInterval = 5.0

  nonisolated init(http: HTTPClient, clock: ClockComparison, now: @escaping @Sendable () -> Double, timeout: Double) {
    self.http = http
    self.clock = clock
    self.now = now
    self.timeout = timeout
  }

  /// From memory while it is fresh. With `isLatest` a running request's answer is waited for.
  /// - Parameter addresses: the addresses that the document may come from.
  func document(
    _ url: String, _ what: String, from addresses: AddressRule = .anywhere, isLatest: Bool = false
  ) async throws(OAuthError) -> JSON {
    if let known = documents[url], now() < known.freshUntil, !isLatest || fetches[url] == nil { return known.json }
    // A canceled caller stops waiting at once; the request continues for the other callers.
    do { return try await startFetch(url, what, addresses).value() } catch let error as OAuthError { throw error } catch
    {
      throw OAuthError("canceled", .metadata, "fetching \(what) \(url) was canceled")
    }
  }

  /// Begins to ask the provider; where it is being asked already, nothing is sent.
  @discardableResult private func startFetch(
    _ url: String, _ what: String, _ addresses: AddressRule
  ) -> SharedResult<JSON> {
    if let fetch = fetches[url] { return fetch }
    let shared = SharedResult<JSON>()
    fetches[url] = shared
    HostActor.task { [self] in
      let result: Result<JSON, any Error>
      do { result = .success(try await fetch(url, what, addresses)) } catch { result = .failure(error) }
      fetches[url] = nil
      shared.finish(result)
    }
    return shared
  }

  /// Begins to ask the provider for what the document in memory does not have, unless that was just done.
  func search(_ url: String, _ what: String, from addresses: AddressRule = .anywhere) {
    let now = now()
    // A clock that was set back since must not end the search.
    if let last = searches[url], abs(now - last) < Self.searchInterval { return }
    searches[url] = now
    startFetch(url, what, addresses)
  }

  /// The document in memory, fresh or not; nil when it was never fetched.
  func known(_ url: String) -> JSON? { documents[url]?.json }

  /// The addresses of the servers that a document names: they are near the server that gave it.
  func addresses(namedBy url: String) -> AddressRule { .near(documents[url]?.address) }

  private func fetch(_ url: String, _ what: String, _ addresses: AddressRule) async throws(OAuthError) -> JSON {
    var request = HTTPRequest(url: url, headers: ["Accept": "application/json"])
    request.timeout = timeout
    request.maximumBodySize = Self.maximumSize
    request.addresses = addresses
    // Metadata and keys decide whom to trust: they come from the address in the settings, and by no detour over http.
    request.followsRedirects = false
    if let tag = documents[url]?.tag { request.headers["If-None-Match"] = tag }
    let response: HTTPResponse
    do { response = try await http.send(request) } catch { throw OAuthError(error, .metadata, what) }
    clock.note(response, at: now())
    if response.status == 304, var known = documents[url] {
      known.freshUntil = now() + lifetime(response)
      documents[url] = known
      return known.json
    }
    if (300..<400).contains(response.status) {
      throw OAuthError(
        "http_\(response.status)", .metadata, "\(what) \(url) answered \(response.status) with a redirect",
        hint: response.headers["Location"].map { "if \($0) is right, put it in its place" }, status: response.status)
    }
    guard response.status == 200 else {
      var error = OAuthError(
        "http_\(response.status)", .metadata, "\(what) \(url) answered \(response.status)\(response.excerpt())",
        hint: response.status >= 500 || response.status == 429 ? "try again later" : Self.addressHint,
        status: response.status, isRetryable: response.status >= 500 || response.status == 429)
      error.wait(response.retryAfter)
      throw error
    }
    let json: JSON
    do { json = try JSON(parsing: response.body, maximumDepth: 32) } catch {
      throw OAuthError(
        "malformed_metadata", .metadata, "\(what) \(url) is \(error.message)\(response.excerpt())",
        hint: Self.addressHint, status: 200)
    }
    documents[url] = Document(
      json: json, tag: response.headers["ETag"], address: response.address, freshUntil: now() + lifetime(response))
    return json
  }

  private func lifetime(_ response: HTTPResponse) -> Double {
    let directives = response.headers.all("Cache-Control").joined(separator: ",").lowercased().split(separator: ",").map
    { $0.filter { !$0.isWhitespace } }
    if directives.contains("no-store") || directives.contains("no-cache") { return Self.lifetime.shortest }
    let age = directives.first { $0.hasPrefix("max-age=") }.flatMap { Double($0.dropFirst("max-age=".count)) }
    return min(max(age ?? Self.lifetime.usual, Self.lifetime.shortest), Self.lifetime.longest)
  }
}
