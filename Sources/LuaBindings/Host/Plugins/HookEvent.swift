import Lua

/// What a plugin can be told of.
enum HookEvent: String, CaseIterable, Sendable {
  case onChanged = "on_changed"
  case onFailed = "on_failed"
  case beforeRequest = "before_request"
  case afterResponse = "after_response"
  case afterImport = "after_import"

  /// When it is called, and with what.
  var doc: String {
    switch self {
    case .onChanged: "An account was added, updated or removed: as for accounts.on_changed."
    case .onFailed:
      "A sign-in or a refresh failed: as for accounts.on_failed; it may return sign-in options to go on with."
    case .beforeRequest:
      "An HTTP request is about to be sent: gets { method, url, headers, size }, and may return header fields to set, "
        + "or to take away with false."
    case .afterResponse:
      "An HTTP request was answered, or failed: gets the table that before_request got, and { status, headers, size, "
        + "seconds, error }."
    case .afterImport:
      "tasks.import has ended, however it did: gets what tasks.import returns, with source, account, ending and error "
        + "besides."
    }
  }

  /// The keys of a plugin's `hooks`.
  static let keys = allCases.map { Parameter($0.rawValue, .function, optional: true, $0.doc) }
}
