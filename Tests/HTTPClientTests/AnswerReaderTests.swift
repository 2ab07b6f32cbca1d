import HostLoop
import Testing

@testable import HTTPClient

/// Answers that arrive in pieces of any size.
@HostActor @Suite struct AnswerReaderTests {
  private func read(_ text: String, pieces size: Int) -> (AnswerReader.Progress, HTTPResponse) {
    let reader = AnswerReader()
    reader.begin(maximumBodySize: 1000)
    var rest = Array(text.utf8)[...]
    var progress = AnswerReader.Progress.incomplete
    while progress == .incomplete, !rest.isEmpty {
      let piece = Array(rest.prefix(size))
      rest = rest.dropFirst(size)
      progress = piece.withUnsafeBytes { reader.take($0) }
    }
    return (progress, reader.response(from: "http://localhost/"))
  }

  @Test(arguments: 1...12)
  func chunksComeInAnyPieces(size: Int) {
    let head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
    for (chunks, body) in [
      ("0\r\n\r\n", ""), ("1\r\na\r\n0\r\n\r\n", "a"),
      ("4;x=y\r\nWiki\r\n5\r\npedia\r\n0\r\nTrailer: z\r\n\r\n", "Wikipedia"),
    ] {
      let (progress, response) = read(head + chunks, pieces: size)
      #expect(progress == .complete, "\(chunks)")
      #expect(response.text == body, "\(chunks)")
    }
  }

  @Test(arguments: ["H\r\nTP/1.1 20\r\n\r\n", "\n\n\n\n\n\n\n\n\n\n\n\n\n\n", "HTTP/1.1\n20\r\n200\r\n\r\n"])
  func aBreakWithinTheStatusLineIsNoHTTP(text: String) {
    for size in [1, 5, 100] { #expect(read(text, pieces: size).0 != .complete, "\(text.debugDescription)") }
  }
}
