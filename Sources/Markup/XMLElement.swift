import CLibXML2Shims

/// An element of an XML document with its line.
package struct XMLElement: Sendable, Equatable {
  package var name: String
  /// The text directly inside, with entities and CDATA sections resolved. White space is unchanged.
  package var text: String
  package var children: [XMLElement]
  /// Counted from 1.
  package var line: Int

  private static let maximumDepth = 256

  package init(name: String, text: String = "", children: [XMLElement] = [], line: Int) {
    self.name = name
    self.text = text
    self.children = children
    self.line = line
  }

  /// Parses a document. Nothing is fetched, no document type definition is loaded, and a document that declares or uses
  /// its own entities is refused, so that a small file cannot expand into a large one.
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
              let sentence = String(cString: message).split(whereSeparator: \.isNewline).first ?? ""
              first?.pointee = MarkupError(kind: .malformed, message: String(sentence), line: max(Int(line), 1))
            }
          }, first)
      }
    }
    defer { if let document { cxml_free(document) } }
    if let first { throw first }
    guard let document, let root = cxml_root(document) else {
      throw MarkupError(kind: .malformed, message: "the document is empty", line: 1)
    }
    if cxml_declares_entities(document) {
      throw MarkupError(kind: .malformed, message: "the document declares entities, which is not supported", line: 1)
    }
    try self.init(MarkupNode(pointer: root), depth: Self.maximumDepth)
  }

  private init(_ node: MarkupNode, depth: Int) throws(MarkupError) {
    let line = node.line
    guard depth > 0 else {
      throw MarkupError(kind: .malformed, message: "elements nest more than \(Self.maximumDepth) deep", line: line)
    }
    self.init(name: node.name, line: line)
    for child in node.children {
      if child.isText {
        text += child.content
      } else if child.isElement {
        children.append(try XMLElement(child, depth: depth - 1))
      } else if child.isReference {
        throw MarkupError(kind: .malformed, message: "the entity \"\(child.name)\" is not defined", line: line)
      }
    }
  }
}
