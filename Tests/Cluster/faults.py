"""The faults of a cluster. Each returns when it is over; the machines then have to go on by themselves."""

import random
import time

from contextlib import contextmanager


class Faults:
    def __init__(self, cluster, seed):
        self.cluster, self.random = cluster, random.Random(seed)
        # Below the time limit of a request for tokens: a refresh token whose answer never comes is lost at any provider.
        self.seconds = min(10, 2 * cluster.lease)
        self.has_promoted = False
        # How often each kind is chosen, after each was chosen once.
        self.kinds = {
            self.kill_importer: 3, self.kill_worker: 3, self.kill_planner: 3, self.kill_idle_server: 1, self.pause: 2,
            self.cut_database: 2, self.refuse_database: 2, self.crash: 2, self.promote: 1,
        }
        if cluster.network.reaches_tenant:
            self.kinds |= {self.cut_tenant: 2, self.deafen: 2, self.refuse_tenant: 2}
            if cluster.network.can_slow:
                self.kinds[self.slow] = 1
        if cluster.network.has_mounts:
            self.kinds[self.fill_disk] = 2
        if cluster.pooler:
            # PgBouncer knows one server.
            del self.kinds[self.promote]
            self.kinds[self.end_pooler] = 2
        self.deck = sorted(self.kinds, key=lambda kind: kind.__name__)
        self.random.shuffle(self.deck)

    def next(self):
        """Lets the next fault happen. Returns its name."""
        while True:
            if self.deck:
                kind = self.deck.pop()
            else:
                kind = self.random.choices(list(self.kinds), self.kinds.values())[0]
            if kind != self.promote or not self.has_promoted:
                return kind()

    def machine(self):
        return self.random.choice(self.cluster.machines)

    @contextmanager
    def no_refresh(self):
        """Keeps all machines from asking for new tokens. A machine that dies after the tenant has replaced the refresh token,
        and before the new one is stored, loses the account: no client can do anything about it."""
        held = "INSERT INTO lease (name, owner, epoch, until) SELECT 'refresh/' || id, 'cluster', 1, extract(epoch FROM now()) + 30 " \
            "FROM account ON CONFLICT (name) DO UPDATE SET owner = 'cluster', epoch = lease.epoch + 1, until = excluded.until " \
            "WHERE lease.until <= extract(epoch FROM clock_timestamp()) RETURNING 1"
        deadline = time.time() + 60
        while not self.cluster.sql(held) and time.time() < deadline:
            time.sleep(0.02)
        yield
        self.cluster.sql("UPDATE lease SET until = 0 WHERE owner = 'cluster'")

    def kill(self, process):
        if process.is_running:
            with self.no_refresh():
                process.kill()

    def kill_importer(self):
        self.kill(self.cluster.machines[0].sender)
        return "kill -9 of import"

    def kill_worker(self):
        self.kill(self.random.choice(self.cluster.machines[1:]).sender)
        return "kill -9 of work"

    def running(self):
        """The run of the long job, its attempt and its machine."""
        row = self.cluster.sql("SELECT id, attempt, machine FROM run WHERE job = 'long' AND state = 'started'")
        return row.splitlines()[0].split("|") if row else None

    def kill_planner(self):
        """Kills the machine that runs the jobs, and waits until another one goes on with its run."""
        run = self.cluster.wait(self.running, 20)
        victim = next((machine for machine in self.cluster.machines if run and machine.name == run[2]), None)
        if victim and victim.server.is_running:
            for other in self.cluster.machines:
                if not other.server.is_running:
                    other.server.start()
            start = time.time()
            victim.server.kill()
            line = f"{run[0]} {int(run[1]) + 1}\n"
            went_on = self.cluster.wait(lambda: line in self.cluster.read("long.log"), 90)
            self.cluster.went_on.append(time.time() - start if went_on else None)
        return "kill -9 of the serve that plans"

    def kill_idle_server(self):
        planner = (self.running() or [""] * 3)[2]
        self.random.choice([machine for machine in self.cluster.machines if machine.name != planner]).server.kill()
        return "kill -9 of a serve that stands by"

    def pause(self):
        machine = self.machine()
        with self.no_refresh():
            paused = machine.paused()
            paused.__enter__()
        time.sleep(3 * self.cluster.lease)
        paused.__exit__(None, None, None)
        return "machine paused for three leases"

    def cut(self, service, how, seconds):
        cut = self.machine().cut_off(service, how)
        with self.no_refresh():
            cut.__enter__()
        time.sleep(seconds)
        cut.__exit__(None, None, None)

    def cut_database(self):
        self.cut("database", "hang", 3 * self.cluster.lease)
        return "database cut off for three leases"

    def refuse_database(self):
        self.cut("database", "refuse", self.random.uniform(0.5, 3 * self.cluster.lease))
        return "connections to the database reset"

    def cut_tenant(self):
        self.cut("tenant", "hang", self.seconds)
        return "API cut off"

    def deafen(self):
        self.cut("tenant", "deaf", self.seconds)
        return "answers of the API cut off"

    def refuse_tenant(self):
        self.cut("tenant", "refuse", self.seconds / 2)
        return "connections to the API reset"

    def slow(self):
        machine = self.machine()
        machine.way.slow(True)
        time.sleep(self.seconds)
        machine.way.slow(False)
        return "bad line"

    def crash(self):
        cluster = self.cluster
        cluster.server_is_away(True)
        cluster.server.crash()
        time.sleep(self.random.uniform(0, 3))
        cluster.server.start()
        cluster.server_is_away(False)
        return "crash of the primary"

    def promote(self):
        cluster = self.cluster
        cluster.server_is_away(True)
        cluster.server.crash()
        cluster.active, self.has_promoted = 1, True
        cluster.server.promote()
        return "promotion of the standby"

    def end_pooler(self):
        self.cluster.pooler.kill()
        time.sleep(self.random.uniform(0, 3))
        self.cluster.pooler.start()
        return "kill -9 of PgBouncer"

    def fill_disk(self):
        server = self.cluster.server
        server.fill_disk(True)
        time.sleep(3 * self.cluster.lease)
        server.fill_disk(False)
        return "full disk of the server"
