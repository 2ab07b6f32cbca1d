/// Names that only the moment of the key press knows; the scripts for shells ask `b2c-run completions KIND` for them.
enum CompletedNames: String, CaseIterable {
  case accounts, imports, commands

  /// The kind of names that the placeholder behind a command stands for; nil for any other placeholder.
  init?(_ placeholder: String, behind command: String?) {
    switch (command, placeholder) {
    case ("accounts", "NAME"), ("sign-out", "NAME"): self = .accounts
    case ("imports", "ID"): self = .imports
    default: return nil
    }
  }
}
