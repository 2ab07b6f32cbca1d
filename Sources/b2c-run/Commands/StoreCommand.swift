import Accounts
import Automation
import Core
import HostLoop
import JSON
import Jobs
import Lua
import LuaBindings
import PostgreSQL
import Settings
import Storage
import TaskImport

extension Command {
  static let store = Command(
    "store", "show the store of the accounts; upgrade it, move accounts, or hand its key to another machine",
    flags: [Flag("--json", "print all data as JSON, for programs", \.isJSON)],
    positions: [
      .init("[ACTION]", "upgrade, move or key", choices: StoreAction.allCases.map(\.rawValue)),
      .init("[WORD]", "with move: the store to move from; with key: export or import"),
      .init("[PLACE]", "with move: the store to move to; with key: the file of the key"),
    ],
    usage: ["[--json]", "upgrade", "move FROM TO", "key export FILE", "key import FILE"]
  ) { invocation, console in
    let words = invocation.arguments
    let store = StoreOfRun(invocation, console)
    switch (words.first.flatMap(StoreAction.init), words.count) {
    case (nil, 0): try await store.show()
    case (.upgrade, 1): try await store.upgrade()
    case (.move, 3): try await store.move(from: words[1], to: words[2])
    case (.key, 3) where words[1] == "export": try await store.exportKey(to: words[2])
    case (.key, 3) where words[1] == "import": try await store.importKey(from: words[2])
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

  private var location: AccountStore.Location { get throws { try invocation.configuration.storeLocation() } }

  /// The group of the settings, if there are settings.
  private var group: String {
    let configuration = invocation.configuration
    let overrides = configuration.settingsOverrides.map { ($0.key, $0.value) }
    return (try? Settings.load(file: configuration.settingsFile, overrides: overrides))?.keychain
      ?? AccountStore.defaultGroup
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

  func show() async throws {
    let contents: StoreContents?
    let place: String
    switch try location {
    case .database(let address): (place, contents) = (address.shown, try await StoreContents(of: address))
    case .folder(let folder), .userFolder(let folder, _): (place, contents) = (folder, try StoreContents(in: folder))
    case .memory: return
    }
    if invocation.isJSON { return StandardOutput.write(json(place, contents).encoded() + "\n") }
    guard let contents else {
      return console.log(.info, "there is no store in \(place) yet: a sign-in makes it")
    }
    StandardOutput.write("\(place.displayable)  \(contents.engine)\n")
    guard !contents.parts.isEmpty else {
      return console.log(
        .info, "the database has no tables of b2c-run yet: the first use or b2c-run store upgrade makes them")
    }
    var columns = Columns("PART", "VERSION", "CONTENTS")
    for part in contents.parts {
      let counts = part.counts.map { StoreContents.text($0.count, $0.what) }.joined(separator: ", ")
      columns.add(part.name, "\(part.version)", counts)
    }
    StandardOutput.write(columns.text)
  }

  private func json(_ place: String, _ contents: StoreContents?) -> JSON {
    guard let contents else { return ["store": .string(place), "engine": .null, "parts": []] }
    let parts = contents.parts.map { part in
      JSON.object([
        "part": .string(part.name), "version": .integer(part.version),
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
    for part in Self.parts { try await part.demandNotNewer(in: database) }
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
    let counts = try await StoreTransfer(
      from: { group async throws(AccountError) in try await opened(places.0, group) },
      to: { group async throws(AccountError) in try await opened(places.1, group) }
    ).run()
    console.log(
      .info,
      "moved \(counts.text) to \(PostgresAddress.withoutPassword(to))")
  }

  private func place(_ text: String) throws -> AccountStore.Location {
    var configuration = invocation.configuration
    // The user's own folder may have its keys in the keyring.
    configuration.storePath = text == (try? AccountStore.standardFolder()) ? nil : text
    return try configuration.storeLocation()
  }

  func exportKey(to file: String) async throws {
    _ = try database(for: "store key export")
    try await opened(location, group).exportKey(to: file)
    console.log(
      .info, "wrote the key of the accounts \(group) to \(file); whoever has this file can open their tokens")
  }

  func importKey(from file: String) async throws {
    let place = try await AccountStore.importKey(from: file, for: group, database(for: "store key import"))
    console.log(.info, "the key of the accounts \(group) is in \(place) now; remove \(file)")
  }
}
