import Diagnostics
import Files
import Glibc

/// Where journals are.
enum JournalFiles {
  static let suffix = ".sqlite"

  /// `b2c-run/imports` under `$XDG_STATE_HOME`, else under `~/.local/state`.
  static func standardFolder(variable: (String) -> String?) throws(ImportError) -> String {
    if let folder = UserFolder.state.path(variable) { return "\(folder)/imports" }
    throw .journalUnusable(
      "there is no place for the journal of the import: neither XDG_STATE_HOME nor HOME is an absolute path",
      hint: "set HOME, or give a file with --journal", path: "")
  }

  static func make(folder: String) throws(ImportError) {
    do {
      try PrivateFolder.make(folder)
    } catch {
      switch error {
      case .notAFolder:
        throw .journalUnusable(
          "the journals of imports need a folder, and \(folder) is something else",
          hint: "move it away, or give a file with --journal", path: folder)
      case .refused(let reason):
        throw .journalUnusable(
          "the folder \(folder) for journals of imports cannot be made: \(reason)",
          hint: "check who owns the folder above it, or give a file with --journal", path: folder)
      }
    }
  }

  /// The files of one journal.
  static func all(of journal: String) -> [String] { ["", "-wal", "-shm"].map { journal + $0 } }
}
