package import Core
package import HTTPClient
package import HostLoop
import JSON

/// Answers in place of servers, and gives a run what the recorded run took in. The first difference from that ends the run.
@HostActor
package final class Playback: RunTape, AnswerTape {
  /// The place in the script.
  package var place: @HostActor () -> EventPlace = { EventPlace() }
  /// Ends the run.
  package var onDifference: @HostActor () -> Void = {}
  /// The first difference.
  package private(set) var difference: ReplayError?

  private let name: String
  private let tape: ReplayTape
  private let start: Double
  /// The number of inputs of each kind that the run has taken.
  private var taken: [RunInput: Int] = [:]
  private var isAnswered: [Bool]

  /// Makes the clocks of this process stand at the beginning of the run.
  /// - Parameter trace: its name, for messages.
  package init(_ tape: ReplayTape, trace: String) {
    name = trace
    self.tape = tape
    start = HostLoop.uptime
    isAnswered = Array(repeating: false, count: tape.exchanges.count)
    StandingClock.stand(at: start, time: tape.began)
  }

  /// Tells of requests that the run did not make. Called after its end.
  package func finish() {
    guard difference == nil, let index = isAnswered.firstIndex(of: false) else { return }
    let expected = tape.exchanges[index]
    let count = isAnswered.count { !$0 }
    let requests = count == 1 ? "1 request" : "\(count) requests"
    differ(
      at: expected.line, "the script ended, and \(name) has \(requests) more", expected: expected.title, got: "the end")
  }

  // MARK: Inputs

  package nonisolated func input(_ kind: RunInput, _ about: String, _ make: () throws -> [UInt8]) throws -> [UInt8] {
    guard HostLoop.shared.isCurrent else { return try make() }
    if kind == .random || kind == .key, !hasNext(kind, about) { return try make() }
    return try HostActor.assumeIsolated { [self] in try next(kind, about) }
  }

  /// False for numbers and keys that the recorded run did not take: the request that they are for names the difference.
  private nonisolated func hasNext(_ kind: RunInput, _ about: String) -> Bool {
    HostActor.assumeIsolated { [self] in
      let (list, index) = (tape.inputs[kind] ?? [], taken[kind, default: 0])
      return index < list.count && list[index].about == about
    }
  }

  package nonisolated(nonsending) func input(
    _ kind: RunInput, _ about: String, waiting make: () async throws -> [UInt8]
  ) async throws -> [UInt8] { try HostActor.assumeIsolated { [self] in try next(kind, about) } }

  private func next(_ kind: RunInput, _ about: String) throws -> [UInt8] {
    let list = tape.inputs[kind] ?? []
    let index = taken[kind, default: 0]
    guard index < list.count else {
      throw differ(
        "the script asks for \(kind.words(about)), which \(name) does not have", expected: "no more of these",
        got: kind.words(about))
    }
    guard list[index].about == about else {
      throw differ(
        "the script asks for \(kind.words(about))", expected: kind.words(list[index].about), got: kind.words(about))
    }
    taken[kind] = index + 1
    return try list[index].result.get()
  }

  // MARK: Exchanges

  package func exchange(
    _ request: HTTPRequest, _ send: @HostActor (HTTPRequest) async throws(HTTPError) -> HTTPResponse
  ) async throws(HTTPError) -> HTTPResponse {
    let got = KeptExchange(request, at: place(), start: HostLoop.uptime - start)
    guard let index = index(of: got) else {
      // The run is about to be ended; nothing is answered any more.
      _ = try? await CancellableWait<Void>().value()
      throw canceled(request)
    }
    isAnswered[index] = true
    let kept = tape.exchanges[index]
    StandingClock.go(to: start + kept.start)
    switch kept.answer {
    case .none:
      _ = try? await CancellableWait<Void>().value()
      throw canceled(request)
    case .failure(let error):
      try await wait(until: kept.end, request)
      throw error
    case .response(let status, let headers, let body, let url):
      try await wait(until: kept.end, request)
      var response = HTTPResponse(
        status: status, headers: HTTPHeaders(headers.map { ($0[0], $0[1]) }), body: body, url: url)
      guard let onBody = request.onBody, status == 200 else { return response }
      response.body = []
      guard body.withUnsafeBytes(onBody) else { throw canceled(request) }
      return response
    }
  }

  private func wait(until end: Double, _ request: HTTPRequest) async throws(HTTPError) {
    do { try await HostLoop.shared.sleep(seconds: start + end - HostLoop.uptime) } catch { throw canceled(request) }
  }

  private func canceled(_ request: HTTPRequest) -> HTTPError {
    HTTPError(
      .canceled, "\(request.method) to \(WebAddress(request.url).shown) was canceled", mayHaveBeenReceived: true)
  }

  /// The request of the recorded run that this one is. The requests of an import are under way at the same time, and their
  /// order is not the script's.
  private func index(of got: KeptExchange) -> Int? {
    guard difference == nil else { return nil }
    guard let next = isAnswered.firstIndex(of: false) else {
      differ("the script sends a request, and \(name) has no more", expected: "the end", got: got.title)
      return nil
    }
    guard let found = RequestComparison.difference(tape.exchanges[next], got) else { return next }
    let later = isAnswered.indices.first { index in
      index > next && !isAnswered[index] && RequestComparison.difference(tape.exchanges[index], got) == nil
    }
    if let later, got.isOfImport, tape.exchanges[next].isOfImport { return later }
    let isOrder = later != nil
    differ(
      isOrder ? "the script sends its requests in another order" : "the script sends another request: \(found.what)",
      expected: isOrder ? tape.exchanges[next].title : found.expected, got: isOrder ? got.title : found.got)
    return nil
  }

  @discardableResult
  private func differ(
    at line: String? = nil, _ message: String, expected: String, got: String
  ) -> ReplayError {
    let place = place()
    let line = line ?? place.runningLine ?? place.line
    let error = ReplayError(
      .difference, (line.map { "\($0): " } ?? "") + message + "\n  expected: \(expected)\n  got:      \(got)",
      hint: "if the change is wanted, record the trace again: --trace FILE.json --replayable",
      details: ["expected": expected, "got": got])
    if difference == nil {
      difference = error
      onDifference()
    }
    return difference ?? error
  }
}

extension RunInput {
  /// For messages: `the file tasks.csv`.
  fileprivate func words(_ about: String) -> String {
    switch self {
    case .random: "\(about) random bytes"
    case .key: "a new key, \(about)"
    case .clock: "the time, by \(about)"
    case .file: "the file \(about)"
    case .settings: "the settings"
    case .accounts: "the account store"
    case .tenant: "\(about) of the local tenant"
    case .agent: "the way back from \(about)"
    }
  }
}
