"""The training of a board network by PyTorch, on a GPU or on the CPU: a window of positions, AdamW, an average."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import torch
import torch.nn.functional as F  # noqa: N812
from torch import Tensor

from luozi.compiled import Array
from luozi.evaluators.board_inputs import board_input
from luozi.evaluators.board_symmetries import Symmetries, symmetries_of
from luozi.evaluators.board_weights import BoardSizes
from luozi.evaluators.weight_files import Weights
from luozi.learning.board_model import BoardModel, values_of
from luozi.learning.board_selfplay import Positions
from luozi.learning.learner import Losses
from luozi.rules.game import Game

AVERAGE = 0.01  # the share of a step in the average of the weights, which is what plays
DECAY = 0.02  # of AdamW (Loshchilov and Hutter 2019)
LARGEST_GRADIENT = 4.0
WARM_UP = 3  # steps before a graph is captured
WON = 0.99
OWNER_WEIGHT, MEAN_WEIGHT = 0.3, 1.0  # of losses, beside those of the policy and of the result
FIRST_WINDOW, WINDOW_SHARE = 100_000, 0.6  # the window: so many positions, and this share of all there were


class ReplayWindow:
    """The newest positions, on the device that trains."""

    def __init__(self, room: int, device: torch.device) -> None:
        self.room, self.device = room, device
        self.columns: list[Tensor] = []
        self.total = self.seen = 0  # added to this window; of the whole run

    def add(self, positions: Positions) -> None:
        """Add positions, in the place of the oldest ones."""
        positions = Positions(*(column[-self.room :] for column in positions))
        if not self.columns:
            self.columns = [
                torch.from_numpy(column[:0].copy()).new_zeros((self.room, *column.shape[1:]), device=self.device)
                for column in positions
            ]
        count = len(positions.policy)
        places = (torch.arange(count, device=self.device) + self.total) % self.room
        for own, column in zip(self.columns, positions, strict=True):
            own[places] = torch.from_numpy(column).to(self.device)
        self.total, self.seen = self.total + count, self.seen + count

    @property
    def used(self) -> int:
        """How many of the newest positions are drawn from: all at first, a share of all there were later."""
        return min(self.room, self.total, int(FIRST_WINDOW + WINDOW_SHARE * self.seen))

    def draw(self, count: int, generator: torch.Generator) -> list[Tensor]:
        """Random positions of those in use."""
        back = torch.randint(self.used, (count,), generator=generator, device=self.device)
        places = (self.total - 1 - back) % self.room
        return [column[places] for column in self.columns]

    def newest(self, count: int) -> Positions:
        """The newest positions, for a file."""
        count = min(count, self.used)
        places = (torch.arange(count, device=self.device) + self.total - count) % self.room
        return Positions(*(column[places].cpu().numpy() for column in self.columns))


class SymmetryTensors(NamedTuple):
    """How a board may be turned: the new order of cells and of outputs, and whether players are swapped."""

    cells: Tensor  # [S, cells]
    outputs: Tensor  # [S, outputs]
    swaps: Tensor  # [S]

    @classmethod
    def of(cls, found: Symmetries, device: torch.device) -> SymmetryTensors:
        """Those of a game, on a device."""
        arrays = found.cells, found.logits, found.swaps
        return cls(*(torch.from_numpy(np.array(array, np.int64)).to(device) for array in arrays))

    def turned(self, batch: list[Tensor], generator: torch.Generator) -> list[Tensor]:
        """Each position of a batch seen from a random side."""
        planes, numbers, policy, result, mean, owners = batch
        if len(self.swaps) == 1:
            return batch
        which = torch.randint(len(self.swaps), (len(planes),), generator=generator, device=planes.device)
        cells = self.cells[which]
        planes = planes.gather(2, cells[:, None, :].expand(planes.shape))
        policy, owners = policy.gather(1, self.outputs[which]), owners.gather(1, cells)
        seats = torch.where(self.swaps[which, None] > 0, numbers[:, :2].flip(1), numbers[:, :2])
        return [planes, torch.cat([seats, numbers[:, 2:]], 1), policy, result, mean, owners]


class BoardTrainer:
    """Holds the weights, the moments of AdamW, an average of the weights, and the window."""

    def __init__(self, game: Game, sizes: BoardSizes, weights: Weights, room: int, device: str = "cpu") -> None:
        view, self.device = board_input(game), torch.device(device)
        self.model = BoardModel(view, sizes, weights).to(self.device)
        self.average = BoardModel(view, sizes, weights).to(self.device)
        self.window, self.symmetries = (
            ReplayWindow(room, self.device),
            SymmetryTensors.of(symmetries_of(game), self.device),
        )
        self.on_gpu = self.device.type == "cuda"
        decayed = [value for value in self.model.parameters() if value.ndim > 1]
        rest = [value for value in self.model.parameters() if value.ndim <= 1]
        groups = [{"params": decayed, "weight_decay": DECAY}, {"params": rest, "weight_decay": 0.0}]
        rate = torch.tensor(1e-3, device=self.device) if self.on_gpu else 1e-3
        self.optimiser = torch.optim.AdamW(groups, lr=rate, fused=self.on_gpu, capturable=self.on_gpu)
        self.exists = torch.from_numpy(np.array(view.exists, np.float32)).to(self.device)
        self.steps, self.graph = 0, None
        self.shown: list[Tensor] = []  # what the graph reads
        self.told: Tensor = None  # and what it says

    def train(self, steps: int, batch: int, rate: float, seed: int) -> Losses:
        """So many steps on positions drawn from the window."""
        generator = torch.Generator(self.device).manual_seed(seed % 2**63)
        for group in self.optimiser.param_groups:
            if self.on_gpu:
                group["lr"].fill_(rate)
            else:
                group["lr"] = rate
        self.model.train()
        sums = torch.zeros(3, device=self.device)
        pairs = self._averaged()
        for _ in range(steps):
            drawn = self.symmetries.turned(self.window.draw(batch, generator), generator)
            sums += self._step_in_graph(drawn) if self.on_gpu else self._step(drawn)
            self.steps += 1
            torch._foreach_lerp_(*pairs, max(AVERAGE, 1 / self.steps))
        return Losses(*(sums / max(1, steps)).tolist())

    def _averaged(self) -> tuple[list[Tensor], list[Tensor]]:
        """The arrays of the average, and the newest ones."""
        own, now = ([*model.parameters(), *model.buffers()] for model in (self.average, self.model))
        places = [place for place, value in enumerate(own) if value.is_floating_point()]
        return [own[place].data for place in places], [now[place].data for place in places]

    def _step(self, batch: list[Tensor]) -> Tensor:
        """One step; the losses of the policy and of the result, and the squared error of the value."""
        loss, told = self.losses(batch)
        self.optimiser.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self.model.parameters(), LARGEST_GRADIENT)
        self.optimiser.step()
        return told

    def _step_in_graph(self, batch: list[Tensor]) -> Tensor:
        """The same as one CUDA graph: to start each of its 300 kernels would take Python three times as long."""
        if self.graph is None or self.shown[0].shape != batch[0].shape:
            return self._capture(batch)
        for own, given in zip(self.shown, batch, strict=True):
            own.copy_(given)
        self.graph.replay()
        return self.told

    def _capture(self, batch: list[Tensor]) -> Tensor:
        """Some steps on a stream of their own, as capturing wants it, then the graph."""
        self.shown, stream = [given.clone() for given in batch], torch.cuda.Stream()
        stream.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(stream):
            for _ in range(WARM_UP):
                told = self._step(self.shown)
        torch.cuda.current_stream().wait_stream(stream)
        self.optimiser.zero_grad(set_to_none=True)
        self.graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(self.graph):
            self.told = self._step(self.shown)
        return told

    def losses(self, batch: list[Tensor]) -> tuple[Tensor, Tensor]:
        """The sum of all losses of a batch, and those that are shown."""
        planes, numbers, policy, result, mean, owners = batch
        with torch.autocast(self.device.type, torch.bfloat16, enabled=self.on_gpu, cache_enabled=False):
            logits, outcome, owner = self.model(planes, numbers)
        move = policy_loss(logits.float(), policy.float())
        outcome = outcome.float()
        value = -(outcome_target(result) * F.log_softmax(outcome, 1)).sum(1).mean()
        values = values_of(outcome)
        far = F.mse_loss(values, mean)
        whose = F.cross_entropy(owner.float(), owners.long(), reduction="none") * self.exists
        owned = whose.sum() / (self.exists.sum() * len(planes))
        loss = move + value + MEAN_WEIGHT * far + OWNER_WEIGHT * owned
        return loss, torch.stack([move, value, F.mse_loss(values, result)]).detach()

    def weights(self) -> Weights:
        """The average: what plays."""
        return self.average.folded()

    def state(self) -> Weights:
        """All of it, to go on from."""
        found = {f"now.{name}": array_of(value) for name, value in self.model.state_dict().items()}
        found |= {f"average.{name}": array_of(value) for name, value in self.average.state_dict().items()}
        for number, moments in self.optimiser.state_dict()["state"].items():
            found |= {f"moment.{number}.{name}": array_of(value) for name, value in moments.items()}
        return found | {"steps": np.array([self.steps]), "seen": np.array([self.window.seen])}

    def restore(self, state: Weights) -> None:
        """Go on from a state."""
        for model, part in ((self.model, "now."), (self.average, "average.")):
            try:
                model.load_state_dict(tensors_of(state, part), strict=True)
            except RuntimeError as error:  # of another size or another game
                raise ValueError(str(error)) from None
        moments: dict[int, dict[str, Tensor]] = {}
        for name, value in tensors_of(state, "moment.").items():
            number, _, moment = name.partition(".")
            moments.setdefault(int(number), {})[moment] = value
        known = self.optimiser.state_dict()
        self.optimiser.load_state_dict({**known, "state": moments})
        self.graph = None
        self.steps, self.window.seen = int(state["steps"][0]), int(state["seen"][0])


def policy_loss(logits: Tensor, visits: Tensor) -> Tensor:
    """The Kullback-Leibler divergence of the search's visits and the network's moves; -1 visits: not legal."""
    logits, visits = logits.masked_fill(visits < 0, -1e9), visits.clamp(min=0)
    target = visits / visits.sum(1, keepdim=True).clamp(min=1)
    return (torch.xlogy(target, target) - target * F.log_softmax(logits, 1)).sum(1).mean()


def outcome_target(result: Tensor) -> Tensor:
    """The chances of each relative player's win and of a draw, for how games ended.

    >>> outcome_target(torch.tensor([[1.0, 0.0], [0.5, 0.5]])).tolist()
    [[1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]
    """
    highest, lowest = result.amax(1, keepdim=True), result.amin(1, keepdim=True)
    shared = result / result.sum(1, keepdim=True).clamp(min=1e-6)
    wins = torch.where(highest > WON, (result > WON).float(), shared)
    wins = wins / wins.sum(1, keepdim=True).clamp(min=1e-6)
    drawn = (highest - lowest < 1 - WON).float()
    return torch.cat([wins * (1 - drawn), drawn], 1)


def array_of(value: Tensor) -> Array:
    """A tensor as an array of its own."""
    found: Array = value.detach().cpu().numpy().copy()
    return found


def tensors_of(state: Weights, part: str) -> dict[str, Tensor]:
    """The arrays whose names begin so, as tensors without that beginning."""
    return {name[len(part) :]: torch.from_numpy(array) for name, array in state.items() if name.startswith(part)}
