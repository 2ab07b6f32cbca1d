import Core
import Files
import Glibc
import HostLoop
import Lua
import Permissions
import TaskAPI
import TaskImport

/// What `tasks.import` was asked for, beyond its source and what is to be made of the rows.
struct ImportRequest: Sendable {
  /// Where something is written.
  enum Place: Sendable, Equatable {
    /// Where it usually is.
    case usual
    case file(String)
    case nowhere

    var file: String? { if case .file(let path) = self { path } else { nil } }

    fileprivate init(_ value: LuaValue) {
      self = value.string.map { .file($0) } ?? (value.boolean == false ? .nowhere : .usual)
    }
  }

  var options = ImportOptions()
  /// Seconds for one request.
  var timeout = TaskAPIClient.usualTimeout
  var journal = Place.usual
  var failedRows = Place.usual
  /// The file for the report.
  var report: String?
  /// Nil: as suits where it is shown.
  var progress: ImportProgress.Form?

  @HostActor
  init(_ arguments: Arguments) throws(LuaError) {
    options.concurrency = try Self.concurrency(arguments) ?? options.concurrency
    options.rate = try Self.number(arguments, "rate", 0.001...1_000_000)
    options.retries = try Self.integer(arguments, "retries", 0...1000) ?? options.retries
    options.wait = try Self.number(arguments, "wait", 0...604_800)
    options.maximumFailures = try Self.integer(arguments, "max_failures", 0...Int.max)
    options.honorsIdempotencyKey = arguments["idempotency_key"].boolean
    options.settleAfter = try Self.number(arguments, "settle_after", 0...3600) ?? options.settleAfter
    options.unsettled = arguments["unsettled"].string.flatMap(ImportOptions.Unsettled.init)
    options.isDryRun = arguments["dry_run"].isTrue
    options.dedupe = arguments["dedupe"].string
    if arguments["resume"].string == "match" { options.resume = .match }
    if arguments["resume"].boolean == false { options.resume = .no }
    timeout = try Self.number(arguments, "timeout", 0.1...3600) ?? timeout
    journal = Place(arguments["journal"])
    failedRows = Place(arguments["failed_rows"])
    report = arguments["report"].string
    progress = arguments["progress"].string.flatMap(ImportProgress.Form.init)
    if arguments["progress"].boolean == false { progress = ImportProgress.Form.none }
  }

  /// What is to be written is to have a place of its own before anything is sent.
  /// - Parameter source: the file that is imported, if it is one.
  @HostActor
  func checkPlaces(source: String?, _ arguments: Arguments) throws(LuaError) {
    // A dry run writes no journal.
    if !options.isDryRun { try Self.checkPlace(journal.file, "journal", arguments) }
    try Self.checkPlace(failedRows.file, "failed_rows", arguments)
    try Self.checkPlace(report, "report", arguments)
    try checkAreApart(source, arguments)
    guard let report, Self.isFile(report), !report.isPagePath, report.fileEnding != "json" else { return }
    throw arguments.failure("option 'report': expected a file that ends in .html, .htm or .json, got '\(report)'")
  }

  /// Each is written anew: of two that are one file, one is lost.
  @HostActor
  private func checkAreApart(_ source: String?, _ arguments: Arguments) throws(LuaError) {
    var taken: [(path: String, what: String)] = []
    func take(_ path: String?, _ what: String, by option: String?) throws(LuaError) {
      guard let path else { return }
      if let option, let other = taken.first(where: { ResolvedPath.areOneFile($0.path, path) }) {
        throw arguments.failure(
          "option '\(option)': \(path) is \(other.what), which would be lost", hint: "name another file")
      }
      taken.append((path, what))
    }
    try take(source, "the file that is imported", by: nil)
    if failedRows == .usual {
      try take(source.map(FailedRowsFile.path(besides:)), "where the failed rows are written", by: nil)
    }
    try take(journal.file, "the journal", by: "journal")
    try take(failedRows.file, "where the failed rows are written", by: "failed_rows")
    try take(report, "the report", by: "report")
  }

  @HostActor
  private static func checkPlace(_ path: String?, _ option: String, _ arguments: Arguments) throws(LuaError) {
    guard let path else { return }
    // A file is replaced by another; what is no file, such as a pipe, is written to.
    guard isFile(path) ? access(path.parentFolder, W_OK | X_OK) != 0 : access(path, W_OK) != 0 else { return }
    throw arguments.failure(
      "option '\(option)': \(path) cannot be written: \(String(cString: strerror(errno)))",
      hint: "name a file in a folder that is there and can be written to")
  }

