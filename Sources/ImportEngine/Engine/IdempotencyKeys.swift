import Glibc
import HostLoop
import TaskAPI

@HostActor
final class IdempotencyKeys {
  /// True if the server takes requests with one key for one request; nil while that is not known.
  private(set) var areHonored: Bool?
  private let history: any ImportHistory
  private let repetition: ImportOptions.Repetition

  init(_ options: ImportOptions, _ history: any ImportHistory) {
    areHonored = options.keys.areHonored ?? history.honorsIdempotencyKey
    self.history = history
    repetition = options.keys.repetition
  }

  /// The same key in each run, for the same text.
  func key(of row: QueuedRow) -> String? {
    areHonored == false ? nil : key(of: row, row.textHash)
  }

  /// The key with which the row was last sent.
  func key(ofSent row: QueuedRow) -> String { key(of: row, row.sentHash) }

  private func key(of row: QueuedRow, _ hash: UInt64) -> String {
    "\(history.keyStem(of: row.number))-\(String(hash, radix: 16))"
  }

  func learn(from added: AddedTask) {
    guard areHonored == nil else { return }
    areHonored = added.honorsIdempotencyKey
    history.setHonorsIdempotencyKey(added.honorsIdempotencyKey)
  }

  /// True if the server still knows the key of a row sent then (for a day). A future time means a clock set back.
  func isFresh(_ sentAt: Int?) -> Bool {
    repetition != .key || sentAt.map { (0..<24 * 60 * 60).contains(time(nil) - $0) } ?? false
  }
}
