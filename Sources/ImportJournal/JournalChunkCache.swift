/// The chunks in memory for reuse.
struct JournalChunkCache {
  /// The number of chunks that stay: some 16,000 rows.
  private static let most = 64

  private var chunks: [Int: JournalChunk] = [:]
  /// The last chunk that was used: rows come one after the other.
  private var latest: JournalChunk?
  /// The numbers of the chunks, the latest at the end.
  private var order: [Int] = []

  /// Returns the chunk with that number; nil if it is not in memory.
  mutating func chunk(_ number: Int) -> JournalChunk? {
    if let latest, latest.number == number { return latest }
    guard let chunk = chunks[number] else { return nil }
    latest = chunk
    return chunk
  }

  mutating func add(_ chunk: JournalChunk) {
    chunks[chunk.number] = chunk
    order.append(chunk.number)
    latest = chunk
  }

  /// Forgets the oldest chunks, which have been written.
  mutating func evict() {
    guard order.count > Self.most else { return }
    for number in order.dropLast(Self.most) { chunks[number] = nil }
    order.removeFirst(order.count - Self.most)
    if let last = latest, chunks[last.number] == nil { latest = nil }
  }
}
