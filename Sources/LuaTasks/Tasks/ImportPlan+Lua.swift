import HostLoop
import ImportEngine
import Imports
import Lua
import LuaKit
import TaskAPI

extension ImportPlan {
  /// Decides an import by the options of a call of `tasks.import`.
  @HostActor init(
    _ given: ImportPlanOptions, _ arguments: Arguments, _ json: JSONMarshal, _ source: ImportSource,
    to place: @escaping @HostActor (_ timeout: Double) async throws -> ImportPlace
  ) {
    let timeout = given.timeout
    self.init(arguments.function.name, source) { try await place(timeout) }
    self.timeout = timeout
    options = given.options
    options.concurrency = given.concurrency ?? options.concurrency
    isConcurrencyGiven = given.concurrency != nil
    files = given.files
    options.isDryRun = files.dryRun != .nowhere
    self.source.isAsIs = given.isAsIs
    progress = given.progress
    shownOptions = json.shown(shown(arguments.options))
  }

  /// The options as the report has them: with numbers in place of texts.
  @HostActor private func shown(_ given: [String: LuaValue]) -> [String: LuaValue] {
    var shown = given
    if let rate = options.rate { shown["rate"] = .number(rate) }
    if given["concurrency"]?.table == nil, given["concurrency"]?.integer == nil, given["concurrency"] != nil {
      let range = options.concurrency
      shown["concurrency"] = .record([("min", .integer(range.lowerBound)), ("max", .integer(range.upperBound))])
    }
    return shown
  }
}

/// The options of `tasks.import` that decide how rows are sent and recorded.
struct ImportPlanOptions: LuaOptions {
  var options = ImportOptions()
  var concurrency: ClosedRange<Int>?
  var timeout = TaskAPIClient.usualTimeout
  var files = ImportFiles()
  var isAsIs = false
  var progress: ImportProgress.Form?

  /// The options that say how requests are sent.
  static let sendingFields: [Field] = [
    .init(
      "concurrency", \.concurrency, .either([.integer, .string, .record(.concurrency)]),
      "The number of concurrent requests: a maximum, \"MIN..MAX\" or { min =, max = }. If not given, it adapts to the "
        + "server, from 1 to 16."
    ) { try concurrency($0, $1) }
    .flag("--concurrency N", "the number of concurrent requests: at most N, or MIN..MAX (1..16 if not given)"),
    .init(
      "rate", \.options.rate, .either([.number, .string]),
      "The maximum number of rows per second; \"100/m\" is per minute, \"5000/h\" is per hour."
    ) { try rate($0, $1) }
    .flag("--rate ROWS", "the maximum number of rows per second; 100/m is per minute, 5000/h is per hour"),
    .init(
      "retries", \.options.retries, in: 0...1000,
      "The number of times to wait for a server that accepts no requests; 5 if not given."
    ).flag("--retries N", "the number of waits for a server that accepts no requests"),
    .init(
      "wait", \.options.delays.patience, in: 0...Double(ImportOptions.longestWait),
      "The seconds to wait for a server that is unreachable or accepts no requests, also at the start; 0: do not "
        + "wait. If not given, 10 for each of the retries."
    ).flag(
      "--wait SECONDS", "the seconds to wait for a server that accepts no requests, also at the start; 0: do not wait"),
    .init("timeout", \.timeout, in: 0.1...3600, "The time limit for one request, in seconds; 30 if not given.")
      .flag("--timeout SECONDS", "the time limit for one request"),
  ]

  static let fields: [Field] = sendingFields + recordFields + [progressField]

  /// The options that say what becomes of rows, and what is recorded about them.
  private static let recordFields: [Field] = [
    .init(
      "max_failures", \.options.maximumFailures, in: 0...Double.infinity, "Stop if more rows fail than this number."
    ).flag("--max-failures N", "stop if more rows fail than this number"),
    .init(
      "resume", \.options.resume, .either([.boolean, .choice(["match"])]),
      "false: import all rows, also those of an earlier run; \"match\": if the source has changed, skip the rows that "
        + "an earlier run imported."
    ) { value, _ in
      value.string == "match" ? .match : value.boolean == false ? .no : ImportOptions().resume
    }
    .flag(
      "--resume HOW",
      "yes continues an earlier import, no imports all rows again, match skips the imported rows of a changed "
        + "file", words: ["yes": true, "no": false]),
    unsettledField,
    .init(
      "dry_run", \.files.dryRun, .either([.boolean, .string]),
      "Read and check everything, show the first tasks, and send nothing. With the name of a file, all tasks are written there, "
        + "one JSON object a line: { row =, line =, task = }."
    ) { value, _ in ImportFiles.Place(value) }
    .flag(
      "--dry-run[=FILE]", "read and check everything, send nothing; FILE gets all tasks, one JSON object a line"),
    .init(
      "strict", \.options.isStrict,
      "End the import if the server does not keep a field, such as due, or if no field comes from a column and map is not "
        + "given. If not given, the program reports both, and counts them in report.lost or lists them in report.left_out."
    ).flag("--strict", "end the import if the server does not keep a field, or a column is left out without --map"),
    .init(
      "as_is", \.isAsIs,
      "Import a file whose separator, header or columns are doubtful as it is. If not given, a question decides, or the error "
        + "doubtful_file ends the import before the first request."
    ).flag("--as-is", "import a file as it is, whatever is doubtful about its separator, header and columns"),
    .init(
      "make_lists", \.options.missing.makesLists, "Make the lists that rows name and the task service does not have."
    )
    .flag("--make-lists", "make the lists that rows name and the task service does not have"),
    .init(
      "dedupe", \.options.dedupe,
      "The field, such as \"text\", to compare. Rows are skipped if a task or an earlier row has the same value."
    ).flag("--dedupe FIELD", "skip rows if a task or an earlier row has the same FIELD, such as text"),
    .init(
      "journal", \.files.journal, .either([.string, .boolean]),
      "The file of the journal; if not given, a file in the user's folder; false: in memory."
    ) { value, _ in ImportFiles.Place(value) }
    .flag("--journal FILE", "the file for the journal; none keeps the journal in memory", words: ["none": false]),
    .init(
      "idempotency_key", \.options.keys.areHonored,
      "True if the server supports Idempotency-Key, so that a request sent twice counts once; detected if not given."
    ).flag(
      "--idempotency-key WHETHER", "whether the server supports Idempotency-Key; detected if not given",
      words: ["yes": true, "no": false]),
    .init(
      "settle_after", \.options.delays.settling, in: 0...3600,
      "The seconds between the last lost response and the check of the task list; 2 if not given."
    ).flag("--settle-after SECONDS", "the seconds between a lost response and the check of the task list"),
    .init(
      "failed_rows", \.files.failedRows, .either([.string, .boolean]),
      "The file for failed rows, which can be imported again; false: no file. If not given, the source's name with "
        + ".failed.ndjson, and for a table .failed.csv, if the script may write it."
    ) { value, _ in ImportFiles.Place(value) }
    .flag(
      "--failed FILE",
      "the file for failed rows (FILE.failed.ndjson if not given, and FILE.failed.csv for a table); none: no file",
      words: ["none": false]),
    .init("report", \.files.report, .string, "A file for the report: .html is a page, .json is JSON.") { value, _ in
      value.path
    }
    .flag("--report FILE", "the file for the report: .html is a page, .json is JSON"),
  ]

