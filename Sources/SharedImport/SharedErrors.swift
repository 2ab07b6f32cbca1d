import Core
package import ImportFormats

extension ImportError {
  static func sharedGone(_ source: String, _ place: String) -> ImportError {
    ImportError(
      kind: .journalUnknown, message: "the import of \(source) in \(place) was forgotten meanwhile",
      hint: "import it again")
  }

  static func busy(_ worker: (machine: String, process: Int), _ place: String) -> ImportError {
    ImportError(
      kind: .journalHeld,
      message: "the machine \(worker.machine) works on this import in \(place), in its process \(worker.process)",
      hint: "wait until it is done, or end it with Ctrl-C", isRetryable: true)
  }

  /// The database cannot be used as a journal.
  static func unusable(_ place: String, _ error: any Error) -> ImportError {
    .journalUnusable(
      "the journal \(place) cannot be used: \(error)", hint: "try again, or give another file with --journal",
      path: place)
  }

  /// Others have taken over what this machine held.
  static func fenced(_ place: String) -> ImportError {
    ImportError(
      kind: .fenced, message: "this machine was away from \(place) for too long, and others have taken its blocks over",
      hint: "nothing is lost: the import continues", isRetryable: true)
  }

  /// Tasks of an import that several machines share would lose their parents.
  package static func sharedParents(_ source: String, _ reason: String) -> ImportError {
    ImportError(
      kind: .stopped,
      message: "the import of \(source) cannot keep parents: \(reason), and an import that several machines share does "
        + "not know the tasks of its rows",
      hint:
        "give a journal of this machine with --journal FILE (journal = FILE in a script), or leave the parents out with --map (map in a script)"
    )
  }

  static func sharedStopped(_ source: String, _ reason: String?) -> ImportError {
    ImportError(
      kind: .stopped, message: "the import of \(source) stopped: \(reason ?? "another machine stopped it")",
      hint: "repeat the import: it continues, and sends no row twice")
  }

  static func blocksHeld(_ count: Int, _ source: String, _ place: String) -> ImportError {
    ImportError(
      kind: .stopped,
      message: "\(counted(count, "block")) of the import of \(source) in \(place) ended \(SharedImports.mostAttempts) "
        + "workers one after the other, or cannot be read, and \(count == 1 ? "is" : "are") held",
      hint:
        "look why the workers ended, and whether all machines have the same b2c-run; to try the blocks again, repeat "
        + "the import")
  }
}
