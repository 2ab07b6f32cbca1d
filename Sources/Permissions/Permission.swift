/// A kind of access that a script needs a permission for.
package enum Permission: String, CaseIterable, Sendable {
  case net, read, write, env, run, secret

  /// `--allow-read`
  package var flag: String { "--allow-\(rawValue)" }

  /// The word for the flag's value: `--allow-read=PATH`.
  package var placeholder: String { words.placeholder }
  /// For "needs permission … /etc/hosts".
  var phrase: String { words.phrase }
  /// For "A allows everything of that kind".
  var everything: String { words.everything }

  private var words: (placeholder: String, phrase: String, everything: String) {
    switch self {
    case .net: ("HOST", "to connect to", "every connection")
    case .read: ("PATH", "to read", "reading everything")
    case .write: ("PATH", "to write", "writing everything")
    case .env: ("NAME", "to read the environment variable", "every environment variable")
    case .run: ("PROGRAM", "to run", "every program")
    case .secret: ("NAME", "to use the secret", "every secret")
    }
  }
}
