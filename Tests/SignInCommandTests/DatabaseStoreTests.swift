import CommandLineSupport
import Foundation
import TestSupport
import Testing

/// `--store postgresql://…` as a person uses it, and what goes wrong with it.
@Suite("A store in PostgreSQL")
struct DatabaseStoreTests {
  private let server: PostgresServer
  private let database: String
  private let program: Program

  init() throws {
    server = try .shared
    database = try server.makeDatabase()
    program = try Program()
    try program.write(".pgpass", server.passwordLine)
    chmod(program.folder.appending(path: ".pgpass").path, 0o600)
  }

  private var shown: String { server.networkAddress(database) }

  /// Runs the command, and expects it to fail with these lines.
  private func expect(
    _ store: String, _ arguments: [String] = ["secrets", "list"], environment: [String: String] = [:],
    fails message: String,
    hint: String?, status: Int32 = 1
  ) throws {
    let result = try program.run(list: ["--store", store] + arguments, environment: environment)
    #expect(result.status == status)
    let lines = result.errors.split(separator: "\n").filter { !$0.hasPrefix("warn ") }.joined(separator: "\n")
    #expect(lines == "b2c-run: \(message)" + (hint.map { "\n  hint: \($0)" } ?? ""))
  }

  @Test("keeps accounts and secrets for several machines")
  func several() throws {
    let store = ["--store", shown]
    let made = try program.run(list: store + ["store", "upgrade"])
    let parts = ["leases": 1, "accounts": 1, "jobs": 3, "imports": 1] as KeyValuePairs
    #expect(made.errors == parts.map { "info  \($0): made, version \($1)\n" }.joined())
    #expect(try program.run(list: store + ["secrets", "set", "key"], input: "correct horse").status == 0)
    let contents = try program.run(list: store + ["store"])
    #expect(contents.output.hasPrefix("\(shown)  PostgreSQL "))
    #expect(contents.output.contains("accounts  1        0 accounts, 1 secret, 0 keys\n"))
    let other = try Program()
    try other.write(".pgpass", server.passwordLine)
    chmod(other.folder.appending(path: ".pgpass").path, 0o600)
    let show = ["--allow-secret", "--no-prompt", "-e", "print(#b2c.secrets.get('key'):reveal())"]
    let refused = try other.run(list: store + show)
    #expect(refused.errors.contains("this machine has no key for the accounts default in \(shown)"), "\(refused)")
    #expect(try program.run(list: store + ["store", "key", "export", "group.key"]).status == 0)
    let key = try String(contentsOf: program.folder.appending(path: "group.key"), encoding: .utf8)
    try other.write("group.key", key)
    chmod(other.folder.appending(path: "group.key").path, 0o600)
    let imported = try other.run(list: store + ["store", "key", "import", "group.key"])
    #expect(imported.status == 0, "\(imported)")
    #expect(try other.run(list: store + show).output == "13\n")
    // With the kernel's help: the port and the password file are open to the program.
    #expect(try program.run(list: store + show).output == "13\n")
  }

  @Test("signs in, and other processes use the account")
  func signIn() throws {
    let tenant = try RunningTenant()
    try tenant.program.write(".pgpass", server.passwordLine)
    chmod(tenant.program.folder.appending(path: ".pgpass").path, 0o600)
    let signIn = try tenant.program.run(list: ["--store", shown, "-e", Program.signIn])
    #expect(signIn.output == "Alice Liddell\n", "\(signIn)")
    let use = "local a = b2c.accounts.current(); a:refresh(); print(a.name, #b2c.accounts.all(), a:can_refresh())"
    let result = try tenant.program.run(list: ["--store", shown, "-e", use])
    #expect(result.output == "Alice Liddell\t1\ttrue\n", "\(result)")
    let accounts = try tenant.program.run(list: ["--store", shown, "accounts", "--json"])
    #expect(accounts.output.contains(#""name": "Alice Liddell""#), "\(accounts)")
    let vault = try tenant.program.run(
      list: ["--store", shown, "-e", "local v = b2c.accounts.vault() print(v.kind, v.store, v.problem)"])
    #expect(vault.output == "key_file\t\(shown)\tnil\n")
    // Nothing of it is in the usual place.
    let folder = tenant.program.folder.appending(path: ".local/state/b2c-run").path
    #expect(!FileManager.default.fileExists(atPath: "\(folder)/accounts.sqlite"))
  }

