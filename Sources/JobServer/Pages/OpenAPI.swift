import JSON
import Jobs

/// The description of the JSON API (OpenAPI 3.1).
enum OpenAPI {
  static var description: JSON {
    [
      "openapi": "3.1.0",
      "info": ["title": "b2c-run jobs", "version": "1", "description": "The jobs of a host, and their runs."],
      "paths": [
        "/api/jobs": [
          "parameters": [
            query("q", "string", "Only jobs whose names have this text."),
            query("after", "string", "Only jobs behind this name."),
            query("limit", "integer", "At most 1000, also if not given. The header Link has the address of the rest."),
          ], "get": operation("The jobs, in the order of their names.", list("Job")),
        ],
        "/api/jobs/{job}": ["parameters": [path("job")], "get": operation("A job.", reference("Job"))],
        "/api/jobs/{job}/run": ["parameters": [path("job")], "post": change("run", "Starts a job.")],
        "/api/jobs/{job}/pause": ["parameters": [path("job")], "post": change("pause", "Pauses a job.")],
        "/api/jobs/{job}/resume": [
          "parameters": [path("job")], "post": change("resume", "Lets a paused job start again."),
        ],
        "/api/runs": [
          "parameters": [
            query("job", "string", "Only the runs of this job."), query("failed", "string", "Only runs that failed."),
            query("before", "integer", "Only runs before this one."),
            query("limit", "integer", "At most 1000; 50 if not given."),
          ], "get": operation("The runs, the newest first.", list("Run")),
        ],
        "/api/runs/{run}": ["parameters": [path("run")], "get": operation("A run with its steps.", reference("Run"))],
        "/api/runs/{run}/log": [
          "parameters": [path("run"), query("from", "integer", "The first byte.")],
          "get": [
            "summary": "The log of a run.",
            "responses": .object([
              "200": ["description": "The text.", "content": ["text/plain": [:]]], "404": problem,
            ]),
          ],
        ],
        "/api/webhooks": [
          "get": operation("The last requests to the webhooks of this machine, the newest first.", list("Webhook"))
        ],
        "/api/machines": [
          "get": operation("The machines that serve the jobs; none where there is only one.", list("Machine"))
        ],
        "/api/accounts": ["get": operation("The accounts of the jobs.", list("Account"))],
        "/api/runs/{run}/cancel": ["parameters": [path("run")], "post": change("cancel", "Ends a run.")],
        "/api/runs/{run}/approve": [
          "parameters": [path("run")], "post": change("approve", "Approves what a run asks."),
        ],
        "/api/runs/{run}/decline": [
          "parameters": [path("run")], "post": change("decline", "Declines what a run asks."),
        ],
        "/api/runs/{run}/retry": [
          "parameters": [path("run")], "post": change("retry", "Starts the job of an ended run again."),
        ],
      ],
      "components": [
        "schemas": [
          "Webhook": webhook, "Machine": machine, "Account": account, "Job": job, "Run": run, "Change": changed,
          "Error": error,
        ]
      ],
    ]
  }

  private static func operation(_ summary: String, _ schema: JSON) -> JSON {
    .object([
      "summary": .string(summary), "responses": .object(["200": answer("The answer.", schema), "404": problem]),
    ])
  }

  /// A command has the schema by which its body is read.
  private static func change(_ command: String, _ summary: String) -> JSON {
    let body: JSON = .object(["application/json": .object(["schema": JobCommand.body(of: command).json])])
    return .object([
      "summary": .string(summary), "requestBody": .object(["content": body]),
      "responses": .object([
        "200": answer("Done.", reference("Change")), "400": problem, "404": problem, "409": problem, "503": problem,
      ]),
    ])
  }

  private static func answer(_ text: String, _ schema: JSON) -> JSON {
    .object(["description": .string(text), "content": .object(["application/json": .object(["schema": schema])])])
  }

  private static var problem: JSON { answer("The request cannot be carried out.", reference("Error")) }
  private static func reference(_ name: String) -> JSON { .object(["$ref": .string("#/components/schemas/\(name)")]) }
  private static func list(_ name: String) -> JSON { .object(["type": "array", "items": reference(name)]) }

  private static func path(_ name: String) -> JSON {
    .object(["name": .string(name), "in": "path", "required": true, "schema": ["type": "string"]])
  }

  private static func query(_ name: String, _ type: String, _ text: String) -> JSON {
    .object([
      "name": .string(name), "in": "query", "description": .string(text), "schema": .object(["type": .string(type)]),
    ])
  }

  private static func object(_ properties: [(String, String)]) -> JSON {
    var members: [String: JSON] = [:]
    for (name, type) in properties {
      members[name] = type == "time" ? ["type": "string", "format": "date-time"] : .object(["type": .string(type)])
    }
    return .object(["type": "object", "properties": .object(members)])
  }

  private static var job: JSON {
    object([
      ("name", "string"), ("script", "string"), ("summary", "string"), ("on", "array"), ("state", "string"),
      ("reason", "string"), ("needs", "array"), ("allowed", "array"), ("failures", "integer"), ("next", "time"),
      ("zone", "string"), ("last", "object"), ("warnings", "array"),
    ])
  }

  private static var run: JSON {
    object([
      ("id", "integer"), ("job", "string"), ("kind", "string"), ("state", "string"), ("reason", "string"),
      ("attempt", "integer"), ("count", "integer"), ("due", "time"), ("until", "time"), ("created", "time"),
      ("started", "time"), ("ended", "time"), ("wake", "time"), ("event", "object"), ("error", "object"),
      ("exit", "integer"), ("progress", "object"), ("steps", "array"), ("attachments", "array"), ("machine", "string"),
    ])
  }

  private static var webhook: JSON {
    object([("time", "time"), ("method", "string"), ("path", "string"), ("status", "integer"), ("answer", "string")])
  }

  private static var machine: JSON {
    object([
      ("name", "string"), ("state", "string"), ("host", "string"), ("process", "integer"), ("version", "string"),
      ("since", "time"), ("beat", "time"), ("running", "integer"), ("queued", "integer"),
    ])
  }

  private static var account: JSON {
    object([
      ("name", "string"), ("policy", "string"), ("expires", "time"), ("renews", "boolean"), ("command", "string"),
    ])
  }

  private static var changed: JSON { object([("ok", "boolean"), ("run", "integer"), ("reason", "string")]) }
  private static var error: JSON { object([("error", "object")]) }
}
