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

  /// Returns the party that sends a request on behalf of a call.
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

  /// Adds the result.
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

/// The error response of a provider, as it is in an exchange.
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
