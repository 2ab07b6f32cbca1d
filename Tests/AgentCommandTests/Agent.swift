import CommandLineSupport
import Foundation
import JSON
import Testing

/// An agent, with `b2c-run mcp` as its server on standard input and output.
final class Agent {
  struct Answer {
    let message: JSON
    var result: JSON { message["result"] ?? .null }
    var text: String { result["content"]?.array?.first?["text"]?.string ?? message.encoded() }
    var isError: Bool { result["isError"] == true || message["error"] != nil }
    var plan: String { result["structuredContent"]?["plan"]?.string ?? "" }
    var state: String? { result["structuredContent"]?["state"]?.string }
  }

  private let process = Process()
  private let input = Pipe()
  private let output = Pipe()
  private var unread = Data()
  private var number: Int64 = 0
  private let program: Program
  /// Answers questions of the server as the person in front of the client; nil for a client that cannot ask.
  private let person: ((JSON) -> JSON)?

  /// - Parameters:
  ///   - folder: a folder below that of the program.
  ///   - options: of the program, in front of `mcp`.
  init(
    _ program: Program, folder: String = "agent", options: [String] = [], _ words: [String] = [],
    person: ((JSON) -> JSON)? = nil
  ) throws {
    self.program = program
    self.person = person
    try FileManager.default.createDirectory(
      at: program.folder.appending(path: folder), withIntermediateDirectories: true)
    process.executableURL = Program.binary
    process.arguments = options + ["--quiet", "mcp", folder] + words
    process.currentDirectoryURL = program.folder
    process.environment = ["HOME": program.folder.path, "PATH": "/usr/bin:/bin"]
    process.standardInput = input
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    try process.run()
  }

  deinit {
    if process.isRunning { process.terminate() }
    process.waitUntilExit()
  }

  /// Ends the input, and waits for the end of the server. Returns its status.
  func end() throws -> Int32 {
    try input.fileHandleForWriting.close()
    process.waitUntilExit()
    return process.terminationStatus
  }

  func call(_ tool: String, _ arguments: JSON = [:], state: JSON? = nil, replies: JSON? = nil) throws -> Answer {
    var params: [String: JSON] = ["name": .string(tool), "arguments": arguments]
    params["requestState"] = state
    params["inputResponses"] = replies
    let answer = try send("tools/call", params)
    guard answer.result["resultType"] == "input_required", let person, replies == nil,
      let question = answer.result["inputRequests"]?["approval"]
    else { return answer }
    return try call(
      tool, arguments, state: answer.result["requestState"], replies: ["approval": person(question["params"] ?? .null)])
  }

  func send(_ method: String, _ params: [String: JSON] = [:]) throws -> Answer {
    number += 1
    var params = params
    params["_meta"] = [
      "io.modelcontextprotocol/protocolVersion": "2026-07-28",
      "io.modelcontextprotocol/clientCapabilities": person == nil ? [:] : ["elicitation": [:]],
      "io.modelcontextprotocol/clientInfo": ["name": "agent", "version": "1"],
    ]
    let message: JSON = [
      "jsonrpc": "2.0", "id": .integer(number), "method": .string(method), "params": .object(params),
    ]
    try input.fileHandleForWriting.write(contentsOf: Data("\(message.encoded())\n".utf8))
    return Answer(message: try JSON(parsing: line()))
  }

  private func line() throws -> String {
    while true {
      if let end = unread.firstIndex(of: UInt8(ascii: "\n")) {
        let line = String(decoding: unread[..<end], as: UTF8.self)
        unread = Data(unread[unread.index(after: end)...])
        return line
      }
      let chunk = output.fileHandleForReading.availableData
      guard !chunk.isEmpty else { throw CocoaError(.fileReadUnknown) }
      unread += chunk
    }
  }

  /// The names of the tools.
  func tools() throws -> [String] {
    (try send("tools/list").result["tools"]?.array ?? []).compactMap { $0["name"]?.string }
  }

  func file(_ name: String) -> URL { program.folder.appending(path: "agent/\(name)") }

  /// A person approves a change at a terminal.
  static func approve(_ digest: String, in program: Program, typing word: String = "yes") throws -> Int32 {
    let terminal = try TerminalSession(program, ["mcp", "approve", digest], columns: 200)
    try terminal.expect("Type yes:")
    terminal.type("\(word)\r")
    return terminal.end()
  }
}
