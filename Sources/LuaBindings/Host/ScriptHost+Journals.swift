import Files
import Glibc
import HostLoop
import Lua
import Permissions
import TaskImport

/// Which imports a script sees. An import goes with its source: whoever may read the source may see the import, whoever
/// may write the source may forget it. The imports that a run has made are its own.
extension ScriptHost {
  func visibleImports() throws -> [JournalSummary] { try shelf().list().filter { isAllowed($0, .read) } }

  /// One import: by its ID or the beginning of it, by its source, or by the file of its journal.
  ///
  /// A source that a script names and may not use is a question for the person, as any other file is. Of an import that
  /// the script cannot name it does not hear.
  /// - Throws: `PermissionDenied`; `journal_unknown`.
  func findImport(_ name: String, _ use: Permissions.FileUse, by call: String) throws -> JournalSummary {
    let all = try shelf().list()
    do { return try demand(use, of: shelf().summary(name, among: all.filter { isAllowed($0, .read) }), by: call) } catch
    {
      guard error is ImportError, name.contains("/") || access(name, F_OK) == 0 else { throw error }
      let file = try permissions.check(Array(name.utf8), use, by: call)
      let place = file.isUnrestricted ? OutputPlace(name) : OutputPlace(name, exact: file.path.bytes)
      return try shelf().summary(name, among: all.filter { isAllowed($0, .read) }, file: place)
    }
  }

  func shelf() throws -> JournalShelf { JournalShelf(folder: try importsFolder()) }

  private func demand(
    _ use: Permissions.FileUse, of journal: JournalSummary, by call: String
  ) throws -> JournalSummary {
    if !isAllowed(journal, use) {
      _ = try permissions.check(Array((journal.identity?.source ?? journal.path ?? "").utf8), use, by: call)
    }
    return journal
  }

  private func isAllowed(_ journal: JournalSummary, _ use: Permissions.FileUse) -> Bool {
    if permissions.allowsOthersData || journal.path.map(ownJournals.contains) == true { return true }
    // Of a journal that cannot be read nobody knows what it is about.
    guard let source = journal.identity?.source, source.hasPrefix("/") else { return false }
    return permissions.isAllowed(Array(source.utf8), use)
  }
}
