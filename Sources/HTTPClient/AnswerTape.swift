package import HostLoop

/// Keeps the exchanges of a run, or answers in a replay as the servers of the recorded run did.
package protocol AnswerTape: AnyObject, Sendable {
  /// The place in the script.
  @HostActor var place: @HostActor () -> EventPlace { get set }
  /// - Parameters:
  ///   - request: one leg of a request: each redirect is another request.
  ///   - send: sends a request to its server.
  /// - Throws: `HTTPError`, as `send` does.
  @HostActor func exchange(
    _ request: HTTPRequest, _ send: @HostActor (HTTPRequest) async throws(HTTPError) -> HTTPResponse
  ) async throws(HTTPError) -> HTTPResponse
}
