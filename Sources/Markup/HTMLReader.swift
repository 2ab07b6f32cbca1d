struct HTMLReader {
  private struct Place {
    var depth = 0
    var form: Int?
    var isHidden = false
    var isDisabled = false
    var label: String?
    /// The number of elements around it whose text was read.
    var texts = 0
  }

  /// Deeper elements are left out, because the walk is recursive. No page for people nests that deep.
  private static let maximumDepth = 512
  /// Labels, alerts and others that nest deeper have no text of their own: it would be read once more for each around it.
  private static let deepestText = 8
  private static let withText: Set<String> = ["label", "a", "noscript", "select", "button"]

  private static let unseen: Set<String> = ["head", "script", "style", "template", "title", "option", "datalist"]
  private static let blocks: Set<String> = [
    "address", "article", "aside", "blockquote", "br", "dd", "div", "dl", "dt", "fieldset", "figure", "footer", "form",
    "h1", "h2", "h3", "h4", "h5", "h6", "header", "hr", "label", "legend", "li", "main", "nav", "ol", "p", "pre",
    "section", "table", "tr", "ul",
  ]

  private var document = HTMLDocument()
  /// Labels by the `id` of the labeled field.
  private var labels: [String: String] = [:]
  /// Fields and buttons outside of their form, with the form's `id`.
  private var controlsElsewhere: [(form: String, add: (inout HTMLForm) -> Void)] = []

  mutating func read(_ root: MarkupNode) {
    read(root, Place())
    document.text = Self.visibleText(root)
  }

  /// The page. Labels and fields outside of their form are put in their places.
  func finished() -> HTMLDocument {
    var result = document
    for (id, add) in controlsElsewhere {
      if let index = result.forms.firstIndex(where: { $0.id == id }) { add(&result.forms[index]) }
    }
    for form in result.forms.indices {
      for (index, field) in result.forms[form].fields.enumerated() {
        if let label = field.id.flatMap({ labels[$0] }) { result.forms[form].fields[index].label = label }
      }
    }
    return result
  }

  private mutating func read(_ node: MarkupNode, _ outer: Place) {
    guard node.isElement, outer.depth < Self.maximumDepth else { return }
    var place = outer
    place.depth += 1
    place.isHidden = outer.isHidden || Self.isHidden(node)
    let isAlert = !place.isHidden && Self.reports(node)
    if isAlert || Self.withText.contains(node.name) { place.texts += 1 }
    if place.texts == outer.texts || place.texts <= Self.deepestText {
      readMeaning(of: node, &place)
      if isAlert {
        let text = Self.visibleText(node)
        if !text.isEmpty, !document.alerts.contains(text) { document.alerts.append(text) }
      }
    }
    for child in node.children { read(child, place) }
  }

  private mutating func readMeaning(of node: MarkupNode, _ place: inout Place) {
    switch node.name {
    case "title" where document.title.isEmpty: document.title = Self.visibleText(node, evenUnseen: true)
    case "base" where document.base == nil: document.base = node[attribute: "href"]
    case "meta" where document.refresh == nil && node[attribute: "http-equiv"]?.lowercased() == "refresh":
      document.refresh = node[attribute: "content"].flatMap(Self.refreshTarget)
    case "form":
      place.form = document.forms.count
      document.forms.append(HTMLForm(node))
    case "fieldset": place.isDisabled = place.isDisabled || node[attribute: "disabled"] != nil
    case "label":
      let text = Self.visibleText(node)
      if let id = node[attribute: "for"] { labels[id] = text } else { place.label = text }
    case "a":
      if let target = node[attribute: "href"], !place.isHidden {
        document.links.append(.init(target: target, text: Self.visibleText(node), id: node[attribute: "id"]))
      }
    case "noscript":
      let text = Self.visibleText(node)
      if !text.isEmpty { document.noScript += document.noScript.isEmpty ? text : "\n\(text)" }
    case "script":
      let script = node.children.map(\.content).joined()
      if !script.isEmpty { document.scripts.append(script) }
    case "input", "select", "textarea", "button": readControl(node, place)
    default: break
    }
  }

  private mutating func readControl(_ node: MarkupNode, _ place: Place) {
    let isDisabled = place.isDisabled || node[attribute: "disabled"] != nil
    let add: (inout HTMLForm) -> Void
    if let button = HTMLButton(node, isDisabled: isDisabled) {
      add = { $0.buttons.append(button) }
    } else {
      let field = HTMLField(node, isDisabled: isDisabled, enclosingLabel: place.label)
      add = { $0.fields.append(field) }
    }
    if let elsewhere = node[attribute: "form"] {
      controlsElsewhere.append((elsewhere, add))
    } else if let form = place.form {
      add(&document.forms[form])
    }
  }

  /// The address in `0; url='/next'`; nil if the page only reloads itself.
  private static func refreshTarget(_ content: String) -> String? {
    let parts = content.split(maxSplits: 1) { $0 == ";" || $0 == "," }
    guard parts.count == 2 else { return nil }
    let setting = parts[1].split(separator: "=", maxSplits: 1).map { $0.filter { !$0.isWhitespace } }
    guard setting.count == 2, setting[0].lowercased() == "url" else { return nil }
    let target = setting[1].filter { $0 != "'" && $0 != "\"" }
    return target.isEmpty ? nil : target
  }

  private static func reports(_ node: MarkupNode) -> Bool {
    if node[attribute: "role"]?.lowercased() == "alert" { return true }
    let classes = node[attribute: "class"]?.lowercased().split(whereSeparator: \.isWhitespace) ?? []
    return classes.contains { $0.contains("error") }
  }

  private static func isHidden(_ node: MarkupNode) -> Bool {
    if node[attribute: "hidden"] != nil || node[attribute: "aria-hidden"]?.lowercased() == "true" { return true }
    guard let style = node[attribute: "style"]?.lowercased().filter({ !$0.isWhitespace }) else { return false }
    return style.contains("display:none") || style.contains("visibility:hidden")
  }

  /// The visible text of `node`: white space collapsed, one line for each block.
  static func visibleText(_ node: MarkupNode, evenUnseen: Bool = false) -> String {
    var text = ""
    func append(_ node: MarkupNode, _ depth: Int) {
      if node.isText {
        for character in node.content { text.append(character.isWhitespace ? " " : character) }
      } else if node.isElement, depth < maximumDepth, evenUnseen || !(unseen.contains(node.name) || isHidden(node)) {
        let isBlock = blocks.contains(node.name)
        if isBlock { text += "\n" }
        for child in node.children { append(child, depth + 1) }
        if isBlock { text += "\n" }
      }
    }
    append(node, 0)
    return text.split(separator: "\n").map { $0.split(separator: " ").joined(separator: " ") }
      .filter { !$0.isEmpty }.joined(separator: "\n")
  }
}

extension HTMLForm {
  fileprivate init(_ node: MarkupNode) {
    let action = node[attribute: "action"]
    self.init(
      action: action?.isEmpty == true ? nil : action,
      method: node[attribute: "method"]?.lowercased() == "post" ? "POST" : "GET",
      isMultipart: node[attribute: "enctype"]?.lowercased() == "multipart/form-data", id: node[attribute: "id"],
      name: node[attribute: "name"], fields: [], buttons: [])
  }
}

extension HTMLButton {
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
        let value = child[attribute: "value"] ?? label
        return [Option(value: value, label: label, isSelected: child[attribute: "selected"] != nil)]
      default: return []
      }
    }
  }
}
