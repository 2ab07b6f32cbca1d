import CommandLineSupport
import Foundation
import Glibc
import JSON

/// A small client of the Debug Adapter Protocol.
final class DebugClient {
  struct Failed: Error, CustomStringConvertible {
    let description: String
  }

  let program: Program
  /// The path of the script.
  let script: String
  private let process = Process()
  private let requests = Pipe()
  private let answers = Pipe()
  private var buffer = Data()
  private var messages: [JSON] = []
  private var lastNumber: Int64 = 0
  /// Everything that the script has printed, and the messages of the debugger, by their category.
  private(set) var outputs: [(category: String, text: String)] = []

  /// Starts the debugger of a script, `script.lua`.
  convenience init(_ script: String, _ arguments: [String] = [], options: [String] = []) throws {
    try self.init(script, as: "script.lua", options + ["debug", "script.lua"] + arguments)
  }

  /// - Parameters:
  ///   - name: the file of the script.
  ///   - words: the command line.
  init(_ script: String, as name: String, _ words: [String]) throws {
    program = try Program()
    try program.write(name, script)
    self.script = program.folder.appending(path: name).path
    process.executableURL = Program.binary
    process.arguments = words
    process.currentDirectoryURL = program.folder
    process.environment = ["HOME": program.folder.path, "PATH": "/usr/bin:/bin"]
    process.standardInput = requests
    process.standardOutput = answers
    process.standardError = FileHandle.standardError
    try process.run()
  }

  deinit { if process.isRunning { kill(process.processIdentifier, SIGKILL) } }

  /// Initializes and launches, with these breakpoints; returns their answers.
  @discardableResult
  func launch(_ breakpoints: [JSON] = [], filters: [JSON]? = nil, arguments: [String: JSON] = [:]) throws -> [JSON] {
    _ = try request("initialize", ["adapterID": "test"])
    _ = try event("initialized")
    _ = try request("launch", arguments)
    let answer = try request(
      "setBreakpoints", ["source": ["path": .string(script)], "breakpoints": .array(breakpoints)])
    if let filters { _ = try request("setExceptionBreakpoints", ["filters": .array(filters)]) }
    _ = try request("configurationDone")
    return answer["breakpoints"]?.array ?? []
  }

  /// Sends a request and returns the body of the answer. Throws for a refusal.
  @discardableResult
  func request(_ command: String, _ arguments: [String: JSON] = [:]) throws -> JSON {
    let answer = try response(command, arguments)
    guard answer["success"]?.bool == true else {
      throw Failed(description: answer["message"]?.string ?? "\(command) failed without a message")
    }
    return answer["body"] ?? [:]
  }

  /// The message of a request that is refused.
  func refusal(_ command: String, _ arguments: [String: JSON] = [:]) throws -> String {
    let answer = try response(command, arguments)
    guard answer["success"]?.bool == false else { throw Failed(description: "\(command) succeeded: \(answer)") }
    return answer["message"]?.string ?? ""
  }

  private func response(_ command: String, _ arguments: [String: JSON]) throws -> JSON {
    lastNumber += 1
    let number = lastNumber
    let body = JSON.object([
      "seq": .integer(number), "type": "request", "command": .string(command), "arguments": .object(arguments),
    ]).encoded()
    try send("Content-Length: \(body.utf8.count)\r\n\r\n\(body)")
    return try wait { $0["type"] == "response" && $0["request_seq"] == .integer(number) }
  }

  func send(_ text: String) throws { try requests.fileHandleForWriting.write(contentsOf: Data(text.utf8)) }

  /// Waits for an event and returns its body.
  func event(_ name: String) throws -> JSON {
    try wait { $0["type"] == "event" && $0["event"] == .string(name) }["body"] ?? [:]
  }

