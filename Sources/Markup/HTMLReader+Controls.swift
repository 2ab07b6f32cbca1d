extension HTMLButton {
  /// Nil if the element is no button.
  init?(_ node: MarkupNode, isDisabled: Bool) {
    let type = node[attribute: "type"]?.lowercased()
    let value = node[attribute: "value"] ?? ""
    let text: String
    switch (node.name, type) {
    case ("button", _): text = HTMLReader.visibleText(node)
    case ("input", "submit"): text = value.isEmpty ? "Submit" : value
    case ("input", "image"): text = node[attribute: "alt"] ?? value
    case ("input", "reset"), ("input", "button"): text = value
    default: return nil
    }
    let known = type.flatMap { ["submit", "image", "reset", "button"].contains($0) ? $0 : nil }
    self.init(
      name: node[attribute: "name"], id: node[attribute: "id"], value: value,
      label: text.isEmpty ? node[attribute: "aria-label"] ?? "" : text, type: known ?? "submit",
      action: node[attribute: "formaction"], isDisabled: isDisabled)
  }
}

extension HTMLField {
  init(_ node: MarkupNode, isDisabled: Bool, enclosingLabel: String?) {
    let label = enclosingLabel ?? node[attribute: "aria-label"] ?? node[attribute: "placeholder"]
    self.init(
      name: node[attribute: "name"] ?? "", id: node[attribute: "id"], type: node.name, value: "", isChecked: true,
      options: [], label: label, isDisabled: isDisabled, autocomplete: node[attribute: "autocomplete"]?.lowercased())
    switch node.name {
    case "select":
      options = Self.options(node)
      value = (options.first(where: \.isSelected) ?? options.first)?.value ?? ""
    case "textarea":
      let text = node.children.filter(\.isText).map(\.content).joined()
      // A line break right after the start tag is not part of the value (HTML, 13.1.2.5).
      value = text.hasPrefix("\n") ? String(text.dropFirst()) : text
    default:
      type = node[attribute: "type"]?.lowercased() ?? "text"
      let canBeChecked = type == "checkbox" || type == "radio"
      value = node[attribute: "value"] ?? (canBeChecked ? "on" : "")
      isChecked = !canBeChecked || node[attribute: "checked"] != nil
    }
  }

  private static func options(_ node: MarkupNode) -> [Option] {
    node.children.flatMap { child -> [Option] in
      switch child.name {
      case "optgroup": return options(child)
      case "option":
        let label = HTMLReader.visibleText(child, evenUnseen: true)
        return [
          Option(
            value: child[attribute: "value"] ?? label, label: label, isSelected: child[attribute: "selected"] != nil)
        ]
      default: return []
      }
    }
  }
}
