import Markup
import Testing

@Suite struct XMLElementTests {
  @Test func elementsKeepTextChildrenAndLines() throws {
    let root = try XMLElement(
      parsing: Array(
        """
        <?xml version="1.0" encoding="UTF-8"?>
        <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
        <plist version="1.0">
        <dict><!-- a remark -->
          <key>a</key><string>x &amp; y<![CDATA[ <z>]]></string>
        </dict>
        </plist>
        """.utf8))
    #expect(root.name == "plist")
    #expect(root.line == 3)
    #expect(
      root.children.first?.children == [
        XMLElement(name: "key", text: "a", line: 5), XMLElement(name: "string", text: "x & y <z>", line: 5),
      ])
  }

  @Test(arguments: [
    ("", 1, "Document is empty"),
    ("<a>\n<b>\n</a>", 3, "Opening and ending tag mismatch: b line 2 and a"),
    ("<a>\n<string><client ID></string>\n</a>", 2, "Specification mandates value for attribute ID"),
    ("<a>\nx & y\n</a>", 2, "xmlParseEntityRef: no name"),
    ("<a>\n&nbsp;</a>", 2, "Entity 'nbsp' not defined"),
    ("<a/>\n<b/>", 2, "Extra content at the end of the document"),
    ("{\"a\": 1}", 1, "Start tag expected, '<' not found"),
  ])
  func whatIsWrongIsSaidWithItsLine(_ text: String, _ line: Int, _ message: String) {
    #expect { try XMLElement(parsing: Array(text.utf8)) } throws: {
      let error = $0 as? MarkupError
      return error?.line == line && error?.message == message
    }
  }

  @Test func entitiesDoNotUnfold() {
    let laughs = (1...9).map {
      "<!ENTITY l\($0) \"" + String(repeating: "&l\($0 - 1);", count: 10) + "\">"
    }.joined()
    for text in [
      "<!DOCTYPE a [<!ENTITY l0 \"lol\">\(laughs)]><a>&l9;</a>",
      "<!DOCTYPE a [<!ENTITY x SYSTEM \"file:///etc/passwd\">]><a>&x;</a>",
      "<!DOCTYPE a [<!ENTITY l0 \"lol\">\(laughs)]><a b=\"&l9;\"/>",
    ] {
      #expect(throws: MarkupError.self) { try XMLElement(parsing: Array(text.utf8)) }
    }
  }
}