  /// Whether it is a file or will be one.
  private static func isFile(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) != 0 || status.st_mode & S_IFMT == S_IFREG
  }

  @HostActor
  private static func concurrency(_ arguments: Arguments) throws(LuaError) -> ClosedRange<Int>? {
    let name = "concurrency"
    guard let table = arguments[name].table else {
      return try integer(arguments, name, 1...mostConcurrency).map { 1...$0 }
    }
    let unknown = table.pairs.first { $0.key.string != "min" && $0.key.string != "max" }
    guard unknown == nil, let max = table["max"].integer, let min = table["min"].isNil ? 1 : table["min"].integer,
      1 <= min, min <= max, max <= mostConcurrency
    else {
      throw arguments.failure(
        "option '\(name)': expected { min =, max = } with 1 <= min <= max <= \(mostConcurrency)",
        hint: "for example { min = 4, max = 64 }")
    }
    return Int(min)...Int(max)
  }

  private static let mostConcurrency = 1024

  private static func integer(
    _ arguments: Arguments, _ name: String, _ range: ClosedRange<Int>
  ) throws(LuaError) -> Int? {
    guard let value = arguments[name].integer else { return nil }
    guard let number = Int(exactly: value), range.contains(number) else {
      let expected =
        range.upperBound == .max ? "\(range.lowerBound) or more" : "\(range.lowerBound) to \(range.upperBound)"
      throw arguments.failure("option '\(name)': expected \(expected), got \(value)")
    }
    return number
  }

  @HostActor
  private static func number(
    _ arguments: Arguments, _ name: String, _ range: ClosedRange<Double>
  ) throws(LuaError) -> Double? {
    guard let number = arguments[name].number else { return nil }
    guard range.contains(number) else {
      let bounds = "\(LuaNumber.text(range.lowerBound)) to \(LuaNumber.text(range.upperBound))"
      throw arguments.failure("option '\(name)': expected \(bounds), got \(LuaNumber.text(number))")
    }
    return number
  }
}

extension ImportRequest {
  /// The options that say how an import goes about it.
  static let keys: [Parameter] = [
    Parameter(
      "concurrency", .either([.integer, .record(.concurrency)]), optional: true,
      "Requests under way at once: at most so many, or { min =, max = }; between 1 and 16 if not given, as many as the "
        + "server bears."),
    Parameter("rate", .number, optional: true, "Rows a second, at most."),
    Parameter(
      "retries", .integer, optional: true, "How often to wait for a server that takes nothing; 5 if not given."),
    Parameter(
      "wait", .number, optional: true,
      "Seconds to wait for a server that cannot be reached or takes nothing, at the start, too; 0: do not wait. If not "
        + "given, 10 for each of the retries."),
    Parameter("timeout", .number, optional: true, "Seconds for one request; 30 if not given."),
    Parameter(
      "max_failures", .integer, optional: true, in: -0x1p63...0x1p63, "Stop when more rows than that have failed."),
    Parameter(
      "resume", .either([.boolean, .choice(["match"])]), optional: true,
      "false: import everything as new, whatever was done before; \"match\": of a source that has changed, the rows that "
        + "were done before are done."),
    Parameter(
      "unsettled", .choice(["resend", "skip"]), optional: true,
      "What to do with rows of which nobody knows whether they were added; if not given, they are reported and left."),
    Parameter("dry_run", .boolean, optional: true, "Read and check everything, send nothing."),
    Parameter(
      "dedupe", .string, optional: true,
      "Skip rows whose \"text\", or other field of that name, a task of the account has already, or an earlier row."),
    Parameter(
      "journal", .either([.string, .boolean]), optional: true,
      "The file that keeps what was done; if not given, one in the user's folder; false: in memory."),
    Parameter(
      "idempotency_key", .boolean, optional: true,
      "Whether the server takes requests with the same Idempotency-Key for one; found out by its answers if not given."),
    Parameter(
      "settle_after", .number, optional: true,
      "Seconds from the last lost answer until the list of tasks is asked about it; 2 if not given."),
    Parameter(
      "failed_rows", .either([.string, .boolean]), optional: true,
      "The file for the rows that failed, which can be imported again; the source's name with .failed.ndjson if not "
        + "given and that may be written; false: none."),
    Parameter("report", .string, optional: true, "A file for the report: .html is a page, .json is JSON."),
    Parameter(
      "progress", .either([.boolean, .choice(ImportProgress.Form.allCases.map(\.rawValue))]), optional: true,
      "How to show progress: a \"bar\", \"lines\", \"json\", or \"none\", as does false. If not given, a bar on a "
        + "terminal, lines elsewhere."),
  ]
}
