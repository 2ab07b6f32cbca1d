import Markup

extension FuzzTarget {
  /// Pages, their forms and the answers to them.
  static let html = FuzzTarget("html") { input in
    let page = try HTMLDocument(parsing: input.bytes)
    for form in page.forms { _ = form.submittedFields }
    _ = (page.title, page.links, page.alerts, page.text)
  }

  /// XML and feeds. The first line is a path of elements.
  static let xml = FuzzTarget("xml") { input in
    var input = input
    _ = XMLPath(input.part().text)
    _ = MarkupBounds.excess(in: input.bytes)
    _ = Feed(try XMLElement(parsing: input.bytes))
  }
}
