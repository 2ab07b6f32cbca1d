import Testing

@testable import TaskImport

@Suite struct PackedIDTests {
  @Test(arguments: [
    ("", 1), ("7", 2), ("1234", 3), ("12345", 6), ("5f1d7f3a9b2c4d5e6f708192", 13), ("5F1D", 5), ("naïve", 7),
    ("0b6c1d1e-8e7a-4a53-9d1c-1f2e3d4c5b6a", 17), ("0B6C1D1E-8e7a-4a53-9d1c-1f2e3d4c5b6a", 37),
    ("0b6c1d1e-8e7a-4a53-9d1c-1f2e3d4c5b6-", 37), ("-" + String(repeating: "a", count: 62), 64),
    (String(repeating: "ab", count: 63), 64), (String(repeating: "ab", count: 500), 1009),
  ])
  func anIDComesBackAsItWas(_ id: String, _ size: Int) {
    var bytes: [UInt8] = [99]
    PackedID.append(id, to: &bytes)
    #expect(bytes.count == 1 + size)
    let packed = bytes.dropFirst()
    #expect(PackedID.count(packed + [1, 2, 3]) == size)
    #expect(PackedID.unpack(packed) == id)
    #expect(PackedID.count(packed.dropLast()) == nil || size == 1)
  }
}
