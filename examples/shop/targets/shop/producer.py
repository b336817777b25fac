"""Puts the shop under test: starts its web application, and places an order for each job."""

import os
import socket
import subprocess
import sys
import threading
import time
from typing import Any
from urllib.request import urlopen

from forward import forward
from serve import serve

HERE = os.path.dirname(os.path.abspath(__file__))
PATIENCE = 30.0


def start(host: str, port: int) -> str:
    """The shop's web application, started as its owners start it; its address, once it answers."""
    env = {**os.environ, "HOST": host, "PORT": str(port)}
    web = subprocess.Popen([sys.executable, os.path.join(HERE, "../../app/web.py")], env=env)
    threading.Thread(target=lambda: os._exit(web.wait() or 1), daemon=True).start()
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        try:
            urlopen(f"http://{host}:{port}/", timeout=1).close()
            return f"http://{host}:{port}"
        except OSError:
            time.sleep(0.02)
    sys.exit(f"the shop did not open within {PATIENCE:g} s")


def free_port(host: str) -> int:
    """A port that nobody listens on."""
    with socket.create_server((host, 0)) as server:
        port: int = server.getsockname()[1]
        return port


def order(job: dict[str, Any]) -> dict[str, Any]:
    """The order that stands for a job: its number is the job's key, so that its charge can be told from others."""
    return {"id": job["key"], "cents": 4200}


if __name__ == "__main__":
    host = os.environ["HARNESS_LISTEN"].rpartition(":")[0]
    serve(forward(f"{start(host, free_port(host))}/orders", order))
