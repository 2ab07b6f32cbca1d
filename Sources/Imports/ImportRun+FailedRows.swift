import Automation
import Core
import Files
import Glibc
import HostLoop
import ImportEngine
import ImportFormats
import Permissions

extension ImportRun {
  /// Warns when the first row fails that the usual file of failed rows cannot be written.
  func warnOfFailedRows() {
    guard work.statistics.failures.values.map(\.count) == [1], let file = usualFailedRows, !plan.options.isDryRun,
      FileSystem.access(file.parentFolder, W_OK | X_OK) != 0
    else {
      return
    }
    console.log(
      .warn,
      "rows that fail cannot be written to \(file): \(String(cString: strerror(errno))); name another file with "
        + "--failed FILE (failed_rows = FILE in a script)")
  }

  /// Writes the files of failed rows, unless they have them all. Returns the path of the file of objects, and that of the
  /// table; nil for a file that there is not.
  func writeFailedRows() async throws -> (objects: String?, table: String?) {
    guard work.report.failed > 0, !plan.options.isDryRun else { return (nil, nil) }
    if let failedRows = outputs.failedRows {
      let table = failedRows.path.isTablePath ? source.table : nil
      return (try await write(to: failedRows.path, as: table) { failedRows }, nil)
    }
    guard let file = usualFailedRows else { return (nil, nil) }
    var denial: PermissionDenied?
    func beside(_ file: String) -> OutputPlace? {
      do throws(PermissionDenied) {
        return try imports.session.permissions.write(file, beside: path ?? file, by: plan.call)
      } catch {
        denial = denial ?? error
        return nil
      }
    }
    let objects = try await write(to: file, as: nil) { beside(file) }
    var table: String?
    if let columns = source.table, let path {
      let file = FailedRowsFile.path(besides: path, columns)
      table = try await write(to: file, as: columns) { beside(file) }
    }
    if objects == nil, table == nil, let denial {
      let advice = denial.hint.map { "; \($0)" } ?? ""
      console.log(.warn, "\(denial.message), so the rows that failed are not written there\(advice)")
    }
    return (objects, table)
  }

  /// - Parameter place: nil if nothing may be written there.
  private func write(to file: String, as table: SourceTable?, _ place: () -> OutputPlace?) async throws -> String? {
    // Somebody may be about to mend what an earlier run has written.
    if work.report.failures.allSatisfy(\.isUnsettled), FileSystem.access(file, F_OK) == 0 { return file }
    guard let place = place() else { return nil }
    if let kept = try await FailedRowsFile.write(to: place, as: table, try await work.failures()) {
      console.log(.info, "\(file) is new; the earlier file is now \(kept)")
    }
    return file
  }

  private var usualFailedRows: String? {
    plan.files.failedRows == .usual ? path.map { FailedRowsFile.path(besides: $0) } : nil
  }

  /// The failed rows of earlier imports, if the source is a file of failed rows.
  static func origins(
    _ source: any RowSource, _ identity: ImportIdentity, _ imports: RunImports
  ) async throws -> OriginLedger? {
    guard source.beginning.contains(where: { !$0.origins.isEmpty }) else { return nil }
    let shared = try imports.shared()
    if let shared { try await imports.prepare(shared) }
    return OriginLedger(identity, try? imports.journals(), shared)
  }

  /// Settles the rows of earlier imports for which rows of this one stand.
  func settleOrigins() async throws {
    guard let corrected else { return }
    let origins = corrected.ledger
    var failed: Set<Int> = []
    let failures = try await work.failures()
    while let row = try await failures() { failed.insert(row.failure.row) }
    var read = corrected
    if corrected.rowsRead < work.report.total, path != nil, let all = try sourceAgain() as? CorrectedRowSource {
      // Another machine has planned the import.
      while try await all.next() != nil {}
      read = all
    }
    let settled = read.origins(without: failed)
    for sentence in try await origins.settle(settled) { console.log(.info, sentence) }
    let unknown = try await origins.unknown(settled) + read.unresolved
    if unknown > 0 {
      console.log(
        .warn,
        "\(counted(unknown, "row")) still \(unknown == 1 ? "counts" : "count") as failed in the first import, which is not "
          + "known here: leave the file of failed rows beside its source, and if that import had --journal FILE "
          + "(journal = FILE in a script), import the file with the same one")
    }
    if corrected.skipped > 0 {
      console.log(
        .info,
        "\(counted(corrected.skipped, "row")) skipped: settled by another import; --resume no (resume = false in a script) adds "
          + "them once more")
    }
    await origins.close()
  }
}

extension String {
  /// True for a file that is a table by its name.
  fileprivate var isTablePath: Bool { ["csv", "tsv"].contains(fileEnding) }
}
