"""The servers of a cluster: PostgreSQL, and the local tenant."""

import json
import os
import pwd
import sqlite3
import subprocess
import sys
import time
import urllib.parse

from network import free_port

AS_OWNER = ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"] if os.getuid() == 0 else []


class Postgres:
    """A server, or the standby of another one. Its database may be on a small disk of its own, which can be filled."""

    programs = max((f"/usr/lib/postgresql/{v}/bin" for v in os.listdir("/usr/lib/postgresql")), default="")

    def __init__(self, folder, network, primary=None):
        self.folder, self.port = folder, free_port()
        self.disk = f"{folder}/disk" if network.has_mounts else None
        for path in filter(None, [folder, self.disk]):
            os.makedirs(path)
        if self.disk:
            subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64m,mode=700", "none", self.disk], check=True)
        if os.getuid() == 0:
            owner = pwd.getpwnam("postgres")
            for path in filter(None, [folder, self.disk]):
                os.chown(path, owner.pw_uid, owner.pw_gid)
        if primary is None:
            self.tool("initdb", "-D", f"{folder}/data", "-U", "b2c", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync")
            if network.allowed:
                with open(f"{folder}/data/pg_hba.conf", "a") as allowed:
                    allowed.write(f"host all all {network.allowed} trust\n")
        else:
            disk = ["-T", f"{primary.disk}={self.disk}"] if self.disk else []
            self.tool("pg_basebackup", "-h", "127.0.0.1", "-p", str(primary.port), "-U", "b2c", "-D", f"{folder}/data",
                      "-R", "-X", "stream", "-c", "fast", "--no-sync", *disk)
        with open(f"{folder}/data/postgresql.conf", "a") as config:
            config.write(f"port = {self.port}\nunix_socket_directories = '{folder}'\nlisten_addresses = '{network.listens}'\n"
                         "max_connections = 90\nwal_sender_timeout = 3s\n")
        self.start()

    def tool(self, name, *words, check=True):
        run = subprocess.run([*AS_OWNER, f"{self.programs}/{name}", *words], stdout=subprocess.DEVNULL,
                             stderr=subprocess.PIPE, timeout=90, cwd="/")
        if check and run.returncode:
            sys.exit(f"{name}: {run.stderr.decode()}")

    def start(self):
        subprocess.run([*AS_OWNER, f"{self.programs}/pg_ctl", "-D", f"{self.folder}/data", "-w", "-t", "60", "-l",
                        f"{self.folder}/log", "start"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True, cwd="/")

    def crash(self):
        self.tool("pg_ctl", "-D", f"{self.folder}/data", "-m", "immediate", "-w", "stop", check=False)

    def end(self):
        self.crash()
        if self.disk:
            subprocess.run(["umount", self.disk], check=False)

    def promote(self):
        self.tool("pg_ctl", "-D", f"{self.folder}/data", "-w", "promote")
        self.sql("ALTER SYSTEM RESET synchronous_standby_names")
        self.sql("ALTER SYSTEM SET synchronous_standby_names = ''")
        self.sql("SELECT pg_reload_conf()")

    def make_database(self):
        if self.disk:
            self.sql(f"CREATE TABLESPACE disk LOCATION '{self.disk}'")
        self.sql("CREATE DATABASE b2c" + (" TABLESPACE disk" if self.disk else ""))

    def wait_for_standby(self):
        self.sql("ALTER SYSTEM SET synchronous_standby_names = '*'")
        self.sql("SELECT pg_reload_conf()")

    def fill_disk(self, is_full):
        path = f"{self.disk}/filled"
        if not is_full:
            return os.remove(path)
        with open(path, "wb", buffering=0) as file:
            try:
                while True:
                    file.write(bytes(8192))
            except OSError:
                pass

    def sql(self, text, database="postgres"):
        """What psql prints. Statements that fail print nothing."""
        return subprocess.run(["psql", "-X", "-q", "-A", "-t", "-h", "127.0.0.1", "-p", str(self.port), "-U", "b2c", "-c", text,
                               database], capture_output=True, text=True).stdout.strip()


class Pooler:
    """PgBouncer in transaction mode before a server: the machines reach only this."""

    def __init__(self, folder, network, server):
        self.port, self.folder = free_port(), folder
        with open(f"{folder}/pgbouncer.users", "w") as users:
            users.write('"b2c" ""\n')
        with open(f"{folder}/pgbouncer.ini", "w") as config:
            config.write(f"[databases]\n* = host=127.0.0.1 port={server.port}\n[pgbouncer]\nlisten_addr = {network.listens}\n"
                         f"listen_port = {self.port}\nunix_socket_dir =\nauth_type = trust\n"
                         f"auth_file = {folder}/pgbouncer.users\npool_mode = transaction\ndefault_pool_size = 12\n")
        self.start()

    def start(self):
        with open(f"{self.folder}/pgbouncer.log", "ab") as log:
            self.process = subprocess.Popen([*AS_OWNER, "pgbouncer", f"{self.folder}/pgbouncer.ini"], stdout=log, stderr=log)

    def kill(self):
        self.process.kill()
        self.process.wait()


class Tenant:
    """The local tenant, with access tokens that live shortly. A refresh token that is used twice revokes the sign-in."""

    lifetime = 12

    def __init__(self, program, folder):
        self.data, self.settings = f"{folder}/tenant.db", f"{folder}/settings.json"
        script = os.path.join(os.path.dirname(os.path.abspath(__file__)), "tenant.lua")
        with open(f"{folder}/tenant.log", "wb") as log:
            self.process = subprocess.Popen([program, "-A", f"--local={self.data}", script, self.settings, str(self.lifetime)],
                                            stdout=log, stderr=log, start_new_session=True)
        deadline = time.time() + 60
        while not os.path.exists(self.settings):
            if self.process.poll() is not None or time.time() > deadline:
                sys.exit(f"the tenant does not start; see {folder}/tenant.log")
            time.sleep(0.05)
        with open(self.settings) as file:
            self.port = urllib.parse.urlsplit(json.load(file)["authority"]).port

    def query(self, sql):
        connection = sqlite3.connect(f"file:{self.data}?mode=ro", uri=True, timeout=30)
        try:
            return connection.execute(sql).fetchall()
        finally:
            connection.close()

    def end(self):
        self.process.terminate()
        self.process.wait()
