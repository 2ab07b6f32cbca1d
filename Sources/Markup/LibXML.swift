import CLibXML2Shims

/// libxml2 itself, loaded on first use.
enum LibXML {
  /// Why libxml2 cannot be loaded; nil when it is there. The first access loads it.
  private static let loadFailure: String? = cxml_load().map { String(cString: $0) }

  static func load() throws(MarkupError) {
    guard let loadFailure else { return }
    throw MarkupError(
      .libraryMissing, "libxml2 cannot be loaded: \(loadFailure)", hint: "install the package libxml2")
  }
}
