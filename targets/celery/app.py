"""The Celery application, configured from the knobs; shared by the producer and the worker."""

import os
from types import SimpleNamespace
from typing import Any

from celery import Celery
from kit import concurrency, knobs

TASK = "harness.job"
KNOBS = knobs()


def application(*, results: bool = False, **more: Any) -> Celery:
    """The application with its broker, and if wanted a result backend; `more` is merged into its transport options."""
    redis = os.environ["HARNESS_REDIS"]
    app = Celery("harness", broker=redis, backend=redis if results else None, set_as_current=True)
    app.conf.update(
        broker_transport_options={**transport_options(KNOBS), **more},
        broker_connection_retry_on_startup=True,
        broker_connection_max_retries=None,  # the default gives up after 100 tries
        task_acks_late=KNOBS.acks_late,
        task_reject_on_worker_lost=KNOBS.reject_on_worker_lost,
        task_ignore_result=not results,
        result_expires=KNOBS.result_expires or None,
        task_publish_retry_policy={
            "max_retries": KNOBS.publish_max_retries,
            "interval_start": 0,
            "interval_step": 0.2,
            "interval_max": 1,
        },
        worker_concurrency=concurrency(),
        worker_pool=KNOBS.pool,
        worker_prefetch_multiplier=KNOBS.prefetch_multiplier,
        worker_enable_remote_control=KNOBS.enable_remote_control,
        worker_hijack_root_logger=False,
    )
    return app


def transport_options(knobs: SimpleNamespace) -> dict[str, Any]:
    """The knobs that belong to kombu; a timeout of 0 is none."""
    return {
        "visibility_timeout": knobs.visibility_timeout,
        "unacked_restore_interval": knobs.unacked_restore_interval,
        "unacked_restore_throttle": knobs.unacked_restore_throttle,
        "unacked_restore_limit": knobs.unacked_restore_limit,
        "unacked_mutex_expire": knobs.unacked_mutex_expire,
        "socket_timeout": knobs.socket_timeout or None,
        "socket_connect_timeout": knobs.socket_timeout or None,
        "socket_keepalive": True,
        "health_check_interval": knobs.health_check_interval,
    }
