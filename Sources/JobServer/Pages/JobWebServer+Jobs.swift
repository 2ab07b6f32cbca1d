import Jobs

/// The jobs, or a part of them.
extension JobWebServer {
  /// The page with a part of the jobs.
  func jobs(_ request: Request) async throws -> DashboardPage {
    let filter = try filter(request, limit: DashboardPage.mostJobs)
    return DashboardPage.jobs(
      try await overviews(host.store.jobs(filter)), filter, try await host.store.jobCounts(filter), formToken(request))
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
