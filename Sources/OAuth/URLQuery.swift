import HTTPClient

/// An absolute URL taken apart at its query and fragment, which is all that OAuth changes or compares.
struct URLQuery {
  var base: String
  var fields: [(name: String, value: String)]
  var fragment: String?

  init(_ url: String) {
    var rest = url[...]
    if let mark = rest.firstIndex(of: "#") {
      fragment = String(rest[rest.index(after: mark)...])
      rest = rest[..<mark]
    }
    if let mark = rest.firstIndex(of: "?") {
      fields = URLEncodedForm.decode(rest[rest.index(after: mark)...]).map { (name: $0.0, value: $0.1) }
      rest = rest[..<mark]
    } else {
      fields = []
    }
    base = String(rest)
  }

  /// Whether query or fragment have a field of that name.
  func names(_ name: String) -> Bool {
    fields.contains { $0.name == name } || URLEncodedForm.decode(fragment ?? "").contains { $0.0 == name }
  }

  /// Replaces a field, or adds it at the end.
  mutating func set(_ name: String, _ value: String) {
    if let index = fields.firstIndex(where: { $0.name == name }) {
      fields[index].value = value
    } else {
      fields.append((name, value))
    }
  }

  /// Without the fragment.
  var text: String {
    let query = fields.map { "\(URLEncodedForm.percentEncode($0.name))=\(URLEncodedForm.percentEncode($0.value))" }
    return query.isEmpty ? base : "\(base)?\(query.joined(separator: "&"))"
  }
}
