"""Line games once more, slowly and from the rules alone, to compare with."""

from __future__ import annotations

import itertools


class SlowLines:
    """k in a row once more, written differently: a dictionary of stones, and a walk along each direction."""

    def __init__(self, box, run, players, gravity, exactly, closed):
        self.box, self.run, self.players, self.gravity, self.exactly = box, run, players, gravity, exactly
        self.closed = closed
        self.stones: dict[tuple[int, int, int], int] = {}
        self.to_move, self.winner = 0, None

    def free(self):
        places = itertools.product(*(range(size) for size in self.box))
        return [place for place in places if place not in self.stones and place not in self.closed]

    def legal(self):
        layers, rows, columns = self.box
        free = self.free()
        if not self.gravity:
            return {(z * rows + y) * columns + x for z, y, x in free}
        return {x for _, _, x in free} if layers == 1 else {y * columns + x for _, y, x in free}

    def place_of(self, action):
        layers, rows, columns = self.box
        if not self.gravity:
            return action // (rows * columns), action // columns % rows, action % columns
        if layers == 1:
            return max(place for place in self.free() if place[2] == action)
        return min(place for place in self.free() if place[1:] == (action // columns, action % columns))

    def play(self, action):
        place = self.place_of(action)
        if self.wins_at(place, self.to_move):
            self.winner = self.to_move
        self.stones[place] = self.to_move
        self.to_move = (self.to_move + 1) % self.players

    def wins_at(self, place, player):
        """Whether a player's stone in a free place makes so many in a row."""
        for step in itertools.product((-1, 0, 1), repeat=3):
            if step > (0, 0, 0):
                length = 1 + self.reach(place, step, player) + self.reach(place, tuple(-d for d in step), player)
                if length == self.run or (length > self.run and not self.exactly):
                    return True
        return self.run == 1

    def reach(self, place, step, player):
        length = 0
        while True:
            place = tuple(p + d for p, d in zip(place, step, strict=True))
            if self.stones.get(place) != player:
                return length
            length += 1

    def over(self):
        return self.winner is not None or not self.free()

    def wins(self, player):
        """The actions with which a player would win if it were their turn, by trying all."""
        return [action for action in sorted(self.legal()) if self.wins_at(self.place_of(action), player)]

    def threats(self, player):
        """The actions after which a player could win with one more, by trying all."""
        found = []
        for action in sorted(self.legal()):
            place = self.place_of(action)
            self.stones[place] = player
            if self.wins(player):
                found.append(action)
            del self.stones[place]
        return found
