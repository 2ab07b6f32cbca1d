import CommandLineSupport
import Foundation
import Testing

@Suite("Standard output that cannot be written")
struct OutputTests {
  @Test(
    "a reader that has seen enough ends the script quietly",
    arguments: [
      "while true do print('more') end",
      "while true do io.write('more\\n') end",
      "print('one') b2c.async.sleep(0.01) while true do print('more') b2c.async.sleep(0) end",
    ])
  func closed(script: String) throws {
    let result = try Program().shell("\"$0\" -e \"$1\" | head -1; echo ${PIPESTATUS[0]}", script)
    #expect(result.output.split(separator: "\n").last == "141")
    #expect(result.output.split(separator: "\n").count == 2)
    #expect(result.errors == "")
  }

  /// Another process that has the same pipe may set its mode, as ssh, node and git do.
  @Test("a pipe that does not block loses nothing", arguments: [1, 2])
  func nonBlocking(descriptor: Int) throws {
    let program = try Program()
    try program.write(
      "big.lua",
      "for i = 1, 20000 do print(('x'):rep(97)) end io.stderr:write(('e'):rep(200000), '\\n') b2c = require 'b2c' "
        + "b2c.log.warn(('w'):rep(200000))")
    let (process, pipe) = (Process(), Pipe())
    let shared = pipe.fileHandleForWriting.fileDescriptor
    _ = fcntl(shared, F_SETFL, fcntl(shared, F_GETFL) | O_NONBLOCK)
    process.executableURL = Program.binary
    process.arguments = ["big.lua"]
    process.currentDirectoryURL = program.folder
    process.standardInput = FileHandle.nullDevice
    if descriptor == 1 { process.standardOutput = pipe } else { process.standardOutput = FileHandle.nullDevice }
    if descriptor == 2 { process.standardError = pipe } else { process.standardError = FileHandle.nullDevice }
    try process.run()
    let text = try pipe.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    #expect(process.terminationStatus == 0)
    #expect(descriptor == 1 ? text.count == 20000 * 98 : text.count > 400_000, "\(text.count)")
  }

  @Test(
    "nor does one that is read",
    arguments: [
      ["-e", "print 'ready' io.stdout:flush() print(#io.read 'a')"],
      ["-e", "print 'ready' io.stdout:flush() local n = 0 for l in io.lines() do n = n + #l end print(n + 1)"],
      [
        "-e",
        "print 'ready' io.stdout:flush() local n = 0 for r in b2c.csv.rows('-') do n = n + 1 end print(n == 0 and 200001)",
      ],
    ])
  func nonBlockingInput(arguments: [String]) throws {
    let (process, input, output) = (Process(), Pipe(), Pipe())
    let shared = input.fileHandleForReading.fileDescriptor
    _ = fcntl(shared, F_SETFL, fcntl(shared, F_GETFL) | O_NONBLOCK)
    process.executableURL = Program.binary
    process.arguments = arguments
    process.standardInput = input
    process.standardOutput = output
    try process.run()
    var text = output.fileHandleForReading.availableData
    // It has found nothing to read by then, or will find it later.
    for _ in 1...20 { try input.fileHandleForWriting.write(contentsOf: Data(repeating: 0x61, count: 10_000)) }
    try input.fileHandleForWriting.write(contentsOf: Data("\n".utf8))
    try input.fileHandleForWriting.close()
    text += try output.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    #expect(String(decoding: text, as: UTF8.self) == "ready\n200001\n")
  }

  @Test("log lines that get lost are a failure, too, unless nobody reads them")
  func fullErrors() throws {
    #expect(try Program().shell("\"$0\" -e 'b2c.log.warn \"x\"' 2> /dev/full; echo $?", "").output == "1\n")
    #expect(try Program().shell("\"$0\" -e 'io.stderr:write \"x\"' 2> /dev/full; echo $?", "").output == "1\n")
    #expect(try Program().shell("\"$0\" -e 'b2c.log.warn \"x\"' 2>&-; echo $?", "").output == "0\n")
  }

