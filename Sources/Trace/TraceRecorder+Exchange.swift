import Core
import HTTPClient
import HostLoop
import JSON
import OAuth

extension TraceRecorder {
  func record(_ exchange: RecordedExchange, of events: Events) {
    if let post = exchange.post, addToSeries(exchange, post, events) { return }
    let (request, measure) = (exchange.request, exchange.measure)
    let place = events.currentPlace()
    var members: [String: JSON] = [
      "from": .string(asker(place)), "to": .string(parties.asked(request.url)),
      "took": JSON(measure.duration), "timings": timings(measure.phases),
    ]
    if !measure.address.isEmpty {
      members["server"] = ["address": .string(measure.address), "port": JSON(measure.port)]
    }
    if measure.isReused { members["reused"] = true }
    let retries = RequestScope.current.retries
    if retries > 0 { members["retry"] = JSON(retries) }
    members["request"] = self.request(
      request.method, request.url, exchange.sentHeaders, body(request.body, request.headers["Content-Type"], nil))
    if exchange.redirects > 0 { members["redirect"] = JSON(exchange.redirects) }
    add(exchange.result, measure, exchange.streamed, to: &members)
    members.merge(place.members) { own, _ in own }
    write("exchange", at: measure.start, members: members)
  }

  func asker(_ place: EventPlace) -> String {
    if place.call?.hasPrefix("http.") == true { return "script" }
    return RequestScope.current.isBrowser ? "browser" : "host"
  }

  func request(_ method: String, _ url: String, _ headers: HTTPHeaders, _ body: JSON?) -> JSON {
    var request: [String: JSON] = [
      "method": .string(method), "url": .string(redaction.url(url)), "headers": self.headers(headers),
    ]
    request["query"] = redaction.parameters(WebAddress(url).query)
    request["body"] = body
    return .object(request)
  }

  private func add(
    _ result: Result<HTTPResponse, HTTPError>, _ measure: ExchangeMeasure,
    _ streamed: (beginning: [UInt8], size: Int)?, to members: inout [String: JSON]
  ) {
    switch result {
    case .failure(let error): members["error"] = self.error(error)
    case .success(let response):
      let type = response.headers["Content-Type"]
      var shown: [String: JSON] = [
        "status": JSON(response.status), "version": .string(measure.version),
        "headers": headers(response.headers),
      ]
      shown["body"] = body(streamed?.beginning ?? response.body, type, streamed?.size)
      members["response"] = .object(shown)
      members["error"] = providerError(response)
    }
  }

  private func timings(_ phases: ExchangePhases) -> JSON {
    var timings: [String: JSON] = [:]
    for (name, time) in [
      ("blocked", phases.blocked), ("dns", phases.lookup), ("connect", phases.connect), ("tls", phases.tls),
      ("send", phases.send), ("wait", phases.wait), ("receive", phases.receive),
    ] { timings[name] = time.map { JSON($0) } }
    return .object(timings)
  }

  // MARK: Heads and bodies of messages

  private func headers(_ headers: HTTPHeaders) -> JSON {
    .array(
      headers.fields.map { .array([.string(redaction.text($0.name)), .string(headerValue($0.value, of: $0.name))]) })
  }

  private func headerValue(_ value: String, of name: String) -> String {
    switch name.lowercased() {
    case "authorization", "proxy-authorization": return authorization(value)
    case "dpop": return redaction.proof(value)
    case "cookie": return value.split(separator: ";").map { cookie(String($0)) }.joined(separator: ";")
    case "set-cookie":
      let end = value.firstIndex(of: ";") ?? value.endIndex
      return cookie(String(value[..<end])) + redaction.text(String(value[end...]))
    case "location", "content-location", "referer", "origin": return redaction.url(value)
    default: return redaction.value(value, named: name)
    }
  }

  /// The scheme stays.
  private func authorization(_ value: String) -> String {
    let parts = value.split(separator: " ", maxSplits: 1)
    guard parts.count == 2 else { return redaction.label(value, .credentials) }
    let isToken = ["bearer", "dpop"].contains(parts[0].lowercased())
    return "\(parts[0]) \(redaction.label(parts[1], isToken ? .accessToken : .credentials))"
  }

