import CCurlShims
import HostLoop

/// A connection made by libcurl, over which requests go one after the other, written and read here.
///
/// libcurl's own transfers look their connection up, build the request and take the answer apart anew each time, which
/// costs more than the network. Addresses, proxies and TLS remain its business.
@HostActor
final class Lane: DescriptorHandler {
  enum Ending {
    case answered
    /// The connection broke.
    case lost
    case notHTTP
    case tooLarge
    case timeout
    case canceled
  }

  private let transfer: Transfer
  private let descriptor: Int32
  private let isEncrypted: Bool
  let answer = AnswerReader()
  private(set) var isOpen = true
  /// When the request under way has to be answered, by `HostLoop.uptime`; infinite where there is none.
  var deadline = Double.infinity
  private var lastTurn: UInt64 = 0

  /// The request under way, and how much of it has been sent.
  var output: [UInt8] = []
  private(set) var sent = 0
  private var continuation: UnsafeContinuation<Ending, Never>?
  /// When the request under way began to go out, and its answer to come, by `HostLoop.uptime`; only where it is measured.
  private var times: (begun: Double, answered: Double)?
  private var wasUsed = false

  /// What ended the request before it began.
  private var earlyEnding: Ending?
  /// Counts the requests, so that a late cancellation does not hit the next one.
  private(set) var generation = 0

  private static let bufferSize = 16_384
  private static let buffer = UnsafeMutableRawPointer.allocate(byteCount: bufferSize, alignment: 16)

  /// Connects to the server of `request`.
  init(
    _ request: HTTPRequest, _ configuration: HTTPClientConfiguration, _ multi: CurlMulti, timeout: Double
  ) async throws(HTTPError) {
    transfer = try Transfer(multi: multi, jar: nil)
    try transfer.prepare(request, timeout: timeout, configuration: configuration)
    transfer.connectOnly()
    switch await transfer.run() {
    case .ended(CURLE_OK): break
    case .ended(let code): throw transfer.error(code, request, timeout)
    case .canceled: throw HTTPError.canceled(request, mayHaveBeenReceived: false)
    }
    descriptor = ccurl_info_socket(transfer.easy)
    isEncrypted = transfer.settings.origin?.scheme == "https"
    HostLoop.shared.watch(descriptor, for: .read, by: self)
  }

  /// Whether the next request can go out on it. A server may have ended the connection while it was idle; the loop may
  /// not have had the time to see it.
  func isAlive() -> Bool {
    if isOpen, lastTurn != HostLoop.shared.turn { receive() }
    return isOpen
  }

  // MARK: One request

  /// Sends `output` and waits for the answer.
  func run() async -> Ending {
    await withTaskCancellationHandler {
      await withUnsafeContinuation { continuation in
        self.continuation = continuation
        sent = 0
        if let earlyEnding { finish(earlyEnding) } else { send() }
      }
    } onCancel: { [generation] in
      // Cancellation comes from any thread.
      if HostLoop.shared.isCurrent {
        HostActor.assumeIsolated { cancel(generation) }
      } else {
        HostActor.task { self.cancel(generation) }
      }
    }
  }

  func timeIsUp() { end(.timeout) }

  /// The next request is measured.
  func willMeasure(_ measure: ExchangeMeasure) { times = (HostLoop.uptime, 0) }

  /// What is known of the request that has ended, which was measured.
  func fill(_ measure: ExchangeMeasure) {
    guard let times else { return }
    self.times = nil
    // That of the connection is told with its first request.
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
    // Where less than the whole request has gone out, the server did not wait for it.
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
      // Whatever comes without a request, the connection is of no further use.
      guard continuation != nil else { return close() }
      guard code == CURLE_OK else { return finish(.lost) }
      switch answer.take(UnsafeRawBufferPointer(start: Self.buffer, count: count)) {
      case .complete: return finish(.answered)
      case .tooLarge: return finish(.tooLarge)
      case .invalid where count > 0: return finish(.notHTTP)
      case .invalid, .incomplete:
        guard count > 0 else { return finish(.lost) }
      }
      // A further read would find nothing; but a piece of TLS may be more than what was asked for.
      if !isEncrypted, count < Self.bufferSize { return }
    }
  }
}
