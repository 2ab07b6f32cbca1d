import Crypto

/// A page in one file that fetches nothing: its style, its script and its data are in it, and its policy allows no others.
package struct HTMLPage {
  private let title: String
  private let body: HTML
  private let style: String
  /// The page's one script; it is allowed by its hash.
  private let script: String
  /// The page's Content-Security-Policy, which is also in the page. A server sends it as a header as well.
  package let policy: String

  /// - Parameters:
  ///   - formAction: the source list of the policy for forms.
  ///   - connect: that for requests of the script; empty for none.
  package init(
    title: String, body: HTML = .list(), style: String = "", script: String = "", formAction: String = "'none'",
    connect: String = ""
  ) {
    self.title = title
    self.body = body
    self.style = Self.commonStyle + style
    self.script = script
    var policy = [
      "default-src 'none'", "style-src \(Self.source(of: self.style))", "img-src data:", "base-uri 'none'",
      "form-action \(formAction)",
    ]
    if !connect.isEmpty { policy.append("connect-src \(connect)") }
    if !script.isEmpty { policy.append("script-src \(Self.source(of: script))") }
    self.policy = policy.joined(separator: "; ")
  }

  /// The beginning of the page; data go as `application/json` between this and `end`.
  package var start: String {
    """
    <!DOCTYPE html>
    <html lang="en">
    <head>
    <meta charset="utf-8">
    <meta http-equiv="Content-Security-Policy" content="\(policy)">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="referrer" content="no-referrer">
    \(HTML(.title, title).text)
    <link rel="icon" href="data:,">
    <style>\(style)</style>
    </head>
    <body>
    \(body.text)

    """
  }

  package var end: String { (script.isEmpty ? "" : "<script>\(script)</script>\n") + "</body>\n</html>\n" }

  package var text: String { start + end }

  /// JSON as it may stand in a script element: no `<`, so neither `</script>` nor `<!--` (HTML, 4.12.1.3).
  package static func embedded(_ json: String) -> String { json.replacing("<", with: "\\u003c") }

  /// The source of a policy that allows exactly this style or script: its hash in base64 with the standard alphabet and
  /// padding (CSP Level 3, 2.3.1).
  package static func source(of text: String) -> String {
    let hash = Base64URL.encode(SHA256.hash(text.utf8)).replacing("-", with: "+").replacing("_", with: "/")
    return "'sha256-\(hash)\(String(repeating: "=", count: (4 - hash.utf8.count % 4) % 4))'"
  }
}
