import JOSE
import JSON

extension Page {
  /// The Content Security Policy (Level 3): what the browser may load, run and submit.
  var contentSecurityPolicy: String {
    var policy = [
      "default-src 'none'", "style-src \(stylesheet.source)", "img-src data:", "base-uri 'none'",
      "frame-ancestors 'none'", "form-action \((["'self'"] + formTargets).joined(separator: " "))",
    ]
    if !frameSources.isEmpty { policy.append("frame-src \(frameSources.joined(separator: " "))") }
    if let script { policy.append("script-src \(Self.hashSource(of: script))") }
    return policy.joined(separator: "; ")
  }

  /// A source of `form-action` or `frame-src` that allows the URI. An IPv6 address cannot be written there, so its
  /// scheme is used instead. An address without a host is also replaced with its scheme.
  static func source(_ redirectURI: String) -> String {
    if let uri = LoopbackURI(redirectURI), !uri.authority.hasPrefix("[") { return "\(uri.scheme)://\(uri.authority)" }
    return redirectURI.prefix { $0 != ":" } + ":"
  }

  /// A source that allows exactly this text.
  static func hashSource(of text: String) -> String {
    // Content Security Policy requires the standard alphabet and padding.
    let hash = Base64URL.encode(SHA256.hash(text.utf8)).replacing("-", with: "+").replacing("_", with: "/")
    return "'sha256-\(hash)\(String(repeating: "=", count: (4 - hash.utf8.count % 4) % 4))'"
  }
}
