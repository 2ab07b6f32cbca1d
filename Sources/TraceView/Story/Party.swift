/// The parties of a run, in the order in which they stand side by side.
enum Party: String, CaseIterable {
  case script, host, browser, authority, tasks, other

  var title: String {
    switch self {
    case .script: "Script"
    case .host: "Host"
    case .browser: "Browser"
    case .authority: "Authority"
    case .tasks: "Task API"
    case .other: "Other"
    }
  }

  init(_ name: String?) { self = name.flatMap(Party.init(rawValue:)) ?? .other }
}
