import Databases
import Glibc
import ImportFormats

/// The number of a journal's last commit on the disk, in a file beside the journal. SQLite treats a damaged or missing
/// write-ahead log as a log that ends earlier. The seal tells the journal about missing commits. It is written after
/// each commit, and never before: after a power cut it may know of fewer commits.
final class JournalSeal: Sendable {
  static let ending = "-seal"
  /// "b2cjseal"
  private static let magic: UInt64 = 0x6c61_6573_6a63_3262
  /// Each commit is written into one of two sectors, in turn: the other one stays whole.
  private static let sector = 512

  struct Mark: Equatable {
    /// Random, the same as in the journal.
    var journal: Int
    var generation: Int
  }

  enum Finding: Equatable {
    case nothing
    case damaged
    case mark(Mark)

    /// True if the journal was written to.
    var isUsed: Bool {
      switch self {
      case .nothing: false
      case .damaged: true
      case .mark(let mark): mark.generation > 0
      }
    }
  }

  private let descriptor: CInt
  private let journal: Int

  private init(_ descriptor: CInt, _ journal: Int) {
    self.descriptor = descriptor
    self.journal = journal
  }

  deinit { close(descriptor) }

  static func make(_ place: DatabasePlace, journal: Int) throws(ImportError) -> JournalSeal {
    place.remove(ending)
    let descriptor = place.open(ending, O_RDWR | O_CREAT | O_EXCL, 0o600)
    guard descriptor >= 0 else {
      throw .journalUnusable(
        "the journal's seal \(place.path)\(ending) cannot be made: \(String(cString: strerror(errno)))",
        hint:
          "check who owns the folder and whether its disk is full or read-only, or give another file with --journal",
        path: place.path)
    }
    let seal = JournalSeal(descriptor, journal)
    guard seal.write(0) else {
      let reason = String(cString: strerror(errno))
      // A part of a mark would make the next run take the journal for a damaged one.
      place.remove(ending)
      throw .journalUnusable(
        "the journal's seal \(place.path)\(ending) cannot be written: \(reason)",
        hint: "check whether the disk is full, or give another file with --journal", path: place.path)
    }
    fsync(descriptor)
    place.syncFolder()
    return seal
  }

  /// Opens a seal that `read` has found.
  static func open(_ place: DatabasePlace, _ mark: Mark) throws(ImportError) -> JournalSeal {
    let descriptor = place.open(ending, O_RDWR)
    guard descriptor >= 0 else {
      throw .journalUnusable(
        "the journal's seal \(place.path)\(ending) cannot be written: \(String(cString: strerror(errno)))",
        hint: "check who owns the file, or give another one with --journal", path: place.path)
    }
    let seal = JournalSeal(descriptor, mark.journal)
    var status = stat()
    // The file will be overwritten.
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_nlink == 1 else {
      throw .journalUnusable(
        "the journal's seal \(place.path)\(ending) is not one that b2c-run made", hint: "see who put it there",
        path: place.path)
    }
    return seal
  }

  func hold() { flock(descriptor, LOCK_EX | LOCK_NB) }

  /// True if a process has the journal open.
  static func isHeld(_ place: DatabasePlace) -> Bool {
    let descriptor = place.open(ending, O_RDONLY)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    return flock(descriptor, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK
  }

  static func read(_ place: DatabasePlace) -> Finding {
    let descriptor = place.open(ending, O_RDONLY)
    guard descriptor >= 0 else { return errno == ENOENT ? .nothing : .damaged }
    defer { close(descriptor) }
    var status = stat()
    // The process ended between making the file and writing to it: nothing was sealed.
    if fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_size == 0 { return .nothing }
    let marks = (0..<2).compactMap { number -> Mark? in
      var words = [UInt64](repeating: 0, count: 4)
      let count = words.withUnsafeMutableBytes { pread(descriptor, $0.baseAddress, $0.count, off_t(number * sector)) }
      guard count == 32, words[0] == magic, words[3] == check(words), let journal = Int(exactly: words[1]),
        let generation = Int(exactly: words[2])
      else { return nil }
      return Mark(journal: journal, generation: generation)
    }
    return marks.max { $0.generation < $1.generation }.map { .mark($0) } ?? .damaged
  }

  /// Records that a commit is on the disk. If this fails, the seal knows of fewer commits than there are. False with `errno`.
  @discardableResult
  func write(_ generation: Int) -> Bool {
    var words = [Self.magic, UInt64(journal), UInt64(generation), 0]
    words[3] = Self.check(words)
    let offset = off_t(generation % 2 * Self.sector)
    return words.withUnsafeBytes { pwrite(descriptor, $0.baseAddress, $0.count, offset) == $0.count }
  }

  private static func check(_ words: [UInt64]) -> UInt64 { words[..<3].withUnsafeBytes { StableHash.ofRecord($0) } }
}
