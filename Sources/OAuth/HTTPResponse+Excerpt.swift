import Core
import HTTPClient
import Markup

extension HTTPResponse {
  /// The text of a response that is not the expected JSON, behind a colon, for a message; empty when it has none.
  /// - Parameter secrets: those of the request, replaced before the text is cut.
  func excerpt(without secrets: Redactor = Redactor()) -> String {
    func clean(_ text: String) -> String { secrets.clean(Redaction.forScripts(text)) }
    var words = clean(String(decoding: body.prefix(64 << 10), as: UTF8.self))
    // Without libxml2 the page's source has to do.
    if isMarkup, let page = try? HTMLDocument(parsing: body) {
      words = clean(page.text.isEmpty ? page.title : page.text)
    }
    let line = words.trimmedLines
    guard !line.isEmpty else { return "" }
    return ": \"\(line.count > 160 ? line.prefix(160) + "…" : line[...])\""
  }

  /// True if the answer is a page.
  var isMarkup: Bool { headers["Content-Type"]?.lowercased().contains("html") ?? (body.first == UInt8(ascii: "<")) }

  /// The type of the answer's body, for a message.
  var mediaType: String {
    headers["Content-Type"].flatMap { $0.split(separator: ";").first.map(String.init) } ?? "no type"
  }
}
