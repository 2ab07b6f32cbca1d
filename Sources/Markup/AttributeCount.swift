/// Looks at a document before libxml2 does, whose search for attributes of the same name is quadratic.
package enum AttributeCount {
  package static let most = 1024

  /// False if an element may have more attributes than `most`. Comments, CDATA sections and instructions are passed over.
  package static func isBounded(_ bytes: [UInt8]) -> Bool {
    var position = 0
    var count = 0
    var quote: UInt8?
    var isInTag = false
    while position < bytes.count {
      let byte = bytes[position]
      if let open = quote {
        if byte == open { quote = nil }
      } else if isInTag {
        switch byte {
        case UInt8(ascii: ">"): isInTag = false
        case UInt8(ascii: "\""), UInt8(ascii: "'"): quote = byte
        case UInt8(ascii: "="):
          count += 1
          if count > most { return false }
        default: break
        }
      } else if byte == UInt8(ascii: "<") {
        if let end = endOfOther(bytes, from: position) {
          position = end
          continue
        }
        (isInTag, count) = (true, 0)
      }
      position += 1
    }
    return true
  }

  private static let mostHyphens = 16

  /// False if a comment has many double hyphens, which XML forbids there. The message of libxml2 about each one has all of the comment
  /// before it, so that a long comment takes quadratic time.
  package static func hasFewHyphens(_ bytes: [UInt8]) -> Bool {
    let (opening, hyphen) = (Array("<!--".utf8), UInt8(ascii: "-"))
    var (position, count, isInComment) = (0, 0, false)
    while position + 1 < bytes.count {
      if !isInComment, bytes[position] == opening[0], bytes[position...].starts(with: opening) {
        (isInComment, count) = (true, 0)
        position += opening.count
        continue
      }
      if isInComment, bytes[position] == hyphen, bytes[position + 1] == hyphen {
        if position + 2 < bytes.count, bytes[position + 2] == UInt8(ascii: ">") { isInComment = false }
        count += 1
        if count > mostHyphens { return false }
      }
      position += 1
    }
    return true
  }

  private static let others = [("<!--", "-->"), ("<![CDATA[", "]]>"), ("<?", "?>")].map {
    (Array($0.0.utf8), Array($0.1.utf8))
  }

  /// The position behind a comment, a CDATA section or an instruction; nil for a tag.
  private static func endOfOther(_ bytes: [UInt8], from start: Int) -> Int? {
    for (opening, closing) in others where bytes[start...].starts(with: opening) {
      var position = start + opening.count
      while position < bytes.count, !bytes[position...].starts(with: closing) { position += 1 }
      return position + closing.count
    }
    return nil
  }
}
