import HostLoop
import JSON
import Lua
import Testing

/// The quick way from JSON text to Lua values is the long way's equal.
@HostActor @Suite struct JSONMarshalTests {
  private let state: LuaState
  private let marshal: JSONMarshal

  init() throws {
    state = try LuaState()
    marshal = JSONMarshal(state)
  }

  private enum Outcome: Equatable {
    case value(JSON)
    case error(String)

    init(_ make: () throws -> JSON) {
      do { self = .value(try make()) } catch { self = .error((error as? JSONError)?.message ?? "\(error)") }
    }
  }

  /// Decodes a text twice: by way of Lua, and with JSON's parser.
  private func both(_ text: [UInt8]) -> (Outcome, Outcome) {
    var copy = text
    let byLua = Outcome {
      let table = state.makeTable()
      table["value"] = try marshal.value(parsing: &copy)
      return try marshal.json(table["value"])
    }
    #expect(copy == text)
    return (byLua, Outcome { try JSON(parsing: text) })
  }

  private nonisolated static let texts = [
    #"[{"Id":1,"Text":"a","Owner":null,"Completed":true},{"Id":2,"Text":"\u00e9\ud83d\ude00","Owner":"b","Completed":false}]"#,
    #"[{"a":1,"b":{"c":[{"d":1},{"d":2,"e":[]}]}},{"b":{"c":[{"e":1,"d":{}}]},"a":-1.5e3},{"a":1,"b":2,"c":3},{}]"#,
    #"[{"a":1,"b":2},{"a":1,"a":2}]"#, #"[{"a":1,"b":2},{"b":1,"a":2,"b":3}]"#, #"{"a":1,"a":1}"#, #"{"\u0000":1}"#,
    #"[{"a":1},{"a\u0000":1}]"#, #""\u0000""#, #""\udc00""#, #"{"\udc00":1}"#, #""\ud800x""#, #""\ud83d\ude00\ud7ff""#,
    "9223372036854775807", "-9223372036854775808", "9223372036854775808", "123456789012345678901234567890", "-0",
    "-0.0",
    "0.1", "1e2", "1E+2", "1e999", "-1e-999", "4.9e-324", "1.7976931348623157e308", "01", "1.", ".5", "+1", "1e", "-",
    "[1,]", "[1", "[1]x", "[1]\0", "[\0]", "[3\0]", "\u{FEFF}[1]", "", " ", "nul", "true false", "[true,false,null]",
    "\"a\nb\"",
    "\"\t\"", #""\x""#, #""\u12""#, "[[[[]]]]", "// 1\n2", "[NaN]", "[Infinity]", "'a'", #"{"a" 1}"#, #"{1:2}"#,
    "{\"\":{\"\":[]}}",
    "{" + (1...40).map { "\"name \($0)\":\($0)" }.joined(separator: ",") + "}",
    "[" + (1...3).map { "{\"\(String(repeating: "n", count: 60))\":\($0),\"b\":\"\($0)\"}" }.joined(separator: ",")
      + "]",
    "\"" + String(repeating: "a", count: 40) + "\u{1B}" + String(repeating: "a", count: 40) + "\"",
    String(repeating: "[", count: 199) + String(repeating: "]", count: 199),
    String(repeating: "[", count: 257) + String(repeating: "]", count: 257),
  ]

  @Test(arguments: texts) func bothWaysAgree(_ text: String) {
    let (byLua, direct) = both(Array(text.utf8))
    #expect(byLua == direct)
  }

  @Test(
    arguments: [
      [0x22, 0xFF, 0x22], [0x22, 0xC0, 0xAF, 0x22], [0x22, 0xED, 0xA0, 0x80, 0x22],
      [0x22, 0xF4, 0x90, 0x80, 0x80, 0x22],
      [0x22, 0xE4, 0xB8, 0x22],
    ] as [[UInt8]]) func bytesThatAreNotUTF8AreRefusedEitherWay(_ text: [UInt8])
  {
    let (byLua, direct) = both(text)
    #expect(byLua == direct)
    if case .value(let value) = byLua { Issue.record("taken for \(value)") }
  }

  @Test func bothWaysAgreeOnWhatIsLeftOfDamagedTexts() {
    var random = Sequence(seed: 42)
    let alphabet = Array("[]{},:\"\\0123.eE+-truefalsn\u{0}\u{FF}Idu ".utf8)
    for _ in 0..<20_000 {
      var text = Array(Self.texts[Int(random.next() % UInt64(Self.texts.count))].utf8.prefix(300))
      guard !text.isEmpty else { continue }
      for _ in 0...random.next() % 3 {
        let place = Int(random.next() % UInt64(text.count))
        let byte = alphabet[Int(random.next() % UInt64(alphabet.count))]
        switch random.next() % 3 {
        case 0: text[place] = byte
        case 1: text.insert(byte, at: place)
        default: if text.count > 1 { text.remove(at: place) }
        }
      }
      let (byLua, direct) = both(text)
      #expect(byLua == direct, "\(String(decoding: text, as: UTF8.self))")
    }
  }

  @Test func theQuickWayIsTakenForOrdinaryTexts() {
    func isQuick(_ text: String) -> Bool {
      var bytes = Array(text.utf8)
      return state.value(ofJSON: &bytes, null: Null(), arrays: state.makeTable(), deepest: 256) != nil
    }
    #expect(isQuick(Self.texts[0]))
    #expect(isQuick(Self.texts[1]))
    #expect(isQuick(" \"x\" "))
    #expect(!isQuick(Self.texts[2]))
  }

  /// Small, and the same each time (SplitMix64).
  private struct Sequence: RandomNumberGenerator {
    var seed: UInt64

    mutating func next() -> UInt64 {
      seed &+= 0x9E37_79B9_7F4A_7C15
      var mixed = (seed ^ seed >> 30) &* 0xBF58_476D_1CE4_E5B9
      mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
      return mixed ^ mixed >> 31
    }
  }

  private final class Null: LuaObject {
    static let luaType = HostType("null", "", describe: { _ in "null" })
  }
}
