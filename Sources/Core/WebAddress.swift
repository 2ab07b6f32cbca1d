/// A URL taken apart at its query and its fragment. All other code splits and prints URLs by this type. It decodes and
/// corrects nothing: unchanged parts are printed as they were read. `Origin` of HTTPClient says which server a URL
/// leads to.
package struct WebAddress: Sendable, Equatable {
  /// The scheme, the authority and the path.
  package var base: String
  /// The text between the first `?` and the fragment; nil without a `?`.
  package var query: String?
  /// The text behind the first `#`; nil without one.
  package var fragment: String?

  package init(_ text: some StringProtocol) {
    // Bytes are compared: a combining mark behind a `?` makes it another Character.
    let utf8 = text.utf8
    let fragmentMark = utf8.firstIndex(of: UInt8(ascii: "#")) ?? text.endIndex
    let queryMark = utf8[..<fragmentMark].firstIndex(of: UInt8(ascii: "?")) ?? fragmentMark
    base = String(text[..<queryMark])
    query = queryMark < fragmentMark ? String(text[utf8.index(after: queryMark)..<fragmentMark]) : nil
    fragment = fragmentMark < text.endIndex ? String(text[utf8.index(after: fragmentMark)...]) : nil
  }

  package var text: String { base + (query.map { "?\($0)" } ?? "") + (fragment.map { "#\($0)" } ?? "") }

  // MARK: The parts of the base

  /// The text between `://` and the path, such as `alice:secret@example.com:8443`; empty for an address without `://`.
  package var authority: Substring {
    guard let start = base.firstRange(of: "://")?.upperBound else { return base[base.endIndex...] }
    return base[start...].prefix { $0 != "/" }
  }

  /// The text behind the authority; the whole base of an address without `://`.
  package var path: Substring { base.firstRange(of: "://") == nil ? base[...] : base[authority.endIndex...] }

  /// The same address without a user name and a password.
  package var withoutCredentials: WebAddress {
    var address = self
    if let at = authority.lastIndex(of: "@") { address.base.removeSubrange(authority.startIndex...at) }
    return address
  }

  // MARK: Parameters

  /// The fields of the query, decoded.
  package var fields: [(name: String, value: String)] {
    URLEncodedForm.decode(query ?? "").map { (name: $0.0, value: $0.1) }
  }

  /// The decoded value of the first field of the query with that name.
  package func field(_ name: String) -> String? { fields.first { $0.name == name }?.value }

  /// Replaces a field of the query, or adds the field at the end.
  package mutating func set(_ name: String, _ value: String) {
    var fields = fields
    if let index = fields.firstIndex(where: { $0.name == name }) {
      fields[index].value = value
    } else {
      fields.append((name, value))
    }
    query = fields.map { "\(URLEncodedForm.percentEncode($0.name))=\(URLEncodedForm.percentEncode($0.value))" }
      .joined(separator: "&")
  }

  /// Returns the address with `more`, which is encoded, behind its query.
  package func appending(_ more: String) -> String {
    guard !more.isEmpty else { return text }
    var address = self
    let query = query ?? ""
    address.query = query.isEmpty || query.hasSuffix("&") ? query + more : "\(query)&\(more)"
    return address.text
  }

  /// A parameter of the query or of the fragment.
  package struct Parameter: Sendable {
    /// The character in front of the parameter: `?`, `#` or `&`.
    package let separator: Character
    /// The name and the value as the address spells them; the value is nil without a `=`.
    package let rawName: String
    package let rawValue: String?
    /// The same, decoded.
    package let name: String
    package let value: String?

    fileprivate init(_ separator: Character, _ text: Substring) {
      self.separator = separator
      let sides = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
      let decoded = URLEncodedForm.decode(text).first
      (rawName, name) = (sides[0], decoded?.0 ?? "")
      (rawValue, value) = sides.count > 1 ? (sides[1], decoded?.1 ?? "") : (nil, nil)
    }
  }

  /// The parameters of the query, then those of the fragment. A fragment may be a page with a query: `#/page?code=…`.
  package var parameters: [Parameter] {
    var parameters: [Parameter] = []
    var rest = Substring(text.utf8.dropFirst(base.utf8.count))
    while let mark = rest.utf8.first {
      rest = Substring(rest.utf8.dropFirst())
      var piece = rest.utf8.prefix { $0 != UInt8(ascii: "&") && $0 != UInt8(ascii: "#") }
      if mark == UInt8(ascii: "#"), let end = piece.firstIndex(where: { "?=".utf8.contains($0) }),
        piece[end] == UInt8(ascii: "?")
      {
        piece = piece[..<end]
      }
      parameters.append(Parameter(Character(Unicode.Scalar(mark)), Substring(piece)))
      rest = Substring(rest.utf8.dropFirst(piece.count))
    }
    return parameters
  }

  // MARK: Without secrets

  /// The address for a message: without credentials, query and fragment, and cut off behind 200 characters.
  package var shown: String {
    let scalars = withoutCredentials.base.unicodeScalars.prefix(200)
    return String(String.UnicodeScalarView(scalars.map { $0.value <= 0x20 || $0.value == 0x7f ? "?" : $0 }))
  }

  /// The address without credentials, and with `[secret]` as the value of each parameter that is a secret by its name.
  package var redacted: String {
    parameters.reduce(into: withoutCredentials.base) { text, parameter in
      text += "\(parameter.separator)\(parameter.rawName)"
      guard let value = parameter.rawValue else { return }
      text += "=\(SecretName.kind(parameter.name) == nil ? value : Redaction.placeholder)"
    }
  }
}
