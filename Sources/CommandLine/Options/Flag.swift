/// An option of the program or of one of its commands, with its effect. Parsing, help, completion and the manual pages come
/// from `option`.
package struct Flag<Options>: Sendable {
  package let option: CommandOption
  let apply: @Sendable (inout Options, String?) throws -> Void

  /// - Parameters:
  ///   - spelling: `--settings FILE`, `-h, --help`, `--local[=DATA]`
  ///   - actions: the actions of the command with which the option does something; nil for all. An empty text stands for the
  ///     command without an action.
  package init(
    _ spelling: String, _ doc: String, choices: [String] = [], with actions: [String]? = nil,
    _ apply: @escaping @Sendable (inout Options, String?) throws -> Void
  ) {
    guard var option = CommandOption(spelling, doc, choices: choices) else {
      preconditionFailure("\(spelling) is not the spelling of an option")
    }
    option.actions = actions
    self.option = option
    self.apply = apply
  }

  /// A switch.
  package init(
    _ spelling: String, _ doc: String, with actions: [String]? = nil,
    _ property: any WritableKeyPath<Options, Bool> & Sendable, to value: Bool = true
  ) {
    self.init(spelling, doc, with: actions) { options, _ in options[keyPath: property] = value }
  }

  /// An option with a text.
  package init(
    _ spelling: String, _ doc: String, with actions: [String]? = nil,
    _ property: any WritableKeyPath<Options, String?> & Sendable
  ) {
    self.init(spelling, doc, with: actions) { $0[keyPath: property] = $1 }
  }
}
