import CommandLineSupport
import Foundation
import Testing

@Suite("The trace of a run as HAR")
struct TraceArchiveTests {
  /// The members that HAR 1.2 requires, by the names of its objects. A question mark marks a member that may be missing.
  private static let required: [String: [String]] = [
    "log": ["version", "creator", "entries"], "creator": ["name", "version"],
    "page": ["startedDateTime", "id", "title", "pageTimings"],
    "entry": ["startedDateTime", "time", "request", "response", "cache", "timings"],
    "request": [
      "method", "url", "httpVersion", "cookies", "headers", "queryString", "headersSize", "bodySize",
    ],
    "response": [
      "status", "statusText", "httpVersion", "cookies", "headers", "content", "redirectURL", "headersSize", "bodySize",
    ],
    "timings": ["send", "wait", "receive"], "postData": ["mimeType", "params", "text"],
    "content": ["size", "mimeType"], "pair": ["name", "value"],
  ]

  private func check(_ object: Any?, _ kind: String) throws -> [String: Any] {
    let members = try #require(object as? [String: Any], "\(kind)")
    for name in Self.required[kind] ?? [] { #expect(members[name] != nil, "\(kind) has no \(name)") }
    return members
  }

  private func checkPairs(_ list: Any?) throws {
    for pair in try #require(list as? [Any]) { _ = try check(pair, "pair") }
  }

  @Test("it has all that HAR 1.2 demands")
  func valid() throws {
    let program = try Program()
    try program.write("flow.lua", TraceTests.script)
    #expect(try program.run("--local", "--trace", "trace.har", "flow.lua").status == 0)
    let file = try Data(contentsOf: program.folder.appending(path: "trace.har"))
    let log = try check((try JSONSerialization.jsonObject(with: file) as? [String: Any])?["log"], "log")
    #expect(log["version"] as? String == "1.2")
    #expect(try check(log["creator"], "creator")["name"] as? String == "b2c-run")
    let pages = try #require(log["pages"] as? [Any]).map { try check($0, "page") }
    let format = ISO8601DateFormatter()
    format.formatOptions = [.withInternetDateTime, .withFractionalSeconds]
    let entries = try #require(log["entries"] as? [Any])
    #expect(entries.count == 10)
    var sum = 0
    for object in entries {
      let entry = try check(object, "entry")
      #expect(entry["pageref"] as? String == pages.first?["id"] as? String)
      let started = try #require(entry["startedDateTime"] as? String)
      #expect(started.hasSuffix("Z") && started.contains("T") && started.count == 27)
      let request = try check(entry["request"], "request")
      #expect(URL(string: request["url"] as? String ?? "")?.host == "127.0.0.1")
      for name in ["cookies", "headers", "queryString"] { try checkPairs(request[name]) }
      if let data = request["postData"] { try checkPairs(check(data, "postData")["params"]) }
      let response = try check(entry["response"], "response")
      for name in ["cookies", "headers"] { try checkPairs(response[name]) }
      _ = try check(response["content"], "content")
      sum += (response["cookies"] as? [Any])?.count ?? 0
      let timings = try check(entry["timings"], "timings")
      for name in ["send", "wait", "receive"] { #expect(try #require(timings[name] as? Double) >= 0) }
      // The sum of the known times; `connect` includes `ssl`.
      let known = ["blocked", "dns", "connect", "send", "wait", "receive"].compactMap { timings[$0] as? Double }
      let total = try #require(entry["time"] as? Double)
      #expect(abs(total - known.reduce(0) { $0 + max(0, $1) }) < 0.001)
    }
    #expect(sum > 0)
  }
}
