-- The further methods of files: what is written is on the disk, and a file is locked for one process.

local support = require "support"
local equal, failure = support.equal, support.failure

local written <close> = support.file("one\n", ".txt")
local file = assert(io.open(written.path, "a+"))
equal(file:sync(), true)
file:write "two\n"
equal(file:sync(), true)
local other <close> = assert(io.open(written.path, "a+"))
equal(other:read "a", "one\ntwo\n")

equal(file:lock(), true)
-- The lock belongs to the open file.
local taken, problem, number = other:lock()
equal(taken, nil)
assert(problem and number)
file:close()
equal(other:lock(), true)
for _, method in ipairs { "sync", "lock" } do
  assert(tostring(failure(file[method], file)):find("closed file", 1, true))
end