  @Test("is named by the setting store, too: of --settings, of --set, and of the user's own file")
  func setting() throws {
    #expect(try program.run("--store", shown, "secrets", "set", "key", input: "correct horse").status == 0)
    try program.write("team.json", #"{"store": "\#(shown)"}"#)
    try program.write(
      ".config/b2c-run/settings.plist", "<plist><dict><key>store</key><string>\(shown)</string></dict></plist>")
    for words in [["--settings", "team.json"], ["--set", "store=\(shown)", "--settings", "team.json"], []] {
      let result = try program.run(list: words + ["secrets", "list", "--json"])
      #expect(result.output.hasPrefix(#"[{"name":"key","#), "\(result)")
    }
    let store = try program.run("store")
    #expect(store.output.hasPrefix(shown), "\(store)")
  }

  @Test("is named by a service of libpq, too")
  func service() throws {
    try program.write(
      "services.conf", "[other]\nport=1\n[b2c]\nhost=127.0.0.1\nport=\(server.port)\nuser=tests\ndbname=\(database)\n")
    let file = program.folder.appending(path: "services.conf").path
    let result = try program.run(
      list: ["--store", "postgresql://?service=b2c", "--no-prompt", "secrets", "list"],
      environment: ["PGSERVICEFILE": file])
    #expect(result.status == 0, "\(result)")
  }

  @Test("a wrong password")
  func wrongPassword() throws {
    try program.write(".pgpass", server.passwordLine.replacing(PostgresServer.password, with: "wrong"))
    try expect(
      shown,
      fails: """
        cannot connect to \(shown): connection to server at "127.0.0.1", port \(server.port) failed: FATAL:  password \
        authentication failed for user "tests"; password retrieved from file "\(program.folder.path)/.pgpass"
        """, hint: "check the password in the file of PGPASSFILE (by default ~/.pgpass)")
  }

  @Test("no password")
  func noPassword() throws {
    try expect(
      shown, environment: ["PGPASSFILE": "/nowhere"],
      fails: """
        cannot connect to \(shown): connection to server at "127.0.0.1", port \(server.port) failed: fe_sendauth: no \
        password supplied
        """, hint: "write the password into the file /nowhere (mode 0600): HOST:PORT:NAME:USER:PASSWORD")
  }

  @Test("a password file that others may read, which libpq ignores")
  func openPasswordFile() throws {
    let file = program.folder.appending(path: ".pgpass").path
    chmod(file, 0o644)
    let result = try program.run("--store", shown, "secrets", "list")
    #expect(result.status == 1)
    #expect(
      result.errors.hasSuffix(
        "  hint: libpq ignores \(file), because others may read it (mode 0644): chmod 600 '\(file)'\n"), "\(result)")
  }

