"""A chain of script turns by LangGraph: a graph of one node that leads to itself, its checkpoints in SQLite on disk.

Usage: langgraph_turns.py FOLDER SCRIPT TURNS. Prints milliseconds per turn.
"""

import subprocess
import sys
import time
import uuid
from typing import TypedDict

from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.graph import END, START, StateGraph

folder, script, turns = sys.argv[1], sys.argv[2], int(sys.argv[3])


class State(TypedDict):
    turn: int
    output: str


def perform(state: State) -> State:
    done = subprocess.run(["bash", script], cwd=folder, capture_output=True, text=True, check=True)
    return {"turn": state["turn"] + 1, "output": done.stdout}


def after(state: State) -> str:
    return END if state["turn"] >= turns else "perform"


graph = StateGraph(State)
graph.add_node("perform", perform)
graph.add_edge(START, "perform")
graph.add_conditional_edges("perform", after)
with SqliteSaver.from_conn_string(f"{folder}/langgraph.db") as saver:
    app = graph.compile(checkpointer=saver)
    config = {"configurable": {"thread_id": str(uuid.uuid4())}, "recursion_limit": turns + 10}
    began = time.perf_counter()
    final = app.invoke({"turn": 0, "output": ""}, config, durability="sync")
    assert final["turn"] == turns, final
    print((time.perf_counter() - began) * 1000 / turns)
