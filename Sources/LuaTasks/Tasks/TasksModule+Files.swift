import Automation
import Files
import HostLoop
import ImportEngine
import ImportFormats
import Imports
import Lua
import LuaKit
import TaskAPI
import TaskExport
import Terminal

extension TasksModule {
  static let importing = suspending(
    "tasks.import",
    "Adds a task for each row of a file, or for each value of an iterator. After an interruption, the same call "
      + "continues at the next row.",
    Parameter(
      "source", .either([.string, .functionReturning(.init(.any, optional: true, "A row, then nil."))]),
      "The path of a file, \"-\" for standard input, or a function that returns the next row, then nil."),
    options: CallOptions.keys,
    returns: .init(.record(.importReport), "The report; tostring returns it as text."),
    example: """
      b2c.tenant.sign_in()
      local report = b2c.tasks.import("examples/data/inbox.csv", {
        map = function(row) return row.Subject ~= "" and { text = row.Subject } or nil end,
      })
      print(report)
      """
  ) { module, arguments in
    do {
      let summary = try await module.tasks.imports.run(arguments[0].string ?? "a function") {
        try await module.importPlan(try CallOptions(arguments), arguments)
      }
      return [module.json.value(summary, module.tasks.context.state)]
    } catch let error as ImportRefusal {
      guard let subject = error.subject else { throw error }
      throw arguments.failure(option: subject.option, subject.problem, hint: error.hint)
    }
  }

  struct CallOptions: LuaOptions {
    var format: String?
    var separator: Character?
    var map = LuaValue.nil
    var onRowFailed: LuaFunction?
    var reading = ReadingOptions()
    var plan = ImportPlanOptions()
    var service = ServiceOptions()

    /// The options that say how the source is read.
    static let sourceFields: [Field] =
      [
        formatField(\.format, StockFormat.all),
        SeparatorOptions.field("The separator of a CSV file; detected if not given.", \.separator)
          .flag("--separator CHARACTER", "the separator of a CSV file; detected if not given"),
        .init(
          "map", \.map,
          .either([
            .callback(
              [Parameter("row", .any, "The row, by column name."), Parameter("number", .integer, "Its number.")],
              returns: [.init(.newTask, optional: true, "The task to add; nil to skip the row.")]),
            .record(.columnMap), .string,
          ]),
          "The mapping of a row: { text = COLUMN, … } or \"text=COLUMN,…\"; or a function that is called with each "
            + "row and its number, and returns a task, a text, or nil to skip the row. If not given, columns are "
            + "matched by name."
        ) { value, _ in value }.flag(
          "--map FIELD=COLUMN", "the column of each field: text=Title,due=Due; may be repeated", isMany: true),
      ] + Field.nested(ReadingOptions.fields, in: \.reading)

    static let fields: [Field] =
      sourceFields + [
        .init(
          "on_row_failed", \.onRowFailed,
          .callback(
            [Parameter("failure", .record(.rowFailure), "The failure.")],
            returns: [.init(.newTask, optional: true, "The action, or a task to send instead.")]),
          "Called with each failed row. It may return \"skip\", \"stop\", or a changed task or text to send instead.")
      ] + Field.nested(ImportPlanOptions.fields, in: \.plan)
      + TasksModule.serviceFields(in: \.service)
  }

  /// The options `service` and `account` of functions that read or write a file.
  nonisolated static func serviceFields<Options>(
    in property: WritableKeyPath<Options, ServiceOptions>
  ) -> [OptionField<Options>] {
    OptionField.nested(
      [
        ServiceOptions.serviceField.flag(
          "--service NAME", "the task service, such as caldav; the task API if not given"),
        ServiceOptions.laterAccountField,
      ], in: property)
  }

  func importPlan(_ options: CallOptions, _ arguments: Arguments) async throws -> ImportPlan {
    let path = arguments[0].path
    let found = try await found(path, options, arguments)
    let source = ImportSource(path: path) { try rowSource(options, arguments, found, isKnownAgain: $0, kept: $1) }
    var plan = ImportPlan(options.plan, arguments, json, source) { timeout in
      try await place(options.service, arguments, timeout: timeout)
    }
    plan.source.isMapped = !options.map.isNil
    plan.onReport = { [tasks] path in try tasks.attach(path) }
    if let handler = options.onRowFailed {
      plan.onRowFailed = { [tasks, json] failure in
        let row = "row \(failure.row)"
        return try json.decision(
          try await tasks.session.events.call(handler, [json.value(failure)], as: "on_row_failed", row), on: failure)
      }
    }
    return plan
  }

  static let work = suspending(
    "tasks.work",
    "Sends rows of the imports in the database of --store, which several machines share, until the script ends.",
    .options(WorkOptions.keys),
    returns: .init(.integer, "The number of imports that this machine has worked on.")
  ) { module, arguments in
    let options = try WorkOptions(arguments)
    let helper = try ImportHelper(
      module.tasks.imports, options.progress, by: arguments.function.name
    ) { [tasks = module.tasks] name in
      try await tasks.services.declared(named: name, account: try? await tasks.accounts.current())
    }
    return [.integer(try await helper.run(isOnce: options.isOnce))]
  }

  private struct WorkOptions: LuaOptions {
    var isOnce = false
    var progress: ImportProgress.Form?

    static let fields: [Field] = [
      .init("once", \.isOnce, "End when no import has rows to send. If not given, wait for more.")
        .flag("--once", "end when no import has rows to send"),
      .init(
        "progress", \.progress, .either([.boolean, .choice(ImportProgress.Form.allCases.map(\.rawValue))]),
        "The form of the progress display: \"bar\", \"lines\", \"json\", or \"none\" (or false)."
      ) { value, _ in ImportProgress.Form(value) }
      .flag("--progress HOW", "the form of the progress display: bar, lines, json, none"),
    ]
  }

