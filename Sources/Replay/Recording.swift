package import Core
package import HTTPClient
package import HostLoop
import JOSE
package import JSON

/// Keeps what a run takes in, for a replay.
@HostActor
package final class Recording: RunTape, AnswerTape {
  /// The place in the script.
  package var place: @HostActor () -> EventPlace = { EventPlace() }
  private var tape = ReplayTape()
  private let start = HostLoop.uptime
  private let key: JWK
  private var size = 0
  /// Above zero while something is kept as a whole: its parts are not kept.
  private var depth = 0

  /// - Parameters:
  ///   - trace: the path of the trace, beside which the key is written.
  ///   - run: the beginning of the run.
  package init(trace: String, run: JSON) throws {
    key = try SealedTape.makeKey(for: trace)
    tape.run = run
    tape.began = UnixTime.now.seconds
  }

  /// The members of the event, with all that was kept.
  package func sealed(_ digest: [UInt8]) throws -> [String: JSON] {
    try SealedTape.seal(tape, after: digest, with: key)
  }

  // MARK: Inputs

  package nonisolated func input(_ kind: RunInput, _ about: String, _ make: () throws -> [UInt8]) throws -> [UInt8] {
    // The local tenant draws its numbers on other threads.
    guard HostLoop.shared.isCurrent else { return try make() }
    begin()
    let result = Result { try make() }
    keep(kind, about, result)
    return try result.get()
  }

  package nonisolated(nonsending) func input(
    _ kind: RunInput, _ about: String, waiting make: () async throws -> [UInt8]
  ) async throws -> [UInt8] {
    let result: Result<[UInt8], any Error>
    do { result = .success(try await make()) } catch { result = .failure(error) }
    begin()
    keep(kind, about, result)
    return try result.get()
  }

  private nonisolated func begin() { HostActor.assumeIsolated { [self] in depth += 1 } }

  private nonisolated func keep(_ kind: RunInput, _ about: String, _ result: Result<[UInt8], any Error>) {
    let kept = KeptInput(about: about, result: result.mapError { KeptFailure($0) })
    HostActor.assumeIsolated { [self] in
      depth -= 1
      if depth == 0, add(kept.size) { tape.inputs[kind, default: []].append(kept) }
    }
  }

  // MARK: Exchanges

  package func exchange(
    _ request: HTTPRequest, _ send: @HostActor (HTTPRequest) async throws(HTTPError) -> HTTPResponse
  ) async throws(HTTPError) -> HTTPResponse {
    let index = tape.exchanges.count
    tape.exchanges.append(KeptExchange(request, at: place(), start: HostLoop.uptime - start))
    var request = request
    let streamed = request.onBody.map { Collected($0, limit: SealedTape.largest) }
    if let streamed { request.onBody = { streamed.take($0) } }
    do throws(HTTPError) {
      let response = try await send(request)
      let headers = response.headers.fields.map { [$0.name, $0.value] }
      let body = response.status == 200 ? streamed?.bytes ?? response.body : response.body
      end(index, .response(status: response.status, headers: headers, body: body, url: response.url))
      return response
    } catch {
      end(index, error.kind == .canceled ? .none : .failure(error))
      throw error
    }
  }

  private func end(_ index: Int, _ answer: KeptExchange.Answer) {
    guard tape.omission == nil else { return }
    tape.exchanges[index].answer = answer
    tape.exchanges[index].end = HostLoop.uptime - start
    _ = add(tape.exchanges[index].size)
  }

  /// Returns false for what does not fit any more.
  private func add(_ bytes: Int) -> Bool {
    guard tape.omission == nil else { return false }
    size += bytes
    guard size > SealedTape.largest / 2 else { return true }
    tape = ReplayTape()
    tape.omission = "the run took in more than \(SealedTape.largest >> 21) MiB"
    return false
  }
}

/// A copy of the bytes of a body, which somebody else takes.
@HostActor
private final class Collected: Sendable {
  private let next: @HostActor @Sendable (UnsafeRawBufferPointer) -> Bool
  private let limit: Int
  private(set) var bytes: [UInt8] = []

  init(_ next: @escaping @HostActor @Sendable (UnsafeRawBufferPointer) -> Bool, limit: Int) {
    self.next = next
    self.limit = limit
  }

  func take(_ piece: UnsafeRawBufferPointer) -> Bool {
    if bytes.count <= limit { bytes += piece }
    return next(piece)
  }
}
