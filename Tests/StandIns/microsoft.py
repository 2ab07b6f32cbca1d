"""A stand-in of Microsoft To Do in Microsoft Graph v1.0, as its public pages describe it: lists, tasks, $batch, delta.

{"zone": ["W. Europe Standard Time", "Europe/Berlin"]} is the time zone of the mailbox, as Graph and as the IANA database name it:
a day is its midnight there, and comes back in UTC. {"tells_zone": false} refuses to tell it. Without "zone" a day is midnight in UTC.

{"refuse_lists": ["Work"]} refuses to make lists of these names. {"fail_item": {"status": 429, "headers": {"Retry-After": "1"},
"times": 3}} fails single requests of batches. {"latency": 0.05} makes each request take that long, four of a batch at the same time.
"""

import datetime
import json
import time
import zoneinfo

from standin import StandIn, serve


def now():
    return time.strftime("%Y-%m-%dT%H:%M:%S.0000000Z", time.gmtime())


class Microsoft(StandIn):
    def answer(self, method, path, query, headers, body):
        latency = self.control.get("latency", 0)
        if path.strip("/") != "$batch":
            time.sleep(latency)
            return self.one(method, path, query, headers, json.loads(body) if body else None)
        requests = json.loads(body)["requests"]
        if len(requests) > 20:
            return 400, {"error": {"code": "BadRequest", "message": "a batch has at most 20 requests"}}, {}
        status, responses = {}, []
        for request in requests:
            if any(status[other] >= 400 for other in request.get("dependsOn") or []):
                code, answer, fields = 424, {"error": {"code": "FailedDependency", "message": "a request before it failed"}}, {}
            else:
                code, answer, fields = self.item(request)
            status[request["id"]] = code
            responses.append({"id": request["id"], "status": code, "headers": fields, "body": answer})
        time.sleep(latency * -(-len(requests) // 4))
        return 200, {"responses": responses[::-1]}, {}

    def item(self, request):
        fail = self.control.get("fail_item")
        if fail and fail["times"] > 0:
            fail["times"] -= 1
            return fail["status"], {"error": {"code": "tooManyRequests", "message": "slow down"}}, fail.get("headers", {})
        return self.one(request["method"], request["url"], {}, request.get("headers") or {}, request.get("body"))

    def one(self, method, path, query, headers, body):
        parts = path.strip("/").split("/")
        if parts[:2] == ["me", "mailboxSettings"]:
            if not self.control.get("tells_zone", True):
                return 403, {"error": {"code": "ErrorAccessDenied", "message": "Access is denied."}}, {}
            zone = self.control.get("zone", ["UTC"])[0]
            return 200, {"value": zone} if parts[2:] == ["timeZone"] else {"timeZone": zone}, {}
        if parts[:3] != ["me", "todo", "lists"]:
            return 404, {"error": {"code": "NotFound", "message": "no such resource"}}, {}
        tasks = self.state["tasks"]
        if len(parts) == 3:
            lists = self.state.setdefault("lists", [{"id": "l1", "displayName": "Tasks", "wellknownListName": "defaultList"},
                                                    {"id": "l2", "displayName": "Home", "wellknownListName": "none"}])
            if method == "GET":
                return 200, {"value": lists}, {}
            if body["displayName"] in self.control.get("refuse_lists", []):
                return 403, {"error": {"code": "ErrorAccessDenied", "message": "Access is denied."}}, {}
            lists.append({"id": "l" + str(len(lists) + 1), "displayName": body["displayName"], "wellknownListName": "none"})
            return 201, lists[-1], {}
        mine = [t for t in tasks.values() if t["list"] == parts[3]]
        if len(parts) == 5 and method == "GET":
            start, size = int(query.get("$skip", 0)), min(100, int(query.get("$top", 10)))
            answer = {"value": [self.shown(t, query.get("$expand")) for t in mine[start:start + size]]}
            if start + size < len(mine):
                expand = f"&$expand={query['$expand']}" if "$expand" in query else ""
                answer["@odata.nextLink"] = f"http://{headers['Host']}{path}?$top={size}&$skip={start + size}{expand}"
            return 200, answer, {}
        if len(parts) == 5 and method == "POST":
            if self.refuses(body.get("title")):
                return 400, {"error": {"code": "invalidRequest", "message": "the title is not allowed"}}, {}
            task = {"id": "t=" + self.new_id(), "list": parts[3], "version": 1, "status": "notStarted", "importance": "normal",
                    "categories": [], "createdDateTime": now(), "hasAttachments": False}
            self.set(task, body)
            tasks[task["id"]] = task
            task["linkedResources"] = [dict(link, id="r" + task["id"]) for link in task.get("linkedResources", [])]
            self.state["created"].append(body["linkedResources"][0].get("externalId"))
            return 201, self.shown(task), {}
        identity = parts[5].replace("%3D", "=")
        if identity == "delta":
            since = int(query.get("$deltatoken", 0))
            if query.get("$deltatoken") == "0":
                return 410, {"error": {"code": "syncStateNotFound", "message": "the token is too old"}}, {}
            clock = self.state.get("clock", 1)
            return 200, {"value": [self.shown(t) for t in mine if t.get("changed", 0) > since] + [
                {"id": i, "@removed": {"reason": "deleted"}} for i, at in self.state.get("removed", []) if at > since],
                "@odata.deltaLink": f"http://{headers['Host']}{path}?$deltatoken={clock}"}, {}
        task = tasks.get(identity)
        if task is None or task["list"] != parts[3]:
            return 404, {"error": {"code": "ErrorItemNotFound", "message": "the task was not found"}}, {}
        if len(parts) > 6:
            return self.link(task, method, parts[7:], body)
        if headers.get("If-Match") not in (None, self.shown(task)["@odata.etag"]):
            return 412, {"error": {"code": "ErrorIrresolvableConflict", "message": "the etag does not match"}}, {}
        if method == "DELETE":
            del tasks[identity]
            self.state["clock"] = self.state.get("clock", 1) + 1
            self.state.setdefault("removed", []).append([identity, self.state["clock"]])
            return 204, None, {}
        if method == "PATCH":
            self.set(task, body)
            task["version"] += 1
        return 200, self.shown(task, query.get("$expand")), {}

    def link(self, task, method, rest, body):
        """Adds or changes the linked resource of a task, of which there is one."""
        links = task.setdefault("linkedResources", [])
        if method == "POST" and not links:
            links.append(dict(body, id="r" + task["id"]))
        elif method == "PATCH" and links and rest == [links[0]["id"].replace("=", "%3D")]:
            links[0].update(body)
        else:
            return 400, {"error": {"code": "invalidRequest", "message": "a task has one linked resource"}}, {}
        self.set(task, {})
        task["version"] += 1
        return 201 if method == "POST" else 200, links[0], {}

    def fill(self, number):
        identity = "t=" + self.new_id()
        self.state["tasks"][identity] = {"id": identity, "list": "l1", "version": 1, "status": "notStarted", "importance": "normal",
                                         "title": f"old {number}"}

    def set(self, task, body):
        task.update(body)
        for name in ("dueDateTime", "startDateTime"):
            if task.get(name):
                task[name] = {"dateTime": self.midnight(task[name]) + ".0000000", "timeZone": "UTC"}
        if task["status"] == "completed" and not task.get("completedDateTime"):
            task["completedDateTime"] = {"dateTime": time.strftime("%Y-%m-%dT00:00:00.0000000"), "timeZone": "UTC"}
        self.state["clock"] = task["changed"] = self.state.get("clock", 1) + 1
        task["lastModifiedDateTime"] = now()

    def midnight(self, value):
        """The midnight of the mailbox's day that a time is on, in UTC."""
        graph, name = self.control.get("zone", ["UTC", "UTC"])
        mailbox, utc = zoneinfo.ZoneInfo(name), datetime.timezone.utc
        given = mailbox if value["timeZone"] in (graph, name) else zoneinfo.ZoneInfo(value["timeZone"])
        there = datetime.datetime.fromisoformat(value["dateTime"][:19]).replace(tzinfo=given).astimezone(mailbox)
        return there.replace(hour=0, minute=0, second=0).astimezone(utc).strftime("%Y-%m-%dT%H:%M:%S")

    def shown(self, task, expand=None):
        """A task as it is in an answer. Linked resources are there if a request expands them."""
        hidden = {"list", "version", "changed", "linkedResources"} - {expand}
        shown = {k: v for k, v in task.items() if k not in hidden}
        shown["@odata.etag"] = f'W/"{task["version"]}"'
        return shown


serve(Microsoft)
