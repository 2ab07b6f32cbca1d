-- Puts files beside a writable journal: a rollback journal that names a file for SQLite to remove, and symbolic links
-- to outside in place of the log and the seal.
-- From: sqlite.org/fileformat2.html, 3 (super-journals); sqlite.org/wal.html.
-- flags: --allow-write=.
local e = require "support"
local b2c = require "b2c"
b2c.tenant.sign_in()
b2c.tasks.import("rows.csv", { journal = "forged.db", progress = false })
local file <close> = assert(io.open("forged.db", "rb"))
local pages = #file:read "a" // 4096
local name = e.outside .. "/canary.txt"
local sum = 0
for i = 1, #name do sum = sum + name:byte(i) end
local magic = "\xd9\xd5\x05\xf9\x20\xa1\x63\xd7"
local header = magic .. string.pack(">I4I4I4I4I4", 0, 7, pages, 512, 4096)
local super = string.pack(">I4", 0x40000000 // 4096 + 1) .. name .. string.pack(">I4I4", #name, sum) .. magic
local journal = assert(io.open("forged.db-journal", "wb"))
journal:write(header, ("\0"):rep(512 - #header), super)
journal:close()
pcall(b2c.tasks.import, "rows.csv", { journal = "forged.db", progress = false })
e.held()
