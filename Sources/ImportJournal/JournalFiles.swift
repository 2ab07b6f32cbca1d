import Databases
import Files
import Glibc
import ImportFormats

enum JournalFiles {
  static let suffix = ".sqlite"

  static func make(folder: String) throws(ImportError) {
    do { try PrivateFolder.make(folder) } catch {
      switch error {
      case .notAFolder:
        throw .journalUnusable(
          "the journals of imports need a folder, and \(folder) is something else",
          hint: "move it away, or give a file with --journal", path: folder)
      case .refused(let reason):
        throw .journalUnusable(
          "the folder \(folder) for journals of imports cannot be made: \(reason)",
          hint: "check who owns the folder above it, or give a file with --journal", path: folder)
      case .open(let reason):
        throw .journalUnusable(
          "the folder \(folder) for journals of imports is not safe: \(reason)", hint: PrivateFolder.remedy(folder),
          path: folder)
      }
    }
  }

  /// The endings of a journal's files. The file itself comes last: it is found while it exists.
  static let endings = ["-wal", "-shm", JournalSeal.ending, planEnding, ""]

  /// The ending of the copy of the plan whose rows the journal has.
  static let planEnding = ".plan.json"

  /// The ending of a damaged journal's files when a new journal takes its place.
  static let damaged = ".damaged"

  /// - Parameter path: links in it are followed, also at its end.
  static func place(_ path: String) throws(ImportError) -> DatabasePlace { try place(OutputPlace(path)) }

  /// The place of a journal's file, which a script or a person named.
  static func place(_ place: OutputPlace) throws(ImportError) -> DatabasePlace {
    do throws(FileFailure) {
      let entry = try place.entry()
      return DatabasePlace(place.path, owning: try entry.duplicateFolder(), name: entry.name)
    } catch {
      throw .journalUnusable(
        "the folder of the journal \(place.path) cannot be opened: \(error.reason)",
        hint: "give a file in a folder that is there with --journal", path: place.path)
    }
  }

  /// Renames a damaged journal's files, in place of those of an earlier one. The journal's lock is held.
  static func replaceDamaged(_ place: DatabasePlace) {
    for ending in endings where !place.rename(ending, to: damaged + ending) { place.remove(damaged + ending) }
    place.syncFolder()
  }
}
