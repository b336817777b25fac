"""The shop's tables."""

import os

import psycopg

SCHEMA = """
CREATE TABLE IF NOT EXISTS orders (
    id text PRIMARY KEY,
    cents integer NOT NULL,
    status text NOT NULL DEFAULT 'new',
    claimed_at timestamptz,
    created_at timestamptz NOT NULL DEFAULT now()
);
CREATE TABLE IF NOT EXISTS charges (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    order_id text NOT NULL,
    cents integer NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX IF NOT EXISTS charges_by_order ON charges (order_id);
"""


def connect() -> psycopg.Connection:
    """A connection to the shop's database, each statement a transaction of its own."""
    return psycopg.connect(os.environ["DATABASE_URL"], autocommit=True)


def migrate() -> None:
    """Make what is not there yet."""
    with connect() as connection, connection.transaction():
        connection.execute("SELECT pg_advisory_xact_lock(1)")
        connection.execute(SCHEMA)
