import HTTPClient
import Testing

/// The error that `request` ends with; an issue when it is answered.
func failure(
  of request: HTTPRequest, by client: HTTPClient = HTTPClient(), location: SourceLocation = #_sourceLocation
) async -> HTTPError? {
  do {
    let response = try await client.send(request)
    Issue.record("answered with \(response.status)", sourceLocation: location)
    return nil
  } catch {
    return error
  }
}
