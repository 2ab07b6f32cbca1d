import Core
import Databases
import Glibc
import ImportEngine
import ImportFormats

extension ImportError {
  static func journalForeign(_ path: String) -> ImportError {
    ImportError(
      kind: .journalForeign, message: "the file \(path) is not a journal of an import",
      hint: "give another file with --journal, or move this one away; it has been left as it is",
      details: ["path": path])
  }

  static func journalDamaged(_ path: String, _ reason: String) -> ImportError {
    ImportError(
      kind: .journalDamaged, message: "the journal \(path) is damaged: \(reason)",
      hint:
        "nothing was sent. Put back a copy of the journal with its -wal and -seal files; or import with "
        + "--resume no --dedupe text (resume = \"no\" and dedupe = \"text\" in a script), which adds the rows whose text no task of the account has, "
        + "and of rows with the same text only the first", details: ["path": path])
  }

  static func journalTooNew(_ path: String, _ version: Int64) -> ImportError {
    ImportError(
      kind: .journalTooNew,
      message: "the journal \(path) has version \(version), written by a newer b2c-run; this one knows version "
        + "\(JournalSchema.version)", hint: "use the newer b2c-run; the journal was not changed",
      details: ["path": path, "version": String(version)])
  }

  static func journalHeld(_ path: String, _ source: String, by holder: JournalHolder?, now: Int) -> ImportError {
    let who: String
    let hint: String
    switch holder {
    case let holder? where holder.isSelf:
      who = "another import of this process since \(holder.sinceText(now: now))"
      hint = "wait for it to end, or give each its own journal"
    case let holder?:
      who = "process \(holder.process) since \(holder.sinceText(now: now))"
      hint =
        "wait until it is done, or end it with `kill -INT \(holder.process)` and import again: it continues where it ended"
    case nil:
      who = "another process"
      hint = "wait until it is done"
    }
    var details = ["path": path]
    if let holder { details["process"] = String(holder.process) }
    return ImportError(
      kind: .journalHeld, message: "\(source) is being imported by \(who), which holds the journal \(path)", hint: hint,
      isRetryable: true, details: details)
  }

  static func journal(_ error: any Error, _ path: String) -> ImportError {
    switch error {
    case let error as ImportError: error
    case let error as SQLiteError:
      switch error.kind {
      case .notADatabase: journalForeign(path)
      case .corrupt: journalDamaged(path, error.message)
      case .diskFull:
        ImportError(
          kind: .journalFull, message: "the disk with \(name(path)) is full",
          hint: "make room and import again: it continues where it ended", details: ["path": path])
      case .readOnly:
        journalUnusable(
          "\(name(path)) cannot be written: it is read-only",
          hint: "check who owns the file and its folder, or give another file with --journal", path: path)
      case .ioError:
        journalUnusable(
          "the disk with \(name(path)) cannot be read or written",
          hint: "see whether it is full or broken, then import again: it continues where it ended", path: path)
      default:
        journalUnusable(
          "\(name(path)) cannot be used: \(error.message)",
          hint: error.hint ?? "try again, or give another file with --journal", path: path)
      }
    default:
      journalUnusable(
        "\(name(path)) cannot be used: \(error)", hint: "try again, or give another file with --journal", path: path)
    }
  }

  private static func name(_ path: String) -> String {
    path.isEmpty ? "the journal, a temporary file," : "the journal \(path)"
  }
}
