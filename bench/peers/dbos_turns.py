"""A chain of script turns by DBOS: a workflow whose steps spawn the script, its records in SQLite on disk.

Usage: dbos_turns.py FOLDER SCRIPT TURNS. Prints milliseconds per turn.
"""

import subprocess
import sys
import time

from dbos import DBOS, DBOSConfig

folder, script, turns = sys.argv[1], sys.argv[2], int(sys.argv[3])
config: DBOSConfig = {
    "name": "turns",
    "system_database_url": f"sqlite:///{folder}/dbos.db",
    "log_level": "ERROR",
    "run_admin_server": False,
}
DBOS(config=config)


@DBOS.step()
def perform() -> str:
    done = subprocess.run(["bash", script], cwd=folder, capture_output=True, text=True, check=True)
    return done.stdout


@DBOS.workflow()
def chain() -> int:
    done = 0
    for _ in range(turns):
        perform()
        done += 1
    return done


DBOS.launch()
began = time.perf_counter()
assert chain() == turns
print((time.perf_counter() - began) * 1000 / turns)
DBOS.destroy()
