"""Participation of clients by a function of the round."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any


def attendance(clients: Callable[[int], Iterable[int]], *, rounds: int, repeat: bool | None = None) -> dict[str, Any]:
    """The clients of each round, of a function of the round's number, from 1: ``algorithm.dp_fedavg(attendance=...)``.

    The function is called now, for all rounds. The list of clients is public, so that no chance makes the privacy of
    the run better: a client pays for as many rounds as any client takes part in.

    Args:
        clients: returns the numbers of the clients of a round, counted from 0, in any order.
        rounds: the number of rounds, the horizon of the scenario unless they repeat.
        repeat: whether the rounds are repeated after the last.

    Raises:
        ValueError: the function returns numbers that are no whole numbers, or one of them twice.
    """
    import numpy as np

    numbers, nodes = [], []
    for number in range(1, rounds + 1):
        of = np.asarray(list(clients(number)))
        if of.size and not np.issubdtype(of.dtype, np.integer):
            raise ValueError(f"the clients of round {number} are no whole numbers")
        if len(np.unique(of)) != of.size:
            raise ValueError(f"a client is twice in round {number}")
        numbers.append(np.full(of.size, number))
        nodes.append(of.astype(np.int64) + 1)
    section: dict[str, Any] = {"file": {"round": np.concatenate(numbers), "node": np.concatenate(nodes)}}
    return section if repeat is None else {**section, "repeat": repeat}
