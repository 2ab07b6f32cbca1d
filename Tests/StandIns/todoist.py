"""A stand-in of Todoist's API v1, as its public reference describes it: sync commands, tasks, and completed tasks.

{"refuse_lists": ["Work"]} refuses to make projects of these names. {"most": 3} is the number of open tasks that a project holds; 300 at Todoist. {"fail_command": {"item_add": 1}} answers so many
commands of a type with a limit that lasts a second.
"""

import json
import time
import urllib.parse

from standin import StandIn, serve


def now():
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())


def limited(seconds):
    return {"error": "Too many requests. Limits reached. Try again later", "error_code": 35, "error_tag": "LIMITS_REACHED",
            "error_extra": {"event_id": "0", "retry_after": seconds}, "http_code": 429}


class Todoist(StandIn):
    def limit(self, seconds):
        # Todoist tells the wait in the body alone.
        return limited(seconds), {}

    def answer(self, method, path, query, headers, body):
        self.state.setdefault("uuids", {})
        self.state.setdefault("version", 0)
        if method == "POST" and path == "/sync":
            return self.sync(dict(urllib.parse.parse_qsl(body.decode())))
        if method == "GET" and path.startswith("/tasks/completed/"):
            items = [t for t in self.state["tasks"].values() if t["checked"] and t["project_id"] == query["project_id"]
                     and query["since"] <= t["completed_at"] <= query["until"]]
            return 200, {"items": items, "next_cursor": None}, {}
        if method == "GET" and path.startswith("/tasks/"):
            task = self.state["tasks"].get(path.split("/")[-1])
            return (200, task, {}) if task and not task["is_deleted"] else (404, {"error": "Task not found"}, {})
        return 404, {"error": "no such resource"}, {}

    def sync(self, form):
        if "commands" in form:
            commands = json.loads(form["commands"])
            if len(commands) > 100:
                return 400, {"error": "too many commands", "error_tag": "MAX_COMMANDS"}, {}
            mapping, status = {}, {}
            for command in commands:
                status[command["uuid"]] = self.run(command, mapping)
            return 200, {"sync_status": status, "temp_id_mapping": mapping}, {}
        kinds = json.loads(form["resource_types"])
        since = 0 if form["sync_token"] == "*" else int(form["sync_token"])
        answer = {"sync_token": str(self.state["version"]), "full_sync": since == 0}
        if "projects" in kinds:
            answer["projects"] = list(self.projects().values())
        if "items" in kinds:
            answer["items"] = [t for t in self.state["tasks"].values()
                               if t["version"] > since and (since or not t["checked"] and not t["is_deleted"])]
        if "user" in kinds:
            answer["user"] = {"joined_at": "2026-06-01T00:00:00Z"}
        return 200, answer, {}

    def parent_project(self, args):
        """A sub-task is in the project of its parent."""
        return self.state["tasks"].get(args.get("parent_id"), {}).get("project_id")

    def move_parts(self, task):
        for part in self.state["tasks"].values():
            if part["parent_id"] == task["id"]:
                part["project_id"], part["version"] = task["project_id"], self.state["version"]
                self.move_parts(part)

    def projects(self):
        return self.state.setdefault("projects", {
            "p1": {"id": "p1", "name": "Inbox", "inbox_project": True, "is_deleted": False},
            "p2": {"id": "p2", "name": "Home", "is_deleted": False}})

    def run(self, command, mapping):
        uuids = self.state["uuids"]
        if command["uuid"] in uuids:
            return uuids[command["uuid"]]
        args = command["args"]
        kind = command["type"]
        if kind == "item_add" and self.refuses(args["content"]):
            return {"error_code": 20, "error": "the content is not allowed", "http_code": 400}
        failing = self.control.get("fail_command", {})
        if failing.get(kind, 0) > 0:
            failing[kind] -= 1
            return limited(1)
        if kind == "project_add":
            if args["name"] in self.control.get("refuse_lists", []):
                return {"error_code": 49, "error": "Maximum number of projects reached", "http_code": 403}
            identity = "project" + self.new_id()
            mapping[command["temp_id"]] = identity
            self.projects()[identity] = {"id": identity, "name": args["name"], "is_deleted": False}
            uuids[command["uuid"]] = "ok"
            return "ok"
        project = args.get("project_id") or "p1"
        if kind == "item_add" and sum(t["project_id"] == project and not t["checked"] and not t["is_deleted"]
                                      for t in self.state["tasks"].values()) >= self.control.get("most", 1 << 30):
            return {"error": "Maximum number of items per user project limit reached", "error_code": 49,
                    "error_tag": "MAX_ITEMS_LIMIT_REACHED", "error_extra": {}, "http_code": 403}
        self.state["version"] += 1
        if kind == "item_add":
            identity = self.new_id()
            mapping[command["temp_id"]] = identity
            uuids["temp " + command["temp_id"]] = identity
            self.state["tasks"][identity] = {
                "id": identity, "content": args["content"], "description": args.get("description", ""),
                "project_id": self.parent_project(args) or args.get("project_id") or "p1",
                "labels": args.get("labels") or [], "parent_id": args.get("parent_id"),
                "due": args.get("due"), "priority": args.get("priority", 1), "checked": False, "completed_at": None,
                "is_deleted": False, "added_at": now(), "updated_at": now(), "day_order": 7}
            self.state["created"].append(command["uuid"])
        else:
            identity = uuids.get("temp " + str(args["id"]), str(args["id"]))
        task = self.state["tasks"].get(identity)
        if task is None or task["is_deleted"]:
            return {"error_code": 22, "error": "Item not found", "http_code": 404}
        if kind == "item_complete":
            task["checked"], task["completed_at"] = True, args.get("date_completed") or now()
        elif kind == "item_uncomplete":
            task["checked"], task["completed_at"] = False, None
        elif kind == "item_delete":
            task["is_deleted"] = True
        elif kind == "item_move":
            if len({"parent_id", "section_id", "project_id"} & args.keys()) != 1:
                return {"error_code": 20, "error": "expected one of parent_id, section_id, project_id", "http_code": 400}
            parent = self.state["tasks"].get(args.get("parent_id"))
            task["project_id"] = parent["project_id"] if parent else args["project_id"]
            task["parent_id"] = args.get("parent_id")
            self.move_parts(task)
        elif kind == "item_update":
            task.update({name: value for name, value in args.items() if name != "id"})
        task["version"], task["updated_at"] = self.state["version"], now()
        uuids[command["uuid"]] = "ok"
        return "ok"


serve(Todoist)
