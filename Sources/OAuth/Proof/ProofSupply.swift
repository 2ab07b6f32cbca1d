import HostLoop
import JOSE
import JSON

/// The content that proofs of requests alike share (RFC 9449, 4.2).
struct ProofContent: Equatable, Sendable {
  let method: String
  let url: String
  /// The hash of the access token (`ath`).
  let tokenHash: String?
  let nonce: String?

  /// The address without query and fragment.
  static func target(_ url: String) -> String { String(url.prefix { $0 != "?" && $0 != "#" }) }

  /// The text of the claims' object up to `jti`, which is another one in each proof.
  /// - Parameter now: Unix seconds.
  func claims(now: Double) -> [UInt8] {
    var claims: [String: JSON] = [
      "htm": .string(method), "htu": .string(Self.target(url)),
      "iat": .integer(Int64(now)),
    ]
    claims["ath"] = tokenHash.map { .string($0) }
    claims["nonce"] = nonce.map { .string($0) }
    return (JSON.object(claims).bytes() ?? []).dropLast() + Array(",\"jti\":".utf8)
  }
}

/// Proofs with one key. An import sends thousands of requests of the same content, and a signature takes longer than the
/// rest of a request: once requests repeat, another thread makes their proofs ahead.
@HostActor
final class ProofSupply {
  /// The proofs of one content that are ready, each to be used once.
  private final class Stock: Sendable {
    struct State {
      var proofs: [String] = []
      var isGrowing = false
    }

    let content: ProofContent
    /// The time in all its proofs, in Unix seconds.
    let time: Double
    let state = Locked(State())

    init(_ content: ProofContent, _ time: Double) {
      self.content = content
      self.time = time
    }
  }

  private let key: ProofKey
  private var stock: Stock?
  private var last: ProofContent?
  /// The number of requests in a row with the content `last`.
  private var repeats = 0

  /// A single request, or a few, need no other thread.
  private static let enough = 16
  private nonisolated static let size = 64
  /// Servers want proofs that were made just now; some allow only seconds.
  private static let lifetime = 2.0

  init(_ key: ProofKey) { self.key = key }

  /// A proof that nobody has used.
  /// - Parameter now: Unix seconds.
  func take(_ content: ProofContent, now: Double) throws(JOSEError) -> String {
    repeats = content == last ? repeats + 1 : 0
    last = content
    return if repeats >= Self.enough, let proof = ready(content, now) { proof } else {
      try key.proof(content, now: now)
    }
  }

  private func ready(_ content: ProofContent, _ now: Double) -> String? {
    if stock?.content != content || abs(now - (stock?.time ?? 0)) > Self.lifetime { stock = Stock(content, now) }
    guard let stock else { return nil }
    let (proof, mustGrow) = stock.state.withLock { state in
      let proof = state.proofs.popLast()
      let mustGrow = !state.isGrowing && state.proofs.count < Self.size / 2
      if mustGrow { state.isGrowing = true }
      return (proof, mustGrow)
    }
    if mustGrow { grow(stock) }
    return proof
  }

  private func grow(_ stock: Stock) {
    let thread = SystemThread.start { [key] in
      let claims = stock.content.claims(now: stock.time)
      for _ in 0..<Self.size {
        // A key that cannot sign says so where a request waits for its proof.
        guard let proof = try? key.proof(claims) else { break }
        stock.state.withLock { $0.proofs.append(proof) }
      }
      stock.state.withLock { $0.isGrowing = false }
    }
    if thread == nil { stock.state.withLock { $0.isGrowing = false } }
  }
}
