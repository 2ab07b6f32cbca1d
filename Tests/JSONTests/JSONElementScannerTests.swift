import JSON
import Testing

@Suite struct JSONElementScannerTests {
  /// The elements that a scanner finds in `text`, given in pieces of `size` bytes.
  private func elements(
    _ text: String, _ layout: JSONElementScanner.Layout = .array, size: Int = 1 << 20, limit: Int = 1 << 20
  ) throws -> [JSON] {
    var scanner = JSONElementScanner(layout, maximumElementSize: limit)
    var found: [JSON] = []
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      scanner.append(Array(rest.prefix(size)))
      rest = rest.dropFirst(size)
      while let element = try scanner.next() { found.append(try scanner.json(element)) }
    }
    scanner.finish()
    while let element = try scanner.next() { found.append(try scanner.json(element)) }
    return found
  }

  @Test(arguments: [1, 2, 3, 7, 64])
  func elementsAreTheSameHoweverTheTextIsCut(_ size: Int) throws {
    let text = """
      \u{FEFF} [ {"a": "x,]\\"}\\\\", "b": [1, {"c": []}]}, "s\\"]",\r\n\t12.5 ,null,[], {} ,"\\\\", true]\n
      """
    let expected: [JSON] = [["a": "x,]\"}\\", "b": [1, ["c": []]]], "s\"]", 12.5, nil, [], [:], "\\", true]
    #expect(try elements(text, size: size) == expected)
  }

  @Test(arguments: [1, 5, 1000])
  func valuesMayStandOneBehindTheOther(_ size: Int) throws {
    #expect(
      try elements("\u{FEFF}{\"a\":1}\n{\"a\":\n2}{} 3\n\"x\"4", .values, size: size) == [
        ["a": 1], ["a": 2], [:], 3, "x", 4,
      ])
    #expect(try elements(" \n", .values, size: size).isEmpty)
  }

  @Test func anEmptyArrayHasNoElement() throws {
    #expect(try elements("[]").isEmpty)
    #expect(try elements(" [\n] ").isEmpty)
  }

  @Test(arguments: [1, 7, 64, 1 << 20])
  func anElementThatIsTooLargeIsPassedOver(_ size: Int) throws {
    let large = [
      "{\"a\": [\"\u{2603}\\\"]}\n\(String(repeating: "x", count: 2000))\", 1]}", String(repeating: "7", count: 1500),
    ]
    let text = "[1, \n\(large[0]), \"b\",\(large[1]),{}]"
    var scanner = JSONElementScanner(.array, maximumElementSize: 1000, passesOverLarge: true)
    var found: [JSONElement] = []
    var rest = Array(text.utf8)[...]
    repeat {
      scanner.append(Array(rest.prefix(size)))
      rest = rest.dropFirst(size)
      if rest.isEmpty { scanner.finish() }
      while let element = try scanner.next() { found.append(element) }
    } while !rest.isEmpty
    #expect(found.map(\.number) == [1, 2, 3, 4, 5])
    #expect(found.map(\.line) == [1, 2, 3, 3, 3])
    #expect([found[1].count, found[3].count] == large.map(\.utf8.count))
    #expect(found.map { $0.beginning == nil } == [true, false, true, false, true])
    for (element, large) in [(found[1], large[0]), (found[3], large[1])] {
      #expect(large.utf8.starts(with: element.beginning ?? []) && (element.beginning?.count ?? 0) > 1000)
    }
  }

  @Test func anElementSaysWhereItIs() throws {
    var scanner = JSONElementScanner()
    scanner.append(Array("[{\"a\":\n 1}, \"\u{2603}\",\n".utf8))
    let first = try #require(try scanner.next())
    #expect((first.number, first.offset, first.line, first.column, first.count) == (1, 1, 1, 2, 9))
    let second = try #require(try scanner.next())
    #expect((second.number, second.offset, second.line, second.column) == (2, 12, 2, 6))
    #expect(scanner.bytes(of: second) == Array("\"\u{2603}\"".utf8))
    #expect(try scanner.next() == nil)
    scanner.append(Array("  7]".utf8))
    let third = try #require(try scanner.next())
    #expect((third.number, third.offset, third.line, third.column) == (3, 21, 3, 3))
  }

  @Test(
    arguments: [
      ("", "not valid JSON: the text is empty"),
      ("{\"a\":1}", "not valid JSON at line 1, column 1: expected an array, which begins with '[', found '{'"),
      ("[1\n 2]", "not valid JSON at line 2, column 2: expected ',' or ']' after element 1, found '2'"),
      (
        "[1,]",
        "not valid JSON at line 1, column 4: expected an element, found ']'; remove the comma in front of it"
      ),
      ("[,1]", "not valid JSON at line 1, column 2: expected an element, found ','"),
      ("[1]\n[2]", "not valid JSON at line 2, column 1: expected nothing after the array's ']', found '['"),
      ("[", "not valid JSON at line 1, column 2: the text is cut off before the array's ']'"),
      ("[{}", "not valid JSON at line 1, column 4: the text is cut off before the array's ']'"),
      ("[{},", "not valid JSON at line 1, column 5: the text is cut off before the array's ']'"),
      ("[{},\n\"\u{2603}", "not valid JSON at line 2, column 3: the text is cut off inside element 2"),
      ("[{},{\"a\":[\"\\", "not valid JSON at line 1, column 13: the text is cut off inside element 2"),
      ("[12", "not valid JSON at line 1, column 4: the text is cut off inside element 1"),
      ("[{}, {\"a\" 1}]", "not valid JSON at line 1, column 11: ':' expected near '1'"),
      ("[{}, {\"a\":\n nul}]", "not valid JSON at line 2, column 4: invalid token near 'nul'"),
      ("[1, {\"a\": 1]]", "not valid JSON at line 1, column 12: '}' expected near ']'"),
      ("\u{FEFF}[x]", "not valid JSON at line 1, column 2: invalid token near 'x'"),
    ], [1, 4, 1000])
  func whatIsWrongIsSaidWithItsPlace(_ example: (text: String, message: String), _ size: Int) {
    #expect { try elements(example.text, size: size) } throws: { ($0 as? JSONError)?.message == example.message }
  }

  @Test func anErrorHasTheByteOffset() {
    #expect { try elements("[\"\u{2603}\" 2]") } throws: { ($0 as? JSONError)?.details["offset"] == "7" }
  }

  @Test func anElementLargerThanTheLimitIsRefusedBeforeItIsRead() {
    let text = "[1, \"" + String(repeating: "x", count: 5000)
    #expect { try elements(text, size: 64, limit: 1000) } throws: {
      ($0 as? JSONError)?.message == "not valid JSON at line 1, column 5: element 2 is larger than 1000 bytes"
    }
  }
}
