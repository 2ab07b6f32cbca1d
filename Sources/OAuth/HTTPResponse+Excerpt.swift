import HTTPClient
import Markup
import Secrets

extension HTTPResponse {
  /// What an answer that is not the expected JSON says, behind a colon, for a message; empty when it says nothing.
  var excerpt: String {
    var words = Redaction.beginning(of: body)
    // Without libxml2 the page's source has to do.
    if isMarkup, let page = try? HTMLDocument(parsing: body) {
      words = Redaction.clean(page.text.isEmpty ? page.title : page.text)
    }
    let line = words.trimmedLines
    guard !line.isEmpty else { return "" }
    return ": \"\(line.count > 160 ? line.prefix(160) + "…" : line[...])\""
  }

  /// Whether the answer is a page.
  var isMarkup: Bool {
    headers["Content-Type"]?.lowercased().contains("html") ?? (body.first == UInt8(ascii: "<"))
  }

  /// The type of the answer's body, for a message.
  var mediaType: String {
    headers["Content-Type"].flatMap { $0.split(separator: ";").first.map(String.init) } ?? "no type"
  }
}
