import Automation
import Files
import HostLoop
import Lua
import TaskImport

extension TasksModule {
  var export: HostFunction {
    .suspending(
      "tasks.export", "Writes all tasks to a file, in a format that tasks.import reads.",
      [
        Parameter(
          "path", .string, "The file, compressed if its name ends in .gz or .zst; \"-\" is standard output."),
        .options([
          Self.formatOption,
          Parameter("separator", .string, optional: true, "The separator of the CSV file; a comma if not given.")
            .flag("--separator CHARACTER", "the separator of the CSV file; a comma if not given"),
          Self.laterAccountOption,
        ]),
      ], returns: [.init(.record(.exportReport), "The report of the export.")],
      example: """
        b2c.tenant.sign_in()
        b2c.tasks.add "Buy milk"
        b2c.tasks.export("-", { format = "csv" })
        """
    ) { arguments in
      let path = arguments.string(0)
      // The output of the script comes first, because both are written to standard output.
      if path == "-" { StandardOutput.flush() }
      let place = path == "-" ? OutputPlace(path) : try host.permissions.write(path, for: arguments)
      var native: SourceFormat?
      let client = { @HostActor @Sendable in try host.taskClient(of: try await host.givenAccount(arguments)) }
      switch try host.registry.format(arguments, path: path) {
      case .lua(let format)?: return [try await format.export(arguments, to: place, json, client: client)]
      case .native(let format)?: native = format
      case nil: break
      }
      let report = try await TaskExporter.export(
        client: try await client(), to: place, format: native,
        separator: try arguments.separator(), names: host.registry.formats.names)
      for note in report.notes { host.console.log(.warn, note) }
      return [
        .record([
          ("tasks", .integer(report.tasks)), ("bytes", .integer(report.bytes)), ("seconds", .number(report.seconds)),
          ("path", .string(report.path)), ("format", .string(report.format.rawValue)),
        ])
      ]
    }
  }

  static let formatOption = Parameter(
    "format", .openChoice(SourceFormat.names), optional: true,
    "The format of the file, also from a plugin; determined by the file's name if not given."
  ).flag("--format FORMAT", "the format of FILE, if its name does not determine it")
}
