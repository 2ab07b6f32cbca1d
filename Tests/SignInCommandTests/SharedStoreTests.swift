import CommandLineSupport
import Databases
import Foundation
import Testing

@Suite("An account store that cannot be used")
struct SharedStoreTests {
  @Test("a newer version of the program wrote it: it is left as it is, and the newer one goes on")
  func newer() throws {
    let program = try Program()
    #expect(try program.run("--local", "--store", "kept", "-e", Program.signIn).status == 0)
    let path = program.folder.appending(path: "kept/accounts.sqlite").path
    let version = try SQLiteConnection(path: path).first("PRAGMA user_version")?[0].integer ?? 0
    do { try SQLiteConnection(path: path).execute("PRAGMA user_version = \(version + 1)") }
    let before = try Data(contentsOf: URL(filePath: path))
    for chunk in [Program.signIn, "print(b2c.accounts.current())", "b2c.tasks.list()"] {
      let result = try program.run("--local", "--store", "kept", "-e", chunk)
      #expect(result.status == 1)
      #expect(result.output == "")
      #expect(
        result.errors == """
          b2c-run: (command line):1: the account store kept/accounts.sqlite has version \(version + 1), written by a \
          newer b2c-run; this one knows version \(version)
            hint: update b2c-run, or give another folder with --store

          """)
    }
    #expect(try Data(contentsOf: URL(filePath: path)) == before)
    do { try SQLiteConnection(path: path).execute("PRAGMA user_version = \(version)") }
    #expect(
      try program.run("--local", "--store", "kept", "-e", "print(b2c.accounts.current().name)").output
        == "Alice Liddell\n")
  }

  @Test("two processes move it at the same time: both use it, and it is whole in the new folder")
  func movedTwice() throws {
    let tenant = try RunningTenant()
    let program = tenant.program
    let (old, new) = (".local/share/b2c-run", ".local/state/b2c-run")
    func url(_ name: String) -> URL { program.folder.appending(path: name) }
    func names(_ folder: String) -> [String] {
      ((try? FileManager.default.contentsOfDirectory(atPath: url(folder).path)) ?? []).sorted()
    }
    #expect(try program.run("-e", Program.signIn).status == 0)
    let use = "local account = b2c.accounts.current(); assert(account.name == 'Alice Liddell' and account:token())"
    for round in 1...6 {
      // The place of earlier versions.
      try? FileManager.default.removeItem(at: url(old))
      try FileManager.default.createDirectory(at: url(".local/share"), withIntermediateDirectories: true)
      try FileManager.default.moveItem(at: url(new), to: url(old))
      let processes = try [program.start("-e", use), program.start("-e", use)]
      for process in processes {
        process.waitUntilExit()
        #expect(process.terminationStatus == 0, "round \(round)")
      }
      // Each process may find the store in use by the other one. It then stays where it is until the next run.
      #expect(try program.run("-e", use).status == 0)
      #expect(names(old) == ["accounts.lock"])
      #expect(names(new).contains("accounts.sqlite") && names(new).contains { $0.hasSuffix(".key") }, "\(names(new))")
    }
  }

  @Test("the folder is read-only")
  func readOnly() throws {
    let program = try Program()
    #expect(try program.run("--local", "--store", "kept", "-e", Program.signIn).status == 0)
    let folder = program.folder.appending(path: "kept").path
    try setMode(0o500, of: folder)
    defer { try? setMode(0o700, of: folder) }
    let readOnly = try program.unprivileged("--local", "--store", "kept", "-e", Program.signIn)
    #expect(readOnly.status == 1)
    #expect(
      readOnly.errors == """
        b2c-run: (command line):1: the account store kept/accounts.sqlite cannot be written: it is read-only
          hint: check who owns its folder, and whether its disk is mounted read-only

        """)
    let below = try program.unprivileged("--local", "--store", "kept/below", "-e", Program.signIn)
    #expect(below.status == 1)
    #expect(
      below.errors == """
        b2c-run: (command line):1: the folder kept/below of the account store cannot be made: Permission denied
          hint: check who owns the folder above it, or give another folder with --store

        """)
  }

  @Test("a disk that is full from the start", .enabled(if: Program.canMount), arguments: ["4k", "16k", "64k"])
  func fullDisk(size: String) throws {
    let program = try Program()
    try program.write("disk/mounted-here", "")
    let line = "mount -t tmpfs -o mode=700,size=\(size) none disk && exec \"$0\" --local --store disk/kept -e \"$1\""
    let result = try program.run(
      list: ["-Urm", "bash", "-c", line, Program.binary.path, Program.signIn],
      executable: URL(filePath: "/usr/bin/unshare"))
    #expect(result.status == 1)
    #expect(result.output == "")
    // SQLite prints one of the two messages, depending on its current operation.
    let start = "b2c-run: (command line):1: the disk with the account store disk/kept/accounts.sqlite "
    let endings = [
      "is full\n  hint: make room on it and try again\n",
      "cannot be read or written\n  hint: see whether it is full or broken\n",
    ]
    #expect(endings.map { start + $0 }.contains(result.errors), "\(result)")
  }

  private func setMode(_ mode: Int, of path: String) throws {
    try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
  }
}
