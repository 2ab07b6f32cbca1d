import CCurlShims
import HostLoop

/// A connection made by libcurl, over which requests go one after the other. They are written and read here, because
/// libcurl's own transfers cost more than the network. Addresses, proxies and TLS remain libcurl's business.
@HostActor
final class Lane: DescriptorHandler {
  enum Ending {
    case answered
    case lost
    case notHTTP
    case tooLarge
    case timeout
    case canceled
  }

  private let transfer: Transfer
  private let descriptor: Int32
  private let isEncrypted: Bool
  private let answer = AnswerReader()
  private(set) var isOpen = true
  /// The time at which the request under way has to be answered, by `HostLoop.uptime`; infinite without one.
  var deadline = Double.infinity
  private var lastTurn: UInt64 = 0

  /// The bytes of the request under way, and the number of those that have been sent.
  private var output: [UInt8] = []
  private var sent = 0
  private var continuation: UnsafeContinuation<Ending, Never>?
  /// The times at which the request under way began to go out and its answer to come in, if it is measured.
  private var times: (begun: Double, answered: Double)?
  private var wasUsed = false

  private var earlyEnding: Ending?
  /// Counts the requests, so that a late cancellation does not hit the next one.
  private var generation = 0

  private static let bufferSize = 16_384
  private static let buffer = UnsafeMutableRawPointer.allocate(byteCount: bufferSize, alignment: 16)

  init(
    _ request: HTTPRequest, _ configuration: HTTPClientConfiguration, _ multi: CurlMulti, timeout: Double
  ) async throws(HTTPError) {
    transfer = try Transfer(multi: multi, jar: nil)
    try transfer.prepare(request, timeout: timeout, configuration: configuration)
    transfer.connectOnly()
    guard let code = await transfer.run() else { throw HTTPError.canceled(request, mayHaveBeenReceived: false) }
    guard code == CURLE_OK else { throw transfer.error(code, request) }
    descriptor = ccurl_info_socket(transfer.easy)
    isEncrypted = transfer.settings.origin?.scheme == "https"
    HostLoop.shared.watch(descriptor, for: .read, by: self)
  }

  /// A server may have ended the idle connection before the loop could see it.
  func isAlive() -> Bool {
    if isOpen, lastTurn != HostLoop.shared.turn { receive() }
    return isOpen
  }

  // MARK: One request

  /// Sends one request and returns its answer. `head` goes before `fields`, the length and the body.
  func exchange(
    _ request: HTTPRequest, _ head: [UInt8], _ fields: [HTTPHeaders.Field], _ body: [UInt8]
  ) async throws(HTTPError) -> HTTPResponse {
    write(head, fields, body)
    answer.begin(maximumBodySize: request.maximumBodySize)
    let ending = await run()
    if ending == .answered { return answer.response(from: request.url) }
    throw error(ending, request)
  }

  private func write(_ head: [UInt8], _ fields: [HTTPHeaders.Field], _ body: [UInt8]) {
    output.removeAll(keepingCapacity: true)
    output.append(contentsOf: head)
    for field in fields {
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
    case .answered, .lost: HTTPError.lost(request, hasBegun: answer.hasBegun, mayHaveBeenReceived: sent > 0)
    case .notHTTP: HTTPError.notHTTP(request)
    case .tooLarge: HTTPError.tooLarge(request)
    case .timeout: HTTPError.timeout(request, mayHaveBeenReceived: sent > 0)
    case .canceled: HTTPError.canceled(request, mayHaveBeenReceived: sent > 0)
    }
  }

  private func run() async -> Ending {
    await withTaskCancellationHandler {
      await withUnsafeContinuation { continuation in
        self.continuation = continuation
        sent = 0
        if let earlyEnding { finish(earlyEnding) } else { send() }
      }
    } onCancel: { [generation] in
      // Cancellation comes from any thread.
      if HostLoop.shared.isCurrent {
        HostActor.assumeIsolated { [self] in cancel(generation) }
      } else {
        HostActor.task { self.cancel(generation) }
      }
    }
  }

  func timeIsUp() { end(.timeout) }

  func willMeasure(_ measure: ExchangeMeasure) { times = (HostLoop.uptime, 0) }

  func fill(_ measure: ExchangeMeasure) {
    guard let times else { return }
    self.times = nil
    // The first request tells of the connection.
    if !wasUsed {
      transfer.measure = measure
      transfer.fillMeasure()
      transfer.measure = nil
    }
    measure.isReused = wasUsed
    wasUsed = true
    (measure.begun, measure.answered) = times
    measure.fillPhases()
    if times.answered > 0 { measure.version = "1.1" }
  }

  private func cancel(_ generation: Int) {
    guard generation == self.generation else { return }
    end(.canceled)
  }

  private func end(_ ending: Ending) {
    if continuation == nil { earlyEnding = ending } else { finish(ending) }
  }

  private func finish(_ ending: Ending) {
    guard let continuation else { return }
    self.continuation = nil
    generation += 1
    earlyEnding = nil
    deadline = .infinity
    lastTurn = HostLoop.shared.turn
    // If less than the whole request has gone out, the server did not wait for it.
    if ending != .answered || !answer.keepsAlive || sent < output.count { close() }
    continuation.resume(returning: ending)
  }

  private func close() {
    guard isOpen else { return }
    isOpen = false
    HostLoop.shared.unwatch(descriptor)
    transfer.disconnect()
  }

  // MARK: The connection

  func ready(_ descriptor: Int32, for readiness: Readiness) {
    if readiness.contains(.write) { send() }
    if isOpen, readiness != .write { receive() }
  }

  private func send() {
    while continuation != nil, sent < output.count {
      var count = 0
      let code = output.withUnsafeBytes { bytes in
        let rest = bytes[sent...]
        return UnsafeRawBufferPointer(rebasing: rest).baseAddress.map {
          ccurl_easy_send(transfer.easy, $0, rest.count, &count)
        } ?? CURLE_SEND_ERROR
      }
      if code == CURLE_AGAIN { return HostLoop.shared.watch(descriptor, for: [.read, .write], by: self) }
      guard code == CURLE_OK else {
        // The server may have answered before it hung up.
        receive()
        return finish(.lost)
      }
      sent += count
    }
    if isOpen { HostLoop.shared.watch(descriptor, for: .read, by: self) }
  }

  private func receive() {
    while isOpen {
      var count = 0
      let code = ccurl_easy_receive(transfer.easy, Self.buffer, Self.bufferSize, &count)
      if code == CURLE_AGAIN { return }
      if times?.answered == 0 { times?.answered = HostLoop.uptime }
      // The connection is of no further use if something comes without a request.
      guard continuation != nil else { return close() }
      guard code == CURLE_OK else { return finish(.lost) }
      switch answer.take(UnsafeRawBufferPointer(start: Self.buffer, count: count)) {
      case .complete: return finish(.answered)
      case .tooLarge: return finish(.tooLarge)
      case .invalid where count > 0: return finish(.notHTTP)
      case .invalid, .incomplete: guard count > 0 else { return finish(.lost) }
      }
      // A further read would find nothing. But a piece of TLS may be larger than the buffer.
      if !isEncrypted, count < Self.bufferSize { return }
    }
  }
}
