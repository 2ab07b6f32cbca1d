import JOSE
import JSON

extension Page {
  /// What of the page a browser may load, run and follow (Content Security Policy Level 3).
  var contentSecurityPolicy: String {
    var policy = [
      "default-src 'none'", "style-src \(stylesheet.source)", "img-src data:", "base-uri 'none'",
      "frame-ancestors 'none'", "form-action \((["'self'"] + formTargets).joined(separator: " "))",
    ]
    if !frameSources.isEmpty { policy.append("frame-src \(frameSources.joined(separator: " "))") }
    if let script { policy.append("script-src \(Self.hashSource(of: script))") }
    return policy.joined(separator: "; ")
  }

  /// A source of `form-action` or `frame-src` that admits the URI. An IPv6 address has no spelling there, so its scheme stands
  /// for it, as it does for addresses without a host.
  static func source(_ redirectURI: String) -> String {
    if let uri = LoopbackURI(redirectURI), !uri.authority.hasPrefix("[") { return "\(uri.scheme)://\(uri.authority)" }
    return redirectURI.prefix { $0 != ":" } + ":"
  }

  /// A source that admits this very text.
  static func hashSource(of text: String) -> String {
    // With the standard alphabet and padding, as the policy wants it.
    let hash = Base64URL.encode(SHA256.hash(text.utf8)).replacing("-", with: "+").replacing("_", with: "/")
    return "'sha256-\(hash)\(String(repeating: "=", count: (4 - hash.utf8.count % 4) % 4))'"
  }
}
