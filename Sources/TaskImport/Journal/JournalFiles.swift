import Files
import Glibc
import SQLite

/// The places of journals.
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
      }
    }
  }

  /// How the names of a journal's files go on. The file itself comes last: while it is there, it can be found.
  static let endings = ["-wal", "-shm", JournalSeal.ending, ""]

  /// The ending of a damaged journal's files when a new journal takes its place.
  static let damaged = ".damaged"

  /// - Parameter path: links on the way to its folder are followed, and one at its end, too.
  static func place(_ path: String) throws(ImportError) -> DatabasePlace { try place(OutputPlace(path)) }

  /// - Parameter place: a journal's file, as a script or a person named it.
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

  /// Gives a damaged journal's files another name, in the place of an earlier one's. The journal's lock is held.
  static func replaceDamaged(_ place: DatabasePlace) {
    for ending in endings where !place.rename(ending, to: damaged + ending) { place.remove(damaged + ending) }
    place.syncFolder()
  }
}
