import HostLoop
package import Lua
package import LuaKit
import Markup
import TaskAPI

/// `b2c.xml`
package struct XMLModule: LuaModule {
  let json: JSONMarshal
  let state: LuaState

  package init(_ context: ScriptContext) {
    json = context.json
    state = context.state
  }

  /// The module, for the documentation and for `b2c`.
  package var module: HostModule {
    HostModule(
      "xml", "XML documents, feeds of news, and the text of HTML.",
      notes: """
        An element is a table: its name without a prefix, its namespace, its attributes, its line, and as a sequence its texts and
        elements. A document has at most 16 MiB and 500,000 elements. Documents that declare entities are refused, and nothing is
        fetched.
        """,
      example: """
        local xml = require "b2c.xml"

        local list = xml.parse '<tasks><task due="2027-01-31">Pay the <b>rent</b></task><task>Buy milk</task></tasks>'
        for _, task in ipairs(xml.find_all(list, "task")) do
          print(xml.text(task), task.attributes.due)
        end
        """, functions)
  }

  package static let functions: [ModuleFunction<Self>] = [parse, find, findAll, text, feed, htmlText, escape]

  private static let element = Parameter("element", .record(.xmlElement), "The element.")
  private static let path = Parameter(
    "path", .string,
    "Names with / between them; // for any depth, * for any name, {URI}NAME for a name of that namespace alone.")

  private static let parse = function(
    "xml.parse", "Reads an XML document. An error names the line.", Parameter("text", .string, "The document."),
    returns: .init(.record(.xmlElement), "The root element.")
  ) { module, arguments in [module.table(try module.document(arguments))] }

  private static let find = function(
    "xml.find", "The first element at a path.", element, path,
    returns: .init(.record(.xmlElement), optional: true, "The element; nil if there is none.")
  ) { module, arguments in [try module.found(arguments, most: 1).first.map { .table($0) } ?? .nil] }

  private static let findAll = function(
    "xml.find_all", "All elements at a path, in the order of the document.", element, path,
    returns: .init(.list(of: .record(.xmlElement)), "The elements.")
  ) { module, arguments in
    [.list(try module.found(arguments, most: .max).map { .table($0) }, metatable: module.json.arrayMetatable)]
  }

  private static let text = function(
    "xml.text", "The text of an element and of all elements inside, with one blank for white space.",
    .optional("element", .record(.xmlElement), "The element; nil gives nil."),
    .optional("path", .string, "The path to another element inside."),
    returns: .init(.string, optional: true, "The text; nil if there is no such element.")
  ) { module, arguments in
    guard var element = arguments[0].table else { return [.nil] }
    if !arguments[1].isNil {
      guard let inner = try module.found(arguments, most: 1).first else { return [.nil] }
      element = inner
    }
    return [
      .string(
        try module.text(of: element, WorkMeter(arguments.state)).split(whereSeparator: \.isWhitespace)
          .joined(separator: " "))
    ]
  }

  private static let feed = function(
    "xml.feed", "Reads a feed of news: RSS 2.0, RSS 1.0 or Atom.", Parameter("text", .string, "The document."),
    returns: .init(.record(.feed), "The feed."),
    example: """
      local feed = b2c.xml.feed [[
        <rss version="2.0"><channel><title>News</title>
          <item><title>A &amp;amp; B</title><link>https://example.org/1</link><pubDate>Sun, 31 Jan 2027 09:00:00 +0100</pubDate></item>
        </channel></rss>
      ]]
      print(feed.title, feed.items[1].title, feed.items[1].published)
      """
  ) { module, arguments in
    let root = try module.document(arguments)
    guard let feed = Feed(root) else {
      throw LuaError(
        code: "not_a_feed", message: "xml.feed: the document is not a feed: its root element is \(root.name)",
        hint: "expected rss, RDF or feed")
    }
    return [module.value(feed)]
  }

  private static let htmlText = function(
    "xml.html_text", "The text of HTML as a person reads it, a line for each block.",
    Parameter("html", .string, "The HTML."), returns: .init(.string, "The text.")
  ) { _, arguments in
    guard case .bytes(let bytes) = arguments[0] else { return [.nil] }
    guard bytes.count <= longestHTML, MarkupBounds.excess(in: bytes) != .attributes else {
      throw arguments.failure(
        "expected HTML of at most 4 MiB, with at most \(MarkupBounds.mostAttributes) attributes an element")
    }
    do throws(MarkupError) { return [.string(try HTMLDocument(parsing: bytes, encoding: "UTF-8").text)] } catch {
      throw LuaError(code: error.code, message: "xml.html_text: \(error.message)", hint: error.hint)
    }
  }

  private nonisolated static let longestHTML = 4 << 20

  private static let escape = function(
    "xml.escape", "The text as it is written in a document, between tags and in attributes.",
    Parameter("text", .string, "The text."), returns: .init(.string, "The text with entities.")
  ) { _, arguments in
    var written = ""
    for (position, scalar) in arguments.string(0).unicodeScalars.enumerated() {
      switch scalar {
      case "&": written += "&amp;"
      case "<": written += "&lt;"
      case ">": written += "&gt;"
      case "\"": written += "&quot;"
      case "'": written += "&#39;"
      // A reader makes a line break of it (XML 1.0, 2.11).
      case "\r": written += "&#13;"
      case "\t", "\n": written.unicodeScalars.append(scalar)
      default:
        guard scalar.value >= 0x20, scalar.value != 0xfffe, scalar.value != 0xffff else {
          throw arguments.failure(
            "XML cannot hold the character U+\(String(scalar.value, radix: 16)) at \(position + 1)")
        }
        written.unicodeScalars.append(scalar)
      }
    }
    return [.string(written)]
  }

  // MARK: Elements

  private func document(_ arguments: Arguments) throws -> XMLElement {
    guard case .bytes(let bytes) = arguments[0] else { throw arguments.failure("argument 1: expected a text") }
    do { return try XMLElement(parsing: bytes) } catch {
      throw LuaError(
        code: error.kind == .malformed ? "malformed_xml" : error.code,
        message: "\(arguments.function.name): " + (error.line.map { "line \($0): " } ?? "") + error.message,
        hint: error.hint)
    }
  }

  private func table(_ element: XMLElement) -> LuaValue {
    let table = state.makeTable()
    table["name"] = .string(element.name)
    table["namespace"] = .string(element.namespace)
    table["line"] = .integer(Int64(element.line))
    let attributes = state.makeTable()
    for (name, value) in element.attributes { attributes[name] = .string(value) }
    table["attributes"] = .table(attributes)
    for (index, part) in element.content.enumerated() {
      let value: LuaValue =
        switch part {
        case .text(let text): .string(text)
        case .element(let child): self.table(child)
        }
      table[.integer(Int64(index + 1))] = value
    }
    return .table(table)
  }

  private func text(of element: LuaTable, _ meter: WorkMeter) throws -> String {
    var text = ""
    for part in try element.sequence {
      let piece = try part.table.map { try self.text(of: $0, meter) } ?? part.string ?? ""
      try meter.count(piece.utf8.count)
      text += piece
    }
    return text
  }

  private func found(_ arguments: Arguments, most: Int) throws -> [LuaTable] {
    guard let path = XMLPath(arguments.string(1)) else {
      throw arguments.failure(
        "argument 2: '\(arguments.string(1))' is not a path", hint: "for example channel/item, //title or {DAV:}href")
    }
    guard let root = arguments[0].table else { return [] }
    var found: [LuaTable] = []
    try find(path.steps[...], in: root, most, &found)
    return found
  }

  /// Adds the elements at the rest of a path, in the order of the document.
  private func find(
    _ steps: ArraySlice<XMLPath.Step>, in element: LuaTable, _ most: Int, _ found: inout [LuaTable]
  ) throws {
    guard let step = steps.first else { return }
    for child in try element.sequence.lazy.compactMap(\.table) where found.count < most {
      if step.matches(name: child["name"].string ?? "", namespace: child["namespace"].string) {
        if steps.count == 1 {
          found.append(child)
        } else {
          try find(steps.dropFirst(), in: child, most, &found)
        }
      }
      if step.isDeep { try find(steps, in: child, most, &found) }
    }
  }

  /// The text of a summary, which may be HTML; nil for one of too many attributes.
  private static func plain(_ html: String) -> String? {
    let bytes = Array(html.utf8.prefix(32 << 10))
    return MarkupBounds.excess(in: bytes) != .attributes
      ? try? HTMLDocument(parsing: bytes, encoding: "UTF-8").text : nil
  }

  private func value(_ feed: Feed) -> LuaValue {
    let items = feed.items.map { item in
      LuaValue.record([
        ("id", .string(item.id)), ("title", .string(item.title)), ("link", .string(item.link)),
        ("published", .string(item.published.flatMap(FeedTime.init)?.utc)),
        ("updated", .string(item.updated.flatMap(FeedTime.init)?.utc)), ("author", .string(item.author)),
        (
          "summary",
          .string(item.summary.flatMap(Self.plain))
        ),
        ("content", .string(item.content)),
      ])
    }
    return .record([
      ("kind", .string(feed.kind)), ("title", .string(feed.title)), ("link", .string(feed.link)),
      ("updated", .string(feed.updated.flatMap(FeedTime.init)?.utc)),
      ("items", .list(items, metatable: json.arrayMetatable)),
    ])
  }
}

