/// Texts that other hosts take in place of five fields of cron: Kubernetes, Quartz, n8n, Jenkins, AWS, robfig/cron. The errors
/// say what to write here.
enum ForeignCron {
  /// The error of a text that another host would take; nil for any other text.
  static func problem(_ text: String, _ words: [String]) -> ScheduleError? {
    guard let first = words.first else { return nil }
    for name in ["CRON_TZ=", "TZ="] where first.hasPrefix(name) {
      let rest = words.dropFirst().joined(separator: " ")
      return ScheduleError(
        "a cron text names no time zone: \"\(first)\"",
        hint: "write cron = \"\(rest)\", zone = \"\(first.dropFirst(name.count))\"")
    }
    if first.hasPrefix("@") { return shortcut(text, first.lowercased(), words) }
    for name in ["cron(", "rate("] where text.hasPrefix(name) {
      return ScheduleError(
        "\"\(text)\" is a schedule of AWS",
        hint: name == "cron(" ? fiveFields : "write every = \"5m\" in place of cron")
    }
    if let error = count(text, words) { return error }
    return zip(words, ["minute", "hour", "day of the month", "month", "weekday"]).lazy.compactMap(mark).first
  }

  private static let fiveFields = "minute, hour, day of the month, month, weekday: 30 7 * * mon-fri"

  private static func shortcut(_ text: String, _ first: String, _ words: [String]) -> ScheduleError? {
    switch first {
    case "@reboot", "@start", "@startup":
      return ScheduleError(
        "cron has no \"\(text)\" here", hint: "write start = true in place of cron: the job starts with the server")
    case "@every":
      let given = words.dropFirst().joined()
      let interval = (try? Interval.milliseconds(of: given)).map { Interval.text(of: $0) } ?? "5m"
      return ScheduleError("cron has no \"\(text)\" here", hint: "write every = \"\(interval)\" in place of cron")
    default: return nil
    }
  }

  /// The error of a text with other than five fields.
  private static func count(_ text: String, _ words: [String]) -> ScheduleError? {
    guard words.count > 5 else { return nil }
    func isField(_ word: String) -> Bool {
      word.allSatisfy { $0.isNumber || "*?,/-#".contains($0) }
        || word.split(whereSeparator: { "-,#/".contains($0) }).allSatisfy { part in
          part.allSatisfy { $0.isLetter || $0.isNumber || $0 == "*" } && part.count <= 4
        }
    }
    guard words.count <= 7, words.allSatisfy(isField) else {
      return ScheduleError(
        "expected five fields, got \(words.count) words in \"\(text)\"",
        hint: "a cron text here has no user and no command: \(words.prefix(5).joined(separator: " "))")
    }
    // The year is a number of four digits.
    let hasYear = words.count == 7 || words[5].count >= 4 && words[5].prefix(4).allSatisfy(\.isNumber)
    let hasSeconds = words.count == 7 || !hasYear
    let five = words.dropFirst(hasSeconds ? 1 : 0).prefix(5).joined(separator: " ")
    let more = [
      hasSeconds
        ? "other hosts begin with the second, which cron does not have (every = \"10s\" is for intervals below a minute)"
        : nil, hasYear ? "calendar = { year = \"2027\", … } is for years" : nil,
    ].compactMap(\.self).joined(separator: "; ")
    return ScheduleError("expected five fields, got \(words.count) in \"\(text)\"", hint: "\(more); write \"\(five)\"")
  }

  /// The error of a field with a mark of another host.
  private static func mark(_ field: String, _ name: String) -> ScheduleError? {
    func error(_ mark: String, _ hint: String) -> ScheduleError {
      ScheduleError("\(name): there is no \"\(mark)\" in \"\(field)\"", hint: hint)
    }
    let isDay = name == "day of the month" || name == "weekday"
    let upper = field.uppercased()
    if field.contains("?") { return error("?", "write * in place of ?") }
    if upper.first == "H", !upper.hasPrefix("HO") {
      return error("H", "write a number or *, and spread = \"15m\" so that not all jobs start at once")
    }
    if field.contains("~") { return error("~", "write a number, and spread = \"30m\" for a fixed offset") }
    if let mark = field.firstIndex(of: "#") {
      let weekday = field[..<mark].lowercased()
      let number = field[field.index(after: mark)...].first?.wholeNumberValue ?? 1
      let first = (max(1, min(5, number)) - 1) * 7 + 1
      return error(
        "#",
        "write calendar = { weekday = \"\(weekday)\", day = \"\(first)..\(min(31, first + 6))\", time = \"09:00\" }")
    }
    guard isDay else { return nil }
    if upper == "L" || upper == "LW" || upper.hasPrefix("L-")
      || upper.hasSuffix("L") && upper.dropLast().allSatisfy(\.isNumber)
    {
      return error("L", "write the days that may be the last, 28-31, and let the script look which one it is")
    }
    if upper.hasSuffix("W"), upper.dropLast().allSatisfy(\.isNumber) {
      return error("W", "write calendar = { weekday = \"mon..fri\", day = \"14..16\", time = \"09:00\" }")
    }
    return nil
  }
}
