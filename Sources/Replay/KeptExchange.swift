import Core
import Crypto
import HTTPClient
import HostLoop
import JSON

/// A request of the recorded run with its answer.
struct KeptExchange: Sendable {
  enum Answer: Sendable {
    case response(status: Int, headers: [[String]], body: [UInt8], url: String)
    case failure(HTTPError)
    /// The run ended before an answer came, or waited for none any more.
    case none
  }

  /// Longer bodies of requests are kept by their digests.
  private static let longestBody = 64 << 10

  let method: String
  let url: String
  let headers: [[String]]
  /// Nil for a body that only its digest was kept of.
  let body: [UInt8]?
  let digest: [UInt8]
  /// The line of the script, as messages have it.
  let line: String?
  /// True for a request that an import sends, whose order the script does not choose.
  let isOfImport: Bool
  /// Seconds since the run began.
  let start: Double
  var end = 0.0
  var answer = Answer.none

  init(_ request: HTTPRequest, at place: EventPlace, start: Double) {
    method = request.method
    url = request.url
    headers = request.headers.fields.map { [$0.name, $0.value] }
    let sent = request.body ?? []
    body = sent.count <= Self.longestBody ? sent : nil
    digest = body == nil ? SHA256.hash(sent) : []
    line = place.line
    isOfImport = ["tasks.import", "tasks.sync", "imports."].contains { place.call?.hasPrefix($0) == true }
    self.start = start
  }

  /// About the bytes that it takes.
  var size: Int {
    var size =
      512 + url.utf8.count + (body?.count ?? 32) + headers.reduce(0) { $0 + $1[0].utf8.count + $1[1].utf8.count }
    if case .response(_, let headers, let body, let url) = answer {
      size += body.count + url.utf8.count + headers.reduce(0) { $0 + $1[0].utf8.count + $1[1].utf8.count }
    }
    return size
  }
}

extension KeptExchange {
  init?(_ json: JSON) {
    guard let method = json["method"]?.string, let url = json["url"]?.string, let start = json["start"]?.anyNumber,
      let end = json["end"]?.anyNumber, let headers = json["headers"]?.keptPairs
    else { return nil }
    self.method = method
    self.url = url
    self.headers = headers
    body = json["body"]?.keptBytes
    digest = json["digest"]?.string.flatMap(Base64URL.decode) ?? []
    line = json["line"]?.string
    isOfImport = json["import"] == .bool(true)
    self.start = start
    self.end = end
    if let response = json["response"] {
      guard let status = response["status"]?.lenientInteger, let headers = response["headers"]?.keptPairs,
        let body = response["body"]?.keptBytes, let url = response["url"]?.string
      else { return nil }
      answer = .response(status: Int(status), headers: headers, body: body, url: url)
    } else if let failure = json["failure"] {
      guard let kind = failure["kind"]?.string.flatMap(HTTPError.Kind.init), let message = failure["message"]?.string
      else { return nil }
      answer = .failure(
        HTTPError(
          kind, message, hint: failure["hint"]?.string, mayHaveBeenReceived: failure["received"] == .bool(true)))
    }
  }

  var json: JSON {
    var members: [String: JSON] = [
      "method": .string(method), "url": .string(url), "start": .number(start), "end": .number(end),
      "headers": JSON(pairs: headers),
    ]
    members["line"] = line.map { .string($0) }
    if isOfImport { members["import"] = true }
    if let body { members["body"] = JSON(keeping: body) } else { members["digest"] = .string(Base64URL.encode(digest)) }
    switch answer {
    case .none: break
    case .response(let status, let headers, let body, let url):
      members["response"] = [
        "status": .integer(Int64(status)), "headers": JSON(pairs: headers), "body": JSON(keeping: body),
        "url": .string(url),
      ]
    case .failure(let error):
      var failure: [String: JSON] = [
        "kind": .string(error.kind.rawValue), "message": .string(error.message),
        "received": .bool(error.mayHaveBeenReceived),
      ]
      failure["hint"] = error.hint.map { .string($0) }
      members["failure"] = .object(failure)
    }
    return .object(members)
  }
}

extension JSON {
  fileprivate init(pairs: [[String]]) { self = .array(pairs.map { .array($0.map(JSON.string)) }) }

  fileprivate var keptPairs: [[String]]? {
    guard let list = array else { return nil }
    let pairs = list.map { $0.array?.compactMap(\.string) ?? [] }
    return pairs.allSatisfy { $0.count == 2 } ? pairs : nil
  }
}