  static let unsettledField = Field(
    "unsettled", \.options.unsettled, .choice(["resend", "skip"]),
    "The action for unsettled rows, which the server may have added: send them again, or skip them. If not "
      + "given, they are only reported."
  ) { value, _ in
    value.string.flatMap(ImportOptions.Unsettled.init)
  }
  .flag("--unsettled WHAT", "the action for unsettled rows, which the server may have added")

  static let progressField = Field(
    "progress", \.progress, .either([.boolean, .choice(ImportProgress.Form.allCases.map(\.rawValue))]),
    "The form of the progress display: \"bar\", \"lines\", \"json\", or \"none\" (or false). If not given: "
      + "\"bar\" on a terminal, else \"lines\"."
  ) { value, _ in ImportProgress.Form(value) }
  .flag("--progress HOW", "the form of the progress display")

  /// `16`, `"4..64"` or `{ min = 4, max = 64 }`.
  @HostActor private static func concurrency(_ value: LuaValue, _ place: OptionPlace) throws(LuaError) -> ClosedRange<
    Int
  >? {
    var bounds: (min: Int64?, max: Int64?) = (1, value.integer)
    if let table = value.table {
      let unknown = try table.pairs.contains { $0.key.string != "min" && $0.key.string != "max" }
      bounds = (table["min"].isNil ? 1 : table["min"].integer, unknown ? nil : table["max"].integer)
    } else if value.integer == nil, let text = value.string {
      let parts = text.split(separator: "..", omittingEmptySubsequences: false).map { Int64($0) }
      if parts.count == 2 { bounds = (parts[0], parts[1]) }
      guard let min = bounds.min, let max = bounds.max, min <= max else {
        throw place.failure("expected a number, or MIN..MAX, got '\(text)'")
      }
    }
    if let min = bounds.min, let max = bounds.max, 1 <= min, min <= max, max <= ImportOptions.mostConcurrency {
      return Int(min)...Int(max)
    }
    guard value.table == nil else {
      throw place.failure(
        "expected { min =, max = } with 1 <= min <= max <= \(ImportOptions.mostConcurrency)",
        hint: "for example { min = 4, max = 64 }")
    }
    throw place.failure(
      "expected 1 to \(ImportOptions.mostConcurrency), got \(place.arguments.state.rawText(of: value))"
    )
  }

  /// The rows a second of `5`, `"100/m"` and `"5000/h"`.
  @HostActor private static func rate(_ value: LuaValue, _ place: OptionPlace) throws(LuaError) -> Double? {
    let seconds: [Substring: Double] = ["s": 1, "m": 60, "h": 3600]
    let parts = (value.string ?? "").split(separator: "/", omittingEmptySubsequences: false)
    var rows = value.number
    if rows == nil, parts.count <= 2, let number = parts.first.flatMap({ Double($0) }) {
      rows = parts.count == 1 ? number : seconds[parts[1]].map { number / $0 }
    }
    guard let rows else {
      throw place.failure(
        "expected rows per second, or a rate such as 100/m, got '\(value.string ?? "")'")
    }
    guard (0.001...1_000_000).contains(rows) else {
      throw place.failure("expected 0.001 to 1000000, got \(LuaNumber.text(rows))")
    }
    return rows
  }
}

extension ImportFiles.Place {
  fileprivate init(_ value: LuaValue) {
    self = value.path.map { .file($0) } ?? (value.boolean == false ? .nowhere : .usual)
  }
}

extension ImportProgress.Form {
  /// The form in the option `progress`.
  init?(_ value: LuaValue) {
    guard let form = value.boolean == false ? Self.none : value.string.flatMap(Self.init) else { return nil }
    self = form
  }
}
