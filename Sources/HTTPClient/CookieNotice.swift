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
      message = Self.oversized
    } else if text.hasPrefix("Included max number of cookies") {
      message = "there are more cookies for a page than libcurl sends; the others were left out"
    } else {
      return nil
    }
  }

  /// Nil for another line of the head. libcurl drops a field of more than 5,000 bytes without a word.
  init?(line: UnsafeRawBufferPointer) {
    let name = "set-cookie:"
    guard line.count > 5000 + name.utf8.count,
      String(decoding: line.prefix(name.utf8.count), as: UTF8.self).lowercased() == name
    else { return nil }
    message = Self.oversized
  }

  private static let oversized = "a cookie is longer than the 4096 bytes that libcurl keeps, and was left out"
}
