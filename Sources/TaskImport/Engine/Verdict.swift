import HTTPClient
import TaskAPI

/// What an error says about the row, the server and the import.
enum Verdict: Equatable {
  /// The server did not act on the row and may take it later, in this many seconds if it said so.
  case again(after: Double?)
  /// The row is not a task. `isUnsettled`: it may be one all the same. `isServers`: the next row will likely fare no
  /// better, so that many of these in a row end the import.
  case failed(isUnsettled: Bool, isServers: Bool)
  /// No row can be added.
  case stop

  init(_ error: any Error, honorsIdempotencyKey: Bool) {
    switch error {
    case let error as HTTPError: self.init(error, honorsIdempotencyKey)
    case let error as TaskAPIError: self.init(error, honorsIdempotencyKey)
    // The token could not be had.
    default: self = .stop
    }
  }

  private init(_ error: HTTPError, _ honorsIdempotencyKey: Bool) {
    switch error.kind {
    case .unreachable, .timeout, .connectionLost, .transfer:
      self =
        !error.mayHaveBeenReceived || honorsIdempotencyKey
        ? .again(after: nil) : .failed(isUnsettled: true, isServers: true)
    case .canceled, .tooLarge:
      self = error.mayHaveBeenReceived ? .failed(isUnsettled: true, isServers: true) : .stop
    case .invalidURL, .tls, .tooManyRedirects, .insecureRedirect:
      self = .stop
    }
  }

  private init(_ error: TaskAPIError, _ honorsIdempotencyKey: Bool) {
    switch error.kind {
    case .unauthorized, .invalidSetting:
      self = .stop
    case .tooManyRequests:
      self = .again(after: error.retryAfter)
    case .serverError where error.status == 503 || honorsIdempotencyKey:
      self = .again(after: error.retryAfter)
    case .serverError:
      // A gateway does not know what the server behind it did.
      self = .failed(isUnsettled: error.status == 502 || error.status == 504, isServers: true)
    case .badRequest, .conflict:
      self = .failed(isUnsettled: false, isServers: false)
    case .unexpectedStatus where error.status == 413 || error.status == 422:
      self = .failed(isUnsettled: false, isServers: false)
    case .forbidden, .notFound, .unsupportedMediaType, .unexpectedBody, .unexpectedStatus:
      self = .failed(isUnsettled: false, isServers: true)
    }
  }
}
