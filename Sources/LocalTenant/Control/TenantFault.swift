package import HTTPServer

/// Something that goes wrong on purpose.
package struct TenantFault: Sendable {
  /// Which of the requests that fit it happens to.
  package enum Share: Sendable, Equatable {
    /// Each so-many-th: 3 is the third, the sixth, …
    case every(Int)
    /// Each with this probability, from 0 to 1. The same seed makes the same choice.
    case probability(Double, seed: UInt64)
  }

  /// `GET`, `POST`, …; nil for all.
  package var method: String?
  /// The path, with `*` for any characters; what has no `*` matches as a prefix. Nil for all.
  package var path: String?
  /// The status to answer with, without acting on the request; nil to act on it.
  package var status: Int?
  /// The body that goes with `status`; nil for a JSON error.
  package var body: String?
  /// Header fields that go with `status` or `errorCode`, such as `Retry-After`.
  package var headers: [(String, String)]
  /// How many requests it happens to; nil for no end.
  package var times: Int?
  /// Nil for all that fit.
  package var share: Share?
  /// Seconds until the answer.
  package var delay: Double
  /// How the connection breaks. Without `status` the request has been acted on, and only its answer is lost.
  package var drop: ServerResponse.Drop?
  /// Whether `drop` is a reset.
  package var isReset: Bool
  /// Whether the request is lost on its way, and not acted on: the connection breaks without an answer.
  package var losesRequest: Bool
  /// The AADB2C code of an error to answer with, in the form of the endpoint: `AADB2C90244`. Such a fault happens to
  /// requests to the token endpoint, which answers with JSON, and to the authorization endpoint, which redirects; to
  /// nothing else. `status` replaces the usual one at the token endpoint.
  package var errorCode: String?

  package init(
    method: String? = nil, path: String? = nil, status: Int? = nil, body: String? = nil,
    headers: [(String, String)] = [], times: Int? = 1, share: Share? = nil, delay: Double = 0,
    drop: ServerResponse.Drop? = nil, isReset: Bool = false, losesRequest: Bool = false, errorCode: String? = nil
  ) {
    self.method = method
    self.path = path
    self.status = status
    self.body = body
    self.headers = headers
    self.times = times
    self.share = share
    self.delay = delay
    self.drop = drop
    self.isReset = isReset
    self.losesRequest = losesRequest
    self.errorCode = errorCode
  }
}

extension TenantFault {
  func matches(_ request: ServerRequest) -> Bool {
    if errorCode != nil, !request.path.hasSuffix("/oauth2/v2.0/token"),
      !request.path.hasSuffix("/oauth2/v2.0/authorize")
    {
      return false
    }
    if let method, method.uppercased() != request.method { return false }
    guard let path else { return true }
    return path.contains("*") ? Self.matches(request.path, pattern: path) : request.path.hasPrefix(path)
  }

  /// The pieces between the stars must occur in their order, the first at the start and the last at the end.
  private static func matches(_ path: String, pattern: String) -> Bool {
    let pieces = pattern.split(separator: "*", omittingEmptySubsequences: false)
    guard let first = pieces.first, let last = pieces.last, path.hasPrefix(first) else { return false }
    var rest = path.dropFirst(first.count)
    for piece in pieces.dropFirst().dropLast() where !piece.isEmpty {
      guard let found = rest.firstRange(of: piece) else { return false }
      rest = rest[found.upperBound...]
    }
    return rest.hasSuffix(last)
  }
}
