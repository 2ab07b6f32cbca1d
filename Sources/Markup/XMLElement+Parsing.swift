import CLibXML2

extension XMLElement {
  private static let maximumDepth = 256

  /// Parses a document and gives its root.
  ///
  /// Nothing is fetched, no document type definition is loaded, and a document that declares or uses entities of its own
  /// is refused, so that a small file cannot unfold into a large one.
  package init(parsing bytes: [UInt8]) throws(XMLSyntaxError) {
    LibXML.initialize()
    guard let context = xmlNewParserCtxt() else {
      throw XMLSyntaxError(line: 1, column: 1, message: "libxml2 has no memory left")
    }
    defer { xmlFreeParserCtxt(context) }
    let report = XMLReport()
    context.pointee._private = Unmanaged.passUnretained(report).toOpaque()
    context.pointee.sax?.pointee.serror = { context, error in
      guard let error, let context = context?.assumingMemoryBound(to: xmlParserCtxt.self),
        let report = context.pointee._private
      else { return }
      Unmanaged<XMLReport>.fromOpaque(report).takeUnretainedValue().add(error.pointee)
    }
    let options = XML_PARSE_NONET.rawValue | XML_PARSE_NOCDATA.rawValue | XML_PARSE_BIG_LINES.rawValue
    let document = bytes.withUnsafeBytes {
      xmlCtxtReadMemory(
        context, $0.baseAddress?.assumingMemoryBound(to: CChar.self), Int32(clamping: $0.count), nil, nil,
        Int32(options))
    }
    // Held until here, because the context refers to it.
    let first = withExtendedLifetime(report) { report.first }
    defer { if let document { xmlFreeDoc(document) } }
    if let first { throw first }
    guard let document, let root = xmlDocGetRootElement(document) else {
      throw XMLSyntaxError(line: 1, column: 1, message: "the document is empty")
    }
    if let subset = document.pointee.intSubset, subset.pointee.entities != nil {
      throw XMLSyntaxError(line: 1, column: 1, message: "the document declares entities, which is not supported")
    }
    try self.init(root, depth: Self.maximumDepth)
  }

  private init(_ node: UnsafeMutablePointer<xmlNode>, depth: Int) throws(XMLSyntaxError) {
    let line = xmlGetLineNo(node)
    guard depth > 0 else {
      throw XMLSyntaxError(line: line, column: 1, message: "elements nest more than \(Self.maximumDepth) deep")
    }
    self.init(name: node.name, line: line)
    for child in node.children {
      if child.isText {
        text += child.content
      } else if child.isElement {
        children.append(try XMLElement(child, depth: depth - 1))
      } else if child.pointee.type == XML_ENTITY_REF_NODE {
        throw XMLSyntaxError(line: line, column: 1, message: "the entity \"\(child.name)\" is not defined")
      }
    }
  }
}

/// Collects what libxml2 reports while it parses one document, on one thread.
private final class XMLReport {
  /// The first error: those that follow are its consequences.
  private(set) var first: XMLSyntaxError?

  func add(_ error: xmlError) {
    guard first == nil, error.level.rawValue >= XML_ERR_ERROR.rawValue else { return }
    let message = error.message.map { String(cString: $0) } ?? "not well-formed"
    first = XMLSyntaxError(
      line: Int(max(error.line, 1)), column: Int(max(error.int2, 1)),
      message: message.split(whereSeparator: \.isNewline).first.map(String.init) ?? message)
  }
}
