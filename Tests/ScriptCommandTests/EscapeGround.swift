import CommandLineSupport
import Foundation
import Glibc

/// A folder for a script to get out of, and what is around it: canaries, links that lead out, a home with accounts, and a
/// socket that listens.
final class EscapeGround {
  /// In files, in the environment, in the settings; nowhere a script may look.
  let canary = "canary" + UUID().uuidString.replacing("-", with: "")
  private let program: Program
  private let socket: CInt
  private let port: UInt16

  init() throws {
    program = try Program()
    (socket, port) = try Self.listen()
    try makeFiles()
    try makeLinks()
    for name in try FileManager.default.contentsOfDirectory(atPath: EscapeTests.folder.path) {
      try FileManager.default.copyItem(
        at: EscapeTests.folder.appending(path: name), to: program.folder.appending(path: "in/\(name)"))
    }
  }

  deinit { close(socket) }

  /// Runs a script of the folder `in`, which is the current one.
  func run(_ name: String, flags: [String]) throws -> Program.Result {
    let folder = program.folder.path
    let arguments =
      ["--local", "--timeout", "60", "--memory", "512M"] + flags
      + [name, "--outside=\(folder)/outside", "--home=\(folder)/home", "--port=\(port)"]
    let line = """
      cd in && HOME='\(folder)/home' CANARY_VARIABLE=\(canary) BROWSER='\(folder)/browser' exec "$0" "$@"
      """
    return try program.run(
      list: ["-c", line, Program.binary.path] + arguments, executable: URL(filePath: "/bin/bash"))
  }

  func write(_ name: String, _ text: String) throws { try program.write("in/\(name)", text) }

  /// True if a process has connected to the socket.
  var wasConnected: Bool {
    let connection = accept(socket, nil, nil)
    if connection >= 0 { close(connection) }
    return connection >= 0
  }

  /// Every file outside the script's folder, with its contents.
  func snapshot() throws -> [String: Data] {
    var files: [String: Data] = [:]
    for folder in ["outside", "home", "in-secret", "in..", "caf\u{e9}", "cafe\u{301}", "in/folder-secret"] {
      let root = program.folder.appending(path: folder).path
      for name in FileManager.default.enumerator(atPath: root)?.compactMap({ $0 as? String }) ?? [] {
        files["\(folder)/\(name)"] = FileManager.default.contents(atPath: "\(root)/\(name)") ?? Data()
      }
    }
    return files
  }

  private func makeFiles() throws {
    for name in ["outside", "in-secret", "in..", "cafe\u{301}", "in/folder-secret"] {
      try program.write("\(name)/canary.txt", canary)
    }
    try program.write("caf\u{e9}/mine.txt", "mine")
    try program.write("outside/canary.csv", "text\n\(canary)\n")
    try program.write("outside/module.lua", "print '\(canary)' return function() print '\(canary)' end")
    try program.write("in/mine.txt", "mine")
    try program.write("in/rows.csv", "text\nBuy milk\n")
    for name in ["bad", "dangling", "worse"] { try program.write("in/\(name).csv", "text\n\"\"\n") }
    try program.write("in/mine.kept", "mine")
    try program.write("in/keeper.lua", "return { formats = { kept = { extensions = { '.kept' }, rows = \(keeper) } } }")
    // Which SQLite could take for a URI.
    try program.write("in/file:../outside/mine.txt", "mine")
    try program.write("in/folder/mine.txt", "mine")
    try program.write("in/settings.plist", canary)
    for name in [
      ".local/share/b2c-run/accounts.sqlite", ".local/share/b2c-run/key", ".local/share/b2c-run/plugins/README",
      ".local/state/b2c-run/accounts.sqlite", ".local/state/b2c-run/accounts-default.key",
      ".config/b2c-run/settings.plist",
    ] { try program.write("home/\(name)", name.hasSuffix("README") ? "" : canary) }
    // This program stands for the system's browser. If it runs, it leaves a trace outside.
    let browser = try program.write("browser", "#!/bin/sh\necho \"$@\" >> '\(program.folder.path)/outside/opened'\n")
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: browser)
  }

  /// A plugin's function that stores its argument in a global variable, for scripts.
  private var keeper: String { "function(source) _G.kept = source return function() end end" }

  private func makeLinks() throws {
    for (name, target) in [
      ("link.txt", "../outside/canary.txt"), ("link.csv", "../outside/canary.csv"), ("linked", "../outside"),
      ("folder/up", "../.."), ("chain.txt", "folder/../link.txt"), ("loop", "loop"),
      ("dangling.txt", "../outside/new.txt"), ("bad.csv.failed.ndjson", "../outside/canary.txt"),
      ("dangling.csv.failed.ndjson", "../outside/new.ndjson"), ("locked.db-lock", "../outside/canary.txt"),
      ("proc", "/proc"), ("environ", "/proc/self/environ"), ("store", "../home/.local/state/b2c-run"),
      ("old", "../home/.local/share/b2c-run"),
    ] {
      try FileManager.default.createSymbolicLink(
        atPath: program.folder.appending(path: "in/\(name)").path, withDestinationPath: target)
    }
  }

  private static func listen() throws -> (CInt, UInt16) {
    let socket = Glibc.socket(AF_INET, CInt(SOCK_STREAM.rawValue) | O_NONBLOCK | O_CLOEXEC, 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let status = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        bind(socket, address, length) | Glibc.listen(socket, 16) | getsockname(socket, address, &length)
      }
    }
    guard status == 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
    return (socket, UInt16(bigEndian: address.sin_port))
  }
}
