import Jobs
import Pages

extension DashboardPage {
  /// The jobs of one page.
  static let mostJobs = 50

  /// - Parameter counts: the jobs that the filter finds, and those of them on this page and behind it.
  static func jobs(
    _ jobs: [JobOverview], _ filter: JobStore.JobFilter, _ counts: (all: Int, rest: Int), _ token: String
  ) -> DashboardPage {
    let cards = jobs.map { job in
      let name = HTML(.h2, HTML(.a, with: ["href": "/jobs/\(path(job.record.name))"], job.record.name))
      return HTML(
        .section, class: "card job", HTML(.div, class: "head", name, state(job), strip(job)), summary(job), facts(job),
        buttons(job, token))
    }
    let empty =
      filter.text.isEmpty && filter.after.isEmpty
      ? quiet("There are no jobs. ", HTML(.code, "b2c-run new --job NAME"), " writes a first one.")
      : quiet("There is no such job.")
    return DashboardPage(
      "Jobs", pause: 5, HTML(.h1, "Jobs"), search(filter, counts), cards.isEmpty ? empty : HTML.list(cards),
      next(jobs, filter, counts))
  }

  /// A field for a part of the name, where there are more jobs than a page has.
  private static func search(_ filter: JobStore.JobFilter, _ counts: (all: Int, rest: Int)) -> HTML? {
    guard counts.all > mostJobs || !filter.text.isEmpty || !filter.after.isEmpty else { return nil }
    let first = counts.all - counts.rest + 1
    let last = min(counts.all, first + filter.limit - 1)
    let place = counts.rest == 0 ? "\(counts.all)" : "\(first) to \(last) of \(counts.all)"
    return HTML(
      .form, class: "search", with: ["action": "/"],
      HTML(.label, "Name ", HTML(.input, with: ["name": "q", "value": filter.text])), " ",
      HTML(.button, class: "do", "Find"), " ", HTML(.span, class: "quiet", place))
  }

  private static func next(
    _ jobs: [JobOverview], _ filter: JobStore.JobFilter, _ counts: (all: Int, rest: Int)
  ) -> HTML? {
    let query = filter.text.isEmpty ? "" : "q=\(path(filter.text))"
    let first = filter.after.isEmpty ? nil : HTML(.a, with: ["href": "/?\(query)"], "First")
    guard counts.rest > jobs.count, let last = jobs.last else { return first.map { HTML(.p, $0) } }
    let after = "\(query.isEmpty ? "" : "\(query)&")after=\(path(last.record.name))"
    return HTML(.p, first, " ", HTML(.a, with: ["href": "/?\(after)"], "Next"))
  }
}
