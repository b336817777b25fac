"""The shop's web application: takes orders and leaves the charging to the workers."""

import json
import os
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import psycopg
from database import connect, migrate

local = threading.local()


class Shop(BaseHTTPRequestHandler):
    """`POST /orders {"id", "cents"}` places an order; 201 once it is in the database."""

    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        order = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        try:
            place(order["id"], order["cents"])
        except psycopg.Error as error:
            self.reply(503, {"error": str(error)})
        else:
            self.reply(201, {"order": order["id"]})

    def do_GET(self) -> None:
        self.reply(200, {"shop": "open"})

    def reply(self, status: int, body: dict[str, str]) -> None:
        content = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *args: object) -> None:
        """Orders are in the database; there is no need to print them."""


def place(order: str, cents: int) -> None:
    """Put an order into the database, over this thread's connection."""
    if getattr(local, "connection", None) is None or local.connection.closed:
        local.connection = connect()
    local.connection.execute("INSERT INTO orders (id, cents) VALUES (%s, %s)", (order, cents))


if __name__ == "__main__":
    migrate()
    ThreadingHTTPServer.request_queue_size = 128
    ThreadingHTTPServer((os.environ.get("HOST", "127.0.0.1"), int(os.environ["PORT"])), Shop).serve_forever()
