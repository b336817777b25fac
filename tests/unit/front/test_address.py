"""The address of a run, and its ports."""

import socket
from contextlib import closing

from harness.substrate.scratch import Address


def test_a_port_is_one_that_the_kernel_gives_to_nobody_who_asks_for_any() -> None:
    with open("/proc/sys/net/ipv4/ip_local_port_range") as file:
        lowest = int(file.read().split()[0])
    address = Address()
    with closing(address):
        ports = [address.port() for _ in range(30)]
    assert len(set(ports)) == 30
    assert max(ports) < lowest


def test_a_port_that_somebody_has_is_passed_over() -> None:
    address = Address()
    with closing(address), socket.socket() as other:
        other.bind((address.host, address.port() + 1))
        assert address.port() != other.getsockname()[1]


def test_two_runs_have_two_addresses() -> None:
    with closing(Address()) as one, closing(Address()) as other:
        assert one.host != other.host
