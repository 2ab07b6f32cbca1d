import Databases
import HostLoop

/// The tasks that were there before an import.
extension SharedImports {
  func setBaseline(_ id: String, total: Int, counts: [UInt64: Int]) async throws {
    try await database.transaction { statements in
      try await statements.execute("DELETE FROM baseline WHERE import_id = ?", .text(id))
      var number: Int64 = 0
      var bytes: [UInt8] = []
      func write() async throws {
        try await statements.execute(
          "INSERT INTO baseline (import_id, batch, hashes) VALUES (?, ?, ?)", .text(id), .integer(number), .blob(bytes))
        number += 1
        bytes = []
      }
      for (hash, count) in counts {
        for _ in 0..<count {
          withUnsafeBytes(of: hash.littleEndian) { bytes.append(contentsOf: $0) }
          if bytes.count >= 64 << 10 { try await write() }
        }
      }
      if !bytes.isEmpty { try await write() }
      try await statements.execute(
        "UPDATE import SET baseline_total = ? WHERE id = ?", .integer(Int64(total)), .text(id))
    }
  }

  func baselineCounts(_ id: String, of hashes: Set<UInt64>) async throws -> [UInt64: Int] {
    var counts: [UInt64: Int] = [:]
    var batch: Int64 = -1
    while let row = try await database.first(
      "SELECT batch, hashes FROM baseline WHERE import_id = ? AND batch > ? ORDER BY batch LIMIT 1", .text(id),
      .integer(batch))
    {
      let read = reader(row, of: "baseline")
      batch = try read.integer("batch", in: RowReader.counts)
      try read.blob("hashes").withUnsafeBytes { bytes in
        for offset in stride(from: 0, to: bytes.count - 7, by: 8) {
          let hash = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
          if hashes.contains(hash) { counts[hash, default: 0] += 1 }
        }
      }
    }
    return counts
  }
}