  @Test("a closed standard stream is not given to a file")
  func closedStreams() throws {
    let program = try Program()
    let script = "local f = io.open('f', 'w') print('lost') io.stderr:write('lost') f:write('kept') f:close()"
    _ = try program.shell("\"$0\" -A -e \"$1\" >&- 2>&- <&-", script)
    #expect(try String(contentsOf: program.folder.appending(path: "f"), encoding: .utf8) == "kept")
  }

  @Test("a limit of file sizes is an error, not the end of the process")
  func fileSizeLimit() throws {
    let result = try Program().shell(
      "ulimit -f 8; \"$0\" -A -e \"$1\"; echo $?",
      "local f = io.open('f', 'w') print(f:write(('x'):rep(100000)) and f:flush())")
    #expect(result.output.hasSuffix("0\n") && result.output.contains("nil"), "\(result)")
    let tasks = try Program().shell(
      "yes 'Text' | head -3000 > a.csv; ulimit -f 8; \"$0\" --local=data import a.csv --progress none; echo $?", "")
    #expect(!tasks.output.hasSuffix("153\n"), "\(tasks)")
    #expect(tasks.errors.contains("b2c-run: "), "\(tasks)")
  }

  @Test("an address space that is too small ends with a message")
  func addressSpace() throws {
    for limit in [100_000, 150_000, 200_000, 300_000] {
      let result = try Program().shell(
        "ulimit -v \(limit); \"$0\" -e 'print(1)'; echo \"status $?\"", "")
      guard !result.output.hasSuffix("1\nstatus 0\n") else { continue }
      #expect(result.output.hasSuffix("status 1\n") || result.output.hasSuffix("status 127\n"), "\(limit): \(result)")
      #expect(!result.errors.isEmpty, "\(limit): \(result)")
    }
  }

  @Test("a library that has no room is not said to be missing")
  func noRoom() throws {
    let program = try Program()
    try program.write("a.csv", "Text\nOne\n")
    // Each step adds room for other libraries.
    for limit in stride(from: 200_000, through: 400_000, by: 25_000) {
      let result = try program.shell("ulimit -v \(limit); \"$0\" --local=data import \"$1\" --resume no", "a.csv")
      #expect(!result.errors.contains("install the package"), "\(limit): \(result)")
    }
  }

  @Test("results that get lost are a failure")
  func full() throws {
    let result = try Program().shell("\"$0\" -e 'print(1)' > /dev/full; echo $?", "")
    #expect(result.output == "1\n")
    #expect(result.errors.hasPrefix("b2c-run: standard output could not be written: "), "\(result)")
  }

  @Test("a tenant prints its settings alone, for a person it has standard error, and Ctrl-C ends it")
  func tenant() throws {
    let result = try Program().run("tenant", whenSpeaking: { $0.interrupt() })
    #expect(result.status == 130, "\(result)")
    #expect(result.output.hasPrefix("<?xml") && result.output.hasSuffix("</plist>\n"))
    #expect(result.errors.hasPrefix("Local tenant contoso.onmicrosoft.com at http://127.0.0.1:"))
  }

  @Test("log lines that go to no terminal begin with the time")
  func logTimes() throws {
    let program = try Program()
    let start = Date()
    let script = "b2c.log.warn('one\\ntwo', { a = 1 })"
    let result = try program.shell("\"$0\" -e \"$1\" 2> errors", script)
    #expect(result.status == 0, "\(result)")
    let text = try String(contentsOf: program.folder.appending(path: "errors"), encoding: .utf8)
    let line = try #require(
      try #/([-0-9]+T[:0-9]+)\.\d{3}Z warn  one\n      two  a=1\n/#.wholeMatch(in: text), "\(text)")
    let time = try Date("\(line.1)Z", strategy: .iso8601)
    #expect(time > start.addingTimeInterval(-2) && time < Date().addingTimeInterval(2))
    let terminal = try TerminalSession(program, ["-e", script])
    #expect(terminal.end() == 0)
    #expect(terminal.screen.hasPrefix("warn  one\r\n"), "\(terminal.screen)")
  }
}
