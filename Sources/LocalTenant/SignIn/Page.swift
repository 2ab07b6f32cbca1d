import Core
import HTTPServer

/// An HTML page that needs no script.
struct Page {
  let texts: Texts
  let title: String
  /// HTML.
  let content: String
  var status = 200
  /// Whether it tells of something wrong, which its title then says, too.
  var hasError = false
  var stylesheet = Stylesheet.plain
  /// Where its forms may lead besides here: Chromium applies the policy to the redirect that answers a form, too.
  var formTargets: [String] = []
  /// What it shows in frames.
  var frameSources: [String] = []
  /// Where it goes on to by itself, after a while.
  var destination: String?
  /// The page's one script, allowed by its hash.
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

  /// Seconds until `destination`: enough for the frames to load.
  private static let pause = 2

  private var refresh: String {
    destination.map { "<meta http-equiv=\"refresh\" content=\"\(Self.pause);url=\(Self.escape($0))\">\n" } ?? ""
  }

  static func escape(_ text: String) -> String { HTMLText.escape(text) }
}
