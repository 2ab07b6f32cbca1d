import Core
import HTTPClient
import TaskAPI

/// The reaction of an import to an error.
enum Verdict: Equatable {
  /// The server did not act on the row and may take it later, after this many seconds if it said so.
  case again(after: Double?)
  /// The fate of the row is unknown: there is no answer, or the server broke down.
  case unknown(after: Double?)
  /// The fate of the row is unknown: the answer is a success or a redirect, and no confirmation.
  case unclear(mayComeLater: Bool)
  /// The row is not a task.
  case refused
  /// The next row may get the same answer: many of these without a success between them end the import.
  case doubtful
  /// The server refuses a token that was just renewed. It may not know the new signing key yet.
  case renew
  /// No row can be added.
  case stop

  init(_ error: any Error) {
    switch error {
    case let error as HTTPError: self.init(error)
    case let error as TaskAPIError: self.init(error)
    // There is no token, and the row was not sent: for good, or while the provider is busy.
    case let error as any Failure where error.isRetryable:
      self = .again(after: error.details["retry_after"].flatMap { Double($0) })
    default: self = .stop
    }
  }

  private init(_ error: HTTPError) {
    switch error.kind {
    case .unreachable, .timeout, .connectionLost, .transfer:
      self = error.mayHaveBeenReceived ? .unknown(after: nil) : .again(after: nil)
    case .canceled, .tooLarge: self = error.mayHaveBeenReceived ? .unknown(after: nil) : .stop
    case .invalidURL, .tls, .tooManyRedirects, .insecureRedirect, .permissionDenied, .privateAddress: self = .stop
    }
  }

  private init(_ error: TaskAPIError) {
    switch (error.kind, error.meaning) {
    case (.invalidSetting, _), (.notKept, _), (.brokenService, _): self = .stop
    case (_, .unauthorized): self = error.isOfRenewedToken ? .renew : .stop
    case (_, .notNow): self = .again(after: error.retryAfter)
    case (_, .brokenOff): self = .unknown(after: error.retryAfter)
    case (_, .accepted): self = .unclear(mayComeLater: true)
    case (_, .unclear): self = .unclear(mayComeLater: false)
    case (_, .refused): self = .refused
    case (_, .doubtful), (_, .confirmed), (_, nil): self = .doubtful
    }
  }

  /// True if such an answer to a request for the list of tasks means that there is no list.
  var meansNoList: Bool {
    switch self {
    case .doubtful, .refused, .unclear: true
    case .again, .unknown, .renew, .stop: false
    }
  }
}

extension Result where Success == AddedTask, Failure == any Error {
  /// True if the server names a time after which it may take the row.
  var asksToWait: Bool {
    guard case .failure(let error) = self, case .again(let wait?) = Verdict(error) else { return false }
    return wait > 0
  }

  /// The HTTP status; 0 without an answer.
  var status: Int {
    switch self {
    case .success(let added): added.status
    case .failure(let error): error.status ?? 0
    }
  }
}
