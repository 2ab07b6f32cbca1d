"""A stand-in of the issues of GitHub's REST API, as its public pages describe it.

{"fail_patch": {"status": 403, "headers": {"Retry-After": "1"}, "times": 1}} refuses changes of issues.
"""

import json
import time

from standin import StandIn, serve


def now():
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())


class GitHub(StandIn):
    def answer(self, method, path, query, headers, body):
        parts = path.strip("/").split("/")
        if path == "/user/repos":
            return 200, [{"full_name": "alice/tasks", "has_issues": True}], {}
        if parts[0] != "repos" or parts[1:3] != ["alice", "tasks"] or parts[3] != "issues":
            return 404, {"message": "Not Found"}, {}
        tasks = self.state["tasks"]
        if len(parts) == 4 and method == "GET":
            wanted = query.get("state", "open")
            found = [t for t in reversed(list(tasks.values())) if wanted == "all" or t["state"] == wanted]
            if wanted == "all":
                found.append({"number": 9999, "title": "a pull request", "state": "open", "pull_request": {}, "labels": []})
            start, size = (int(query.get("page", 1)) - 1) * int(query.get("per_page", 30)), int(query.get("per_page", 30))
            return 200, found[start:start + size], {}
        change = json.loads(body) if body else {}
        if len(parts) == 4 and method == "POST":
            if self.refuses(change["title"]):
                return 422, {"message": "Validation Failed"}, {}
            number = int(self.new_id())
            task = {"number": number, "title": "", "body": None, "state": "open", "labels": [], "closed_at": None,
                    "html_url": f"https://github.com/alice/tasks/issues/{number}", "assignee": None}
            self.set(task, change)
            # A new issue is open, whatever the request says.
            task["state"], task["closed_at"] = "open", None
            tasks[str(number)] = task
            self.state["created"].append(change["body"])
            return 201, task, {}
        task = tasks.get(parts[4])
        if task is None:
            return 404, {"message": "Not Found"}, {}
        if method == "PATCH":
            fail = self.control.get("fail_patch")
            if fail and fail["times"] > 0:
                fail["times"] -= 1
                return fail["status"], {"message": "You have exceeded a secondary rate limit"}, fail.get("headers", {})
            self.set(task, change)
        return 200, task, {}

    def fill(self, number):
        number = self.new_id()
        self.state["tasks"][number] = {"number": int(number), "title": f"old {number}", "body": None, "state": "open", "labels": []}

    def set(self, task, change):
        for name, value in change.items():
            task[name] = [{"name": label} for label in value] if name == "labels" else value
        task["closed_at"] = (task["closed_at"] or now()) if task["state"] == "closed" else None
        task["updated_at"] = now()


serve(GitHub)
