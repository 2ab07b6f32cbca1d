import Automation
import ImportEngine
import ImportFormats
import ImportJournal

extension ImportRun {
  /// Reads the source as the earlier run did, also if its beginning shows something else by now. A new journal keeps the reading
  /// for later runs.
  func readAsBefore() async throws {
    guard let journal = (work as? JournaledImport)?.journal, let now = kept, corrected == nil else { return }
    let isAnew = journal.isNew || plan.options.resume == .no
    guard !isAnew, let earlier = try await journal.reading() else {
      if !plan.options.isDryRun { journal.keep(now) }
      return
    }
    guard earlier != now else { return }
    let opened = try reopen(as: earlier)
    guard let kept = opened.kept, kept != now else { return }
    console.log(.info, "\(opened.summary ?? identity.sourceName), as in the earlier run of this import")
    if kept != earlier, !plan.options.isDryRun { journal.keep(kept) }
  }
}
