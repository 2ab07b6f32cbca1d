import CLibXML2

/// Entry to libxml2.
enum LibXML {
  /// Must have happened before two threads parse at the same time.
  static func initialize() { _ = once }

  private static let once: Void = xmlInitParser()

  static func string(_ text: UnsafePointer<xmlChar>?) -> String {
    text.map { String(cString: $0) } ?? ""
  }
}

extension UnsafeMutablePointer<xmlNode> {
  var isElement: Bool { pointee.type == XML_ELEMENT_NODE }
  var isText: Bool { pointee.type == XML_TEXT_NODE || pointee.type == XML_CDATA_SECTION_NODE }
  var name: String { LibXML.string(pointee.name) }
  var content: String { LibXML.string(pointee.content) }

  var children: some Sequence<UnsafeMutablePointer<xmlNode>> { Self.siblings(from: pointee.children) }

  private static func siblings(from first: Self?) -> some Sequence<UnsafeMutablePointer<xmlNode>> {
    sequence(state: first) { next in
      defer { next = next?.pointee.next }
      return next
    }
  }

  /// An attribute's value; an empty string for one without a value.
  subscript(attribute name: String) -> String? {
    guard let attribute = xmlHasProp(self, name) else { return nil }
    return Self.siblings(from: attribute.pointee.children).map(\.content).joined()
  }
}
