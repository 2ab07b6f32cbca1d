/// One walk over the tree of a page.
struct HTMLReader {
  /// The surroundings of the current node.
  private struct Place {
    var depth = 0
    var form: Int?
    var isHidden = false
    var isDisabled = false
    var label: String?
  }

  /// Deeper elements are left out, because the walk is recursive. No page for people nests that deep.
  private static let maximumDepth = 512

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
  private var fieldsElsewhere: [(form: String, field: HTMLField)] = []
  private var buttonsElsewhere: [(form: String, button: HTMLButton)] = []

  mutating func read(_ root: MarkupNode) {
    read(root, Place())
    document.text = Self.visibleText(root)
  }

  /// The page. Labels and fields outside of their form are put in their places.
  func finished() -> HTMLDocument {
    var result = document
    for (id, field) in fieldsElsewhere {
      if let index = result.forms.firstIndex(where: { $0.id == id }) { result.forms[index].fields.append(field) }
    }
    for (id, button) in buttonsElsewhere {
      if let index = result.forms.firstIndex(where: { $0.id == id }) { result.forms[index].buttons.append(button) }
    }
    for form in result.forms.indices {
      for field in result.forms[form].fields.indices {
        guard let id = result.forms[form].fields[field].id, let label = labels[id] else { continue }
        result.forms[form].fields[field].label = label
      }
    }
    return result
  }

  private mutating func read(_ node: MarkupNode, _ outer: Place) {
    guard node.isElement, outer.depth < Self.maximumDepth else { return }
    var place = outer
    place.depth += 1
    place.isHidden = outer.isHidden || Self.isHidden(node)
    switch node.name {
    case "title" where document.title.isEmpty: document.title = Self.visibleText(node, evenUnseen: true)
    case "base" where document.base == nil: document.base = node[attribute: "href"]
    case "meta" where document.refresh == nil && node[attribute: "http-equiv"]?.lowercased() == "refresh":
      document.refresh = node[attribute: "content"].flatMap(Self.refreshTarget)
    case "form":
      place.form = document.forms.count
      document.forms.append(Self.form(node))
    case "fieldset": place.isDisabled = place.isDisabled || node[attribute: "disabled"] != nil
    case "label":
      let text = Self.visibleText(node)
      if let id = node[attribute: "for"] { labels[id] = text } else { place.label = text }
    case "a":
      if let target = node[attribute: "href"], !place.isHidden {
        document.links.append(.init(target: target, text: Self.visibleText(node), id: node[attribute: "id"]))
      }
    case "noscript":
      document.noScript = [document.noScript, Self.visibleText(node)].filter { !$0.isEmpty }.joined(separator: "\n")
    case "script":
      let script = node.children.map(\.content).joined()
      if !script.isEmpty { document.scripts.append(script) }
    case "input", "select", "textarea", "button": readControl(node, place)
    default: break
    }
    if !place.isHidden, Self.reports(node) {
      let text = Self.visibleText(node)
      if !text.isEmpty, !document.alerts.contains(text) { document.alerts.append(text) }
    }
    for child in node.children { read(child, place) }
  }

  private mutating func readControl(_ node: MarkupNode, _ place: Place) {
    let isDisabled = place.isDisabled || node[attribute: "disabled"] != nil
    let elsewhere = node[attribute: "form"]
    if let button = HTMLButton(node, isDisabled: isDisabled) {
      if let elsewhere {
        buttonsElsewhere.append((elsewhere, button))
      } else if let form = place.form {
        document.forms[form].buttons.append(button)
      }
    } else {
      let field = HTMLField(node, isDisabled: isDisabled, enclosingLabel: place.label)
      if let elsewhere {
        fieldsElsewhere.append((elsewhere, field))
      } else if let form = place.form {
        document.forms[form].fields.append(field)
      }
    }
  }

  private static func form(_ node: MarkupNode) -> HTMLForm {
    let action = node[attribute: "action"]
    return HTMLForm(
      action: action?.isEmpty == true ? nil : action,
      method: node[attribute: "method"]?.lowercased() == "post" ? "POST" : "GET",
      isMultipart: node[attribute: "enctype"]?.lowercased() == "multipart/form-data", id: node[attribute: "id"],
      name: node[attribute: "name"], fields: [], buttons: [])
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
    let style = node[attribute: "style"]?.lowercased().filter { !$0.isWhitespace } ?? ""
    return style.contains("display:none") || style.contains("visibility:hidden")
  }

  /// The visible text of `node`: white space collapsed, one line for each block.
  static func visibleText(_ node: MarkupNode, evenUnseen: Bool = false) -> String {
    var text = ""
    func append(_ node: MarkupNode, _ depth: Int) {
      if node.isText {
        text += node.content.map { $0.isWhitespace ? " " : String($0) }.joined()
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