  @Test("a password in the address works, is warned about, and is never printed")
  func passwordInAddress() throws {
    let address = "postgresql://\(PostgresServer.user):\(PostgresServer.password)@127.0.0.1:\(server.port)/\(database)"
    let result = try program.run(
      list: ["--store", address, "--log-level", "debug", "store"], environment: ["PGPASSFILE": "/nowhere"])
    #expect(result.status == 0, "\(result)")
    #expect(
      result.errors.contains(
        "warn  --store has a password, which other users of this machine see in the list of processes; write it into the "
          + "file of PGPASSFILE instead (by default ~/.pgpass)"))
    #expect(result.output.hasPrefix(shown))
    let wrong = try program.run(
      list: ["--store", address.replacing(database, with: "nowhere"), "secrets", "list"])
    #expect(wrong.status == 1)
    #expect(!(result.output + result.errors + wrong.output + wrong.errors).contains(PostgresServer.password))
  }

  @Test("a wrong database")
  func wrongDatabase() throws {
    let store = server.networkAddress("nowhere")
    try expect(
      store,
      fails: """
        cannot connect to \(store): connection to server at "127.0.0.1", port \(server.port) failed: FATAL:  database \
        "nowhere" does not exist
        """, hint: "make the database: createdb -h HOST -U USER NAME")
  }

  @Test(
    "an address that is none",
    arguments: [
      ("postgresql://tests@127.0.0.1", "postgresql://tests@127.0.0.1", "it names no database"),
      ("postgresql://host:1/x?y=z", "postgresql://…", "libpq cannot read it"),
      (
        "postgresql://tests:pa/ss@127.0.0.1:1/x", "postgresql://…",
        "its port is not a number, or a character such as / or @ of the user, the password or the name is not written as %2F or %40"
      ),
      (
        "postgresql://tests@127.0.0.1:abc/b2c", "postgresql://…",
        "its port is not a number, or a character such as / or @ of the user, the password or the name is not written as %2F or %40"
      ),
      ("postgresql://tests@127.0.0.1:70000/b2c", "postgresql://…", "its port is not a number from 1 to 65535"),
    ])
  func badAddress(address: String, shown: String, reason: String) throws {
    try expect(
      address, fails: "\(shown) is not the address of a PostgreSQL database: \(reason)",
      hint: "expected postgresql://USER@HOST/NAME, with the password in the file of PGPASSFILE (by default ~/.pgpass)")
  }

  @Test("a schema of a newer version, or of an earlier one")
  func schema() throws {
    #expect(try program.run("--store", shown, "store", "upgrade").status == 0)
    try server.sql("UPDATE schema_version SET version = 7 WHERE part = 'accounts'", in: database)
    let message = "the tables of accounts in \(shown) have version 7, made by a newer b2c-run; this one knows version 1"
    let hint = "update b2c-run on this machine; the tables have been left as they are"
    try expect(shown, fails: message, hint: hint)
    try expect(shown, ["store", "upgrade"], fails: message, hint: hint)
    let newer = try program.run("--store", shown, "store")
    #expect(newer.status == 0)
    #expect(newer.output.contains("accounts  7, newer than this program knows (1)  0 accounts"), "\(newer)")
    #expect(newer.errors == "warn  a newer b2c-run made these tables: update b2c-run on this machine\n")
    try server.sql("UPDATE schema_version SET version = 0 WHERE part = 'accounts'", in: database)
    let older = try program.run("--store", shown, "store")
    #expect(older.output.contains("accounts  0, older than this program knows (1)  0 accounts"), "\(older)")
    #expect(
      older.errors == """
        warn  an earlier b2c-run made these tables: update b2c-run on all machines, and then run once, with the same \
        --store: b2c-run store upgrade

        """)
  }

  @Test("a server of an old version")
  func oldServer() throws {
    let process = Process()
    let output = Pipe()
    process.executableURL = URL(filePath: "/usr/bin/python3")
    process.arguments = [Program.project.appending(path: "Tests/StandIns/postgres.py").path, "13.14"]
    process.standardOutput = output
    try process.run()
    // It has the blocked signals of this thread.
    defer { kill(process.processIdentifier, SIGKILL) }
    var port = ""
    while !port.hasSuffix("\n") {
      port += String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
    }
    port.removeLast()
    let store = "postgresql://tests@127.0.0.1:\(port)/b2c"
    try expect(store, fails: "\(store) is PostgreSQL 13, and 14 or later is needed", hint: "use a newer server")
  }

  @Test("no rights to make the tables")
  func noRights() throws {
    try server.sql("CREATE ROLE guest_\(database) LOGIN", in: database)
    let store = server.address(database, user: "guest_\(database)")
    try expect(
      store, fails: "\(store): permission denied for schema public",
      hint: "let the owner of the database run once: b2c-run store upgrade; or: GRANT CREATE ON SCHEMA public TO USER")
    #expect(try program.run("--store", shown, "store", "upgrade").status == 0)
    try expect(
      store, fails: "\(store): permission denied for table schema_version",
      hint: "grant the user the rights: GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO USER")
  }

  @Test("a standby, which only reads")
  func standby() throws {
    let standby = try PostgresServer(standbyOf: server)
    let store = standby.networkAddress(database)
    try program.write(".pgpass", standby.passwordLine)
    try expect(
      store,
      fails: """
        cannot connect to \(store): connection to server at "127.0.0.1", port \(standby.port) failed: session is \
        read-only
        """, hint: "this is a standby: give the address of the primary server, or of all servers")
    // With all servers, the primary is found.
    try program.write(".pgpass", standby.passwordLine + server.passwordLine)
    let both = "postgresql://tests@127.0.0.1:\(standby.port),127.0.0.1:\(server.port)/\(database)"
    let result = try program.run("--store", both, "secrets", "list")
    #expect(result.status == 0, "\(result)")
  }

  @Test(
    "no server: said once, and given up, by every command",
    arguments: [["secrets", "list"], ["store"], ["store", "key", "export", "keys"], ["jobs"]])
  func noServer(command: [String]) throws {
    // Nobody listens at port 1.
    let store = "postgresql://tests@127.0.0.1:1/b2c"
    try program.write("jobs/first.lua", "")
    let result = try program.run(list: ["--store", store] + command)
    #expect(result.status == 1)
    let lines = result.errors.split(separator: "\n")
    #expect(lines.first == "warn  the database \(store) does not answer; waiting for 6 seconds")
    #expect(
      lines.dropFirst().joined(separator: "\n") == """
        b2c-run: cannot connect to \(store): connection to server at "127.0.0.1", port 1 failed: Connection refused; Is \
        the server running on that host and accepting TCP/IP connections?
          hint: check the host and the port, and that the server runs
        """)
  }

  @Test("Ctrl-C ends the wait for a server that does not answer")
  func interrupt() throws {
    let session = try TerminalSession(program, ["--store", "postgresql://tests@127.0.0.1:1/b2c", "secrets", "list"])
    try session.expect("does not answer; waiting")
    session.type("\u{3}")
    #expect(session.end() == 130)
    #expect(!session.screen.contains("canceled"))
  }

  @Test("TLS: the server's certificate is checked, with its name")
  func tls() throws {
    let certificate = "\(server.folder)/server.crt"
    func store(_ host: String, _ root: String) -> String {
      "postgresql://tests@\(host):\(server.port)/\(database)?sslmode=verify-full&sslrootcert=\(root)"
    }
    try program.write(".pgpass", "*:*:*:*:\(PostgresServer.password)\n")
    let good = try program.run("--store", store("localhost", certificate), "--no-prompt", "secrets", "list")
    #expect(good.status == 0, "\(good)")
    let name = try program.run("--store", store("127.0.0.1", certificate), "secrets", "list")
    #expect(name.status == 1)
    #expect(
      name.errors.contains("(and 1 other name) does not match host name \"127.0.0.1\"")
        && name.errors.contains("hint: check sslrootcert and sslmode of the address"), "\(name)")
    let none = try program.run(
      "--store", "postgresql://tests@localhost:\(server.port)/\(database)?sslmode=verify-full", "secrets", "list")
    #expect(
      none.errors.hasSuffix(
        "  hint: name the file of the authority's certificate in the address, sslrootcert=FILE, or put it at "
          + "~/.postgresql/root.crt\n"), "\(none)")
    let unknown = try program.run(
      "--store", store("localhost", "/etc/ssl/certs/ca-certificates.crt"), "secrets", "list")
    #expect(unknown.errors.contains("certificate verify failed"), "\(unknown)")
  }

  @Test("libpq is missing")
  func noLibrary() throws {
    try program.write("libraries/libpq.so.5", "none")
    let folder = program.folder.appending(path: "libraries").path
    let result = try program.run(
      list: ["--store", shown, "secrets", "list"], environment: ["LD_LIBRARY_PATH": folder])
    #expect(result.status == 1)
    #expect(
      result.errors.hasPrefix(
        "b2c-run: the database postgresql://… needs libpq: libpq cannot be loaded: \(folder)/libpq.so.5: "),
      "\(result)")
    #expect(result.errors.hasSuffix("  hint: install the package libpq5\n"))
    // Other commands need none.
    let local = try program.run(list: ["secrets", "list"], environment: ["LD_LIBRARY_PATH": folder])
    #expect(local.status == 0, "\(local)")
  }

  @Test("each command says goodbye to the server")
  func goodbye() throws {
    let server = try PostgresServer(options: ["log_disconnections=on"])
    try program.write(".pgpass", server.passwordLine)
    let store = server.networkAddress(try server.makeDatabase())
    try program.write("jobs/first.lua", "")
    let commands = [
      ["store", "upgrade"], ["secrets", "list"], ["store"], ["jobs"], ["store", "key", "export", "keys"],
    ]
    for command in commands {
      let result = try program.run(list: ["--store", store] + command)
      #expect(
        result.errors.contains(command.last == "keys" ? "has no keys yet" : "") || result.status == 0, "\(result)")
    }
    // The server stops when all connections have ended, and has said what it has to say of them.
    _ = try server.tool(["pg_ctl", "-D", "\(server.folder)/data", "-m", "smart", "-w", "stop"])
    let log = try String(contentsOfFile: "\(server.folder)/log", encoding: .utf8)
    #expect(log.contains("disconnection: "), "\(log)")
    #expect(!log.contains("could not receive data") && !log.contains("unexpected EOF"), "\(log)")
  }

  @Test("store move takes the accounts along, and back")
  func move() throws {
    #expect(try program.run("secrets", "set", "key", input: "correct horse").status == 0)
    let state = program.folder.appending(path: ".local/state/b2c-run").path
    let there = try program.run("store", "move", state, shown)
    #expect(there.errors == "info  moved 0 accounts, 1 secret and 0 keys to \(shown)\n")
    #expect(try program.run("secrets", "list", "--json").output == "[]\n")
    let again = try program.run("store", "move", state, shown)
    #expect(again.status == 1)
    #expect(
      again.errors == """
        b2c-run: the store \(shown) has 1 secret already; nothing was moved
          hint: move into an empty store

        """)
    #expect(try program.run("store", "move", shown, state).status == 0)
    #expect(try program.run("-A", "-e", "print(#b2c.secrets.get('key'):reveal())").output == "13\n")
  }

  @Test("store move from a place without a store moves nothing, and makes none")
  func moveFromNowhere() throws {
    let nowhere = program.folder.appending(path: "nowhere").path
    for from in [nowhere, shown] {
      let result = try program.run("store", "move", from, from == nowhere ? shown : nowhere)
      #expect(result.status == 1)
      #expect(result.errors.hasPrefix("b2c-run: there is no store in \(from); nothing was moved\n"), "\(result)")
    }
    #expect(!FileManager.default.fileExists(atPath: nowhere))
    #expect(try server.sql("SELECT count(*) FROM pg_tables WHERE schemaname = 'public'", in: database) == "0")
  }

  @Test("keys of several groups, after the documented steps")
  func groups() throws {
    // Its settings name a group of their own.
    let tenant = try RunningTenant()
    let group = "com.onmicrosoft.contoso.tasks"
    let (first, second) = (tenant.program, try Program())
    for machine in [first, second] {
      try machine.write(".pgpass", server.passwordLine)
      chmod(machine.folder.appending(path: ".pgpass").path, 0o600)
    }
    try second.write("settings.plist", tenant.settings)
    let signedIn = try first.run(list: ["--store", shown, "-e", Program.signIn])
    #expect(signedIn.output == "Alice Liddell\n", "\(signedIn)")
    #expect(try first.run(list: ["--store", shown, "secrets", "set", "hook"], input: "correct horse").status == 0)
    let exported = try first.run("--store", shown, "store", "key", "export", "group.key")
    #expect(
      exported.errors == """
        info  wrote the keys of the accounts \(group), default to group.key; whoever has this file can open their tokens and \
        secrets

        """)
    try FileManager.default.copyItem(
      at: first.folder.appending(path: "group.key"), to: second.folder.appending(path: "group.key"))
    let imported = try second.run("--store", shown, "store", "key", "import", "group.key")
    #expect(
      imported.errors == "info  this machine has the keys of the accounts \(group), default now; remove group.key\n")
    #expect(try second.run("--store", shown, "accounts").output.contains("Alice Liddell"))
    let secret = try second.run("--store", shown, "-A", "-e", "print(#b2c.secrets.get('hook'):reveal())")
    #expect(secret.output == "13\n", "\(secret)")
  }

  @Test("--local signs nobody in into a database of several machines")
  func local() throws {
    try program.write("tasks.csv", "text\nmilk\n")
    let result = try program.run("--local", "--store", shown, "import", "tasks.csv")
    #expect(result.status == 1)
    #expect(
      result.errors.contains(
        """
        tenant.sign_in: with --local, nobody is signed in into \(shown), which other machines use
          hint: leave --store out, or name a folder with --store FOLDER
        """), "\(result)")
    #expect(try server.sql("SELECT count(*) FROM account", in: database) == "0")
    // The setting does not count with --local.
    try program.write(
      ".config/b2c-run/settings.plist", "<plist><dict><key>store</key><string>\(shown)</string></dict></plist>")
    #expect(try program.run("--local", "import", "tasks.csv").status == 0)
    let store = try program.run("--local", "store")
    #expect(
      store.errors
        == "info  with --local, the accounts are in memory and end with the run; --store FOLDER keeps them\n")
  }

  @Test("the file of the current folder names no store, for any command")
  func storeAtHand() throws {
    try program.write("settings.plist", "<plist><dict><key>store</key><string>\(shown)</string></dict></plist>")
    try program.write("jobs/first.lua", "")
    for command in [["store"], ["accounts"], ["secrets", "list"], ["jobs"]] {
      let result = try program.run(list: command)
      #expect(result.status == 3)
      #expect(
        result.errors.contains(
          "settings.plist:1: store names a database, which the settings.plist of the current folder"),
        "\(result)")
      #expect(result.errors.contains("put it into \(program.folder.path)/.config/b2c-run/settings.plist"), "\(result)")
    }
  }

  @Test(
    "an address of another kind makes no folder",
    arguments: [
      ("mysql://a:Wonderland-1@b/c", "mysql:// is not a store"),
      ("postgresql:", "postgresql: without // is not a store"),
      ("jdbc:postgresql://db/b2c", "jdbc:postgresql:// is not a store"),
      ("host=127.0.0.1 password=Wonderland-1", "words such as host=… are not a store"),
    ])
  func otherAddress(place: String, reason: String) throws {
    let hint = "\n  hint: name a folder, or a database as postgresql://USER@HOST/NAME\n"
    let store = try program.run("--store", place, "secrets", "list")
    #expect(store.status == 2)
    #expect(store.errors == "b2c-run: --store: \(reason)\(hint)")
    let move = try program.run("store", "move", place, shown)
    #expect(move.errors == "b2c-run: store move: \(reason)\(hint)")
    try program.write("team.json", #"{"store": "\#(place)"}"#)
    let setting = try program.run("--settings", "team.json", "secrets", "list")
    #expect(setting.status == 3)
    #expect(setting.errors.contains("put the address of a PostgreSQL database"))
    #expect(!(store.errors + move.errors + setting.errors).contains("Wonderland"))
    let names = try FileManager.default.contentsOfDirectory(atPath: program.folder.path)
    #expect(names.filter { !$0.hasPrefix(".") } == ["team.json"])
  }

  @Test(
    "what a server says when it refuses a connection, whatever its language",
    arguments: [
      (
        "08P01", "unsupported startup parameter: options",
        "PgBouncer refuses parameters that it does not know: leave them out of the address, such as options, or name them "
          + "in ignore_startup_parameters of pgbouncer.ini"
      ),
      (
        "28000", "Rolle »x« existiert nicht",
        "check the user, and allow this machine in pg_hba.conf on the server"
      ),
    ])
  func refused(state: String, message: String, hint: String) throws {
    let server = """
      import socket, sys, threading
      text = b"SFATAL\\0C" + sys.argv[1].encode() + b"\\0M" + sys.argv[2].encode() + b"\\0\\0"
      listener = socket.create_server(("127.0.0.1", 0))
      print(listener.getsockname()[1], flush=True)
      threading.Thread(target=lambda: (sys.stdin.read(), __import__("os")._exit(0))).start()
      while True:
          client = listener.accept()[0]
          if client.recv(4096)[4:8] == b"\\x04\\xd2\\x16\\x2f":
              client.sendall(b"N")
              client.recv(4096)
          client.sendall(b"E" + (len(text) + 4).to_bytes(4, "big") + text)
          client.close()
      """
    let (process, input, output) = (Process(), Pipe(), Pipe())
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = ["python3", "-c", server, state, message]
    process.standardInput = input
    process.standardOutput = output
    try process.run()
    defer { try? input.fileHandleForWriting.close() }
    let port = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self).prefix { $0.isNumber }
    let result = try program.run("--store", "postgresql://tests@127.0.0.1:\(port)/b2c", "secrets", "list")
    #expect(result.status == 1)
    #expect(result.errors.contains("FATAL:  \(message)"), "\(result)")
    #expect(result.errors.hasSuffix("  hint: \(hint)\n"), "\(result)")
  }

  @Test(
    "store says what to type",
    arguments: [
      (["store", "move", "a"], "store move: expected two stores"),
      (["store", "key", "ex"], "store key: expected export or import, and a file"),
      (["store", "key", "export", "f"], "store key export: expected the address of a database in --store"),
      (["store", "upgrade", "x"], "store upgrade: unexpected argument 'x'"),
    ])
  func usage(arguments: [String], message: String) throws {
    let result = try program.run(list: arguments)
    #expect(result.status == 2)
    #expect(result.errors.hasPrefix("b2c-run: \(message)\n"), "\(result)")
  }
}