  /// - Parameters:
  ///   - isKnownAgain: true if a later run has to recognize the rows of an iterator.
  ///   - kept: the reading of an earlier run.
  func rowSource(
    _ options: CallOptions, _ arguments: Arguments, _ found: Formats.Found?, isKnownAgain: Bool,
    kept: KeptReading? = nil
  ) throws -> ImportSource.Opened {
    let map = options.map
    if options.reading.values != nil, arguments[0].function != nil || map.function != nil {
      throw arguments.failure(
        option: "values", "it has no effect with a function, which makes the tasks itself",
        hint: "read the words in the function")
    }
    if let iterator = arguments[0].function {
      guard map.isNil || map.function != nil else {
        throw arguments.failure(option: "map", "expected a function, because rows of an iterator have no columns")
      }
      return ImportSource.Opened(rows: IteratorRowSource(iterator, map: map.function, json, isKnownAgain: isKnownAgain))
    }
    var native: SourceFormat?
    switch found?.format {
    case .lua(let format)?: return try rowSource(options, arguments, as: format, found)
    case .native(let format)?: native = format
    case nil: break
    }
    let mapping = try mapping(map, arguments)
    let file = options.reading.applied(
      to: try tasks.session.permissions.source(arguments.path(0), arguments), mapping, kept)
    let reading = try RecordReaders.read(
      file, format: native, isDecided: options.format != nil || options.plan.isAsIs,
      separator: options.separator ?? kept?.separator, names: tasks.formats.names)
    try options.reading.check(reading, options.separator, arguments)
    let reader = reading.reader
    if let map = map.function {
      return ImportSource.Opened(
        rows: MappedRowSource(reader, map: map, json, arguments.state), doubts: reading.doubts, facts: reading.facts)
    }
    let source = try FileRowSource(
      reading, mapping: mapping, dateOrder: options.reading.dateOrder,
      values: options.reading.values ?? ValueMap(), isAsIs: options.plan.isAsIs, kept: kept,
      countsLeftOut: options.plan.files.dryRun != .nowhere)
    return ImportSource.Opened(
      rows: source, summary: "\(reader.name): \(reader.summary); \(source.summary)", doubts: source.doubts,
      kept: source.kept, facts: source.facts)
  }

  static let export = suspending(
    "tasks.export", "Writes all tasks to a file, in a format that tasks.import reads.",
    Parameter("path", .string, "The file, compressed if its name ends in .gz or .zst; \"-\" is standard output."),
    options: ExportOptions.keys,
    returns: .init(.record(.exportReport), "The report of the export."),
    example: """
      b2c.tenant.sign_in()
      b2c.tasks.add "Buy milk"
      b2c.tasks.export("-", { format = "csv" })
      """
  ) { module, arguments in
    let path = arguments.path(0)
    // The output of the script comes first, because both are written to standard output.
    if path == "-" { StandardOutput.flush() }
    let place = path == "-" ? OutputPlace(path) : try module.tasks.session.permissions.write(path, for: arguments)
    let options = try ExportOptions(arguments)
    try await module.tasks.formats.loadStock(options.format, path: path)
    var native: SourceFormat?
    let formats = module.tasks.formats
    switch try formats.format(options.format, path: path, arguments, among: formats.writtenNames) {
    case .lua(let format)?:
      if options.isForSpreadsheet {
        throw arguments.failure(
          option: "for_spreadsheet", "the format \(format.name) has no cells to guard", hint: "export to csv or tsv")
      }
      return [try await format.export(options, arguments, to: place, module)]
    case .native(let format)?: native = format
    case nil: break
    }
    let report = try await TaskExporter.export(
      service: try await module.tasks.services.service(arguments), to: place, format: native,
      separator: options.separator, isForSpreadsheet: options.isForSpreadsheet,
      names: module.tasks.formats.writtenNames)
    for note in report.notes { module.tasks.session.console.log(.warn, note) }
    return [
      .record([
        ("tasks", .integer(report.tasks)), ("bytes", .integer(report.bytes)), ("seconds", .number(report.seconds)),
        ("path", .path(report.path)), ("format", .string(report.format.rawValue)),
      ])
    ]
  }

  struct ExportOptions: LuaOptions {
    var format: String?
    var separator: Character?
    var isForSpreadsheet = false
    var service = ServiceOptions()

    static let fields: [Field] =
      [
        formatField(\.format, StockFormat.all.filter(\.isWritten)),
        SeparatorOptions.field("The separator of the CSV file; a comma if not given.", \.separator)
          .flag("--separator CHARACTER", "the separator of the CSV file; a comma if not given"),
        .init(
          "for_spreadsheet", \.isForSpreadsheet,
          "Guard the cells of a CSV or TSV file that a spreadsheet would run as formulas. tasks.import takes the guards off."
        ).flag(
          "--for-spreadsheet", "guard the cells that a spreadsheet would run as formulas; import takes the guards off"),
      ] + TasksModule.serviceFields(in: \.service)
  }

  /// The option `format`.
  private nonisolated static func formatField<Options>(
    _ property: WritableKeyPath<Options, String?>, _ formats: [StockFormat]
  ) -> OptionField<Options> {
    OptionField(
      "format", property, .openChoice(SourceFormat.names + formats.map(\.name)),
      "The format of the file, also from a plugin; determined by the file's name if not given."
    ).flag("--format FORMAT", "the format of FILE, if its name does not determine it")
  }
}