  /// The name stays.
  private func cookie(_ text: String) -> String {
    guard let mark = text.firstIndex(of: "=") else { return redaction.label(text, .cookie) }
    return text[...mark] + redaction.label(text[text.index(after: mark)...], .cookie)
  }

  /// - Parameter size: of the whole body, if `bytes` are its beginning.
  private func body(_ bytes: [UInt8]?, _ type: String?, _ size: Int?) -> JSON? {
    guard let bytes, !bytes.isEmpty else { return nil }
    let total = size ?? bytes.count
    var members: [String: JSON] = ["size": JSON(total)]
    members["type"] = type.map { .string(redaction.text($0)) }
    guard bodiesLeft > 0 else {
      bodiesLeftOut += 1
      members["left_out"] = "the whole body: those before it were many"
      return .object(members)
    }
    let isCut = total > bytes.count || bytes.count > Self.largestBody
    let shown = bytes.prefix(Self.largestBody)
    bodiesLeft -= shown.count
    let media = (type ?? "").prefix { $0 != ";" }.lowercased().filter { !$0.isWhitespace }
    if media == "application/x-www-form-urlencoded", !isCut {
      members["form"] = redaction.fields(URLEncodedForm.decode(String(decoding: shown, as: UTF8.self)))
    } else if media.hasSuffix("json"), !isCut, let json = try? JSON(parsing: Array(shown), maximumDepth: 64) {
      members["json"] = redaction.json(json)
    } else if media == "application/jwt" {
      members["text"] = .string(redaction.label(String(decoding: shown, as: UTF8.self), .token))
    } else if Self.isText(shown) {
      members["text"] = .string(redaction.text(String(decoding: shown, as: UTF8.self)))
      if isCut { members["left_out"] = .string("all after \(shown.count) bytes of \(total)") }
    } else {
      members["left_out"] = "the whole body, which is not text"
    }
    return .object(members)
  }

  /// Returns true for UTF-8 without a NUL; a character at the end may be cut.
  private static func isText(_ bytes: ArraySlice<UInt8>) -> Bool {
    guard !bytes.contains(0) else { return false }
    return (0...3).contains { bytes.count >= $0 && String(validating: bytes.dropLast($0), as: UTF8.self) != nil }
  }

  // MARK: Errors

  /// The error that an answer tells: in JSON, or in the address it redirects to.
  private func providerError(_ response: HTTPResponse) -> JSON? {
    var fields: [String: String] = [:]
    if (300..<400).contains(response.status), let location = response.headers["Location"] {
      for parameter in WebAddress(location).parameters { fields[parameter.name] = parameter.value }
    } else if response.status >= 400, response.body.count <= Self.largestBody,
      let json = try? JSON(parsing: response.body, maximumDepth: 32)
    {
      fields = (json.object ?? [:]).compactMapValues(\.string)
    }
    return fields["error"].flatMap { $0.isEmpty ? nil : error(ProviderFailure(fields)) }
  }

  /// An error as the trace has it; an error of B2C with its meaning.
  func error(_ error: any Error) -> JSON {
    if error is CancellationError {
      return ["code": "canceled", "message": .string(whyStopped() ?? "the script ended this before it was done")]
    }
    let failure = error as? any Failure
    let code = failure?.code ?? "error"
    var members: [String: JSON] = [
      "code": .string(redaction.text(code)),
      "message": .string(redaction.text(failure?.message ?? String(describing: error))),
    ]
    members["hint"] = failure?.hint.map { .string(redaction.text($0)) }
    members["status"] = failure?.status.map { JSON($0) }
    if let details = failure?.details, !details.isEmpty {
      members["details"] = redaction.json(.object(details.mapValues { .string($0) }))
    }
    members["meaning"] = AADB2CError.meaning(of: code).map { .string($0) }
    return .object(members)
  }
}

private struct ProviderFailure: Failure {
  let code: String
  let message: String
  let hint: String?

  init(_ fields: [String: String]) {
    let description = fields["error_description"] ?? ""
    let parsed = AADB2CError.parse(description)
    code = parsed?.code ?? fields["error"] ?? ""
    message = parsed?.message ?? description
    hint = parsed?.hint
  }
}
