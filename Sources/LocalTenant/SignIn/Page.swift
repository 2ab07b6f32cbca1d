import HTTPServer
import JOSE

/// An HTML page that needs no script.
struct Page {
  var texts = Texts.english
  let title: String
  /// HTML.
  let content: String
  var status = 200
  /// Where its forms may lead besides here: Chromium applies the policy to the redirect that answers a form, too.
  var formTargets: [String] = []
  /// What it shows in frames.
  var frameSources: [String] = []
  /// Where it goes on to by itself, after a while.
  var destination: String?
  /// The page's one script, allowed by its hash.
  var script: String?

  func response(headers: [(String, String)] = []) -> ServerResponse {
    var policy = ["default-src 'none'", "style-src 'unsafe-inline'", "base-uri 'none'", "frame-ancestors 'none'"]
    policy.append("form-action \((["'self'"] + formTargets).joined(separator: " "))")
    if !frameSources.isEmpty { policy.append("frame-src \(frameSources.joined(separator: " "))") }
    if let script { policy.append("script-src 'sha256-\(Self.base64(SHA256.hash(script.utf8)))'") }
    return ServerResponse(
      status: status,
      headers: headers + [
        ("Content-Security-Policy", policy.joined(separator: "; ")), ("Cache-Control", "no-store"),
        ("Pragma", "no-cache"), ("Referrer-Policy", "no-referrer"), ("X-Content-Type-Options", "nosniff"),
        ("X-Frame-Options", "DENY"),
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
    <title>\(Self.escape(title)) – Contoso</title>
    \(refresh)<style>\(Self.style)</style>
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

  /// Seconds until `destination`: enough for the frames to load.
  private static let pause = 2

  private var refresh: String {
    destination.map { "<meta http-equiv=\"refresh\" content=\"\(Self.pause);url=\(Self.escape($0))\">\n" } ?? ""
  }

  static func escape(_ text: String) -> String { HTMLText.escape(text) }

  /// A source of `form-action` or `frame-src` that admits the URI. An IPv6 address has no spelling there, so its scheme stands
  /// for it, as it does for addresses without a host.
  static func source(_ redirectURI: String) -> String {
    if let uri = LoopbackURI(redirectURI), !uri.authority.hasPrefix("[") { return "\(uri.scheme)://\(uri.authority)" }
    return redirectURI.prefix { $0 != ":" } + ":"
  }

  /// With the standard alphabet and padding, as CSP wants it.
  private static func base64(_ bytes: [UInt8]) -> String {
    let text = Base64URL.encode(bytes).replacing("-", with: "+").replacing("_", with: "/")
    return text + String(repeating: "=", count: (4 - text.utf8.count % 4) % 4)
  }
}
