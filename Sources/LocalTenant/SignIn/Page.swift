import Core
import HTTPServer

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
  /// The addresses that forms may redirect to besides this server. Chromium applies the policy also to the redirect
  /// that answers a form.
  var formTargets: [String] = []
  /// The sources of the page's frames.
  var frameSources: [String] = []
  /// The address that the page goes to after a pause.
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
}
