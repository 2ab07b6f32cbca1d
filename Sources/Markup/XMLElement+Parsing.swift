import CLibXML2Shims

extension XMLElement {
  private static let maximumDepth = 256

  /// Parses a document and returns its root.
  ///
  /// Nothing is fetched, and no document type definition is loaded. A document that declares or uses its own entities is
  /// refused, so that a small file cannot expand into a large one.
  package init(parsing bytes: [UInt8]) throws(MarkupError) {
    try LibXML.load()
    var first: MarkupError?
    let document = bytes.withUnsafeBytes { bytes in
      withUnsafeMutablePointer(to: &first) { first in
        cxml_read_xml(
          bytes.baseAddress, bytes.count,
          { context, line, message in
            // Only the first error counts: later errors are its consequences.
            let first = context?.assumingMemoryBound(to: MarkupError?.self)
            if first?.pointee == nil {
              first?.pointee = MarkupError(line: Int(line), reported: String(cString: message))
            }
          }, first)
      }
    }
    defer { if let document { cxml_free(document) } }
    if let first { throw first }
    guard let document, let root = cxml_root(document) else {
      throw MarkupError(.malformed, line: 1, "the document is empty")
    }
    if cxml_declares_entities(document) {
      throw MarkupError(.malformed, line: 1, "the document declares entities, which is not supported")
    }
    try self.init(MarkupNode(pointer: root), depth: Self.maximumDepth)
  }

  private init(_ node: MarkupNode, depth: Int) throws(MarkupError) {
    let line = node.line
    guard depth > 0 else {
      throw MarkupError(.malformed, line: line, "elements nest more than \(Self.maximumDepth) deep")
    }
    self.init(name: node.name, line: line)
    for child in node.children {
      if child.isText {
        text += child.content
      } else if child.isElement {
        children.append(try XMLElement(child, depth: depth - 1))
      } else if child.isReference {
        throw MarkupError(.malformed, line: line, "the entity \"\(child.name)\" is not defined")
      }
    }
  }
}

extension MarkupError {
  /// - Parameter message: libxml2's message, of which the first line is used.
  fileprivate init(line: Int, reported message: String) {
    let sentence = message.split(whereSeparator: \.isNewline).first.map(String.init) ?? message
    self.init(.malformed, line: max(line, 1), sentence)
  }
}
