/// The program's folders for a person's files, by the XDG base directory specification.
package enum UserFolder: String, Sendable {
  // The raw values are the variables.
  case config = "XDG_CONFIG_HOME"
  case data = "XDG_DATA_HOME"
  case state = "XDG_STATE_HOME"

  private var usual: String {
    switch self {
    case .config: ".config"
    case .data: ".local/share"
    case .state: ".local/state"
    }
  }

  /// `b2c-run` under `$XDG_CONFIG_HOME`, `$XDG_DATA_HOME` or `$XDG_STATE_HOME`, else under the usual folder of `$HOME`. Nil
  /// if neither is an absolute path: the specification ignores relative paths.
  package func path(_ variable: (String) -> String?) -> String? {
    if let folder = variable(rawValue), folder.hasPrefix("/") { return "\(folder)/b2c-run" }
    if let home = variable("HOME"), home.hasPrefix("/") { return "\(home)/\(usual)/b2c-run" }
    return nil
  }
}
