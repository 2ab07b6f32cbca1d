import FoundationEssentials

/// The spellings by which a server may repeat a secret: plain, and as in addresses, forms, JSON, HTML, base64, paths.
struct SecretSpellings {
  /// Without duplicates; a secret of letters and digits has few.
  let all: Set<String>

  init(_ secret: String) {
    var all: Set = [secret]
    // Most tokens have only bytes spelled the same in addresses, JSON and HTML: these take a tenth of the time.
    let isPlain = secret.utf8.allSatisfy(\.isWordPart)
    for keeping in isPlain ? [] : Self.keptInAddresses {
      for digits in ["0123456789ABCDEF", "0123456789abcdef"] {
        let address = Self.percentEncoded(secret, keeping: keeping, digits: Array(digits.utf8))
        all.formUnion([address, address.replacing("%20", with: "+")])
      }
    }
    for escaped in isPlain ? [] : Self.escapedInJSON {
      for isUppercase in [false, true] {
        let json = Self.jsonEscaped(secret, escaped, isUppercase: isUppercase)
        all.formUnion([json, json.replacing("/", with: "\\/")])
      }
    }
    for apostrophe in isPlain ? [] : ["'", "&#39;", "&#x27;", "&apos;"] {
      all.insert(Self.htmlEscaped(secret, apostrophe))
    }
    let base64 = Data(secret.utf8).base64EncodedString()
    // Unpadded, it is found in the padded one too.
    let bare = base64.replacing("=", with: "")
    all.formUnion([base64, bare, bare.replacing("+", with: "-").replacing("/", with: "_")])
    // The spelling of `require` in its search for a module of that name.
    all.insert(secret.replacing(".", with: "/"))
    self.all = all
  }

  /// The characters besides those of words that are not percent-encoded: by RFC 3986, in forms, by encodeURIComponent and by
  /// browsers in a query.
  private static let keptInAddresses = ["~", "*", "~!'()*", "~!'()*/:@$&,;=+?[]|\\^`{}"].map { Set($0.utf8) }

  /// The characters that JSON writers spell as `\u0000` without need: none, letters beyond ASCII, and those unsafe for .NET.
  private static let escapedInJSON: [@Sendable (Unicode.Scalar) -> Bool] = [
    { _ in false }, { !$0.isASCII }, { !$0.isASCII || "\"&'+<>`".unicodeScalars.contains($0) },
  ]

  private static func percentEncoded(_ text: String, keeping: Set<UInt8>, digits: [UInt8]) -> String {
    var bytes: [UInt8] = []
    for byte in text.utf8 {
      let isKept = byte.isWordPart || keeping.contains(byte)
      bytes += isKept ? [byte] : [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Between the quotes of a JSON string.
  private static func jsonEscaped(_ text: String, _ isEscaped: (Unicode.Scalar) -> Bool, isUppercase: Bool) -> String {
    var result = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case _ where isEscaped(scalar):
        for unit in UTF16.encode(scalar) ?? .init() {
          let digits = String(unit, radix: 16, uppercase: isUppercase)
          result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
        }
      case "\\": result += "\\\\"
      case "\"": result += "\\\""
      case "\n": result += "\\n"
      case "\r": result += "\\r"
      case "\t": result += "\\t"
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }

  private static func htmlEscaped(_ text: String, _ apostrophe: String) -> String {
    text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
      .replacing("\"", with: "&quot;").replacing("'", with: apostrophe)
  }
}
