/// The way from an element to others: `channel/item`, `//{DAV:}href`, `*/title`.
package struct XMLPath: Sendable {
  package struct Step: Sendable {
    /// True if the element may stand at any depth.
    package let isDeep: Bool
    /// Nil for any name.
    let name: String?
    /// Nil for any namespace.
    let namespace: String?

    /// - Parameter namespace: of the element; nil without one.
    package func matches(name: String, namespace: @autoclosure () -> String?) -> Bool {
      if let wanted = self.name, wanted != name { return false }
      guard let wanted = self.namespace else { return true }
      return wanted == namespace() ?? ""
    }
  }

  package let steps: [Step]

  /// Nil for a text that is no path.
  package init?(_ text: String) {
    var rest = text[...]
    var steps: [Step] = []
    var isFirst = true
    repeat {
      var isDeep = false
      if rest.hasPrefix("//") {
        isDeep = true
        rest = rest.dropFirst(2)
      } else if !isFirst {
        guard rest.hasPrefix("/") else { return nil }
        rest = rest.dropFirst()
      }
      isFirst = false
      var namespace: String?
      if rest.first == "{" {
        guard let end = rest.firstIndex(of: "}") else { return nil }
        namespace = String(rest[rest.index(after: rest.startIndex)..<end])
        rest = rest[rest.index(after: end)...]
      }
      let name = rest.prefix { $0 != "/" && $0 != "{" && !$0.isWhitespace }
      guard !name.isEmpty else { return nil }
      steps.append(Step(isDeep: isDeep, name: name == "*" ? nil : String(name), namespace: namespace))
      rest = rest.dropFirst(name.count)
    } while !rest.isEmpty
    self.steps = steps
  }
}
