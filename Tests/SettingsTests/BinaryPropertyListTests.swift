import JSON
import Settings
import TestSupport
import Testing

/// Files that somebody else has made.
@Suite struct BinaryPropertyListTests {
  /// A file of these objects, the first of which is the one it is all in.
  private func file(_ objects: [[UInt8]], count: UInt64? = nil) -> [UInt8] {
    var bytes = Array("bplist00".utf8)
    var offsets: [UInt8] = []
    for object in objects {
      offsets += number(UInt64(bytes.count), 2)
      bytes += object
    }
    let table = UInt64(bytes.count)
    return bytes + offsets + [0, 0, 0, 0, 0, 0, 2, 1] + number(count ?? UInt64(objects.count), 8) + number(0, 8)
      + number(table, 8)
  }

  private func number(_ value: UInt64, _ size: Int) -> [UInt8] {
    (0..<size).reversed().map { UInt8(truncatingIfNeeded: value >> (UInt64($0) * 8)) }
  }

  private func text(_ text: String) -> [UInt8] { [0x5f, 0x11] + number(UInt64(text.utf8.count), 2) + Array(text.utf8) }

  private func load(_ bytes: [UInt8]) throws -> Settings {
    let folder = TemporaryFolder()
    return try Settings.load(file: folder.write(bytes, to: "settings.plist"))
  }

  @Test func everyKindOfValueIsRead() throws {
    let names = ["text", "wide", "small", "negative", "huge", "real", "single", "date", "data", "list", "no"]
    let values: [[UInt8]] = [
      text("abc"), [0x62, 0x72, 0x5b, 0x4e, 0x73], [0x11, 0xff, 0xff],
      [0x13] + number(UInt64(bitPattern: -7), 8), [0x14] + number(0, 8) + number(UInt64.max, 8),
      [0x23] + number(1.5.bitPattern, 8), [0x22] + number(UInt64(Float(2.5).bitPattern), 4),
      [0x33] + number(86_400.0.bitPattern, 8), [0x42, 1, 2], [0xa2, 1, 2], [0x08],
    ]
    let count = UInt8(names.count)
    let settings = try load(
      file([[0xdf, 0x10, count] + (1...(2 * count))] + names.map(text) + values))
    #expect(settings["text"] == "abc")
    #expect(settings["wide"] == "牛乳")
    #expect(settings["small"] == 65535)
    #expect(settings["negative"] == -7)
    #expect(settings["huge"] == .number(18_446_744_073_709_551_616))
    #expect(settings["real"] == 1.5)
    #expect(settings["single"] == 2.5)
    #expect(settings["date"] == .number(978_393_600))
    #expect(settings["data"] == "AQI")
    #expect(settings["list"] == ["text", "wide"])
    #expect(settings["no"] == false)
  }

  @Test func countsAreComparedWithTheFile() {
    for kind: UInt8 in [0x4f, 0x5f, 0x6f, 0xaf, 0xdf] {
      for count in [100, 1 << 31, 1 << 62, UInt64(Int64.max), UInt64(Int64.max) / 2 + 1, UInt64.max] {
        #expect(throws: SettingsError.self) {
          try load(file([[0xd1, 1, 2], text("a"), [kind, 0x13] + number(count, 8)]))
        }
        #expect(throws: SettingsError.self) { try load(file([[kind, 0x13] + number(count, 8)])) }
      }
    }
    for count in [4, 1 << 32, 1 << 63, UInt64.max] {
      #expect(throws: SettingsError.self) { try load(file([[0xd1, 1, 2], text("a"), [0xa1, 9]], count: count)) }
    }
  }

  /// Ten lists, each of which has the next one sixteen times.
  @Test(.timeLimit(.minutes(1))) func listsThatHoldEachOtherManyTimesAreRefused() {
    let lists = (0..<10).map { level in [0xaf, 0x10, 16] + [UInt8](repeating: UInt8(level + 3), count: 16) }
    #expect(throws: SettingsError.self) { try load(file([[0xd1, 1, 2], text("a")] + lists + [text("end")])) }
  }

  @Test func whateverByteIsChangedNothingBreaks() throws {
    let sound = file([[0xd2, 1, 2, 3, 4], text("clientID"), text("scopes"), text("abc"), [0xa1, 5], text("openid")])
    #expect(try load(sound).clientID == "abc")
    let folder = TemporaryFolder()
    for position in 8..<sound.count {
      for value: UInt8 in [0, 1, 0x0f, 0x7f, 0x80, 0xdf, 0xff, sound[position] ^ 1, sound[position] &+ 16] {
        var changed = sound
        changed[position] = value
        // It is read, or refused.
        _ = try? Settings.load(file: folder.write(changed, to: "settings.plist"))
      }
      _ = try? Settings.load(file: folder.write(Array(sound[..<position]), to: "settings.plist"))
    }
  }
}
