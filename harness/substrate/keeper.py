"""The parent of every process of a run: starts them, reports their ends, and leaves none when the harness is gone.

A program of its own, standard library only, because what it promises must hold when the harness is killed: it is a
subreaper, so that whatever a worker forks and forgets comes back to it; each child dies with it (PDEATHSIG); and
when its socket to the harness closes, by whatever cause, it kills all that descends from it and removes the run's
scratch folder.
"""

import contextlib
import ctypes
import json
import os
import select
import shutil
import signal
import socket
import sys
import time

PR_SET_PDEATHSIG, PR_SET_CHILD_SUBREAPER = 1, 36
CLONE_NEWUSER, CLONE_NEWIPC = 0x10000000, 0x08000000
PATIENCE = 10.0

libc = ctypes.CDLL(None, use_errno=True)


def main() -> None:
    harness, scratch = socket.socket(fileno=int(sys.argv[1])), sys.argv[2]
    libc.prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    wake, waker = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
    signal.set_wakeup_fd(waker, warn_on_full_buffer=False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    try:
        serve(harness, wake)
    finally:
        left = kill_everything()
        remove(scratch)
        with contextlib.suppress(OSError):
            tell(harness, {"stopped": True, "left": left})


def serve(harness: socket.socket, wake: int) -> None:
    children: set[int] = set()
    while True:
        ready, _, _ = select.select([harness.fileno(), wake], [], [])
        if wake in ready:
            os.read(wake, 4096)
            for pid, status in reap():
                if pid in children:
                    children.discard(pid)
                    tell(harness, {"exited": pid, "code": os.waitstatus_to_exitcode(status), "t": time.time_ns()})
        if harness.fileno() in ready:
            message, descriptors, _, _ = socket.recv_fds(harness, 1 << 20, 1)
            if not message:
                return
            order = json.loads(message)
            if order["do"] == "stop":
                return
            pid = spawn(order, descriptors, harness)
            children.add(pid)
            for descriptor in descriptors:
                os.close(descriptor)
            tell(harness, {"spawned": order["id"], "pid": pid})


def tell(harness: socket.socket, fact: dict[str, object]) -> None:
    harness.send(json.dumps(fact).encode())


def reap() -> "list[tuple[int, int]]":
    ended = []
    with contextlib.suppress(ChildProcessError):
        while (found := os.waitpid(-1, os.WNOHANG))[0]:
            ended.append(found)
    return ended


def spawn(order: "dict[str, object]", descriptors: "list[int]", harness: socket.socket) -> int:
    parent = os.getpid()
    pid = os.fork()
    if pid:
        return pid
    try:
        become(order, descriptors, parent)
    except BaseException as error:
        os.write(2, f"could not start {order['argv']}: {error}\n".encode())
    os._exit(127)


def become(order: "dict[str, object]", descriptors: "list[int]", parent: int) -> None:
    os.setsid()
    signal.set_wakeup_fd(-1)
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGCHLD, signal.SIGPIPE):
        signal.signal(number, signal.SIG_DFL)
    log = os.open(str(order["log"]), os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
    talk = descriptors[0] if descriptors else None
    os.dup2(talk if talk is not None else os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(talk if talk is not None else log, 1)
    os.dup2(log, 2)
    os.closerange(3, 1024)
    if order["apart"]:
        enter_namespace()
    libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    if os.getppid() != parent:
        os._exit(125)
    os.chdir(str(order["cwd"]))
    argv, env = order["argv"], order["env"]
    assert isinstance(argv, list) and isinstance(env, dict)
    os.execvpe(argv[0], argv, env)


def enter_namespace() -> None:
    """A user and IPC namespace of its own: PostgreSQL will not run as root, and its shared memory then ends with it."""
    uid, gid = os.getuid(), os.getgid()
    if libc.unshare(CLONE_NEWUSER | CLONE_NEWIPC):
        raise OSError(ctypes.get_errno(), "unshare")
    for name, text in (("setgroups", "deny"), ("uid_map", f"1000 {uid} 1"), ("gid_map", f"1000 {gid} 1")):
        with open(f"/proc/self/{name}", "w") as file:
            file.write(text)


def kill_everything() -> "list[int]":
    """Kill all that descends from this process, again until nothing does; returns what would not die."""
    deadline = time.monotonic() + PATIENCE
    while True:
        reap()
        left = descendants(os.getpid())
        if not left or time.monotonic() > deadline:
            return left
        for pid in left:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
        time.sleep(0.002)


def descendants(ancestor: int) -> "list[int]":
    children: dict[int, list[int]] = {}
    for name in os.listdir("/proc"):
        if name.isdigit():
            with contextlib.suppress(OSError, IndexError, ValueError), open(f"/proc/{name}/stat") as file:
                parent = int(file.read().rpartition(")")[2].split()[1])
                children.setdefault(parent, []).append(int(name))
    found, queue = [], [ancestor]
    while queue:
        below = children.get(queue.pop(), [])
        found += below
        queue += below
    return found


def remove(scratch: str) -> None:
    for folder, _, files in os.walk(scratch):
        if "postmaster.pid" in files:
            release_shared_memory(os.path.join(folder, "postmaster.pid"))
    for _ in range(50):
        shutil.rmtree(scratch, ignore_errors=True)
        if not os.path.exists(scratch):
            return
        time.sleep(0.02)  # somebody who is being killed is still writing there


def die_with_parent() -> None:
    """For a child between fork and exec: it is killed when the thread that started it is gone."""
    libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)


def release_shared_memory(pidfile: str) -> None:
    """PostgreSQL's System V segment outlives a killed postmaster that ran in no namespace of its own."""
    with contextlib.suppress(OSError, IndexError, ValueError), open(pidfile) as file:
        identifier = int(file.read().splitlines()[6].split()[1])
        libc.shmctl(identifier, 0, None)


if __name__ == "__main__":
    main()
