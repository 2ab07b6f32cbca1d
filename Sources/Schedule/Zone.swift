import Core
import Files
import Glibc
import Synchronization

/// A time zone of the IANA database, as the system has it (RFC 9636). FoundationEssentials knows no zone but GMT. The
/// database's C library would need the variable TZ of the whole process.
package struct Zone: Sendable, Equatable {
  package let name: String
  let rules: ZoneRules
  /// The file of the zone, to notice a new version of the database.
  private let path: String
  private let inode: UInt
  private let modified: Int

  /// - Throws: `unknown_zone`, or `no_tzdata` where the system has no zones at all.
  package init(_ name: String) throws(ScheduleError) {
    let folder = Self.folder
    guard FileSystem.isFolder(folder) else {
      throw ScheduleError("there are no time zones in \(folder)", code: "no_tzdata", hint: "install the package tzdata")
    }
    let isName =
      !name.isEmpty && name.utf8.count < 100 && !name.hasPrefix("/")
      && !name.split(separator: "/").contains { $0.hasPrefix(".") }
    let path = "\(folder)/\(name)"
    if isName, let zone = Self.known.withLock({ $0[path] }), zone.isFile(FileSystem.status(of: path)) {
      self = zone
      return
    }
    guard isName, FileSystem.kind(of: path) == S_IFREG, let rules = try? Self.read(path) else {
      throw ScheduleError(
        "there is no time zone \"\(name)\"", code: "unknown_zone",
        hint: didYouMean(name, among: Self.names) ?? "for example Europe/Athens, or UTC")
    }
    self.init(name, path, rules)
    let zone = self
    Self.known.withLock { $0[path] = zone }
  }

  /// The zones that were read, by their paths. The rows of a file name the same few zones again and again.
  private static let known = Mutex([String: Zone]())

  private init(_ name: String, _ path: String, _ rules: ZoneRules) {
    (self.name, self.path, self.rules) = (name, path, rules)
    let status = FileSystem.status(of: path)
    inode = UInt(status?.st_ino ?? 0)
    modified = status.map { $0.st_mtim.tv_sec } ?? 0
  }

  /// The zone of `TZ`, or of the machine.
  package static func local() throws(ScheduleError) -> Zone {
    if let text = getenv("TZ").map({ String(path: $0) }), !text.isEmpty {
      return try Zone(text.hasPrefix(":") ? String(text.dropFirst()) : text)
    }
    guard FileSystem.exists("/etc/localtime") else { return try Zone("UTC") }
    if let target = FileSystem.realPath("/etc/localtime"), target.hasPrefix("\(folder)/") {
      return try Zone(String(target.dropFirst(folder.count + 1)))
    }
    do { return Zone("local", "/etc/localtime", try read("/etc/localtime")) } catch {
      throw ScheduleError("the time zone of /etc/localtime cannot be read", code: "unknown_zone")
    }
  }

  package static let utc = Zone("UTC", "", ZoneRules.utc)

  /// True if the file of the zone is another one now.
  package var hasChanged: Bool {
    guard !path.isEmpty, let status = FileSystem.status(of: path) else { return false }
    return !isFile(status)
  }

  private func isFile(_ status: stat?) -> Bool {
    status.map { UInt($0.st_ino) == inode && $0.st_mtim.tv_sec == modified } ?? false
  }

  package static func == (one: Zone, other: Zone) -> Bool {
    one.name == other.name && one.inode == other.inode && one.modified == other.modified
  }

  private static var folder: String { getenv("TZDIR").map { String(path: $0) } ?? "/usr/share/zoneinfo" }

  private static func read(_ path: String) throws(ScheduleError) -> ZoneRules {
    guard let bytes = try? FileSystem.contents(of: path, limit: 1 << 20), let rules = ZoneRules(bytes) else {
      throw ScheduleError("\(path) is not a time zone", code: "unknown_zone")
    }
    return rules
  }

  /// The names that the system lists. They are read once: a mistake may be in each row of a file.
  private static var names: [String] {
    let folder = folder
    return lists.withLock { lists in
      if let list = lists[folder] { return list }
      let list = readNames(folder)
      lists[folder] = list
      return list
    }
  }

  private static let lists = Mutex([String: [String]]())

  private static func readNames(_ folder: String) -> [String] {
    for list in ["tzdata.zi", "zone1970.tab"] {
      guard let bytes = try? FileSystem.contents(of: "\(folder)/\(list)", limit: 4 << 20) else { continue }
      let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
      return lines.compactMap { line in
        let fields = line.split(separator: list == "tzdata.zi" ? " " : "\t")
        if list != "tzdata.zi" { return fields.count > 2 && !line.hasPrefix("#") ? String(fields[2]) : nil }
        return fields.first == "Z"
          ? String(fields[1]) : fields.first == "L" && fields.count > 2 ? String(fields[2]) : nil
      }
    }
    return []
  }

  // MARK: Times

  /// The seconds that the zone's clocks are ahead of UTC at a moment, in seconds since 1970.
  package func offset(at seconds: Int64) -> Int { rules.segment(at: seconds).offset }

  package func civil(at milliseconds: Int64) -> CivilTime {
    let seconds = milliseconds >= 0 ? milliseconds / 1000 : (milliseconds - 999) / 1000
    return CivilTime(seconds: seconds + Int64(offset(at: seconds)))
  }

  /// The moments of a time of the zone's clocks, in seconds since 1970.
  package enum Meaning: Sendable, Equatable {
    case unique(Int64)
    /// The clocks showed the time twice.
    case ambiguous(Int64, Int64)
    /// The clocks left the time out. The value is the moment at which they did.
    case missing(Int64)

    /// The first moment of that time, or the end of the gap that has it.
    package var first: Int64 {
      switch self {
      case .unique(let moment), .ambiguous(let moment, _), .missing(let moment): moment
      }
    }
  }

  /// True if the clocks show the time twice.
  func isShownTwice(_ time: CivilTime) -> Bool {
    if case .ambiguous = meaning(of: time) { true } else { false }
  }

  package func meaning(of time: CivilTime) -> Meaning {
    let local = time.seconds
    var found: [Int64] = []
    var gap: Int64?
    var moment = local - 172_800
    var before: Int?
    while moment < local + 172_800 {
      let segment = rules.segment(at: moment)
      let candidate = local - Int64(segment.offset)
      if let before, local - Int64(before) >= moment, candidate < moment { gap = gap ?? moment }
      // The first segment reaches back beyond the window.
      if candidate >= moment || before == nil, candidate < segment.end ?? .max { found.append(candidate) }
      before = segment.offset
      guard let end = segment.end else { break }
      moment = end
    }
    if found.count > 1 { return .ambiguous(found[0], found[1]) }
    return found.first.map { .unique($0) } ?? .missing(gap ?? local)
  }

  func segment(at seconds: Int64) -> ZoneRules.Segment { rules.segment(at: seconds) }
}
