import CLibXML2Shims

/// What a person without scripts would see and fill in on a page.
package struct HTMLDocument: Sendable {
  package struct Link: Sendable, Equatable {
    /// As written in the page.
    package var target: String
    package var text: String
    package var id: String?
  }

  package internal(set) var title = ""
  package internal(set) var forms: [HTMLForm] = []
  package internal(set) var links: [Link] = []
  /// The visible text of elements that report something: `role="alert"`, or a class that says `error`.
  package internal(set) var alerts: [String] = []
  /// What the page says to readers without scripts (`<noscript>`); empty when it has nothing to say to them.
  package internal(set) var noScript = ""
  /// The scripts written in the page itself.
  package internal(set) var scripts: [String] = []
  /// The visible text, one line for each block.
  package internal(set) var text = ""
  /// Where the page sends its reader by itself, without a script (`<meta http-equiv="refresh">`).
  package internal(set) var refresh: String?
  /// The page's `<base href>`, against which its references are resolved.
  package internal(set) var base: String?

  /// Reads a page as browsers do: whatever is wrong with it is repaired. Nothing is fetched.
  /// - Parameter encoding: the charset of the answer's `Content-Type`; nil for what the page itself declares, else UTF-8.
  /// - Throws: `MarkupError` of kind `libraryMissing`, and no other.
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
