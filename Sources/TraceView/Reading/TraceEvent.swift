import JSON
import Trace

/// One line of a trace. The documentation has the meaning of each member, in the article on traces.
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
  /// The name that the answer gives to a pushed authorization request (RFC 9126).
  let requestURI: String?
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
    requestURI = json["response"]?["body"]?["json"]?["request_uri"]?.string
    self.json = json.withoutBodies
  }

  var error: TraceFailure? { json["error"].flatMap(TraceFailure.init) }
  func text(_ name: String) -> String? { json[name]?.string }
}

struct TraceFailure: Equatable {
  let code: String
  let message: String
  let hint: String?
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
  /// An exchange without the contents of its bodies, so that many of them fit into memory.
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
