/// Names that only the moment of the key press knows; the scripts for shells ask `b2c-run completions KIND` for them.
enum CompletedNames: String, CaseIterable {
  case accounts, imports, commands

  /// What stands behind a command by the placeholder of its usage; nil for anything else.
  init?(_ placeholder: String, behind command: String?) {
    switch (command, placeholder) {
    case ("accounts", "NAME"), ("sign-out", "NAME"): self = .accounts
    case ("imports", "ID"): self = .imports
    default: return nil
    }
  }
}
