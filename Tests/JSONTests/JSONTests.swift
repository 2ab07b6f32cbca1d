import JSON
import Testing

@Suite struct JSONTests {
  @Test func everyKindOfValueSurvivesARoundTrip() throws {
    let value: JSON = [
      "null": nil, "yes": true, "no": false, "whole": 9_223_372_036_854_775_807, "real": 0.1, "one": 1.0,
      "text": "tab\t quote\" slash\\ nul\0 snow\u{2603} \u{1F600}", "list": [[], [:], -1], "empty": "",
    ]
    #expect(try JSON(parsing: value.encoded()) == value)
    #expect(try JSON(parsing: value.encoded(pretty: true)) == value)
  }

  @Test func encodingIsSortedAndShort() {
    let value: JSON = ["b": [1, 2.5, 0.1], "a": ["x": "\u{1}\u{1F}\n"], "c": []]
    #expect(value.encoded() == #"{"a":{"x":"\u0001\u001f\n"},"b":[1,2.5,0.1],"c":[]}"#)
    #expect(
      value.encoded(pretty: true) == """
        {
          "a": {
            "x": "\\u0001\\u001f\\n"
          },
          "b": [
            1,
            2.5,
            0.1
          ],
          "c": []
        }
        """)
    #expect(JSON.array([.number(.nan), .number(.infinity)]).encoded() == "[null,null]")
  }

  @Test(arguments: [
    ("3", JSON.integer(3)), (" \"x\" ", "x"), ("null", .null), ("3.0", .number(3)), ("1e2", .number(100)),
  ])
  func aValueOfAnyKindMayStandAlone(_ text: String, _ value: JSON) throws {
    #expect(try JSON(parsing: text) == value)
  }

  @Test func aByteOrderMarkIsSkipped() throws {
    #expect(try JSON(parsing: "\u{FEFF}[1]") == [1])
  }

  @Test(arguments: [
    ("", "not valid JSON: the text is empty"),
    ("{\"a\": 1,\n  \"a\": 2}", "not valid JSON at line 2, column 5: duplicate object key near '\"a\"'"),
    ("{\n  \"a\" 1\n}", "not valid JSON at line 2, column 7: ':' expected near '1'"),
    ("[1, 2", "not valid JSON at line 1, column 5: ']' expected near end of file"),
    ("[1,\n 2\0]", "not valid JSON at line 2, column 3: there is a NUL"),
    ("<html>", "not valid JSON at line 1, column 1: invalid token near '<'"),
    ("[9223372036854775808]", "not valid JSON at line 1, column 20: too big integer near '9223372036854775808'"),
    ("{} {}", "not valid JSON at line 1, column 4: end of file expected near '{'"),
    ("[1e999]", "not valid JSON at line 1, column 6: real number overflow near '1e999'"),
  ])
  func whatIsWrongIsSaidWithItsPlace(_ text: String, _ message: String) {
    #expect { try JSON(parsing: text) } throws: { ($0 as? JSONError)?.message == message }
  }

  @Test func bytesThatAreNotUTF8AreRefused() {
    #expect(throws: JSONError.self) { try JSON(parsing: [0x22, 0xFF, 0x22]) }
  }

  @Test func nestingIsLimited() throws {
    func nested(_ depth: Int) -> String {
      String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
    }
    _ = try JSON(parsing: nested(JSON.maximumDepth))
    #expect { try JSON(parsing: nested(JSON.maximumDepth + 1)) } throws: {
      ($0 as? JSONError)?.message == "not valid JSON: arrays and objects nest more than 256 deep"
    }
    #expect(throws: JSONError.self) { try JSON(parsing: nested(100_000)) }
  }

  @Test func whatIsWrittenCanBeReadAgain() throws {
    let value: JSON = ["a\u{0}b": ["c\u{0}": "d\u{0}"], "e": 1]
    #expect(try JSON(parsing: value.encoded()) == ["a\u{FFFD}b": ["c\u{FFFD}": "d\u{0}"], "e": 1])
  }
}
