"""A local server with minimal work: nginx with one process answers new tasks with 201 and an ID of their own, and lists no tasks."""

import os
import tempfile
from contextlib import contextmanager
from pathlib import Path

from .tools import free_port, program, running, wait_for_port

CONFIGURATION = """
worker_processes 1;
daemon off;
pid {folder}/nginx.pid;
error_log {folder}/error.log;
{user}
events {{ worker_connections 1024; }}
http {{
  access_log off;
  default_type application/json;
  keepalive_requests 100000000;
  client_body_temp_path {folder}/body;
  proxy_temp_path {folder}/proxy;
  fastcgi_temp_path {folder}/fastcgi;
  uwsgi_temp_path {folder}/uwsgi;
  scgi_temp_path {folder}/scgi;
  server {{
    listen 127.0.0.1:{port};
    {files}
    location / {{
      if ($request_method = GET) {{ return 200 '[]'; }}
      return 201 '{{"Id":"$request_id","Owner":"nobody","Completed":false}}';
    }}
  }}
}}
"""


@contextmanager
def server(files: Path | None = None, port: int | None = None):
    """Yields the address of the server, which ends with the block. It serves the folder `files` below /files/."""
    with tempfile.TemporaryDirectory(prefix="bench-nginx-") as folder:
        port = port or free_port()
        configuration = Path(folder) / "nginx.conf"
        # If root starts nginx, it would change to a user who may not enter the folder.
        user = "user root;" if os.geteuid() == 0 else ""
        served = f"location /files/ {{ alias {files}/; }}" if files else ""
        configuration.write_text(CONFIGURATION.format(folder=folder, port=port, user=user, files=served))
        command = [program("nginx", "nginx-light"), "-p", folder, "-e", f"{folder}/error.log", "-c", configuration]
        with running(command) as (process, _):
            wait_for_port(port, process, "nginx")
            yield f"http://127.0.0.1:{port}"
