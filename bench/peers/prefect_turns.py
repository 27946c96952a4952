"""A chain of script turns by Prefect: a flow whose tasks spawn the script, with a server of its own on SQLite.

Usage: prefect_turns.py FOLDER SCRIPT TURNS. Prints milliseconds per turn.
"""

import os
import subprocess
import sys
import time

folder, script, turns = sys.argv[1], sys.argv[2], int(sys.argv[3])
os.environ.update(
    PREFECT_HOME=f"{folder}/prefect",
    PREFECT_LOGGING_LEVEL="ERROR",
    PREFECT_SERVER_ANALYTICS_ENABLED="false",
    DO_NOT_TRACK="1",
    PREFECT_SERVER_EPHEMERAL_STARTUP_TIMEOUT_SECONDS="120",
)

from prefect import flow, task  # noqa: E402: reads its settings when it is loaded


@task(persist_result=True)
def perform(turn: int) -> str:
    done = subprocess.run(["bash", script], cwd=folder, capture_output=True, text=True, check=True)
    return done.stdout


@flow
def chain(count: int) -> int:
    done = 0
    for turn in range(count):
        perform(turn)
        done += 1
    return done


# The first flow brings the server up.
assert chain(1) == 1
began = time.perf_counter()
assert chain(turns) == turns
print((time.perf_counter() - began) * 1000 / turns)
