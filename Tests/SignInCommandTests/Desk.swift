import CommandLineSupport
import Foundation

/// An invisible display: a real X server, on which xdotool presses keys.
final class Desk: Sendable {
  private let server = Process()
  /// For DISPLAY.
  let display: String
  /// The file in which the X server keeps the content of the screen, in the format of xwd.
  private let screen = FileManager.default.temporaryDirectory.appending(path: "b2c-run-screen-\(UUID().uuidString)")

  /// The reason why the tests of the window cannot run here; nil if they can.
  static let problem: String? = {
    if !FileManager.default.isExecutableFile(atPath: window.path) { return "make webview builds the window" }
    let missing = ["Xvfb", "xdotool"].filter { !FileManager.default.isExecutableFile(atPath: "/usr/bin/\($0)") }
    return missing.isEmpty ? nil : "\(missing.joined(separator: " and ")) missing; make test installs what is needed"
  }()

  static let window = Program.project.appending(path: ".build/b2c-webview")

  init() throws {
    try FileManager.default.createDirectory(at: screen, withIntermediateDirectories: true)
    let number = Pipe()
    server.executableURL = URL(filePath: "/usr/bin/Xvfb")
    // It takes a free number, and says which.
    server.arguments = [
      "-displayfd", "1", "-screen", "0", "1024x800x24", "-fbdir", screen.path, "-nolisten", "tcp", "-noreset",
    ]
    server.standardOutput = number
    server.standardError = FileHandle.nullDevice
    try server.run()
    var text = ""
    while !text.hasSuffix("\n") {
      let chunk = number.fileHandleForReading.availableData
      guard !chunk.isEmpty else { throw RunningScript.Failed(description: "there is no X server") }
      text += String(decoding: chunk, as: UTF8.self)
    }
    display = ":\(text.dropLast())"
  }

  // It inherits blocked signals from the threads of the tests, SIGTERM among them.
  deinit {
    kill(server.processIdentifier, SIGKILL)
    server.waitUntilExit()
    try? FileManager.default.removeItem(at: screen)
  }

  /// Presses keys, one after the other, as xdotool calls them: `Tab`, `Return`, `ctrl+w`.
  func press(_ keys: String...) throws { try hands(["key"] + keys) }

  func type(_ text: String) throws { try hands(["type", "--delay", "2", text]) }

  /// The window's title; nil while none is seen.
  func title() throws -> String? {
    let found = try hands(["search", "--onlyvisible", "--classname", "^b2c-webview$", "getwindowname"])
    return found.isEmpty ? nil : String(found.dropLast())
  }

  /// The upper left of the screen, where the window is: its pixels, row by row.
  func picture(width: Int, height: Int) throws -> [Data] {
    let file = try Data(contentsOf: screen.appending(path: "Xvfb_screen0"))
    // The header is of 32-bit numbers, the most significant byte first (XWDFile.h).
    func header(_ index: Int) -> Int { file[(4 * index)..<(4 * index + 4)].reduce(0) { $0 << 8 | Int($1) } }
    let (start, bitsPerPixel, bytesPerLine, colors) = (header(0), header(11), header(12), header(19))
    return (0..<height).map { row in
      let line = start + 12 * colors + row * bytesPerLine
      return file.subdata(in: line..<(line + width * bitsPerPixel / 8))
    }
  }

  /// The window gets the keys: without a window manager nobody else would see to that.
  func focus() throws {
    try hands(["search", "--onlyvisible", "--classname", "^b2c-webview$", "windowfocus", "--sync"])
  }

  @discardableResult
  private func hands(_ arguments: [String]) throws -> String {
    let (process, output) = (Process(), Pipe())
    process.executableURL = URL(filePath: "/usr/bin/xdotool")
    process.arguments = arguments
    // Titles have more than ASCII in them.
    process.environment = ["DISPLAY": display, "LC_ALL": "C.UTF-8"]
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    try process.run()
    let text = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return String(decoding: text, as: UTF8.self)
  }
}
