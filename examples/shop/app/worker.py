"""The shop's worker: takes the oldest open order, charges the customer, and marks it paid."""

import json
import os
import time
from urllib.request import Request, urlopen

import psycopg
from database import connect, migrate

CLAIM_SECONDS = float(os.environ.get("CLAIM_SECONDS", "30"))
CHARGE_ONCE = os.environ.get("CHARGE_ONCE") == "true"

TAKE = """
UPDATE orders SET status = 'charging', claimed_at = now()
WHERE id = (
    SELECT id FROM orders
    WHERE status = 'new' OR (status = 'charging' AND claimed_at < now() - make_interval(secs => %s))
    ORDER BY created_at LIMIT 1 FOR UPDATE SKIP LOCKED
)
RETURNING id, cents
"""
CHARGE = "INSERT INTO charges (order_id, cents) VALUES (%s, %s)"
CHARGE_UNLESS_CHARGED = (
    "INSERT INTO charges (order_id, cents) SELECT %s, %s WHERE NOT EXISTS (SELECT FROM charges WHERE order_id = %s)"
)


def take(connection: psycopg.Connection) -> tuple[str, int] | None:
    """The oldest order that nobody has, or whose worker has had it for too long."""
    return connection.execute(TAKE, (CLAIM_SECONDS,)).fetchone()


def charge(connection: psycopg.Connection, order: str, cents: int) -> None:
    """Note the charge in the books, then ask the payment provider for the money."""
    if CHARGE_ONCE:
        connection.execute(CHARGE_UNLESS_CHARGED, (order, cents, order))
    else:
        connection.execute(CHARGE, (order, cents))
    pay(order, cents)
    connection.execute("UPDATE orders SET status = 'paid' WHERE id = %s", (order,))


def pay(order: str, cents: int) -> None:
    """One call of the provider; it raises unless the provider says yes."""
    headers = {"Content-Type": "application/json"}
    if CHARGE_ONCE:
        headers["Idempotency-Key"] = order
    body = json.dumps({"order_id": order, "cents": cents}).encode()
    with urlopen(Request(f"{os.environ['PAYMENT_URL']}/v1/charges", body, headers), timeout=5) as answer:
        assert json.load(answer)["status"] == "succeeded"


def main() -> None:
    """Work for ever; an order that could not be charged is taken up again when its claim is old."""
    migrate()
    connection = connect()
    print("waiting for orders")
    while True:
        if (order := take(connection)) is None:
            time.sleep(0.02)
            continue
        try:
            charge(connection, *order)
        except OSError as error:
            print(f"order {order[0]}: {error}")


if __name__ == "__main__":
    main()
