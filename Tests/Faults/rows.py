"""Rows of the suite, and their negative controls."""

import dataclasses


@dataclasses.dataclass
class Control:
    """A trial in which the promise is broken on purpose: the oracle has to notice, or it proves nothing."""
    title: str
    # run(tally, random): trials of its own, judged into the tally.
    run: callable
    # "lost", "doubled" or "unexplained": what the tally must hold afterwards.
    sees: str


@dataclasses.dataclass
class Row:
    """One row of the suite. A program in this folder that has a list ROWS of these is found by suite.py."""
    name: str
    title: str
    # Trials of the full run, and of the quick one in Deploy/test.
    trials: int
    quick: int
    # run(tally, trials, random): so many trials, each judged into the tally.
    run: callable
    controls: list
    # Returns why this machine can't run it, or None.
    obstacle: callable = lambda: None
