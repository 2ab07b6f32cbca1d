package import FilePatterns

/// The jobs that files start.
extension JobHost {
  /// The jobs that files start, and that lack no permission.
  package var jobsWithFiles: Set<String> {
    Set(model.jobs.keys.filter { !filePatterns(of: $0).isEmpty && model.jobs[$0]?.record.missing.isEmpty == true })
  }

  package func filePatterns(of job: String) -> [FilePattern] { model.jobs[job]?.declaration?.filePatterns ?? [] }

  /// The permissions of the runs of a job, as flags.
  package func granted(to job: String) -> [String] { model.jobs[job]?.record.granted ?? [] }
}

extension JobDeclaration {
  package var filePatterns: [FilePattern] {
    triggers.compactMap { if case .files(let pattern) = $0 { pattern } else { nil } }
  }
}
