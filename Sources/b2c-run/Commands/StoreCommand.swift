import Accounts
import Automation
import Core
import DatabaseAddress
import Databases
import HostLoop
import JSON
import Jobs
import Lua
import LuaKit
import TaskImport

extension Command {
  static let store = Command(
    "store", "show the store of the accounts; upgrade it, move accounts, or hand its keys to another machine",
    flags: [Flag("--json", "print all data as JSON, for programs", with: [""], \.isJSON)],
    positions: [
      .init("[ACTION]", "upgrade, move or key", choices: StoreAction.allCases.map(\.rawValue)),
      .init("[FROM]", "with move: the store to move from, a folder or an address; with key: export or import"),
      .init("[TO|FILE]", "with move: the store to move to; with key: the file of the keys"),
    ],
    usage: ["[--json]", "upgrade", "move FROM TO", "key export FILE", "key import FILE"]
  ) { invocation, console in
    let words = invocation.arguments
    let store = StoreOfRun(invocation, console)
    switch (words.first.flatMap(StoreAction.init), words.count) {
    case (nil, 0): try await store.show()
    case (.upgrade, 1): try await store.upgrade()
    case (.move, 3): try await store.move(from: words[1], to: words[2])
    case (.key, 3) where words[1] == "export": try await store.exportKeys(to: words[2])
    case (.key, 3) where words[1] == "import": try await store.importKeys(from: words[2])
    case (.upgrade, _): throw UsageError("store upgrade: unexpected argument '\(words[1])'")
    case (.move, _): throw UsageError("store move: expected two stores", hint: "b2c-run store move FROM TO")
    default:
      throw UsageError(
        "store key: expected export or import, and a file",
        hint: "b2c-run store key export FILE, on the other machine import")
    }
    return .done
  }
}

private enum StoreAction: String, CaseIterable { case upgrade, move, key }

/// The store of `--store`, or the usual one.
@HostActor
private struct StoreOfRun {
  let invocation: Invocation
  let console: Console

  init(_ invocation: Invocation, _ console: Console) {
    self.invocation = invocation
    self.console = console
  }

  /// The parts of a database, in the order in which they are made.
  private static let parts: [Migrations] = [
    Lease.migrations, SharedStoreSchema.migrations, JobStore.migrations, SharedSchema.migrations,
  ]

  private var location: AccountStore.Location {
    get throws {
      let configuration = invocation.configuration
      return configuration.session.localTenant != nil && configuration.session.storePath == nil
        ? .memory : try configuration.session.storeLocation()
    }
  }

  private func opened(_ location: AccountStore.Location, _ group: String) async throws(AccountError) -> AccountStore {
    try await AccountStore(location, group: group, tell: { [console] in console.log(.warn, $0) })
  }

  /// The address of the database. Throws for a store of one machine.
  private func database(for action: String) throws -> PostgresAddress {
    guard case .database(let address) = try location else {
      throw UsageError(
        "\(action): expected the address of a database in --store", hint: "--store postgresql://USER@HOST/NAME")
    }
    return address
  }

  /// Waits for a server that does not answer.
  private func patiently<Value: Sendable>(
    _ address: PostgresAddress, _ body: @HostActor () async throws -> Value
  ) async throws -> Value {
    try await PostgresDatabase.patiently(address.shown, { [console] in console.log(.warn, $0) }, body)
  }

  func show() async throws {
    let contents: StoreContents?
    let place: String
    switch try location {
    case .database(let address):
      place = address.shown
      contents = try await patiently(address) { try await StoreContents(of: address, known: Self.parts) }
    case .folder(let folder), .userFolder(let folder, _): (place, contents) = (folder, try StoreContents(in: folder))
    case .memory: (place, contents) = ("memory", nil)
    }
    if invocation.isJSON { return StandardOutput.write(json: json(place, contents).encoded() + "\n") }
    guard let contents else {
      let note =
        place == "memory"
        ? "with --local, the accounts are in memory and end with the run; --store FOLDER keeps them"
        : "there is no store in \(place) yet: a sign-in makes it"
      return console.log(.info, note)
    }
    StandardOutput.write("\(place.displayable)  \(contents.engine)\n")
    guard !contents.parts.isEmpty else {
      return console.log(
        .info, "the database has no tables of b2c-run yet: the first use or b2c-run store upgrade makes them")
    }
    var columns = Columns("PART", "VERSION", "CONTENTS")
    for part in contents.parts {
      let counts = part.counts.map { StoreContents.text($0.count, $0.what) }.joined(separator: ", ")
      columns.add(part.name, Self.text(version: part.version, known: contents.known[part.name]), counts)
    }
    StandardOutput.write(columns.text)
    func has(_ isDifferent: (Int64, Int64) -> Bool) -> Bool {
      contents.parts.contains { part in contents.known[part.name].map { isDifferent(part.version, $0) } ?? false }
    }
    if has(>) { console.log(.warn, "a newer b2c-run made these tables: update b2c-run on this machine") }
    if has(<), contents.isShared {
      console.log(
        .warn,
        "an earlier b2c-run made these tables: update b2c-run on all machines, and then run once, with the same "
          + "--store: b2c-run store upgrade")
    }
  }

