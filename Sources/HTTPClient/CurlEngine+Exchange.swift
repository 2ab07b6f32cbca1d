import CCurlShims
import HostLoop

extension CurlEngine {
  /// One request and its answer.
  func exchange(
    _ request: HTTPRequest, _ timeout: Double, _ configuration: HTTPClientConfiguration,
    _ measure: ExchangeMeasure? = nil
  ) async throws(HTTPError) -> HTTPResponse {
    if Task.isCancelled { throw HTTPError.canceled(request, mayHaveBeenReceived: false) }
    let transfer = try take(with: request.cookies)
    defer { giveBack(transfer) }
    try transfer.prepare(request, timeout: timeout, configuration: configuration)
    let origin = transfer.settings.origin
    transfer.setConnectsAnew(origin.map { misdirected.remove($0) != nil } ?? false)
    transfer.setRecording(measure)
    transfer.measure = measure
    let outcome = await transfer.run()
    if let measure { transfer.fill(measure) }
    switch outcome {
    case .ended(CURLE_OK):
      let response = transfer.response(from: request.url)
      if response.status == HTTPResponse.misdirected, let origin { misdirected.insert(origin) }
      return response
    case .ended(let code):
      throw transfer.error(code, request, timeout)
    case .canceled:
      throw HTTPError.canceled(request, mayHaveBeenReceived: transfer.attempts > 0)
    }
  }
}

extension Transfer {
  /// Whether the request goes over a connection of its own, and not over one that is there.
  func setConnectsAnew(_ connectsAnew: Bool) {
    guard connectsAnew != settings.connectsAnew else { return }
    settings.connectsAnew = connectsAnew
    _ = ccurl_set_long(easy, CURLOPT_FRESH_CONNECT, connectsAnew ? 1 : 0)
  }

  func response(from url: String) -> HTTPResponse {
    HTTPResponse(
      status: ccurl_info_long(easy, CURLINFO_RESPONSE_CODE), headers: answer.headers(), body: answer.takeBody(),
      url: url)
  }
}
