-- A script for wrk: posts new tasks, each with the token and the next proof of the file that `prove.lua` printed.
local path = assert(os.getenv("PROOFS"), "PROOFS is not set")
local file = assert(io.open(path))
local next_line = file:lines()
local token = next_line()

request = function()
  local proof = next_line()
  return wrk.format("POST", nil, {
    Authorization = "DPoP " .. token, DPoP = proof or "none left", ["Content-Type"] = "application/x-www-form-urlencoded",
  }, "Text=Buy+milk")
end
