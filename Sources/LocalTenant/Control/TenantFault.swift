package import HTTPServer

/// A failure that the tenant causes on purpose.
package struct TenantFault: Sendable {
  /// Selects some of the matching requests.
  package enum Share: Sendable, Equatable {
    /// Every n-th request: `every(3)` is the third, the sixth and so on.
    case every(Int)
    /// Each request with this probability, from 0 to 1. The same seed makes the same choice.
    case probability(Double, seed: UInt64)
  }

  /// `GET`, `POST`, …; nil matches all methods.
  package var method: String?
  /// The path, with `*` for any characters. A path without `*` matches as a prefix. Nil matches all paths.
  package var path: String?
  /// The status of the response; the tenant does not act on the request. If nil, the tenant acts on the request.
  package var status: Int?
  /// The body sent with `status`; nil for a JSON error.
  package var body: String?
  /// Header fields sent with `status` or `errorCode`, such as `Retry-After`.
  package var headers: [(String, String)]
  /// The number of requests that the fault happens to; nil for no limit.
  package var times: Int?
  /// The share of the matching requests; nil for all.
  package var share: Share?
  /// The number of seconds before the response.
  package var delay: Double
  /// How the connection breaks. Without `status` the tenant acts on the request, and only its response is lost.
  package var drop: ServerResponse.Drop?
  /// True if `drop` is a reset.
  package var isReset: Bool
  /// True if the request is lost on its way: the tenant does not act on the request, and the connection breaks without
  /// a response.
  package var losesRequest: Bool
  /// The AADB2C code of an error that the endpoint answers with in its own form: `AADB2C90244`. Such a fault happens
  /// only to requests to the token endpoint, which answers with JSON, and to the authorization endpoint, which
  /// redirects. At the token endpoint, `status` replaces the usual status.
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
  /// - Throws: `invalid_fault`.
  func check() throws(TenantError) {
    if let status, !(200...599).contains(status) {
      throw .invalid("fault", "a fault's status must be from 200 to 599, not \(status)")
    }
    switch share {
    case .every(let count) where count < 1:
      throw .invalid("fault", "a fault happens to every first request or later, not \(count)")
    case .probability(let probability, _) where !(0...1).contains(probability):
      throw .invalid("fault", "a fault's probability must be from 0 to 1, not \(probability)")
    default: break
    }
    if let errorCode, error == nil {
      throw .invalid(
        "fault", "the local tenant knows no error \(errorCode)",
        hint: "it knows \(ProtocolError.knownCodes.joined(separator: ", "))")
    }
  }

  func matches(_ request: ServerRequest) -> Bool {
    let endpoints = [PolicyEndpoint.token, .authorize]
    guard errorCode == nil || endpoints.contains(where: { request.path.hasSuffix("/\($0.rawValue)") }) else {
      return false
    }
    if let method, method.uppercased() != request.method { return false }
    guard let path else { return true }
    return path.contains("*") ? Self.matches(request.path, pattern: path) : request.path.hasPrefix(path)
  }

  /// Matches if the pieces between the stars occur in order, the first at the start and the last at the end.
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

  /// The error that the endpoint answers with.
  var error: ProtocolError? {
    guard var error = errorCode.flatMap(ProtocolError.init(code:)) else { return nil }
    if let status { error.status = status }
    return error
  }

  /// The response that replaces the real one. Nil if the endpoint makes the response, or its error.
  var replacement: ServerResponse? {
    guard errorCode == nil, let status = status ?? (losesRequest ? 503 : nil) else { return nil }
    let isTyped = headers.contains { $0.0.lowercased() == "content-type" }
    guard let body else {
      return .error(status, "fault", "status \(status), as a fault of the local tenant asked for", headers: headers)
    }
    let type = body.first == "{" || body.first == "[" ? "application/json; charset=utf-8" : "text/plain; charset=utf-8"
    return ServerResponse(
      status: status, headers: (isTyped ? [] : [("Content-Type", type)]) + headers, body: Array(body.utf8))
  }
}
