"""A client of b2c-run mcp on standard input and output."""
from attack import *
class Agent:
    """Answers questions with self.reply(request), if it is set. `asked` has the questions."""
    def __init__(self, *opts):
        os.makedirs(ROOT + "/work/agent", exist_ok=True)
        self.p = subprocess.Popen([BIN, "--local=data.json", "mcp", "agent", *opts], cwd=ROOT + "/work", env=env(), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.n = 0; self.got = {}; self.asked = []; self.reply = None; self.change = threading.Condition()
        threading.Thread(target=self.read, daemon=True).start()
        self.wait(self.start("initialize", {"protocolVersion": "2025-11-25", "capabilities": {"elicitation": {}}, "clientInfo": {"name": "x", "version": "1"}}))
    def read(self):
        for line in self.p.stdout:
            m = json.loads(line)
            with self.change:
                if "method" in m: self.asked.append(m)
                elif m.get("id") is not None: self.got[m["id"]] = m
                self.change.notify_all()
            if "method" in m and self.reply: self.answer(m, self.reply(m))
    def send(self, m): self.p.stdin.write(json.dumps({"jsonrpc": "2.0", **m}).encode() + b"\n"); self.p.stdin.flush()
    def answer(self, question, result): self.send({"id": question["id"], "result": result})
    def start(self, method, params): self.n += 1; self.send({"id": self.n, "method": method, "params": params}); return self.n
    def begin(self, tool, **arguments): return self.start("tools/call", {"name": tool, "arguments": arguments})
    def wait(self, number, timeout=60):
        with self.change:
            if not self.change.wait_for(lambda: number in self.got, timeout): return {"error": "no answer"}
            return self.got.pop(number)
    def wait_for_question(self, timeout=30):
        with self.change: self.change.wait_for(lambda: self.asked, timeout); return self.asked[-1]
    def call(self, tool, **arguments): return self.wait(self.begin(tool, **arguments)).get("result", {})
    def plan(self, *texts): return self.call("tasks_add", tasks=[{"text": t} for t in texts])["structuredContent"]["plan"]
    def texts(self): return [t["text"] for t in self.call("tasks_list", limit=500)["structuredContent"]["tasks"]]
    def end(self): self.p.stdin.close(); self.p.wait(15)
YES = {"action": "accept", "content": {"approve": True}}
