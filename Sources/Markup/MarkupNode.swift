import CLibXML2Shims
import Core

/// A node in the tree of a page or document. The caller keeps the tree.
struct MarkupNode {
  let pointer: OpaquePointer

  var isElement: Bool { cxml_is_element(pointer) }
  var isText: Bool { cxml_is_text(pointer) }
  /// True for an unresolved entity.
  var isReference: Bool { cxml_is_reference(pointer) }
  var name: String { cxml_name(pointer).map { String(cString: $0) } ?? "" }
  var content: String { cxml_content(pointer).map { String(cString: $0) } ?? "" }
  var namespace: String? { cxml_namespace(pointer).map { String(cString: $0) } }
  var attributes: some Sequence<MarkupNode> { Self.siblings(from: cxml_first_attribute(pointer)) }
  /// The name with its prefix, as it is written.
  var writtenName: String { cxml_prefix(pointer).map { "\(String(cString: $0)):\(name)" } ?? name }
  /// Counted from 1.
  var line: Int { cxml_line(pointer) }

  var children: some Sequence<MarkupNode> { Self.siblings(from: cxml_first_child(pointer)) }

  private static func siblings(from first: OpaquePointer?) -> some Sequence<MarkupNode> {
    sequence(state: first) { next in
      defer { next = next.flatMap { cxml_next($0) } }
      return next.map { MarkupNode(pointer: $0) }
    }
  }

  subscript(attribute name: String) -> String? {
    var value: OpaquePointer?
    guard cxml_attribute(pointer, name, &value) else { return nil }
    return Self.siblings(from: value).map(\.content).joined()
  }
}

/// libxml2 itself, loaded on first use.
enum LibXML {
  private static let library = LazyLibrary("libxml2", package: "libxml2", cxml_load)

  static func load() throws(MarkupError) {
    try library.demand { MarkupError(kind: .libraryMissing, message: $0, hint: $1) }
  }
}
