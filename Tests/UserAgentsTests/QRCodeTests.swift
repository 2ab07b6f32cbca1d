import Core
import FoundationEssentials
import Glibc
import HostLoop
import Terminal
import Testing
import UserAgents

/// The drawing, read as a telephone would.
@Suite struct QRCodeTests {
  static let url = "https://contoso.b2clogin.com/contoso.onmicrosoft.com/b2c_1_susi/oauth2/v2.0/authorize?client_id=1"

  @HostActor func written(_ screen: TerminalScreen?, url: String = QRCodeTests.url) async throws -> String {
    var text = ""
    let agent = TerminalAgent(write: { text += $0 }, readLine: { nil }, screen: { screen })
    _ = try await agent.open(NavigationRequest(url: url, redirectURI: nil))
    return text
  }

  /// Returns rows of booleans, true for a light module. With colors, the ink is black on white; without colors, the ink is the light of the screen.
  func modules(_ text: String, usesColor: Bool) -> [[Bool]] {
    let drawing = ScreenText.shown(text).split(separator: "\n").filter { line in
      usesColor ? line.hasPrefix("\u{1B}[38;5;16;48;5;231m") : line.contains("█")
    }
    return drawing.flatMap { line -> [[Bool]] in
      let blocks = line.replacing("\u{1B}[38;5;16;48;5;231m", with: "").replacing("\u{1B}[0m", with: "")
      return [
        blocks.map { ($0 == "█" || $0 == "▀") != usesColor }, blocks.map { ($0 == "█" || $0 == "▄") != usesColor },
      ]
    }
  }

  /// Decodes by zbarimg, from an image with four points for each module.
  func decoded(_ modules: [[Bool]]) throws -> String {
    let scale = 4
    var image = "P2\n\((modules.first?.count ?? 0) * scale) \(modules.count * scale)\n1\n"
    for row in modules {
      let line = row.map { String(repeating: $0 ? "1 " : "0 ", count: scale) }.joined() + "\n"
      image += String(repeating: line, count: scale)
    }
    let file = FileManager.default.temporaryDirectory.appending(path: "qr-\(UUID().uuidString).pgm")
    try Data(image.utf8).write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    let output = try #require(popen("zbarimg --quiet --raw '\(file.path)' 2>/dev/null", "r"))
    defer { pclose(output) }
    var text = ""
    while let line = readLine(from: output) { text += line }
    return text
  }

  /// The next line without its end.
  private func readLine(from file: UnsafeMutablePointer<FILE>) -> String? {
    var buffer = [CChar](repeating: 0, count: 4096)
    guard fgets(&buffer, Int32(buffer.count), file) != nil else { return nil }
    return String(decoding: buffer.prefix { $0 != 0 && $0 != 10 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
  }

  @Test(arguments: [true, false]) @HostActor func aCameraReadsIt(usesColor: Bool) async throws {
    let text = try await written(TerminalScreen(columns: 120, rows: 60, usesColor: usesColor))
    #expect(try decoded(modules(text, usesColor: usesColor)) == Self.url)
  }

  @Test("an address of this machine has none, and the address itself stays on the screen")
  @HostActor func onlyWhereItHelps() async throws {
    for url in ["http://localhost:8080/authorize?client_id=1", "https://127.0.0.1:8443/", "http://[::1]:80/"] {
      let text = try await written(TerminalScreen(columns: 120, rows: 60, usesColor: false), url: url)
      #expect(text == "Open this address in a browser and go on:\n\n  \(url)\n")
    }
    // The address takes four lines of a narrow screen.
    let url = Self.url + "&state=" + String(repeating: "s", count: 120)
    let whole = try await written(TerminalScreen(columns: 80, rows: 200, usesColor: false), url: url)
    let rows = whole.split(separator: "\n", omittingEmptySubsequences: false).count + 3
    #expect(whole.hasPrefix("Open this address in a browser and go on:\n\n  \(url)\n\n") && whole.contains("█"))
    #expect(try await written(TerminalScreen(columns: 80, rows: rows, usesColor: false), url: url).contains("█"))
    #expect(try await !written(TerminalScreen(columns: 80, rows: rows - 3, usesColor: false), url: url).contains("█"))
  }

  @Test @HostActor func itIsLeftOutWhereItDoesNotFit() async throws {
    let plain = try await written(nil)
    #expect(plain == "Open this address in a browser and go on:\n\n  \(Self.url)\n")
    #expect(try await written(TerminalScreen(columns: 30, rows: 60, usesColor: true)) == plain)
    #expect(try await written(TerminalScreen(columns: 120, rows: 20, usesColor: true)) == plain)
    let long = Self.url + String(repeating: "x", count: 4000)
    #expect(!(try await written(TerminalScreen(columns: 500, rows: 500, usesColor: true), url: long)).contains("▀"))
  }
}
