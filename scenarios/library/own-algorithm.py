# Decentralised gradient descent, as Starling's own dsgd has it: for one participant, and
# for all of a shard at once.


class DSGD:
    def __init__(self, learning_rate=0.5, decay=0.5):
        self.learning_rate, self.decay = learning_rate, decay

    def alpha(self, t):
        return self.learning_rate / t**self.decay

    def sensitivity(self, t, bound):
        return 2 * self.alpha(t) * bound  # of two gradients within the bound

    def state(self, start):
        return {"x": start}

    def step(self, turn):
        if turn.step > 1:
            turn.state["x"] = yield turn.project(turn.heard)
        x = turn.state["x"]
        g = yield turn.play(x)
        return x - self.alpha(turn.step) * g


class Together(DSGD):
    def step_all(self, turns):
        return (yield from DSGD.step(self, turns))

    step = None
