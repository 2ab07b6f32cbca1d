import Core

/// A piece of HTML. Its texts and the values of its attributes are escaped here, and nowhere else:
///
///     HTML(.p, class: "quiet", "No run of ", HTML(.a, with: ["href": "/jobs/\(path)"], name))
package struct HTML: Sendable {
  /// The elements of the program's pages, with those of SVG.
  package enum Tag: String {
    case a, article, aside, b, body, br, button, circle, code, dd, defs, details, div, dl, dt, figcaption, figure,
      footer
    case form, g, h1, h2, h3, header, i, iframe, input, label, li, line, main, meta, nav, noscript, ol, p, path, pre
    case progress, rect, script, section, span, style, summary, svg, table, tbody, td, template, text, th, thead, time
    case title, tr, ul, use

    /// True for an element that has no content, and no end tag.
    fileprivate var isVoid: Bool { [.br, .input, .meta].contains(self) }
  }

  package typealias Attributes = KeyValuePairs<String, String?>

  package private(set) var text = ""

  /// HTML that somebody else has made, and escaped where necessary.
  package init(markup text: String) { self.text = text }

  /// An element. `nil` stands for no attribute, and for no content.
  package init(
    _ tag: Tag, class: String? = nil, id: String? = nil, with attributes: Attributes = [:],
    _ content: (any HTMLContent)?...
  ) {
    text = "<\(tag.rawValue)"
    if let `class`, !`class`.isEmpty { add("class", `class`) }
    if let id { add("id", id) }
    for (name, value) in attributes { if let value { add(name, value) } }
    text += ">"
    for part in content { part?.write(to: &self) }
    if !tag.isVoid { text += "</\(tag.rawValue)>" }
  }

  /// Pieces one after the other.
  package static func list(_ content: (any HTMLContent)?...) -> HTML {
    var html = HTML(markup: "")
    for part in content { part?.write(to: &html) }
    return html
  }

  /// A table with a head and a body, each row in a line.
  package static func table(
    class: String? = nil, with attributes: Attributes = [:], _ head: [HTML], _ rows: [HTML]
  ) -> HTML {
    HTML(
      .table, class: `class`, with: attributes, HTML(.thead, HTML(.tr, head)), HTML(.tbody, rows.separated(by: "\n")))
  }

  private mutating func add(_ name: String, _ value: String) {
    text += value.isEmpty ? " \(name)" : " \(name)=\"\(HTMLText.escape(value))\""
  }

  fileprivate mutating func append(_ markup: String) { text += markup }
}

/// The content of an element: text, which is escaped, or HTML.
package protocol HTMLContent {
  func write(to html: inout HTML)
}

extension HTML: HTMLContent {
  package func write(to html: inout HTML) { html.append(text) }
}

extension String: HTMLContent {
  package func write(to html: inout HTML) { html.append(HTMLText.escape(self)) }
}

extension Array: HTMLContent where Element: HTMLContent {
  package func write(to html: inout HTML) { for part in self { part.write(to: &html) } }
}

extension [HTML] {
  /// The pieces with a text between any two of them.
  package func separated(by separator: String) -> HTML {
    HTML(markup: map(\.text).joined(separator: HTMLText.escape(separator)))
  }
}
