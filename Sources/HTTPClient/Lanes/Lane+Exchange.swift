extension Lane {
  /// One request and its answer. `head` goes before `field`, the length and the body.
  func exchange(
    _ request: HTTPRequest, _ head: [UInt8], _ field: HTTPHeaders.Field?, _ body: [UInt8]
  ) async throws(HTTPError) -> HTTPResponse {
    write(head, field, body)
    answer.begin(maximumBodySize: request.maximumBodySize)
    let ending = await run()
    if ending == .answered { return answer.response(from: request.url) }
    throw error(ending, request)
  }

  private func write(_ head: [UInt8], _ field: HTTPHeaders.Field?, _ body: [UInt8]) {
    output.removeAll(keepingCapacity: true)
    output.append(contentsOf: head)
    if let field {
      output.append(contentsOf: field.name.utf8)
      output.append(contentsOf: ": ".utf8)
      output.append(contentsOf: field.value.utf8)
      output.append(contentsOf: "\r\n".utf8)
    }
    output.append(contentsOf: "Content-Length: ".utf8)
    output.append(contentsOf: String(body.count).utf8)
    output.append(contentsOf: "\r\n\r\n".utf8)
    output.append(contentsOf: body)
  }

  private func error(_ ending: Ending, _ request: HTTPRequest) -> HTTPError {
    switch ending {
    case .answered, .lost:
      HTTPError.lost(request, hasBegun: answer.hasBegun, mayHaveBeenReceived: sent > 0)
    case .notHTTP:
      HTTPError.notHTTP(request)
    case .tooLarge:
      HTTPError.tooLarge(request)
    case .timeout:
      HTTPError.timeout(request, mayHaveBeenReceived: sent > 0)
    case .canceled:
      HTTPError.canceled(request, mayHaveBeenReceived: sent > 0)
    }
  }
}
