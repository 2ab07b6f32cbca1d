import CommandLine
import Documentation
import Lua

extension ManualPage {
  /// The page of the files in a folder of jobs, made of the declarations of `b2c.job` and of the object it returns.
  static func jobs(_ reference: Reference, _ release: Release) -> ManualPage {
    var page = ManualPage("b2c-run-jobs", section: 5, "the scripts that b2c-run serve runs", release)
    page.begin("DESCRIPTION")
    if let concept = Concept.all.first(where: { $0.name == "jobs" }) { page.add(concept) }
    if case .function(let job)? = reference["job"] {
      page.addBreak()
      page.add(job.doc)
      page.begin("OPTIONS OF B2C.JOB")
      for option in job.parameters.flatMap({ $0.type.optionKeys ?? [] }) { page.item(option, option.optionWords) }
      if case .record(let trigger)? = reference["trigger"] {
        page.begin("EVENTS")
        page.add("The option on is one table, or a list of tables, with these fields:")
        for field in trigger.fields { page.item(field, field.fieldWords) }
      }
      if case .type(let run)? = reference["run"] { page.add(run) }
      if !job.example.isEmpty {
        page.begin("EXAMPLES")
        page.add(code: "local b2c = require \"b2c\"\n\n\(job.example)")
      }
    }
    page.begin("FILES")
    page.item("jobs/NAME.lua", "the job NAME; the folder is the argument of b2c-run serve, or jobs")
    page.item("jobs/NAME_test.lua", "a test of the job, which serve ignores")
    page.item(
      "~/.local/state/b2c-run/jobs", "the history of the jobs, unless --state or STATE_DIRECTORY names another folder")
    page.item("/etc/b2c-run/jobs", "the jobs of the systemd unit b2c-run.service")
    page.seeAlso([("b2c-run", 1), ("b2c-run-serve", 1), ("b2c-run-jobs", 1), ("b2c-run-settings", 5)])
    return page
  }

  private mutating func item(_ parameter: Parameter, _ form: String) {
    item(parameter.name, "\(form.prefix(1).uppercased())\(form.dropFirst()). \(parameter.doc)")
  }

  private mutating func add(_ run: HostType) {
    begin("THE RUN")
    add("b2c.job returns the run, with these fields and methods:")
    for member in run.members { item(member, member.fieldWords) }
    for method in run.methods {
      item(method.signature, method.doc)
      for parameter in method.shownParameters {
        for key in parameter.type.optionKeys ?? [parameter] {
          text += ".RS\n"
          item(key, key.optionWords)
          text += ".RE\n"
        }
      }
    }
  }
}
