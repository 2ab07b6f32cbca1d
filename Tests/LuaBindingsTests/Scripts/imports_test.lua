-- The module imports reads the results of imports from their journals.

local b2c = require "b2c"
local imports, tasks, tenant = b2c.imports, b2c.tasks, b2c.tenant
local support = require "support"
local equal, failure = support.equal, support.failure

local folder = b2c.args.imports
equal(#imports.list(), 0)

tenant.sign_in()
local file <close> = support.file("text,n\na,1\n,2\nc,3,4\n", ".csv")
local report = tasks.import(file.path, { journal = folder .. "/first.sqlite", progress = false })
equal(report.journal, folder .. "/first.sqlite")
equal(report.failed_rows, file.path .. ".failed.ndjson")

local list = imports.list()
equal(#list, 1)
local import = list[1]
equal(import.id, "first")
equal(import.source, file.path)
equal(import.source_name, file.path:match "[^/]+$")
equal(import.account, "Alice Liddell")
equal(import.api, "local tenant in memory")
equal(import.state, "finished")
equal(import.finished, true)
equal(import.rows, 3)
equal(import.added, 1)
equal(import.failed, 2)
equal(import.unsettled, 0)
equal(import.path, report.journal)
assert(math.abs(import.updated - os.time()) < 60)

-- By its ID, the beginning of it, or its source
equal(imports.get("fi").path, import.path)
equal(imports.get(file.path).path, import.path)
local e = failure(imports.get, "second")
equal(e.code, "journal_unknown")
equal(e.message, "there is no journal of an import by the name of second")

-- Its failed rows, as handlers get them and as they are in the file
local rows, lines = {}, {}
for row, line in imports.failures "first" do rows[#rows + 1], lines[#lines + 1] = row, line .. "\n" end
equal(#rows, 2)
equal(rows[1].row, 2)
equal(rows[1].line, 3)
equal(rows[1].code, "empty_text")
equal(rows[1].original.n, "2")
equal(rows[2].original._import.fields[3], "4")
local written <close> = assert(io.open(report.failed_rows))
equal(written:read "a", table.concat(lines))

-- A file that is none
local other <close> = assert(io.open(folder .. "/other.sqlite", "w"))
other:write(("this is no journal "):rep(100))
other:flush()
equal(imports.get("other").state, "cannot be read")
assert(imports.get("other").trouble)
equal(failure(imports.forget, "other").code, "journal_foreign")
os.remove(folder .. "/other.sqlite")

equal(imports.forget("first").id, "first")
equal(#imports.list(), 0)
