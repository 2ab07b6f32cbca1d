package import Automation
import Core
import Glibc

/// The parsed command line: the script or the command, its arguments, and the options of the program.
package struct Invocation: Sendable {
  package enum Subject: Sendable {
    /// A path, the name of a stock script, or `-` for standard input.
    case script(String)
    /// `-e`
    case chunk(String)
    case command(any Command)
    /// Nothing, on a terminal.
    case session
    case version
  }

  package let subject: Subject
  /// The words behind the script or the command: its own arguments.
  package let words: [String]
  package var options: RunOptions

  /// Reads the words of a command line.
  /// - Throws: `UsageError` for words that cannot be understood.
  package init(parsing words: [String], _ commands: CommandList, _ configuration: ScriptConfiguration) throws {
    var reader = CommandLineReader(commands: commands, options: RunOptions(configuration))
    try reader.read(words[...])
    subject = try reader.subject ?? Self.subjectOfNothing()
    self.words = reader.words
    options = reader.options
  }

  private static func subjectOfNothing() throws(UsageError) -> Subject {
    guard isatty(STDIN_FILENO) == 0 || isatty(STDOUT_FILENO) == 0 else { return .session }
    throw UsageError(
      "nothing to run",
      hint: "b2c-run SCRIPT, b2c-run -e CHUNK, or a command: \(CommandList.daily.joined(separator: ", ")); "
        + "b2c-run --help explains them")
  }

  /// The form of the command; nil for a script.
  package var form: CommandForm? {
    if case .command(let command) = subject { type(of: command).form } else { nil }
  }

  /// The time limit of the run as a whole; nil for no limit, and where each part of it has its own.
  package var wholeTimeout: Double? { form?.limitsParts == true ? nil : options.timeout }
  /// The time limit of the process: with --watch each run has the time to itself, and in a session each call.
  package var processTimeout: Double? {
    if case .session = subject { return nil }
    return options.isWatching ? nil : wholeTimeout
  }
}

/// Reads a command line word by word.
private struct CommandLineReader {
  let commands: CommandList
  var options: RunOptions
  private(set) var subject: Invocation.Subject?
  private(set) var words: [String] = []

  init(commands: CommandList, options: RunOptions) {
    self.commands = commands
    self.options = options
  }

  /// Reads the options of the program, up to the script or the command.
  mutating func read(_ line: ArraySlice<String>) throws {
    let flags = RunOptions.flags
    var rest = line
    var bareOption: CommandOption?
    while let word = rest.popFirst() {
      if word == "-e" {
        guard let chunk = rest.popFirst() else { throw UsageError("-e: expected Lua code after it") }
        begin(.chunk(chunk))
      } else if word == "-" || !word.hasPrefix("-") {
        if case .chunk = subject {
          words = [word] + rest
          break
        }
        if let command = commands.named(word) {
          options.forgetVersion()
          return try read(command, rest)
        }
        if let bareOption, let script = rest.first { try Self.check(word, between: bareOption, script) }
        begin(.script(word))
        words = Array(rest)
        break
      } else {
        let (index, text) = try Self.take(word, &rest, from: flags.map(\.option))
        try apply(flags[index], text)
        bareOption = text == nil ? flags[index].option : nil
      }
    }
    try answerQuestion(about: nil)
  }

  /// Reads the words behind a command: its own options, those of the program, and its arguments. Of two options with one name,
  /// such as `--profile`, that of the command is meant.
  private mutating func read<Named: Command>(_ type: Named.Type, _ line: ArraySlice<String>) throws {
    let (common, own) = (RunOptions.flags, Named.flags)
    let known = own.map(\.option) + common.map(\.option)
    var command = Named()
    var given: Set<String> = []
    var rest = line
    while let word = rest.popFirst() {
      if word == "--" {
        words += rest
        break
      }
      guard word.hasPrefix("-"), word != "-" else {
        words.append(word)
        guard Named.form.runsScript else { continue }
        words += rest
        break
      }
      let (index, text) = try Self.take(word, &rest, from: known)
      if index < own.count {
        try own[index].apply(&command, text)
        given.insert(known[index].name)
      } else {
        try apply(common[index - own.count], text)
      }
    }
    subject = .command(command)
    if try answerQuestion(about: Named.form.name) { return }
    let isHidden = words.count == 1 && Named.form.hiddenWords.contains(words[0])
    if !isHidden { try Named.declaration.check(words, given) }
  }

  private mutating func begin(_ subject: Invocation.Subject) {
    options.forgetVersion()
    self.subject = subject
  }

  private mutating func apply(_ flag: Flag<RunOptions>, _ text: String?) throws {
    try flag.apply(&options, text)
    options.given.append((flag.option.longName, text))
  }

  /// Lets `--help` and `--version` run in place of the subject. Returns whether one of them does.
  @discardableResult
  private mutating func answerQuestion(about command: String?) throws -> Bool {
    switch options.question {
    case .version?: subject = .version
    case .help?:
      guard let help = commands.named(CommandList.help) else { return false }
      words = command.map { [$0] } ?? []
      subject = .command(help.init())
    case nil: return false
    }
    return true
  }

  private static func take(
    _ word: String, _ rest: inout ArraySlice<String>, from options: [CommandOption]
  ) throws(UsageError) -> (index: Int, text: String?) {
    let (index, text) = try CommandOption.take(word, &rest, from: options, listedBy: "b2c-run help all")
    if let text, text.hasForeignBytes, !options[index].takesBytes {
      throw UsageError("\(options[index].longName): the value is not UTF-8: \(String.foreignByte(in: text.pathBytes))")
    }
    return (index, text)
  }

  /// An option whose value may be left out takes it behind `=`: else the value would be run, and the script its argument.
  private static func check(_ word: String, between option: CommandOption, _ next: String) throws(UsageError) {
    guard option.isValueOptional, !word.hasSuffix(".lua"), next.hasSuffix(".lua"),
      word.contains(where: { $0 == "." || $0 == "/" })
    else { return }
    throw UsageError("\(option.longName): expected its value after =", hint: "\(option.longName)=\(word) \(next)")
  }
}
