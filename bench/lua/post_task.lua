-- A script for wrk: posts a new task with the access token from the environment.
wrk.method = "POST"
wrk.headers["Authorization"] = "Bearer " .. assert(os.getenv("TOKEN"), "TOKEN is not set")
wrk.headers["Content-Type"] = "application/x-www-form-urlencoded"
wrk.body = "Text=Buy+milk"
