"""Starts a target's stack: servers, proxies, downstream, producer, workers; in parallel, probed until each answers."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections.abc import Callable, Coroutine
from functools import partial

from harness import clock, environment, toolchains
from harness.downstream.client import Downstream
from harness.folder import Folder
from harness.handshake import greet
from harness.history.events import Up
from harness.http import get
from harness.links import Toxiproxy
from harness.scenario import Scenario
from harness.substrate import namespace
from harness.substrate.process import Process, Program, StartFailed, ended
from harness.system import Server, System, Worker, answers
from harness.target import Target, places, text_of

PATIENCE = 60.0
PASSED_ON = ("PATH", "HOME", "TMPDIR", "LD_LIBRARY_PATH", "SSL_CERT_FILE")


class Stack:
    """The parts of one system as they are being started."""

    def __init__(self, system: System, scenario: Scenario, target: Target, folder: Folder) -> None:
        self.system, self.scenario, self.target, self.folder = system, scenario, target, folder
        self.address = system.address
        self.installed = toolchains.install(target)
        self.names = [f"worker-{n}" for n in range(1, scenario.workers + 1)]
        self.downstream_ports: dict[str, int] = {}
        self.listen = f"{self.address.host}:{self.address.port()}"
        self.producer_url = f"http://{self.listen}"

    async def start(self) -> None:
        """Everything up, and every worker consuming."""
        steps = self.steps()
        async with asyncio.TaskGroup() as tasks:
            for name in ("toxiproxy", "downstream", *self.target.needs):
                tasks.create_task(steps[name]())
        await self._links()
        async with asyncio.TaskGroup() as tasks:
            for name in ("producer", *self.names):
                tasks.create_task(steps[name]())

    def steps(self) -> dict[str, Callable[[], Coroutine[None, None, None]]]:
        """What is started, in an order in which each has what it needs."""
        servers = {name: partial(self._server, name) for name in self.target.needs}
        workers = {name: partial(self._worker, name) for name in self.names}
        base = {"toxiproxy": self._toxiproxy, "downstream": self._downstream}
        return {**base, **servers, "links": self._links, "producer": self._producer, **workers}

    async def _server(self, name: str) -> None:
        settings = self.scenario.servers[name]
        folder = os.path.join(self.system.scratch, name)
        os.mkdir(folder)
        await asyncio.to_thread(settings.prepare, folder)
        apart = settings.apart and namespace.available()
        server = Server(
            name,
            settings,
            self.system.substrate,
            self.system.recorder,
            host=self.address.host,
            port=self.address.port(),
            folder=folder,
            apart=apart,
            env=await asyncio.to_thread(self._equipment, name),
        )
        self.system.servers[name] = server
        await server.start(PATIENCE)

    def _equipment(self, server: str) -> dict[str, str]:
        """What the scenario's faults need the server to be started with."""
        asked = [getattr(scheduled.fault, "equips", None) for scheduled in self.scenario.faults]
        return {
            name: value
            for equips in asked
            if equips is not None
            for name, value in equips(server, self.system.scratch).items()
        }

    async def _toxiproxy(self) -> None:
        from harness.binaries import toxiproxy_server

        port = self.address.port()
        argv = (toxiproxy_server(), "-host", self.address.host, "-port", str(port), "-proxy-metrics")
        process = await self._start(Program(name="toxiproxy", argv=argv, env={"LOG_LEVEL": "warn"}))
        self.system.toxiproxy = Toxiproxy(self.address.host, port)
        await answers(process, self.system.toxiproxy.version, PATIENCE)

    async def _downstream(self) -> None:
        provider, effects = self.scenario.downstream, self.target.effects
        argv = (
            sys.executable,
            "-m",
            "harness.downstream.server",
            "--host",
            self.address.host,
            "--workers",
            ",".join(self.names),
            "--events",
            self.folder("events", "downstream.jsonl"),
            "--honours-keys",
            "yes" if provider.honours_keys else "no",
            "--latency",
            str(provider.latency),
            "--record",
            "no" if effects.sql else "yes",
            f"--path={effects.path}",
            f"--key={effects.key}",
            f"--answer={effects.answer}",
        )
        process, talk = await self.system.substrate.start_talking(
            Program(name="downstream", argv=argv, env=own_environment())
        )
        self._record_up(process)
        async with asyncio.timeout(PATIENCE):
            hello = await talk.hear()
        if not hello:
            raise StartFailed(f"the downstream did not start; the end of its log:\n{process.last_lines()}")
        self.downstream_ports = hello["ports"]
        self.system.downstream = await Downstream.connect(self.address.host, hello["control"])

    async def _links(self) -> None:
        """Each worker and the producer reach each server through a proxy of their own."""
        for user in ("producer", *self.names):
            for name, server in self.system.servers.items():
                await self._link(f"{user}:{name}", f"{server.host}:{server.port}")
        for worker, port in self.downstream_ports.items():
            await self._link(f"{worker}:downstream", f"{self.address.host}:{port}")

    async def _link(self, name: str, upstream: str) -> None:
        self.system.links[name] = await self.system.toxiproxy.create(name, self.address.host, upstream)

    async def _producer(self) -> None:
        process = await self._start(
            Program(
                name="producer",
                argv=self.installed.argv(self.target.producer),
                cwd=self.target.folder,
                env=self._own({**self._environment("producer"), "HARNESS_LISTEN": self.listen}),
            )
        )
        self.system.producer, self.system.producer_url = process, self.producer_url
        await answers(process, lambda: get(f"{self.producer_url}/health"), PATIENCE)
        await greet(self.producer_url, self.target)

    async def _worker(self, name: str) -> None:
        env = {
            **self._environment(name),
            "HARNESS_WORKER": name,
            "HARNESS_CONCURRENCY": str(self.scenario.knobs.get("concurrency", 1)),
            "HARNESS_EVENTS": self.folder("events") if "attempts" in self.target.reports else "",
            "HARNESS_DOWNSTREAM": self._url(f"{name}:downstream", "http"),
            "HARNESS_PRODUCER": self.producer_url,
        }
        program = Program(
            name=name, argv=self.installed.argv(self.target.worker), cwd=self.target.folder, env=self._own(env)
        )
        worker = self.system.workers[name] = Worker(program, self.system, self.scenario.restart, self._says_ready())
        await worker.start()
        assert worker.process is not None
        await answers(worker.process, lambda: _until_ready(worker), PATIENCE)

    async def _start(self, program: Program) -> Process:
        process = await self.system.substrate.start(program)
        self._record_up(process)
        return process

    def _record_up(self, process: Process) -> None:
        """Note a process that no fault ever ends: its end is the end of the run."""
        self.system.recorder.record(Up(t=clock.now(), process=process.name, pid=process.pid))
        self.system.tasks.create_task(_outlives_the_run(process))

    def _url(self, link: str, scheme: str) -> str:
        return f"{scheme}://{self.system.links[link].host}:{self.system.links[link].port}"

    def _says_ready(self) -> str | None:
        """Who writes no lines at all, and is not listened to, is ready when it lives."""
        return self.target.ready or (None if "attempts" in self.target.reports else "")

    def _own(self, env: dict[str, str]) -> dict[str, str]:
        """The same, and the program's own variables."""
        knobs = {name: text_of(value) for name, value in self.scenario.knobs.items()}
        return {**env, **environment.filled(self.target.env, {**knobs, **env})}

    def _environment(self, user: str) -> dict[str, str]:
        """What the protocol gives to each program, and little else: the host's environment stays outside."""
        kit = next(
            (path for place in places() if os.path.isdir(path := os.path.abspath(os.path.join(place, "kit")))), ""
        )
        env = {name: os.environ[name] for name in PASSED_ON if name in os.environ}
        for name, server in self.system.servers.items():
            link = self.system.links[f"{user}:{name}"]
            env[f"HARNESS_{name.upper()}"] = server.settings.url(link.host, link.port)
        return {
            **env,
            **self.installed.env,
            "LANG": "C.UTF-8",
            "HARNESS_KIT": kit,
            "PYTHONPATH": os.path.join(kit, "python"),
            "PYTHONUNBUFFERED": "1",
            "PYTHONDONTWRITEBYTECODE": "1",
            "HARNESS_KNOBS": json.dumps(self.scenario.knobs),
        }


async def _outlives_the_run(process: Process) -> None:
    await process.ended()
    raise ended(process)


async def _until_ready(worker: Worker) -> None:
    if not worker.ready:
        raise ConnectionError(f"{worker.name} has not said that it is ready")


def own_environment() -> dict[str, str]:
    """For the harness's own programs: they import this package."""
    package = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    return {
        **os.environ,
        "PYTHONPATH": os.pathsep.join([package, *os.environ.get("PYTHONPATH", "").split(os.pathsep)]).rstrip(
            os.pathsep
        ),
    }
