-- Many processes share one account whose token has expired, and all request a token at the same time. The tenant
-- rotates the refresh token and revokes the sign-in if an old one is used again, so a single surplus request makes the
-- drill fail.
--
--   b2c-run -A --local --store STORE Tests/Drill/refresh.lua PROGRAM FOLDER [PROCESSES [STORE]]
local b2c = require "b2c"
local accounts, async, json, settings, tenant = b2c.accounts, b2c.async, b2c.json, b2c.settings, b2c.tenant

local program, folder, processes = b2c.args[1], b2c.args[2], tonumber(b2c.args[3] or 100)
local store = b2c.args[4] or "."

local function write(name, text)
  local file <close> = assert(io.open(folder .. "/" .. name, "w"))
  assert(file:write(text))
end

local function run(command)
  local pipe = assert(io.popen(command, "r"))
  local output = pipe:read("a")
  pipe:close()
  return output
end

local function refreshes()
  local count = 0
  for _, request in ipairs(tenant.requests()) do
    if request.path:find("/token", 1, true) then count = count + 1 end
  end
  return count
end

-- The token expires after a second; a refreshed token is valid for an hour.
tenant.configure { access_token_lifetime = 2, rotate_refresh_tokens = true }
local account = accounts.sign_in { agent = "headless", username = "alice", password = "Wonderland-1" }
tenant.configure { access_token_lifetime = 3600 }
async.sleep(1.2)

write("settings.json", json.encode {
  authority = settings.authority, clientID = settings.clientID, bhh = settings.bhh, keychain = settings.keychain,
})
write("process.lua", [[
local b2c = require "b2c"
local folder, number = b2c.args[1], b2c.args[2]
local account = b2c.accounts.current()
io.open(folder .. "/ready-" .. number, "w"):close()
for _ = 1, 6000 do
  local go = io.open(folder .. "/go")
  if go then go:close() break end
  b2c.async.sleep(0.01)
end
-- The end of the signature distinguishes tokens.
print("token " .. account:token():reveal():sub(-12))
]])

local before = refreshes()
local output = run(([[
  cd '%s' || exit
  for number in $(seq %d); do
    timeout 120 '%s' --allow-write=. --settings settings.json --store '%s' process.lua . $number 2>&1 &
  done
  for try in $(seq 1200); do
    [ $(ls | grep -c '^ready-') -lt %d ] || break
    sleep 0.05
  done
  touch go
  wait
  rm -f ready-* go
]]):format(folder, processes, program, store, processes))

local tokens, distinct, answers = {}, 0, 0
for token in output:gmatch("token (%S+)\n") do
  answers = answers + 1
  if not tokens[token] then distinct, tokens[token] = distinct + 1, true end
end
local made = refreshes() - before

-- The stored refresh token must be the last one that the tenant issued.
local isKept = pcall(account.refresh, account)

print(("processes  %d\nanswered   %d\nrefreshes  %d\ntokens     %d\nlost       %d"):format(
  processes, answers, made, distinct, isKept and 0 or 1))
if answers ~= processes or made ~= 1 or distinct ~= 1 or not isKept then
  io.stderr:write(output)
  error("there should be an answer for each process, one refresh, one token and none lost", 0)
end
