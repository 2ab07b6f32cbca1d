/// A cookie that libcurl does not keep or send, because it is too large or because there are too many.
package struct CookieNotice: Sendable {
  package let message: String

  /// Nil for another text of libcurl.
  init?(_ text: UnsafeRawBufferPointer) {
    let text = String(decoding: text, as: UTF8.self)
    if text.hasPrefix("Restricted outgoing cookies") {
      let name = text.split(separator: "'", omittingEmptySubsequences: false).dropFirst().first ?? ""
      message = "the cookies for a page are longer than the 8190 bytes that libcurl sends; left out: \(name)"
    } else if text.hasPrefix("oversized cookie dropped") {
      message = "a cookie is longer than the 4096 bytes that libcurl keeps, and was left out"
    } else if text.hasPrefix("Included max number of cookies") {
      message = "there are more cookies for a page than libcurl sends; the others were left out"
    } else {
      return nil
    }
  }
}
