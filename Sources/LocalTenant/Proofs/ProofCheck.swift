import Core
import Crypto
import HTTPServer
import JOSE
import JSON

/// Checks the proofs of requests (RFC 9449 §4.3): each is for one request, made just now with the key that it names.
final class ProofCheck {
  static let algorithms = ["ES256", "ES384", "ES512", "EdDSA", "RS256", "PS256"]
  /// The number of seconds by which the time of a proof may differ from the tenant's time.
  private static let tolerance = 60

  private let clock: TenantClock
  private let behavior: TenantBehavior
  private let isSecure: Bool
  private var seen: SeenProofs
  private var nonces: ProofNonces
  /// The parsed keys by their JSON, because a client sends the same key with each request.
  private var keys: [JSON: JWK] = [:]

  init(_ clock: TenantClock, _ behavior: TenantBehavior, isSecure: Bool) {
    self.clock = clock
    self.behavior = behavior
    self.isSecure = isSecure
    seen = SeenProofs(lifetime: 2 * Self.tolerance)
    nonces = ProofNonces()
  }

  /// Returns the thumbprint of the key that signed the request's proof, or nil if the request has no proof.
  /// - Parameter token: the access token of the request, which the proof must name.
  func thumbprint(_ request: ServerRequest, token: String? = nil, fault: ProofFault?) throws -> String? {
    let proofs = request.headers.filter { $0.0.lowercased() == "dpop" }
    guard let proof = proofs.first?.1 else { return nil }
    guard proofs.count == 1 else { throw ProofError.invalid("the request has \(proofs.count) header fields DPoP") }
    let thumbprint: String
    do { thumbprint = try check(proof, request, token) } catch let error as JOSEError {
      throw ProofError.invalid("the DPoP proof is not valid: \(error.message)")
    }
    switch fault {
    case .staleNonce, .endlessNonce: throw ProofError.nonce(nonces.next(clock.elapsed))
    case .missingNonce: throw ProofError.nonce(nil)
    case .bearer, nil: return thumbprint
    }
  }

  /// The nonce that answers carry while proofs need one.
  var nonce: String? { behavior.requirements.contains(.dpopNonce) ? nonces.current(clock.elapsed) : nil }

  private func check(_ proof: String, _ request: ServerRequest, _ token: String?) throws -> String {
    guard proof.utf8.count <= 16 << 10 else { throw ProofError.invalid("the DPoP proof is longer than 16 KiB") }
    let jwt = try JWT(decoding: proof)
    guard jwt.header["typ"]?.string?.lowercased() == "dpop+jwt" else {
      throw ProofError.invalid("typ of the DPoP proof is not dpop+jwt")
    }
    guard let algorithm = jwt.header["alg"]?.string, Self.algorithms.contains(algorithm) else {
      throw ProofError.invalid("alg of the DPoP proof is not one of \(Self.algorithms.joined(separator: ", "))")
    }
    if let allowed = behavior.profile?.algorithms, !allowed.contains(algorithm) {
      throw ProofError.invalid("alg of the DPoP proof is not one of \(allowed.joined(separator: ", ")) (FAPI 2.0)")
    }
    let key = try key(jwt.header["jwk"])
    _ = try JWS.verify(proof, key: key, algorithms: [algorithm])
    let claims = jwt.claims
    guard claims["htm"]?.string == request.method else {
      throw mismatch("htm", claims, request.method)
    }
    let address = address(of: request)
    guard Self.normalized(claims["htu"]?.string ?? "") == address else { throw mismatch("htu", claims, address) }
    guard let issued = claims["iat"]?.numericDate else {
      throw ProofError.invalid("iat of the DPoP proof is \(claims["iat"]?.encoded() ?? "missing"), expected a number")
    }
    guard abs(Double(issued) - Double(clock.now)) <= Double(Self.tolerance) else {
      throw ProofError.invalid(
        "iat of the DPoP proof differs from this server's time by more than \(Self.tolerance) seconds")
    }
    if let token {
      let hash = Base64URL.encode(SHA256.hash(token.utf8))
      guard claims["ath"]?.string == hash else {
        throw ProofError.invalid("ath of the DPoP proof is not the hash of the access token")
      }
    }
    if behavior.requirements.contains(.dpopNonce), !nonces.accepts(claims["nonce"]?.string, clock.elapsed) {
      throw ProofError.nonce(nonces.current(clock.elapsed))
    }
    guard let id = claims["jti"]?.string, (1...256).contains(id.utf8.count) else {
      throw ProofError.invalid("jti of the DPoP proof must have between 1 and 256 characters")
    }
    let thumbprint = key.thumbprint
    guard seen.add(id, thumbprint, at: clock.now) else {
      throw ProofError.invalid("the DPoP proof has been used before (jti)")
    }
    return thumbprint
  }

