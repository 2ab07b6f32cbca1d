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
  /// True if the request is lost on its way: the tenant does not act, and the connection breaks without a response.
  package var losesRequest: Bool
  /// The AADB2C code of an error that the endpoint answers with in its own form: `AADB2C90244`. Such a fault happens
  /// only to requests to the token endpoint, which answers with JSON, and to the authorization endpoint, which
  /// redirects. At the token endpoint, `status` replaces the usual status.
  package var errorCode: String?
  /// An answer of native authentication. The fault happens only to requests that can have this answer.
  package var native: NativeFault?
  /// A wrong answer to a pushed authorization request. The fault happens only to such requests.
  package var par: PushedRequestFault?
  /// A wrong answer to an authorization request. The faults happen only to such requests.
  package var jarm: SignedAnswerFault?
  package var iss: IssuerFault?
  /// A wrong answer to a client with a certificate, or wrong metadata for one.
  package var mtls: CertificateFault?
  /// A wrong answer to a request object. The fault happens only to requests with one.
  package var requestObject: RequestObjectFault?
  /// A wrong answer about authorization details. The fault happens only to requests to the token endpoint.
  package var details: RichDetailsFault?
  /// An answer to a request with a proof. The fault happens only to requests with a proof.
  package var proof: ProofFault?
  /// Wrong answers about tokens. Each fault happens only to requests that can have this answer.
  package var introspection: IntrospectionFault?
  package var userinfo: UserinfoFault?
  package var exchange: ExchangeFault?

  package init(
    method: String? = nil, path: String? = nil, status: Int? = nil, body: String? = nil,
    headers: [(String, String)] = [], times: Int? = 1, share: Share? = nil, delay: Double = 0,
    drop: ServerResponse.Drop? = nil, isReset: Bool = false, losesRequest: Bool = false, errorCode: String? = nil,
    native: NativeFault? = nil, proof: ProofFault? = nil
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
    self.native = native
    self.proof = proof
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
    if let native, !native.applies(to: request) { return false }
    if jarm != nil || iss != nil, !request.path.hasSuffix("/\(PolicyEndpoint.authorize.rawValue)") { return false }
    if par != nil, !request.path.hasSuffix("/\(PolicyEndpoint.par.rawValue)") { return false }
    if let mtls, !mtls.applies(to: request) { return false }
    if introspection != nil, !request.path.hasSuffix("/\(PolicyEndpoint.introspection.rawValue)") { return false }
    if userinfo != nil, !request.path.hasSuffix("/\(PolicyEndpoint.userinfo.rawValue)") { return false }
    if exchange != nil, !request.form.contains(where: { $0 == ("grant_type", GrantType.tokenExchange.rawValue) }) {
      return false
    }
    if details != nil, !request.path.hasSuffix("/\(PolicyEndpoint.token.rawValue)") { return false }
    if let requestObject, !requestObject.applies(to: request) { return false }
    if let proof, !proof.applies(to: request) { return false }
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

  var error: ProtocolError? {
    guard var error = errorCode.flatMap(ProtocolError.init(code:)) else { return nil }
    if let status { error.status = status }
    return error
  }

  /// The response that replaces the real one. Nil if the endpoint makes the response, or its error.
  var replacement: ServerResponse? {
    guard errorCode == nil, native == nil, proof == nil, let status = status ?? (losesRequest ? 503 : nil) else {
      return nil
    }
    let isTyped = headers.contains { $0.0.lowercased() == "content-type" }
    guard let body else {
      return .error(status, "fault", "status \(status), as a fault of the local tenant asked for", headers: headers)
    }
    let type = body.first == "{" || body.first == "[" ? "application/json; charset=utf-8" : "text/plain; charset=utf-8"
    return ServerResponse(
      status: status, headers: (isTyped ? [] : [("Content-Type", type)]) + headers, body: Array(body.utf8))
  }
}

struct FaultPlan {
  /// Limits the number of faults, because each request is compared with all of them.
  static let most = 1000

  private var faults: [PlannedFault] = []
  private(set) var happened = 0

  /// Returns false if too many faults wait for their requests.
  mutating func add(_ fault: TenantFault) -> Bool {
    guard faults.count < Self.most else { return false }
    if fault.times ?? 1 > 0 { faults.append(PlannedFault(fault)) }
    return true
  }

  mutating func clear() { faults = [] }

  /// Returns the first fault that matches the request and is due, and counts it as used.
  mutating func take(_ request: ServerRequest) -> TenantFault? {
    for index in faults.indices where faults[index].fault.matches(request) && faults[index].isDue() {
      let fault = faults[index].fault
      happened += 1
      if let times = fault.times {
        faults[index].fault.times = times - 1
        if times == 1 { faults.remove(at: index) }
      }
      return fault
    }
    return nil
  }
}

private struct PlannedFault {
  var fault: TenantFault
  private var seen = 0
  private var random: SeededRandom

  init(_ fault: TenantFault) {
    self.fault = fault
    if case .probability(_, let seed) = fault.share { random = SeededRandom(seed) } else { random = SeededRandom(0) }
  }

  /// Returns true if the fault happens to the current request. Call it once for each matching request.
  mutating func isDue() -> Bool {
    switch fault.share {
    case nil: return true
    case .every(let count):
      seen += 1
      return seen.isMultiple(of: count)
    case .probability(let probability, _): return Double.random(in: 0..<1, using: &random) < probability
    }
  }
}

/// SplitMix64 (Steele, Lea and Flood, 2014): the same seed gives the same numbers.
private struct SeededRandom: RandomNumberGenerator {
  private var state: UInt64

  init(_ seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var mixed = state
    mixed = (mixed ^ mixed >> 30) &* 0xbf58_476d_1ce4_e5b9
    mixed = (mixed ^ mixed >> 27) &* 0x94d0_49bb_1331_11eb
    return mixed ^ mixed >> 31
  }
}
