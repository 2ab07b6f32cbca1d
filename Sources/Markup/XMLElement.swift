import CLibXML2Shims

/// An element of an XML document with its line.
package struct XMLElement: Sendable, Equatable {
  /// A part of the inside of an element.
  package enum Content: Sendable, Equatable {
    /// With entities and CDATA sections resolved. White space is unchanged.
    case text(String)
    case element(XMLElement)
  }

  /// The name without a prefix.
  package var name: String
  /// The URI of the namespace; nil without one.
  package var namespace: String?
  /// The values by the names as they are written, with their prefixes.
  package var attributes: [String: String] = [:]
  /// In the order of the document.
  package var content: [Content] = []
  /// Counted from 1.
  package var line: Int

  private static let maximumDepth = 256
  private static let mostElements = 500_000
  private static let longest = 16 << 20

  package init(name: String, text: String = "", children: [XMLElement] = [], line: Int) {
    self.name = name
    self.line = line
    content = (text.isEmpty ? [] : [.text(text)]) + children.map(Content.element)
  }

  /// The text directly inside.
  package var text: String {
    content.reduce(into: "") { text, part in if case .text(let more) = part { text += more } }
  }

  package var children: [XMLElement] {
    content.compactMap { if case .element(let child) = $0 { child } else { nil } }
  }

  /// The text of the element and of all elements inside.
  package var wholeText: String {
    content.reduce(into: "") { text, part in
      switch part {
      case .text(let more): text += more
      case .element(let child): text += child.wholeText
      }
    }
  }

  /// Parses a document. Nothing is fetched, no document type definition is loaded, and a document that declares or uses
  /// its own entities is refused, so that a small file cannot expand into a large one.
  package init(parsing bytes: [UInt8]) throws(MarkupError) {
    try LibXML.load()
    guard bytes.count <= Self.longest else {
      throw MarkupError(
        kind: .malformed, message: "the document has \(bytes.count) bytes, more than \(Self.longest)", line: 1)
    }
    if let excess = MarkupBounds.excess(in: bytes) { throw MarkupError(excess) }
    var first: MarkupError?
    let document = bytes.withUnsafeBytes { bytes in
      withUnsafeMutablePointer(to: &first) { first in
        cxml_read_xml(
          bytes.baseAddress, bytes.count,
          { context, line, message in
            // Only the first error counts: later errors are its consequences.
            let first = context?.assumingMemoryBound(to: MarkupError?.self)
            if first?.pointee == nil { first?.pointee = MarkupError(line: Int(line), libxml2: message) }
          }, first)
      }
    }
    defer { if let document { cxml_free(document) } }
    if let first { throw first }
    guard let document, let root = cxml_root(document) else {
      throw MarkupError(kind: .malformed, message: "the document is empty", line: 1)
    }
    var room = Self.mostElements
    try self.init(MarkupNode(pointer: root), depth: Self.maximumDepth, &room)
  }

  private init(_ node: MarkupNode, depth: Int, _ room: inout Int) throws(MarkupError) {
    let line = node.line
    room -= 1
    guard room >= 0 else {
      throw MarkupError(kind: .malformed, message: "there are more than \(Self.mostElements) elements", line: line)
    }
    guard depth > 0 else {
      throw MarkupError(kind: .malformed, message: "elements nest more than \(Self.maximumDepth) deep", line: line)
    }
    self.init(name: node.name, line: line)
    namespace = node.namespace
    for attribute in node.attributes { attributes[attribute.writtenName] = attribute.children.map(\.content).joined() }
    for child in node.children {
      if child.isText {
        content.append(.text(child.content))
      } else if child.isElement {
        content.append(.element(try XMLElement(child, depth: depth - 1, &room)))
      } else if child.isReference {
        throw MarkupError(kind: .malformed, message: "the entity \"\(child.name)\" is not defined", line: line)
      }
    }
  }
}

extension MarkupError {
  /// - Parameter message: of libxml2, one sentence a line.
  init(line: Int, libxml2 message: UnsafePointer<CChar>) {
    let sentence = String(cString: message).split(whereSeparator: \.isNewline).first ?? ""
    self.init(kind: .malformed, message: String(sentence), line: max(line, 1))
  }

  init(_ excess: MarkupBounds.Excess) {
    let message =
      switch excess {
      case .attributes: "an element has more than \(MarkupBounds.mostAttributes) attributes"
      case .hyphens: "a comment has many double hyphens, which XML forbids"
      }
    self.init(kind: .malformed, message: message, line: 1)
  }
}
