import CLibXML2Shims
import Core

/// libxml2 itself, loaded on first use.
enum LibXML {
  private static let library = LazyLibrary("libxml2", package: "libxml2", cxml_load)

  static func load() throws(MarkupError) {
    try library.demand { MarkupError(.libraryMissing, $0, hint: $1) }
  }
}