  private static func text(version: Int64, known: Int64?) -> String {
    guard let known, known != version else { return "\(version)" }
    return "\(version), \(version > known ? "newer" : "older") than this program knows (\(known))"
  }

  private func json(_ place: String, _ contents: StoreContents?) -> JSON {
    guard let contents else { return ["store": .string(place), "engine": .null, "parts": []] }
    let parts = contents.parts.map { part in
      JSON.object([
        "part": .string(part.name), "version": .integer(part.version),
        "known_version": contents.known[part.name].map(JSON.integer) ?? .null,
        "contents": .object(Dictionary(part.counts.map { ("\($0.what)s", JSON.integer($0.count)) }) { $1 }),
      ])
    }
    return ["store": .string(place), "engine": .string(contents.engine), "parts": .array(parts)]
  }

  func upgrade() async throws {
    guard case .database(let address) = try location else {
      return console.log(.info, "a store of one machine is upgraded when it is opened")
    }
    // A step may rewrite a large table.
    let database = PostgresDatabase(address, patience: 3600)
    // Before the first change.
    try await patiently(address) { for part in Self.parts { try await part.demandNotNewer(in: database) } }
    for part in Self.parts {
      let (before, now) = (try await part.upgrade(database), part.steps.count)
      let what =
        before == now
        ? "has version \(now) already"
        : before == 0 ? "made, version \(now)" : "upgraded from version \(before) to \(now)"
      console.log(.info, "\(part.part): \(what)")
    }
    await database.close()
  }

  func move(from: String, to: String) async throws {
    let places = (try place(from), try place(to))
    try await demandStore(at: places.0, named: PostgresAddress.withoutPassword(from))
    let counts = try await StoreTransfer(
      from: { group async throws(AccountError) in try await opened(places.0, group) },
      to: { group async throws(AccountError) in try await opened(places.1, group) }
    ).run()
    console.log(
      .info,
      "moved \(counts.text) to \(PostgresAddress.withoutPassword(to))")
  }

  /// Checks that there is a store to move from: the move itself would make one.
  private func demandStore(at place: AccountStore.Location, named name: String) async throws {
    let isThere =
      switch place {
      case .database(let address): try await hasAccounts(address)
      case .folder(let folder): AccountStore.isOne(folder)
      case .userFolder(let folder, let earlier): AccountStore.isOne(folder) || earlier.map(AccountStore.isOne) == true
      case .memory: false
      }
    guard !isThere else { return }
    throw AccountError(
      .storeUnusable, "there is no store in \(name); nothing was moved",
      hint: "the accounts of this user are in \(try AccountStore.standardFolder()) unless --store names another place")
  }

  /// True if the database has the tables of accounts, of whatever version.
  private func hasAccounts(_ address: PostgresAddress) async throws -> Bool {
    let database = PostgresDatabase(address)
    let state = try await patiently(address) { try await SharedStoreSchema.migrations.state(of: database) }
    await database.close()
    return state != .missing
  }

  private func place(_ text: String) throws -> AccountStore.Location {
    if let (reason, hint) = PostgresAddress.mistake(in: text) {
      throw UsageError("store move: \(reason)", hint: hint)
    }
    if PostgresAddress.isOne(text) { return .database(try PostgresAddress(text)) }
    // The user's own folder may have its keys in the keyring.
    let own = try? AccountStore.standardFolder()
    return text == own || text == own.map { "\($0)/" }
      ? .userFolder(text, earlier: AccountStore.earlierFolder()) : .folder(text)
  }

  func exportKeys(to file: String) async throws {
    let groups = try await keys(for: "store key export").export(to: file)
    console.log(
      .info, "wrote \(Self.text(groups)) to \(file); whoever has this file can open their tokens and secrets")
  }

  func importKeys(from file: String) async throws {
    let groups = try await keys(for: "store key import").import(from: file)
    console.log(.info, "this machine has \(Self.text(groups)) now; remove \(file)")
  }

  private func keys(for action: String) async throws -> StoreKeys {
    try await StoreKeys(of: try database(for: action), tell: { [console] in console.log(.warn, $0) })
  }

  /// `the keys of the accounts contoso, default`
  private static func text(_ groups: [String]) -> String {
    "the key\(groups.count == 1 ? "" : "s") of the accounts \(groups.joined(separator: ", "))"
  }
}
