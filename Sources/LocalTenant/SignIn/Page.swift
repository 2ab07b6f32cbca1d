import Core
import HTTPServer
import JSON
import Pages
import TenantTexts

/// An HTML page that works without scripts.
struct Page {
  let texts: Texts
  let title: String
  let content: HTML
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
    \(HTML(.title, "\(hasError ? texts.fill(\.titleWithError, title) : title) – Contoso").text)
    <link rel="icon" href="data:,">
    \(refresh)<style>\(stylesheet.text)</style>
    </head>
    <body>
    <main>
    <p class="brand"><span aria-hidden="true">◆</span> Contoso</p>
    \(HTML(.h1, title).text)
    \(content.text)
    </main>
    \(HTML(.footer, texts.footer).text)
    \(script.map { "<script>\($0)</script>" } ?? "")</body>
    </html>

    """
  }

  /// The number of seconds before the page goes to `destination`. The frames load in this time.
  private static let pause = 2

  private var refresh: String {
    guard let destination else { return "" }
    return HTML(.meta, with: ["http-equiv": "refresh", "content": "\(Self.pause);url=\(destination)"]).text + "\n"
  }

  /// The Content Security Policy (Level 3): what the browser may load, run and submit.
  var contentSecurityPolicy: String {
    var policy = [
      "default-src 'none'", "style-src \(stylesheet.source)", "img-src data:", "base-uri 'none'",
      "frame-ancestors 'none'", "form-action \((["'self'"] + formTargets).joined(separator: " "))",
    ]
    if !frameSources.isEmpty { policy.append("frame-src \(frameSources.joined(separator: " "))") }
    if let script { policy.append("script-src \(HTMLPage.source(of: script))") }
    return policy.joined(separator: "; ")
  }

  /// A source of `form-action` or `frame-src` for the URI. It is the scheme if the host is missing or an IPv6 address.
  static func source(_ redirectURI: String) -> String {
    if let uri = LoopbackURI(redirectURI), !uri.authority.hasPrefix("[") { return "\(uri.scheme)://\(uri.authority)" }
    return redirectURI.prefix { $0 != ":" } + ":"
  }
}
