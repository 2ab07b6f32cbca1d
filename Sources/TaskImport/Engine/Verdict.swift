import Diagnostics
import HTTPClient
import TaskAPI

/// What an error says about the row, the server and the import.
enum Verdict: Equatable {
  /// The server did not act on the row and may take it later, in this many seconds if it said so.
  case again(after: Double?)
  /// Nobody knows whether the server acted on it.
  case unknown(after: Double?)
  /// The row is not a task.
  case refused
  /// The next row may well fare no better: many of these without a success between them end the import.
  case doubtful
  /// No row can be added.
  case stop

  init(_ error: any Error) {
    switch error {
    case let error as HTTPError: self.init(error)
    case let error as TaskAPIError: self.init(error)
    // The token could not be had, and the row was not sent: for good, or while the provider is busy.
    case let error as any Failure where error.isRetryable:
      self = .again(after: error.details["retry_after"].flatMap { Double($0) })
    default: self = .stop
    }
  }

  private init(_ error: HTTPError) {
    switch error.kind {
    case .unreachable, .timeout, .connectionLost, .transfer:
      self = error.mayHaveBeenReceived ? .unknown(after: nil) : .again(after: nil)
    case .canceled, .tooLarge:
      self = error.mayHaveBeenReceived ? .unknown(after: nil) : .stop
    case .invalidURL, .tls, .tooManyRedirects, .insecureRedirect, .permissionDenied:
      self = .stop
    }
  }

  private init(_ error: TaskAPIError) {
    switch error.kind {
    case .unauthorized, .invalidSetting, .notKept:
      self = .stop
    case .tooManyRequests:
      self = .again(after: error.retryAfter)
    case .serverError:
      // 503 is said before anything is done. A gateway does not know what the server behind it did, and a server that
      // broke down does not say how far it had come.
      self = error.status == 503 ? .again(after: error.retryAfter) : .unknown(after: error.retryAfter)
    case .badRequest, .conflict:
      self = .refused
    case .unexpectedStatus where error.status == 413 || error.status == 422:
      self = .refused
    case .forbidden, .notFound, .unsupportedMediaType, .unexpectedBody, .unexpectedStatus:
      self = .doubtful
    }
  }
}