  /// Waits for the next halt; returns its reason and the line.
  func halt() throws -> (reason: String, line: Int, thread: Int) {
    let body = try event("stopped")
    let thread = Int(body["threadId"]?.lenientInteger ?? 0)
    return (
      body["reason"]?.string ?? "", try frames(thread).first.map { Int($0["line"]?.lenientInteger ?? 0) } ?? 0, thread
    )
  }

  func frames(_ thread: Int) throws -> [JSON] {
    try request("stackTrace", ["threadId": .integer(Int64(thread))])["stackFrames"]?.array ?? []
  }

  /// The variables of a scope of the innermost frame, as `name = text`.
  func variables(_ scope: String, thread: Int, frame: Int = 0) throws -> [String: String] {
    let frames = try frames(thread)
    let scopes = try request("scopes", ["frameId": frames[frame]["id"] ?? 0])["scopes"]?.array ?? []
    let number = scopes.first { $0["name"] == .string(scope) }?["variablesReference"] ?? 0
    return try expand(number)
  }

  func expand(_ number: JSON) throws -> [String: String] {
    let found = try request("variables", ["variablesReference": number])["variables"]?.array ?? []
    return Dictionary(found.map { ($0["name"]?.string ?? "", $0["value"]?.string ?? "") }) { $1 }
  }

  /// Evaluates in the innermost frame of the thread.
  func evaluate(_ text: String, thread: Int) throws -> String {
    let frame = try frames(thread).first { $0["source"] != nil }?["id"] ?? 0
    return try request("evaluate", ["expression": .string(text), "frameId": frame])["result"]?.string ?? ""
  }

  func evaluationRefusal(_ text: String, thread: Int) throws -> String {
    let frame = try frames(thread).first?["id"] ?? 0
    return try refusal("evaluate", ["expression": .string(text), "frameId": frame])
  }

  /// The text that was written to a stream, until the script has ended.
  func output(_ category: String = "stdout") -> String {
    outputs.filter { $0.category == category }.map(\.text).joined()
  }

  /// Goes on to the end; returns the exit code of the event, which is also that of the process.
  func end() throws -> Int {
    let code = try event("exited")["exitCode"]?.lenientInteger ?? -1
    _ = try event("terminated")
    process.waitUntilExit()
    guard process.terminationStatus == code else {
      throw Failed(description: "the process ended with \(process.terminationStatus), the event says \(code)")
    }
    return Int(code)
  }

  func hangUp() throws -> Int32 {
    try requests.fileHandleForWriting.close()
    process.waitUntilExit()
    return process.terminationStatus
  }

  private func wait(_ isWanted: (JSON) -> Bool) throws -> JSON {
    while true {
      if let place = messages.firstIndex(where: isWanted) { return messages.remove(at: place) }
      try read()
    }
  }

  private func read() throws {
    var poll = pollfd(fd: answers.fileHandleForReading.fileDescriptor, events: Int16(POLLIN), revents: 0)
    guard Glibc.poll(&poll, 1, 60_000) == 1 else { throw Failed(description: "no answer in a minute; \(messages)") }
    let bytes = answers.fileHandleForReading.availableData
    guard !bytes.isEmpty else { throw Failed(description: "the debugger has ended; \(messages) \(outputs)") }
    buffer += bytes
    while let end = buffer.firstRange(of: Data("\r\n\r\n".utf8)) {
      let header = String(decoding: buffer[..<end.lowerBound], as: UTF8.self)
      guard let length = Int(header.dropFirst("Content-Length: ".count)) else {
        throw Failed(description: "expected a header, got \(header)")
      }
      guard buffer.endIndex - end.upperBound >= length else { return }
      let message = try JSON(parsing: Array(buffer[end.upperBound..<end.upperBound + length]))
      buffer = Data(buffer[(end.upperBound + length)...])
      if message["event"] == "output" {
        outputs.append((message["body"]?["category"]?.string ?? "", message["body"]?["output"]?.string ?? ""))
      } else {
        messages.append(message)
      }
    }
  }
}
