import Core
import Jobs

/// The jobs, or a part of them.
extension JobWebServer {
  /// The page with a part of the jobs.
  func jobs(_ request: Request) async throws -> DashboardPage {
    let filter = try filter(request, limit: DashboardPage.mostJobs)
    return DashboardPage.jobs(
      try await overviews(host.store.jobs(filter)), filter, try await host.store.jobCounts(filter), formToken(request))
  }

  /// The jobs of an answer to a program, which are not more than a page.
  func part(_ request: Request) async throws -> JobPart {
    let filter = try filter(request, limit: JobPart.most)
    let records = try await host.store.jobs(filter)
    let counts = try await host.store.jobCounts(filter)
    return JobPart(
      jobs: try await overviews(records), all: counts.all, filter: filter, hasMore: counts.rest > records.count)
  }

  func filter(_ request: Request, limit: Int) throws(JobError) -> JobStore.JobFilter {
    var filter = JobStore.JobFilter()
    filter.text = request.text("q") ?? ""
    filter.after = request.text("after") ?? ""
    filter.limit = Int(min(max(try request.number("limit") ?? Int64(limit), 1), Int64(limit)))
    return filter
  }

  func overviews(_ jobs: [JobRecord]) async throws -> [JobOverview] {
    var found: [JobOverview] = []
    for job in jobs { found.append(try await JobOverview(job, host.store, zone: zone, now: now)) }
    return found
  }
}

/// A part of the jobs, in the order of their names.
struct JobPart {
  /// The most jobs of a part: the work for one request has a bound.
  static let most = 1000

  let jobs: [JobOverview]
  /// The jobs that there are, with the text of the filter.
  let all: Int
  let filter: JobStore.JobFilter
  let hasMore: Bool

  /// True if these are all jobs.
  var isWhole: Bool { jobs.count == all && filter.text.isEmpty }

  /// The address of the part behind this one; nil if there is none.
  var next: String? {
    guard hasMore, let last = jobs.last?.record.name else { return nil }
    let text = filter.text.isEmpty ? "" : "&q=\(URLEncodedForm.percentEncode(filter.text))"
    return "/api/jobs?after=\(URLEncodedForm.percentEncode(last))&limit=\(filter.limit)\(text)"
  }
}
