import SQLite

extension JournalStore {
  /// How many rows with each of these texts are known as added.
  func addedCounts(of hashes: Set<UInt64>) throws -> [UInt64: Int] {
    try commit(isDurable: false)
    var counts: [UInt64: Int] = [:]
    let wanted = HashFilter(hashes)
    var next = 0
    while let chunk = try storedChunk(from: next) {
      next = chunk.number + 1
      chunk.eachAdded { if wanted.contains($0) { counts[$0, default: 0] += 1 } }
    }
    return counts
  }

  /// The texts of tasks that there were before the import.
  func addToBaseline(_ hashes: [UInt64]) {
    guard !hashes.isEmpty else { return }
    let bytes = hashes.withUnsafeBytes { Array($0) }
    record.digests.baseline &+= JournalDigests.hash(ofBatch: bytes)
    gather { try $0.execute("INSERT INTO baseline (hashes) VALUES (?)", .blob(bytes)) }
  }

  /// How many of each of these texts there were before the import.
  func baselineCounts(of hashes: Set<UInt64>) throws -> [UInt64: Int] {
    try commit(isDurable: false)
    var counts: [UInt64: Int] = [:]
    let wanted = HashFilter(hashes)
    var batch: Int64 = 0
    while let row = try database.first(
      "SELECT batch, hashes FROM baseline WHERE batch > ? ORDER BY batch LIMIT 1", .integer(batch))
    {
      batch = row[0].integer ?? .max
      let bytes = row[1].blob ?? []
      bytes.withUnsafeBytes { bytes in
        for start in stride(from: 0, to: bytes.count - 7, by: 8) {
          let hash = bytes.loadUnaligned(fromByteOffset: start, as: UInt64.self)
          if wanted.contains(hash) { counts[hash, default: 0] += 1 }
        }
      }
    }
    return counts
  }

  /// How many rows with each of these texts left the source while their fate was unknown.
  func lostCounts(of hashes: Set<UInt64>) throws -> [UInt64: Int] {
    try commit(isDurable: false)
    var counts: [UInt64: Int] = [:]
    for row in try database.query("SELECT text_hash, count(*) FROM lost GROUP BY text_hash") {
      let hash = UInt64(bitPattern: row[0].integer ?? 0)
      if hashes.contains(hash) { counts[hash] = Int(row[1].integer ?? 0) }
    }
    return counts
  }
}

/// Tells a few hashes from very many others at the cost of looking at one bit for most.
private struct HashFilter {
  private let hashes: Set<UInt64>
  private var bits: [UInt64]
  private let mask: UInt64

  init(_ hashes: Set<UInt64>) {
    self.hashes = hashes
    var words = 64
    while words < hashes.count { words *= 2 }
    bits = Array(repeating: 0, count: words)
    mask = UInt64(words - 1)
    for hash in hashes { bits[Int(hash >> 6 & mask)] |= 1 << (hash & 63) }
  }

  func contains(_ hash: UInt64) -> Bool {
    bits[Int(hash >> 6 & mask)] & 1 << (hash & 63) != 0 && hashes.contains(hash)
  }
}
