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
    transfer.setRecording(measure)
    transfer.measure = measure
    let outcome = await transfer.run()
    if let measure { transfer.fill(measure) }
    switch outcome {
    case .ended(CURLE_OK):
      return transfer.response(from: request.url)
    case .ended(let code):
      throw transfer.error(code, request, timeout)
    case .canceled:
      throw HTTPError.canceled(request, mayHaveBeenReceived: transfer.attempts > 0)
    }
  }
}

extension Transfer {
  func response(from url: String) -> HTTPResponse {
    HTTPResponse(
      status: ccurl_info_long(easy, CURLINFO_RESPONSE_CODE), headers: answer.headers(), body: answer.takeBody(),
      url: url)
  }
}
