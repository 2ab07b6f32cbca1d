import JSON

/// A detailed description of what a client asks for (RFC 9396), checked and completed. The tenant knows one type:
/// `task_list` with `actions`, `lists` and `locations`.
struct RichDetails {
  static let types = ["task_list"]
  private static let actions = ["read", "write"]
  /// Every user has one list.
  private static let lists = ["tasks"]

  let elements: [JSON]

  /// - Parameter text: the parameter `authorization_details`; nil without one.
  /// - Throws: `invalid_authorization_details`.
  init?(_ text: String?, origin: String) throws(ProtocolError) {
    guard let text else { return nil }
    guard let json = try? JSON(parsing: Array(text.utf8), maximumDepth: 16), let given = json.array, !given.isEmpty
    else {
      throw Self.refused("they are no JSON array of objects")
    }
    var elements: [JSON] = []
    for element in given { elements.append(try Self.completed(element, origin)) }
    self.elements = elements
  }

  /// The description of a token: the one of its request, which may not exceed the grant, else the one of the grant.
  init?(_ form: Parameters, of grant: GrantStore.Grant, origin: String) throws(ProtocolError) {
    let granted = try RichDetails(grant.details, origin: origin)
    let asked = try RichDetails(form["authorization_details"], origin: origin)
    if let asked, !asked.actions.isSubset(of: granted?.actions ?? []) {
      throw Self.refused("they exceed what was granted at the sign-in")
    }
    guard let elements = (asked ?? granted)?.elements else { return nil }
    self.elements = elements
  }

  var json: JSON { .array(elements) }

  /// The actions that all elements permit together.
  var actions: Set<String> { Self.actions(json) }

  static func actions(_ json: JSON) -> Set<String> {
    Set((json.array ?? []).filter { $0["type"] == "task_list" }.flatMap { Self.strings($0["actions"]) ?? [] })
  }

  /// The lines for the page that asks the user.
  var lines: [String] {
    elements.map { element in
      let words = ["actions", "lists"].map { (Self.strings(element[$0]) ?? []).joined(separator: ", ") }
      return "\(element["type"]?.string ?? ""): \(words[0]) (\(words[1]))"
    }
  }

  private static func completed(_ element: JSON, _ origin: String) throws(ProtocolError) -> JSON {
    guard var members = element.object, let type = members["type"]?.string else {
      throw refused("an element has no type")
    }
    guard types.contains(type) else { throw refused("the type '\(type)' is unknown; known is 'task_list'") }
    let known = ["actions": actions, "lists": lists, "locations": RequestedResources.known(origin)]
    for (name, value) in members.sorted(by: { $0.key < $1.key }) where name != "type" {
      guard let possible = known[name] else { throw refused("the type '\(type)' has no member '\(name)'") }
      guard let values = strings(value), !values.isEmpty, let other = values.first(where: { !possible.contains($0) })
      else {
        guard strings(value)?.isEmpty == false else { throw refused("'\(name)' is not a list of strings") }
        continue
      }
      throw refused("'\(name)' has '\(other)', and may have '\(possible.joined(separator: "' and '"))'")
    }
    guard members["actions"] != nil else { throw refused("the type '\(type)' needs 'actions'") }
    members["lists"] = members["lists"] ?? .array(lists.map { .string($0) })
    members["locations"] = members["locations"] ?? [.string(RequestedResources.known(origin)[1])]
    return .object(members)
  }

  private static func strings(_ json: JSON?) -> [String]? {
    guard let array = json?.array else { return nil }
    let strings = array.compactMap(\.string)
    return strings.count == array.count ? strings : nil
  }

  private static func refused(_ reason: String) -> ProtocolError {
    ProtocolError("invalid_authorization_details", "The authorization_details are refused: \(reason).")
  }
}

/// A wrong answer about `authorization_details`, for `tenant.fault { authorization_details = … }`.
package enum RichDetailsFault: String, Sendable, CaseIterable {
  /// The token response has none.
  case missing
  /// The token response has one that was not asked for.
  case more

  func apply(_ answer: JSON) -> JSON {
    guard var members = answer.object, let granted = members["authorization_details"]?.array else { return answer }
    members["authorization_details"] = self == .missing ? nil : .array(granted + [["type": "account_information"]])
    return .object(members)
  }
}
