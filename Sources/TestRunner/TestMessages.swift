import Core
import HostLoop
import JSON
import LocalTenant
import Lua
import LuaJobs

/// Tests and their outcomes as JSON, between the process of the command and the one in which the tests run. Secrets that
/// only the latter knows are replaced.

extension TestCase {
  var json: JSON {
    [
      "number": .integer(Int64(number)), "names": .texts(names), "line": .integer(Int64(line)),
      "pending": .bool(isPending),
    ]
  }

  init(_ json: JSON, of file: TestFile) {
    self.init(
      file: file, number: json.count("number"), names: json.texts("names"), line: json.count("line"),
      isPending: json["pending"] == true)
  }
}

extension TestOutcome {
  var json: JSON {
    [
      "file": .string(file), "names": .texts(names), "line": .integer(Int64(line)), "status": .string(status.rawValue),
      "seconds": .number(seconds), "failure": failure?.json ?? .null, "place": .text(place),
      "source": .text(sourceLine),
      "caller": .text(caller), "output": .text(output),
      "requests": .array(
        requests.map {
          [
            "method": .text($0.method), "path": .text($0.path), "status": .integer(Int64($0.status)),
            "time": .integer(Int64($0.time)),
          ]
        }),
      "scripts": .array(scripts.map(\.json)),
    ]
  }

  /// Nil for other JSON.
  init?(_ json: JSON?) {
    guard let json, let status = json["status"]?.string.flatMap(Status.init) else { return nil }
    self.init(
      file: json["file"]?.string ?? "", names: json.texts("names"), line: json.count("line"), status: status,
      seconds: json["seconds"]?.anyNumber ?? 0)
    failure = LuaError(json["failure"])
    place = json["place"]?.string
    sourceLine = json["source"]?.string
    caller = json["caller"]?.string
    output = json["output"]?.string ?? ""
    requests = (json["requests"]?.array ?? []).map {
      TenantRequest(
        method: $0["method"]?.string ?? "", path: $0["path"]?.string ?? "", status: $0.count("status"),
        time: $0.count("time"))
    }
    scripts = (json["scripts"]?.array ?? []).map(TestedRun.init)
  }
}

extension TestedRun {
  fileprivate var json: JSON {
    [
      "path": .string(path), "status": .integer(Int64(status)), "error": error?.json ?? .null,
      "source": .text(sourceLine),
      "output": .text(output), "log": .text(log),
    ]
  }

  fileprivate init(_ json: JSON) {
    self.init(
      path: json["path"]?.string ?? "", status: Int32(truncatingIfNeeded: json.count("status")),
      error: LuaError(json["error"]), sourceLine: json["source"]?.string, output: json["output"]?.string ?? "",
      log: json["log"]?.string ?? "")
  }
}

extension LuaError {
  var json: JSON {
    [
      "code": .string(code), "message": .text(message), "hint": .text(hint),
      "status": status.map { .integer(Int64($0)) } ?? .null,
      "retryable": .bool(isRetryable), "details": .object(details.mapValues { .text($0) }), "where": .text(location),
      "traceback": .text(traceback),
    ]
  }

  /// Nil for other JSON.
  init?(_ json: JSON?) {
    guard let json, let code = json["code"]?.string else { return nil }
    self.init(
      code: code, message: json["message"]?.string ?? "", hint: json["hint"]?.string,
      status: json["status"]?.lenientInteger.map { Int(clamping: $0) }, isRetryable: json["retryable"] == true,
      details: (json["details"]?.object ?? [:]).compactMapValues(\.string), location: json["where"]?.string,
      traceback: json["traceback"]?.string)
  }
}

extension JSON {
  /// A text without secrets; null for none.
  fileprivate static func text(_ text: String?) -> JSON { text.map { .string(OutputText($0).text) } ?? .null }

  fileprivate static func texts(_ texts: [String]) -> JSON { .array(texts.map { .string($0) }) }

  fileprivate func texts(_ name: String) -> [String] { (self[name]?.array ?? []).compactMap(\.string) }

  fileprivate func count(_ name: String) -> Int { self[name]?.lenientInteger.map { Int(clamping: $0) } ?? 0 }
}
