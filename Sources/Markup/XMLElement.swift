/// An element of an XML document, and where it stands.
package struct XMLElement: Sendable, Equatable {
  package var name: String
  /// The text directly inside, entities and CDATA sections resolved, white space as it is written.
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
