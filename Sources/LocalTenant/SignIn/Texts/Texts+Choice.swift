import HTTPServer

extension Texts {
  /// The languages of the pages.
  static var languages: [String] { all.map(\.language) }

  /// Selects the first available language of `ui_locales` (OpenID Connect Core §3.1.2.1), then of the browser's
  /// `Accept-Language`, else English. Regions are ignored: `fr-CA` is French.
  /// - Parameter locales: `ui_locales`, or nil for the value in the request's query or form.
  init(_ request: ServerRequest, locales: String? = nil) {
    let locales = locales ?? (request.query + request.form).first { $0.0 == "ui_locales" }?.1 ?? ""
    let wanted = locales.split(separator: " ") + Self.accepted(request.header("Accept-Language") ?? "")
    self = wanted.lazy.compactMap { Self.inLanguage(of: $0) }.first ?? Self.english
  }

  private static func inLanguage(of tag: Substring) -> Texts? {
    let language = tag.prefix { $0 != "-" && $0 != "_" }.lowercased()
    return all.first { $0.language == language }
  }

  /// The language ranges of `Accept-Language`, most preferred first (RFC 9110 §12.5.4).
  private static func accepted(_ field: String) -> [Substring] {
    let ranges = field.split(separator: ",").map { range in
      let parts = range.split(separator: ";").map { $0.filter { $0 != " " && $0 != "\t" } }
      let weight = parts.dropFirst().first { $0.lowercased().hasPrefix("q=") }.flatMap { Double($0.dropFirst(2)) }
      return (tag: Substring(parts.first ?? ""), weight: weight ?? 1)
    }
    return ranges.enumerated().filter { $0.element.weight > 0 }
      .sorted { ($1.element.weight, $0.offset) < ($0.element.weight, $1.offset) }.map(\.element.tag)
  }
}
