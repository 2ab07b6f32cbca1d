import Core
import Crypto
import HTTPServer
import JSON

/// An HTML page that works without scripts.
struct Page {
  let texts: Texts
  let title: String
  /// The HTML of the page's body.
  let content: String
  var status = 200
  /// True if the page reports an error. The title then says so too.
  var hasError = false
  var stylesheet = Stylesheet.plain
  /// Other addresses that forms may redirect to. Chromium applies the policy also to the redirect that answers a form.
  var formTargets: [String] = []
  var frameSources: [String] = []
  var destination: String?
  /// The page's only script, allowed by its hash.
  var script: String?

  func response(headers: [(String, String)] = []) -> ServerResponse {
    ServerResponse(
      status: status,
      headers: headers + [
        ("Content-Security-Policy", contentSecurityPolicy), ("Cache-Control", "no-store"), ("Pragma", "no-cache"),
        ("Referrer-Policy", "no-referrer"), ("X-Content-Type-Options", "nosniff"), ("X-Frame-Options", "DENY"),
      ],
      text: html, type: "text/html; charset=utf-8")
  }

  private var html: String {
    """
    <!DOCTYPE html>
    <html lang="\(texts.language)">
    <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>\(Self.escape(hasError ? texts.fill(\.titleWithError, title) : title)) – Contoso</title>
    <link rel="icon" href="data:,">
    \(refresh)<style>\(stylesheet.text)</style>
    </head>
    <body>
    <main>
    <p class="brand"><span aria-hidden="true">◆</span> Contoso</p>
    <h1>\(Self.escape(title))</h1>
    \(content)
    </main>
    <footer>\(Self.escape(texts.footer))</footer>
    \(script.map { "<script>\($0)</script>" } ?? "")</body>
    </html>

    """
  }

  /// The number of seconds before the page goes to `destination`. The frames load in this time.
  private static let pause = 2

  private var refresh: String {
    destination.map { "<meta http-equiv=\"refresh\" content=\"\(Self.pause);url=\(Self.escape($0))\">\n" } ?? ""
  }

  static func escape(_ text: String) -> String { HTMLText.escape(text) }

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

  /// A source of `form-action` or `frame-src` for the URI. It is the scheme if the host is missing or an IPv6 address.
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
