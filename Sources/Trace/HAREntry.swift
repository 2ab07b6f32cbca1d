import HTTPClient
import JSON

/// One exchange as HAR 1.2 has it. Times are milliseconds there, and what is not known is -1.
enum HAREntry {
  /// All entries are of one page: the run.
  static let page = "run"

  /// - Parameter start: microseconds from 1970 to the start of the trace.
  static func entry(_ event: JSON, start: Int) -> JSON {
    let request = event["request"] ?? [:]
    let response = event["response"]
    let timings = self.timings(event["timings"] ?? [:], event["took"]?.lenientInteger ?? 0)
    var entry: [String: JSON] = [
      "pageref": .string(page), "startedDateTime": time(event["at"]?.lenientInteger ?? 0, start),
      "time": .number(timings.total), "request": self.request(request, response),
      "response": self.response(response, event),
      "cache": [:], "timings": timings.json,
    ]
    entry["serverIPAddress"] = event["server"]?["address"]
    if let port = event["server"]?["port"]?.lenientInteger { entry["connection"] = .string(String(port)) }
    entry["comment"] = comment(event)
    return .object(entry)
  }

  /// Those of a series.
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

  private static func time(_ at: Int64, _ start: Int) -> JSON {
    let time = start + Int(at)
    return .string(WallClock.text(seconds: time / 1_000_000, microseconds: time % 1_000_000))
  }

  /// HAR's `connect` includes `ssl`, and the sum of the others is the entry's time.
  private static func timings(_ timings: JSON, _ took: Int64) -> (json: JSON, total: Double) {
    func milliseconds(_ name: String) -> Double? { timings[name]?.lenientInteger.map { Double($0) / 1000 } }
    let tls = milliseconds("tls")
    let connect = milliseconds("connect").map { $0 + (tls ?? 0) }
    let parts: [(String, Double)] = [
      ("blocked", milliseconds("blocked") ?? -1), ("dns", milliseconds("dns") ?? -1), ("connect", connect ?? -1),
      ("send", milliseconds("send") ?? 0), ("wait", milliseconds("wait") ?? 0),
      ("receive", milliseconds("receive") ?? 0),
    ]
    var json = Dictionary(uniqueKeysWithValues: parts.map { ($0.0, JSON.number($0.1)) })
    json["ssl"] = .number(tls ?? -1)
    return (.object(json), parts.reduce(0) { $0 + max(0, $1.1) })
  }

  private static func request(_ request: JSON, _ response: JSON?) -> JSON {
    let headers = pairs(request["headers"])
    let body = request["body"]
    var json: [String: JSON] = [
      "method": request["method"] ?? "GET", "url": request["url"] ?? "", "httpVersion": version(response),
      "cookies": .array(
        headers.filter { $0.name.lowercased() == "cookie" }.flatMap { HARCookie.sent($0.value) }),
      "headers": list(headers), "queryString": list(pairs(request["query"])), "headersSize": -1,
      "bodySize": body?["size"] ?? 0,
    ]
    if let body { json["postData"] = postData(body, headers) }
    return .object(json)
  }

  private static func postData(_ body: JSON, _ headers: [(name: String, value: String)]) -> JSON {
    let type = headers.first { $0.name.lowercased() == "content-type" }?.value ?? ""
    let fields = pairs(body["form"])
    var data: [String: JSON] = [
      "mimeType": body["type"] ?? .string(type), "text": .string(text(body)), "params": list(fields),
    ]
    if fields.isEmpty { data["params"] = [] }
    data["comment"] = body["left_out"]
    return .object(data)
  }

  private static func response(_ response: JSON?, _ event: JSON) -> JSON {
    let headers = pairs(response?["headers"])
    let body = response?["body"]
    let type = headers.first { $0.name.lowercased() == "content-type" }?.value
    var content: [String: JSON] = [
      "size": body?["size"] ?? 0, "mimeType": body?["type"] ?? .string(type ?? "x-unknown"),
    ]
    if let body {
      content["text"] = .string(text(body))
      content["comment"] = body["left_out"]
    }
    var json: [String: JSON] = [
      "status": response?["status"] ?? 0, "statusText": "", "httpVersion": version(response),
      "cookies": .array(
        headers.filter { $0.name.lowercased() == "set-cookie" }.map { HARCookie.set($0.value) }),
      "headers": list(headers), "content": .object(content),
      "redirectURL": .string(headers.first { $0.name.lowercased() == "location" }?.value ?? ""), "headersSize": -1,
      "bodySize": body?["size"] ?? 0,
    ]
    // As browsers have it, where a request got no answer.
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
    if let form = body["form"] { return URLEncodedForm.encode(pairs(form).map { ($0.name, $0.value) }) }
    return body["json"]?.encoded() ?? body["text"]?.string ?? ""
  }

  /// Who asked, where in the script, and what went wrong.
  private static func comment(_ event: JSON) -> JSON? {
    var parts: [String] = []
    if let from = event["from"]?.string { parts.append("by \(from)") }
    if let call = event["call"]?.string { parts.append(call) }
    if let line = event["line"]?.string { parts.append(line) }
    if let retry = event["retry"]?.lenientInteger { parts.append("retry \(retry)") }
    if let error = event["error"]?["message"]?.string { parts.append(error) }
    return parts.isEmpty ? nil : .string(parts.joined(separator: ", "))
  }

  private static func pairs(_ value: JSON?) -> [(name: String, value: String)] {
    (value?.array ?? []).compactMap { pair in
      guard let name = pair.array?.first?.string, let value = pair.array?.last?.string else { return nil }
      return (name, value)
    }
  }

  private static func list(_ pairs: [(name: String, value: String)]) -> JSON {
    .array(pairs.map { ["name": .string($0.name), "value": .string($0.value)] })
  }
}

/// Cookies as HAR has them.
enum HARCookie {
  /// Those of a `Cookie` field.
  static func sent(_ value: String) -> [JSON] { value.split(separator: ";").map { pair(String($0)) } }

  /// That of a `Set-Cookie` field.
  static func set(_ value: String) -> JSON {
    let parts = value.split(separator: ";").map(String.init)
    guard var cookie = parts.first.map(pair)?.object else { return pair("") }
    for part in parts.dropFirst() {
      let sides = part.split(separator: "=", maxSplits: 1).map { trimmed(String($0)) }
      switch (sides.first ?? "").lowercased() {
      case "path" where sides.count > 1: cookie["path"] = .string(sides[1])
      case "domain" where sides.count > 1: cookie["domain"] = .string(sides[1])
      case "httponly": cookie["httpOnly"] = true
      case "secure": cookie["secure"] = true
      case "samesite" where sides.count > 1: cookie["sameSite"] = .string(sides[1])
      default: break
      }
    }
    return .object(cookie)
  }

  private static func pair(_ text: String) -> JSON {
    let sides = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    return ["name": .string(trimmed(sides.first ?? "")), "value": .string(sides.count > 1 ? trimmed(sides[1]) : "")]
  }

  private static func trimmed(_ text: String) -> String {
    String(text.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
  }
}
