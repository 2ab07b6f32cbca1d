-- b2c.mcp, at the local tenant as an MCP server

local b2c = require "b2c"
local mcp, tenant = b2c.mcp, b2c.tenant
local support = require "support"
local equal, failure, message = support.equal, support.failure, support.message

local url = tenant.url .. "/mcp"
local options = { sign_in = { agent = "headless", username = "alice", password = "Wonderland-1" } }

-- A connection signs in, and lists the tools.
local server = mcp.connect(url, options)
equal(server.version, "2026-07-28")
equal(server.server, "local-tenant")
equal(tostring(server), "connection (2026-07-28)")
local tools = server:tools()
equal(#tools, 3)
equal(tools[1].name, "list_tasks")
equal(tools[1].read_only, true)
equal(tools[2].input_schema.required[1], "text")

-- A tool that needs more scopes gets them.
local added = server:call("add_task", { text = "Pack" })
equal(added.data.Text, "Pack")
equal(added.failed, false)
equal(added.content[1].type, "text")
equal(#server:call("list_tasks").data.tasks, 1)

-- A tool that fails raises an error, or says so.
local problem = failure(server.call, server, "complete_task", { id = 4711 })
equal(problem.code, "tool_failed")
equal(server:call("complete_task", { id = 4711 }, { raise = false }).failed, true)
equal(failure(server.call, server, "unknown").code, "server_error")
equal(failure(server.resources, server).details.rpc_code, "-32601")
equal(failure(server.call, server, "list_tasks", { 1, 2 }).code, "invalid_argument")

-- The known account is taken, also with a session; closing ends it, and the next request begins anew.
local older = mcp.connect(url, { version = "2025-11-25", sign_in = false })
equal(older.version, "2025-11-25")
older:close()
equal(older.version, nil)
equal(tostring(older), "connection (closed)")
equal(#older:tools(), 3)

-- Failures of the server
tenant.fault { path = "/mcp", status = 503, times = 1 }
equal(failure(server.tools, server).status, 503)
tenant.fault { path = "/mcp", status = 401, times = 2 }
equal(failure(older.tools, older).code, "sign_in_required")

-- Wrong arguments, before anything is sent
equal(message(mcp.connect, "http://mcp.example/mcp"):match "is not the https address of a server" ~= nil, true)
equal(failure(mcp.connect, url, { timeout = 0 }).option, "timeout")
equal(failure(mcp.connect, url, { version = "1999" }).option, "version")
equal(failure(mcp.connect, url, { sign_in = { agnet = "headless" } }).code, "unknown_option")
equal(failure(mcp.connect, tenant.url .. "/api/tasks", { sign_in = false }).code, "sign_in_required")
