import JSON

/// One line of a trace. What the format means by each member is in the documentation, in the article on traces.
struct TraceEvent {
  let type: String
  let id: Int
  /// Microseconds since the trace began.
  let at: Int
  /// Microseconds to its end.
  let took: Int?
  /// The line of Lua that waits for it, and the function that was called there.
  let line: String?
  let call: String?
  let coroutine: Int?
  /// All members; of bodies only the forms are kept.
  let json: JSON

  init?(_ json: JSON) {
    guard let type = json["type"]?.string else { return nil }
    self.type = type
    id = json.integer("id") ?? 0
    at = json.integer("at") ?? 0
    took = json.integer("took")
    line = json["line"]?.string
    call = json["call"]?.string
    coroutine = json.integer("coroutine")
    self.json = json.withoutBodies
  }

  var error: TraceFailure? { json["error"].flatMap(TraceFailure.init) }
  func text(_ name: String) -> String? { json[name]?.string }
}

/// An `error` of an event.
struct TraceFailure: Equatable {
  let code: String
  let message: String
  let hint: String?
  /// What one of B2C's codes means.
  let meaning: String?

  init?(_ json: JSON) {
    guard json["code"] != nil || json["message"] != nil else { return nil }
    code = json["code"]?.string ?? "error"
    message = json["message"]?.string ?? ""
    hint = json["hint"]?.string
    meaning = json["meaning"]?.string
  }
}

extension JSON {
  func integer(_ name: String) -> Int? { self[name]?.lenientInteger.map { Int(clamping: $0) } }

  /// A list of `[name, value]`.
  var pairs: [(name: String, value: String)] {
    (array ?? []).compactMap { pair in
      guard let parts = pair.array, parts.count == 2, let name = parts[0].string else { return nil }
      return (name, parts[1].plainText)
    }
  }

  /// A string as it is, anything else as JSON.
  var plainText: String { string ?? encoded() }

  /// An exchange without what is in its bodies, so that many of them fit into memory.
  fileprivate var withoutBodies: JSON {
    guard var members = object else { return self }
    for part in ["request", "response"] {
      guard var message = members[part]?.object, var body = message["body"]?.object else { continue }
      body["text"] = nil
      body["json"] = nil
      message["body"] = .object(body)
      members[part] = .object(message)
    }
    return .object(members)
  }
}
