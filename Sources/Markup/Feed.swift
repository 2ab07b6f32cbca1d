/// A feed of news: RSS 2.0, RSS 1.0 or Atom (RFC 4287).
package struct Feed: Sendable, Equatable {
  package struct Item: Sendable, Equatable {
    package var id: String?
    package var title: String?
    package var link: String?
    /// As the feed writes it.
    package var published: String?
    package var updated: String?
    package var author: String?
    /// HTML, or text.
    package var summary: String?
    package var content: String?
  }

  /// `rss` or `atom`.
  package let kind: String
  package let title: String?
  package let link: String?
  package let updated: String?
  package let items: [Item]

  private init(kind: String, title: String?, link: String?, updated: String?, items: [Item]) {
    self.kind = kind
    self.title = title
    self.link = link
    self.updated = updated
    self.items = items
  }

  /// Nil if the document is no feed.
  package init?(_ root: XMLElement) {
    switch root.name {
    case "feed": self.init(atom: root)
    case "rss", "RDF":
      guard let channel = root.first("channel") else { return nil }
      // The items of RSS 1.0 stand beside the channel.
      let items = (channel.children + root.children).filter { $0.name == "item" }
      self.init(
        kind: "rss", title: channel.words("title"), link: channel.words("link"),
        updated: channel.words("lastBuildDate", "pubDate", "date"), items: items.map(Item.init(rss:)))
    default: return nil
    }
  }

  private init(atom root: XMLElement) {
    let items = root.children.filter { $0.name == "entry" }.map { entry in
      Item(
        id: entry.words("id"), title: entry.words("title"), link: entry.alternateLink,
        published: entry.words("published") ?? entry.words("updated"), updated: entry.words("updated"),
        author: entry.first("author")?.words("name"), summary: entry.text(of: "summary"),
        content: entry.text(of: "content"))
    }
    self.init(
      kind: "atom", title: root.words("title"), link: root.alternateLink, updated: root.words("updated"), items: items)
  }
}

extension Feed.Item {
  fileprivate init(rss item: XMLElement) {
    let link = item.words("link")
    self.init(
      id: item.words("guid") ?? item.attributes["rdf:about"] ?? link, title: item.words("title"), link: link,
      published: item.words("pubDate", "date"), updated: nil, author: item.words("creator", "author"),
      summary: item.text(of: "description"), content: item.text(of: "encoded"))
  }
}

extension XMLElement {
  fileprivate func first(_ name: String) -> XMLElement? { children.first { $0.name == name } }

  fileprivate func text(of name: String) -> String? { first(name)?.wholeText }

  /// The text of the first of these elements that has some, without white space around it.
  fileprivate func words(_ names: String...) -> String? {
    names.lazy.compactMap { name in
      children.lazy.filter { $0.name == name }.map {
        $0.wholeText.split(whereSeparator: \.isWhitespace).joined(separator: " ")
      }
      .first { !$0.isEmpty }
    }.first
  }

  /// The page of an Atom feed or entry (RFC 4287, 4.2.7).
  fileprivate var alternateLink: String? {
    let links = children.filter { $0.name == "link" }
    return (links.first { ($0.attributes["rel"] ?? "alternate") == "alternate" } ?? links.first)?.attributes["href"]
  }
}
