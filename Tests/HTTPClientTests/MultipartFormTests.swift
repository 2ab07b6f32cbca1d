import HTTPClient
import Testing

@Suite struct MultipartFormTests {
  @Test func partsStandBetweenBoundaries() throws {
    let form = MultipartForm()
    let boundary = try #require(form.contentType.split(separator: "boundary=").last)
    let body = form.encode([
      .init("text", "a\r\nb"), .init("file", [0, 255], filename: "tasks.csv", type: "text/csv"),
    ])
    let expected =
      Array("--\(boundary)\r\nContent-Disposition: form-data; name=\"text\"\r\n\r\na\r\nb\r\n".utf8)
      + Array("--\(boundary)\r\nContent-Disposition: form-data; name=\"file\"; filename=\"tasks.csv\"\r\n".utf8)
      + Array("Content-Type: text/csv\r\n\r\n".utf8) + [0, 255] + Array("\r\n--\(boundary)--\r\n".utf8)
    #expect(body == expected)
    #expect(MultipartForm().contentType != form.contentType)
  }

  /// Whatever a name has in it, there is one header field, and that one ends where it should.
  @Test(arguments: [
    "a\r\nX-Evil: 1", "a\nX-Evil: 1", "a\rX-Evil: 1", "a\r\n\r\nevil", "a\"; filename=\"evil", "e\u{301}\r\n\u{301}X",
    "\r\n",
  ])
  func namesAddNoHeaderFields(_ name: String) {
    let body = MultipartForm().encode([.init(name, Array("c".utf8), filename: name, type: name)])
    let text = String(decoding: body, as: UTF8.self).unicodeScalars
    let lines = text.split(separator: "\r\n".unicodeScalars, omittingEmptySubsequences: false).map { String($0) }
    #expect(lines.count == 7, "\(lines)")
    #expect(lines[1].hasPrefix("Content-Disposition: form-data; name=\""))
    #expect(lines[2].hasPrefix("Content-Type: "))
    #expect(lines[3...4] == ["", "c"])
    #expect(lines[1].count { $0 == "\"" } == 4)
    #expect(!lines.joined().unicodeScalars.contains { $0 == "\r" || $0 == "\n" })
  }
}
