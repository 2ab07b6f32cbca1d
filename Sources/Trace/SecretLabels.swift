import Core

/// Names for the secrets of one run, such as `[access token #1]`: the same for the same secret, which is recognized by
/// a hash with a key of this process, not written anywhere.
struct SecretLabels {
  typealias Kind = SecretName.Kind

  /// The labels by two hashes of their secrets.
  private var labels: [[Int]: String] = [:]
  private var counts: [Kind: Int] = [:]

  /// More are not told apart, so that a run that goes on for days does not keep them all.
  private static let most = 100_000

  /// The label, and whether it is new. An empty value is no secret and stays empty.
  mutating func label(_ secret: String, _ kind: Kind) -> (text: String, isNew: Bool) {
    if secret.isEmpty { return ("", false) }
    let fingerprint = [0, 1].map { "\($0)\(secret)".hashValue }
    if let known = labels[fingerprint] { return (known, false) }
    guard labels.count < Self.most else { return ("[\(kind.rawValue)]", false) }
    let number = counts[kind, default: 0] + 1
    counts[kind] = number
    let label = "[\(kind.rawValue) #\(number)]"
    labels[fingerprint] = label
    return (label, true)
  }
}