/// The time of a feed: RFC 3339, or the dates of mail (RFC 5322, 3.3 and 4.3).
struct FeedTime {
  let utc: String

  init?(_ text: String) {
    if let time = try? TaskTime(parsing: text) {
      utc = time.utc ?? "\(time.day)T\(time.time ?? "00:00:00")Z"
      return
    }
    let form =
      #/(?:[A-Za-z]{3,9},?\s*)?(\d{1,2})\s+([A-Za-z]{3})[a-z]*\s+(\d{2,4})\s+(\d{1,2}):(\d\d)(?::(\d\d))?\s*([A-Za-z]{1,5}|[+-]\d{4})?/#
    let months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
    let zones = [
      "EST": "-0500", "EDT": "-0400", "CST": "-0600", "CDT": "-0500", "MST": "-0700", "MDT": "-0600", "PST": "-0800",
      "PDT": "-0700",
    ]
    guard let match = text.wholeMatch(of: form), let month = months.firstIndex(of: match.2.lowercased()),
      let year = Int(match.3)
    else { return nil }
    func two(_ part: some StringProtocol) -> String { part.count == 1 ? "0\(part)" : String(part) }
    let full = match.3.count == 2 ? (year < 50 ? 2000 + year : 1900 + year) : year
    let zone = match.7.map { $0.first == "+" || $0.first == "-" ? String($0) : zones[$0.uppercased()] ?? "Z" } ?? "Z"
    let plain = "\(full)-\(two(String(month + 1)))-\(two(match.1))T\(two(match.4)):\(match.5):\(match.6 ?? "00")\(zone)"
    guard let time = try? TaskTime(parsing: plain).utc else { return nil }
    utc = time
  }
}

extension LuaRecord {
  static let xmlElement = LuaRecord(
    "XML element", "An element of an XML document. Its texts and elements are its sequence.",
    Parameter("name", .string, "The name without a prefix."),
    .optional("namespace", .string, "The URI of the namespace."),
    Parameter("attributes", .map(of: .string), "The attributes, by their names as they are written."),
    .optional("line", .integer, "The line."), others: .any)

  static let feed = LuaRecord(
    "feed", "A feed of news.",
    Parameter("kind", .choice(["rss", "atom"]), "The kind."), .optional("title", .string, "The title."),
    .optional("link", .string, "The address of its page."),
    .optional("updated", .string, "The time of the last change."),
    Parameter("items", .list(of: .record(feedItem)), "The items, in the order of the feed."))

  static let feedItem = LuaRecord(
    "feed item", "An item of a feed. Times are in UTC: 2027-01-31T08:00:00Z.",
    .optional("id", .string, "The constant ID."), .optional("title", .string, "The title."),
    .optional("link", .string, "The address of its page."), .optional("published", .string, "The time of publication."),
    .optional("updated", .string, "The time of the last change."), .optional("author", .string, "The author."),
    .optional("summary", .string, "The summary as text."), .optional("content", .string, "The content, often HTML."))
}
