import CLibXML2Shims

/// A page as a person sees it and fills it in, without scripts.
package struct HTMLDocument: Sendable {
  package struct Link: Sendable, Equatable {
    /// The address as it is written in the page.
    package var target: String
    package var text: String
    package var id: String?
  }

  package internal(set) var title = ""
  package internal(set) var forms: [HTMLForm] = []
  package internal(set) var links: [Link] = []
  /// The visible text of elements with `role="alert"` or with a class name that contains `error`.
  package internal(set) var alerts: [String] = []
  /// The text for readers without scripts (`<noscript>`).
  package internal(set) var noScript = ""
  /// The scripts in the page itself.
  package internal(set) var scripts: [String] = []
  /// The visible text, one line for each block.
  package internal(set) var text = ""
  /// The address that the page loads by itself (`<meta http-equiv="refresh">`).
  package internal(set) var refresh: String?
  /// The page's `<base href>`, the base of its relative references.
  package internal(set) var base: String?

  /// Reads a page and repairs its mistakes as browsers do. Nothing is fetched. Throws only `libraryMissing`.
  /// - Parameter encoding: the charset of the response's `Content-Type`; nil for the page's own, else UTF-8.
  package init(parsing bytes: [UInt8], encoding: String? = nil) throws(MarkupError) {
    try LibXML.load()
    let charset = encoding ?? (Self.declaresEncoding(bytes) ? nil : "UTF-8")
    guard let document = bytes.withUnsafeBytes({ cxml_read_html($0.baseAddress, $0.count, charset) }) else { return }
    defer { cxml_free(document) }
    var reader = HTMLReader()
    if let root = cxml_root(document) { reader.read(MarkupNode(pointer: root)) }
    self = reader.finished()
  }

  /// An empty page.
  package init() {}

  private static func declaresEncoding(_ bytes: [UInt8]) -> Bool {
    String(decoding: bytes.prefix(1024), as: UTF8.self).lowercased().contains("charset=")
  }
}
