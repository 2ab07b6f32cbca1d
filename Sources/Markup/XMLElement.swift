/// An element of an XML document with its line.
package struct XMLElement: Sendable, Equatable {
  package var name: String
  /// The text directly inside, with entities and CDATA sections resolved. White space is unchanged.
  package var text: String
  package var children: [XMLElement]
  /// Counted from 1.
  package var line: Int

  package init(name: String, text: String = "", children: [XMLElement] = [], line: Int) {
    self.name = name
    self.text = text
    self.children = children
    self.line = line
  }
}
