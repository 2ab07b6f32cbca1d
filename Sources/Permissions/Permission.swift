/// What a script has to be allowed to do.
package enum Permission: String, CaseIterable, Sendable {
  case net, read, write, env, run

  /// `--allow-read`
  package var flag: String { "--allow-\(rawValue)" }

  /// What stands behind the flag: `--allow-read=PATH`.
  package var placeholder: String {
    switch self {
    case .net: "HOST"
    case .read, .write: "PATH"
    case .env: "NAME"
    case .run: "PROGRAM"
    }
  }

  /// For "needs permission … /etc/hosts".
  var phrase: String {
    switch self {
    case .net: "to connect to"
    case .read: "to read"
    case .write: "to write"
    case .env: "to read the environment variable"
    case .run: "to run"
    }
  }

  /// For "A allows everything of that kind".
  var everything: String {
    switch self {
    case .net: "every connection"
    case .read: "reading everything"
    case .write: "writing everything"
    case .env: "every environment variable"
    case .run: "every program"
    }
  }
}
