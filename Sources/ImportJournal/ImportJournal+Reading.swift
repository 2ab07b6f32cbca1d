import Databases
package import ImportFormats
import JSON

/// How the source of the journal's rows was read.
extension ImportJournal {
  /// The reading of an earlier run; nil for a journal without one.
  package func reading() async throws(ImportError) -> KeptReading? {
    let text = try await ask { store -> String? in
      guard try store.database.first(Self.hasReading) != nil else { return nil }
      return try store.database.first("SELECT json FROM reading")?[0].text
    }
    guard let text else { return nil }
    do { return KeptReading(try JSON(parsing: text)) } catch {
      throw .journalDamaged(path ?? "", "its reading of the source is no JSON")
    }
  }

  /// Keeps the reading for later runs, in place of an earlier one. It is written before the next row.
  package func keep(_ reading: KeptReading) {
    let text = reading.json.encoded()
    thread.queue.add(
      .work { store in
        store.gather { database in
          if try database.first(Self.hasReading) == nil { try database.executeScript(JournalSchema.reading) }
          try database.execute("DELETE FROM reading")
          try database.execute("INSERT INTO reading VALUES (?)", .text(text))
        }
      })
  }

  private nonisolated static var hasReading: String { "SELECT 1 FROM sqlite_schema WHERE name = 'reading'" }
}
