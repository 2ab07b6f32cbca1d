import Core
import Jobs

extension DashboardPage {
  /// The jobs of one page.
  static let mostJobs = 50

  /// - Parameter counts: the jobs that the filter finds, and those of them on this page and behind it.
  static func jobs(
    _ jobs: [JobOverview], _ filter: JobStore.JobFilter, _ counts: (all: Int, rest: Int), _ token: String
  ) -> DashboardPage {
    let cards = jobs.map { job in
      """
      <section class="card job"><div class="head"><h2><a href="/jobs/\(path(job.record.name))">\(escape(job.record.name))</a></h2>
      \(state(job))\(strip(job))</div>
      \(summary(job))<ul class="facts">\(facts(job))</ul>\(buttons(job, token))</section>
      """
    }
    let empty =
      filter.text.isEmpty && filter.after.isEmpty
      ? "There are no jobs. <code>b2c-run new --job NAME</code> writes a first one." : "There is no such job."
    return DashboardPage(
      "Jobs", pause: 5,
      """
      <h1>Jobs</h1>\(search(filter, counts))\(cards.isEmpty ? "<p class=\"quiet\">\(empty)</p>" : cards.joined(separator: "\n"))
      \(next(jobs, filter, counts))
      """)
  }

  /// A field for a part of the name, where there are more jobs than a page has.
  private static func search(_ filter: JobStore.JobFilter, _ counts: (all: Int, rest: Int)) -> String {
    guard counts.all > mostJobs || !filter.text.isEmpty || !filter.after.isEmpty else { return "" }
    let first = counts.all - counts.rest + 1
    let last = min(counts.all, first + filter.limit - 1)
    let place = counts.rest == 0 ? "\(counts.all)" : "\(first) to \(last) of \(counts.all)"
    return """
      <form class="search" action="/"><label>Name <input name="q" value="\(escape(filter.text))"></label>
      <button class="do">Find</button> <span class="quiet">\(place)</span></form>
      """
  }

  private static func next(
    _ jobs: [JobOverview], _ filter: JobStore.JobFilter, _ counts: (all: Int, rest: Int)
  ) -> String {
    let query = filter.text.isEmpty ? "" : "q=\(path(filter.text))"
    let first = filter.after.isEmpty ? "" : "<a href=\"/?\(query)\">First</a> "
    guard counts.rest > jobs.count, let last = jobs.last else { return first.isEmpty ? "" : "<p>\(first)</p>" }
    let next = "<a href=\"/?\(query.isEmpty ? "" : "\(query)&amp;")after=\(path(last.record.name))\">Next</a>"
    return "<p>\(first)\(next)</p>"
  }
}
