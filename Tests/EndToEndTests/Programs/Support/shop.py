"""The plan of shop.yaml, batches for it, and what PostgreSQL says of them."""

import json
import os
import time

import daemon

ROTATION = daemon.rotation_with_time_left([86400, 23 * 3600, 22 * 3600])


def plan():
    return daemon.read(daemon.HERE, "shop.yaml").replace("ROTATION", daemon.duration(ROTATION)).replace("EXPIRES", daemon.expiry())


def window():
    return int(time.time()) // ROTATION


def event(name="view", **more):
    return {"event": name, "at": daemon.instant(), **more}


def batch(identifier="a", purpose="product", events=None, **more):
    return {
        "app": "shop", "batch": os.urandom(16).hex(), "purpose": purpose, "window": window(), "id": identifier,
        "context": {}, "events": events or [event()], **more}


def body(**more):
    """A batch as it is sent."""
    return json.dumps(batch(**more)).encode()


def counted(house, metric="views"):
    """Events that PostgreSQL has of a metric."""
    return int(house.sql("select coalesce(sum(value), 0) from throng.counter join throng.metric_layout using (metric_id)"
                         f" where measure = 0 and metric = '{metric}'")[0][0])


def devices(house, metric="views"):
    """Distinct identifiers that PostgreSQL has of a metric's leaf cells."""
    return int(house.sql("select coalesce(sum(devices), 0) from throng.distinct_count join throng.metric_layout using (metric_id)"
                         f" where metric = '{metric}' and distinct_count.margin = (select max(margin) from throng.distinct_count)")[0][0])
