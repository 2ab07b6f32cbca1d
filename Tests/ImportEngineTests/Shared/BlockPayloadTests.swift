import ImportEngine
import JSON
import TaskAPI
import Testing

@testable import SharedImport

@Suite("Payloads of blocks") struct BlockPayloadTests {
  private var rows: [BlockRow] {
    var unread = TaskDraft(text: "Call", fields: ["due": "2027-01-31T09:00:00Z"])
    unread.unread = ["due": "the time zone 'X' is not known"]
    return sent + [BlockRow(number: 300_002, line: 12, fingerprint: 8, draft: unread, original: nil)]
  }
  private let sent = [
    BlockRow(
      number: 1, line: 2, fingerprint: .max, draft: TaskDraft(text: "Milch 🥛", fields: ["due": "2027-01-31"]),
      original: #"{"Text":"Milch"}"#),
    BlockRow(number: 300_000, line: nil, fingerprint: 0, draft: nil, original: nil),
    BlockRow(number: 300_001, line: 9, fingerprint: 7, draft: TaskDraft(text: ""), original: nil),
  ]

  @Test("come back as they were") func roundTrip() throws {
    let found = try #require(BlockPayload.decode(BlockPayload.encode(rows), count: rows.count))
    #expect(found.map(\.number) == [1, 300_000, 300_001, 300_002])
    #expect(found.map(\.line) == [2, nil, 9, 12])
    #expect(found.map(\.fingerprint) == [.max, 0, 7, 8])
    #expect(found.map(\.draft) == rows.map(\.draft))
    #expect(found.map(\.original) == rows.map(\.original))
  }

  @Test("that are cut off, or of another form, are refused") func damaged() {
    let bytes = BlockPayload.encode(rows)
    for count in 0..<bytes.count { #expect(BlockPayload.decode(Array(bytes.prefix(count)), count: rows.count) == nil) }
    #expect(BlockPayload.decode([2] + bytes.dropFirst(), count: rows.count) == nil)
    // A number of rows, and a length, that no memory holds.
    #expect(BlockPayload.decode([1, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f], count: .max) == nil)
    #expect(BlockPayload.decode([1] + [UInt8](repeating: 0xff, count: 20), count: 20) == nil)
  }

  @Test("have successive numbers from the first one of their block") func numbers() {
    #expect(BlockPayload.begins([], at: 5))
    #expect(BlockPayload.begins(Array(rows.dropFirst()), at: 300_000))
    #expect(!BlockPayload.begins(Array(rows.dropFirst()), at: 300_001))
    #expect(!BlockPayload.begins(rows, at: 1))
    #expect(!BlockPayload.begins(rows, at: .min))
  }

  @Test("Options of another version that no program could follow are left out") func oddOptions() {
    let options = ImportOptions(shared: [
      "retries": .number(1e300), "max_failures": .number(.nan), "concurrency": [.number(1e300), 4], "wait": "soon",
    ])
    #expect(options.retries == ImportOptions().retries)
    #expect(options.maximumFailures == nil)
    #expect(options.concurrency == ImportOptions().concurrency)
    #expect(options.delays.patience == nil)
  }
}
