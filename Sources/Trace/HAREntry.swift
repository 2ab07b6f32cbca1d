import Core
import JSON

/// One exchange as HAR 1.2 has it. Times are milliseconds there, and an unknown one is -1.
enum HAREntry {
  /// All entries are of one page: the run.
  static let page = "run"

  /// - Parameter start: microseconds from 1970 to the start of the trace.
  static func entry(_ event: JSON, start: Int) -> JSON {
    let request = event["request"] ?? [:]
    let response = event["response"]
    let timings = self.timings(event["timings"] ?? [:])
    var entry: [String: JSON] = [
      "pageref": .string(page), "startedDateTime": time(event.integer("at") ?? 0, start),
      "time": .number(timings.total), "request": self.request(request, response),
      "response": self.response(response, event),
      "cache": [:], "timings": timings.json,
    ]
    entry["serverIPAddress"] = event["server"]?["address"]
    entry["connection"] = event["server"]?.integer("port").map { .string(String($0)) }
    entry["comment"] = comment(event)
    return .object(entry)
  }

  static func entries(_ event: JSON, start: Int) -> [JSON] {
    (event["rows"]?.array ?? []).map { row in
      let numbers = row.array?.compactMap(\.lenientInteger) ?? []
      guard numbers.count >= 5 else { return [:] }
      var one: [String: JSON] = [
        "at": .integer(numbers[0]), "took": .integer(numbers[1]), "timings": ["wait": .integer(numbers[1])],
      ]
      var request = event["request"]?.object ?? [:]
      request["body"] = ["size": .integer(numbers[3]), "left_out": "one of many alike"]
      one["request"] = .object(request)
      if numbers[2] > 0 {
        one["response"] = [
          "status": .integer(numbers[2]), "version": "1.1", "headers": [],
          "body": ["size": .integer(numbers[4]), "left_out": "one of many alike"],
        ]
      }
      for name in ["from", "line", "call"] { one[name] = event[name] }
      return entry(.object(one), start: start)
    }
  }

  private static func time(_ at: Int, _ start: Int) -> JSON {
    .string(UnixTime(Double(start + at) / 1e6).iso(fractionDigits: 6))
  }

  /// HAR's `connect` includes `ssl`, and the sum of the others is the entry's time.
  private static func timings(_ timings: JSON) -> (json: JSON, total: Double) {
    func milliseconds(_ name: String) -> Double? { timings.integer(name).map { Double($0) / 1000 } }
    let tls = milliseconds("tls")
    let unknown = [("blocked", -1.0), ("dns", -1), ("connect", -1), ("send", 0), ("wait", 0), ("receive", 0)]
    let parts = unknown.map { name, unknown in
      (name, milliseconds(name).map { name == "connect" ? $0 + (tls ?? 0) : $0 } ?? unknown)
    }
    var json = Dictionary(uniqueKeysWithValues: parts.map { ($0.0, JSON.number($0.1)) })
    json["ssl"] = .number(tls ?? -1)
    return (.object(json), parts.reduce(0) { $0 + max(0, $1.1) })
  }

  private static func request(_ request: JSON, _ response: JSON?) -> JSON {
    let headers = request["headers"]?.pairs ?? []
    let body = request["body"]
    var json: [String: JSON] = [
      "method": request["method"] ?? "GET", "url": request["url"] ?? "", "httpVersion": version(response),
      "cookies": .array(headers.filter { $0.name.lowercased() == "cookie" }.flatMap { HARCookie.sent($0.value) }),
      "headers": list(headers), "queryString": list(request["query"]?.pairs ?? []), "headersSize": -1,
      "bodySize": body?["size"] ?? 0,
    ]
    if let body { json["postData"] = postData(body, headers) }
    return .object(json)
  }

  private static func postData(_ body: JSON, _ headers: [(name: String, value: String)]) -> JSON {
    let type = value("content-type", headers) ?? ""
    var data: [String: JSON] = [
      "mimeType": body["type"] ?? .string(type), "text": .string(text(body)), "params": list(body["form"]?.pairs ?? []),
    ]
    data["comment"] = body["left_out"]
    return .object(data)
  }

  private static func response(_ response: JSON?, _ event: JSON) -> JSON {
    let headers = response?["headers"]?.pairs ?? []
    let body = response?["body"]
    let type = value("content-type", headers)
    var content: [String: JSON] = [
      "size": body?["size"] ?? 0, "mimeType": body?["type"] ?? .string(type ?? "x-unknown"),
    ]
    if let body {
      content["text"] = .string(text(body))
      content["comment"] = body["left_out"]
    }
    var json: [String: JSON] = [
      "status": response?["status"] ?? 0, "statusText": "", "httpVersion": version(response),
      "cookies": .array(headers.filter { $0.name.lowercased() == "set-cookie" }.map { HARCookie.set($0.value) }),
      "headers": list(headers), "content": .object(content),
      "redirectURL": .string(value("location", headers) ?? ""), "headersSize": -1,
      "bodySize": body?["size"] ?? 0,
    ]
    // Browsers write this for a request without an answer.
    if response == nil {
      json["bodySize"] = -1
      json["_error"] = event["error"]?["message"]
    }
    return .object(json)
  }

  private static func version(_ response: JSON?) -> JSON {
    let version = response?["version"]?.string ?? ""
    return .string(version.isEmpty ? "HTTP/1.1" : "HTTP/\(version)")
  }

  private static func text(_ body: JSON) -> String {
    if let form = body["form"] { return URLEncodedForm.encode(form.pairs.map { ($0.name, $0.value) }) }
    return body["json"]?.encoded() ?? body["text"]?.string ?? ""
  }

  /// The party that asked, the place in the script, and the error.
  private static func comment(_ event: JSON) -> JSON? {
    let parts = [
      event["from"]?.string.map { "by \($0)" }, event["call"]?.string, event["line"]?.string,
      event.integer("retry").map { "retry \($0)" }, event["error"]?["message"]?.string,
    ].compactMap(\.self)
    return parts.isEmpty ? nil : .string(parts.joined(separator: ", "))
  }

  private static func value(_ name: String, _ headers: [(name: String, value: String)]) -> String? {
    headers.first { $0.name.lowercased() == name }?.value
  }

  private static func list(_ pairs: [(name: String, value: String)]) -> JSON {
    .array(pairs.map { ["name": .string($0.name), "value": .string($0.value)] })
  }
}

enum HARCookie {
  static func sent(_ value: String) -> [JSON] { parts(value).map { .object(cookie($0)) } }

  static func set(_ value: String) -> JSON {
    let parts = parts(value)
    var cookie = cookie(parts.first ?? ("", nil))
    for (name, value) in parts.dropFirst() {
      switch name.lowercased() {
      case "path": cookie["path"] = value.map { .string($0) }
      case "domain": cookie["domain"] = value.map { .string($0) }
      case "samesite": cookie["sameSite"] = value.map { .string($0) }
      case "httponly": cookie["httpOnly"] = true
      case "secure": cookie["secure"] = true
      default: break
      }
    }
    return .object(cookie)
  }

  private static func cookie(_ part: (name: String, value: String?)) -> [String: JSON] {
    ["name": .string(part.name), "value": .string(part.value ?? "")]
  }

  private static func parts(_ text: String) -> [(name: String, value: String?)] {
    text.split(separator: ";").map { part in
      let sides = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map { side in
        String(side.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
      }
      return (sides[0], sides.count > 1 ? sides[1] : nil)
    }
  }
}