  private func key(_ json: JSON?) throws -> JWK {
    guard let json, json.object != nil else { throw ProofError.invalid("the DPoP proof has no public key (jwk)") }
    if let known = keys[json] { return known }
    guard json["d"] == nil, json["k"] == nil, json["kty"] != "oct" else {
      throw ProofError.invalid("jwk of the DPoP proof is not a public key")
    }
    let key = try JWK(json)
    if keys.count >= 1000 { keys = [:] }
    keys[json] = key
    return key
  }

  private func mismatch(_ claim: String, _ claims: JSON, _ expected: String) -> ProofError {
    .invalid("\(claim) of the DPoP proof is \(claims[claim]?.encoded() ?? "missing"), expected \"\(expected)\"")
  }

  /// The address that the request was sent to, without the query. `Host` has been checked by the engine.
  private func address(of request: ServerRequest) -> String {
    let host = request.header("Host") ?? "127.0.0.1"
    return Self.normalized("\(isSecure ? "https" : "http")://\(host)\(request.target)")
  }

  /// The address with scheme and host in lower case, without query and fragment (RFC 9449 §4.3).
  private static func normalized(_ url: String) -> String {
    let address = url.prefix { $0 != "?" && $0 != "#" }
    guard let scheme = address.firstRange(of: "://") else { return String(address) }
    let path = address[scheme.upperBound...].firstIndex(of: "/") ?? address.endIndex
    return address[..<path].lowercased() + (path == address.endIndex ? "/" : address[path...])
  }
}

/// The proofs that were used a short time ago, in two generations. A proof is remembered for at least the lifetime, unless
/// there are too many.
private struct SeenProofs {
  private static let capacity = 1_000_000

  private let lifetime: Int
  private var current: Set<Int> = []
  private var previous: Set<Int> = []
  private var began = 0

  init(lifetime: Int) { self.lifetime = lifetime }

  /// Returns false if the proof was seen before.
  mutating func add(_ id: String, _ thumbprint: String, at now: Int) -> Bool {
    if now - began >= lifetime || now < began || current.count >= Self.capacity {
      previous = now - began >= 2 * lifetime ? [] : current
      current = []
      began = now
    }
    var hasher = Hasher()
    hasher.combine(id)
    hasher.combine(thumbprint)
    let hash = hasher.finalize()
    return !previous.contains(hash) && current.insert(hash).inserted
  }
}

/// The nonces of the tenant. A nonce is given for a minute, and accepted for one more minute.
private struct ProofNonces {
  private static let lifetime = 60

  private var last = ""
  private var beforeLast = ""
  private var made = -1_000_000

  mutating func current(_ now: Int) -> String { now - made < Self.lifetime ? last : next(now) }

  /// Makes a nonce. The previous one is accepted until the next change.
  mutating func next(_ now: Int) -> String {
    beforeLast = now - made < 2 * Self.lifetime ? last : ""
    last = SecureRandom.token(16)
    made = now
    return last
  }

  mutating func accepts(_ nonce: String?, _ now: Int) -> Bool {
    _ = current(now)
    guard let nonce, !nonce.isEmpty else { return false }
    return nonce == last || nonce == beforeLast
  }
}
