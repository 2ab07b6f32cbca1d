import Core
import HTTPClient

/// The part of an address that says where it leads: scheme, host, port and path, without query and fragment.
struct Address: Hashable, CustomStringConvertible {
  private let start: String
  private let path: String

  /// Nil for text that is no absolute address. Web addresses are read by the parser that also connects, so that no
  /// spelling can look like one host here and mean another there.
  init?(_ url: String) {
    // Browsers read a backslash as a slash, other programs as part of a name: whoever writes one means no good.
    guard !url.contains("\\") else { return nil }
    let stem = WebAddress(url).base
    guard let colon = stem.firstIndex(of: ":"), colon > stem.startIndex else { return nil }
    if let origin = Origin(url) {
      start = origin.serialized
      let authority = stem[colon...].dropFirst(3)
      let path = authority.firstIndex(of: "/").map { String(authority[$0...]) } ?? ""
      // Nor does a user name belong there.
      guard !authority.dropLast(path.count).contains("@") else { return nil }
      self.path = path.isEmpty ? "/" : path
    } else {
      let scheme = stem[..<colon].lowercased()
      // A broken web address is none.
      guard scheme != "http", scheme != "https" else { return nil }
      start = scheme
      path = String(stem[colon...])
    }
  }

  var description: String { start + path }

  /// True if secrets may be sent there: https, or this machine.
  static func isSafe(_ url: String) -> Bool {
    guard Address(url) != nil, let origin = Origin(url) else { return false }
    return origin.scheme == "https" || origin.isLoopback
  }

  /// For messages: the address without what may be secret in it.
  static func shown(_ url: String) -> String { Address(url)?.description ?? "an address that is none" }
}

/// A code is as good as a password until it is redeemed, and tokens longer: they are kept out of logs and errors.
enum RedirectSecrets {
  static func register(_ redirect: String) {
    for parameter in WebAddress(redirect).parameters where SecretName.kind(parameter.name) != nil {
      if let value = parameter.value { Redaction.share(value) }
    }
  }
}
