import Lua

/// The events that a plugin has hooks for.
enum HookEvent: String, CaseIterable, Sendable {
  case onChanged = "on_changed"
  case onFailed = "on_failed"
  case beforeRequest = "before_request"
  case afterResponse = "after_response"
  case afterImport = "after_import"

  /// The key of a plugin's `hooks`.
  var parameter: Parameter { Parameter(rawValue, .callback(arguments, returns: results), optional: true, doc) }

  /// When it is called.
  private var doc: String {
    switch self {
    case .onChanged: "An account was added, updated or removed: as for accounts.on_changed."
    case .onFailed: "A sign-in or a refresh failed: as for accounts.on_failed."
    case .beforeRequest: "An HTTP request is about to be sent."
    case .afterResponse: "An HTTP request was answered, or failed. Gets the table that before_request got."
    case .afterImport: "tasks.import has ended in any way."
    }
  }

  private var arguments: [Parameter] {
    switch self {
    case .onChanged: [Parameter("change", .record(.change), "The change.")]
    case .onFailed: [Parameter("failure", .record(.signInFailure), "The failure.")]
    case .beforeRequest: [Parameter("request", .record(.hookedRequest), "The request.")]
    case .afterResponse:
      [
        Parameter("request", .record(.hookedRequest), "The request."),
        Parameter("response", .record(.hookedResponse), "The result of the request."),
      ]
    case .afterImport: [Parameter("report", .record(.endedImport), "The report of the import.")]
    }
  }

  private var results: [HostFunction.Result] {
    switch self {
    case .onFailed: [.init(.table, optional: true, "Sign-in options for another attempt.")]
    case .beforeRequest:
      [.init(.map(of: .any), optional: true, "Header fields to set, by name; false removes a field.")]
    case .onChanged, .afterResponse, .afterImport: []
    }
  }
}
