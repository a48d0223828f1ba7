"""The board network in PyTorch, with batch normalisation for training; `evaluators/board_network_reference.py` states
the arithmetic of the network without it, and `folded` makes such weights.
"""

from __future__ import annotations

import numpy as np
import torch
import torch.nn.functional as F  # noqa: N812
from torch import Tensor, nn

from luozi.compiled import Array
from luozi.evaluators.board_inputs import BoardInput
from luozi.evaluators.board_weights import BoardSizes, clicks_of, shapes_of
from luozi.evaluators.weight_files import Weights

EPSILON = 1e-5  # of batch normalisation
MOMENTUM = 0.05
DRAW = 0.5  # what a draw pays each player


def steps_of(view: BoardInput) -> list[tuple[int, int, int]] | None:
    """The (layer, row, column) step of each tap, if the taps of all cells are the same steps; None if they are not.

    >>> import luozi
    >>> from luozi.evaluators.board_inputs import board_input
    >>> steps_of(board_input(luozi.game("hex:size=3")))[:3]
    [(0, -1, 0), (0, -1, 1), (0, 0, -1)]
    """
    if view.kind == "points":
        return None
    shape, found = (view.layers, view.rows, view.columns), []
    places = np.stack(np.unravel_index(np.arange(view.cells), shape), 1)
    for taps in np.asarray(view.neighbours).T:
        steps = {tuple(step) for step in (places[taps[taps >= 0]] - places[taps >= 0]).tolist()}
        if len(steps) > 1 or any(abs(number) > 1 for step in steps for number in step):
            return None
        found.append(steps.pop() if steps else (0, 0, 0))
    known = [step for step in found if step != (0, 0, 0)]
    return found if len(set(known)) == len(known) else None


class Surroundings(nn.Module):  # type: ignore[misc]
    """Convolutions over the neighbours of each cell, of any board: values are [batch, channels, *shape]."""

    def __init__(self, view: BoardInput) -> None:
        super().__init__()
        self.steps, self.kind = steps_of(view), view.kind
        self.shape: tuple[int, ...] = (view.layers, view.rows, view.columns)
        if self.steps is None:
            self.shape = (view.cells,)
        if self.steps is not None and view.layers == 1:
            self.shape = (view.rows, view.columns)
        width = 3 ** len(self.shape)
        taps = [((a + 1) * 3 + b + 1) * 3 + c + 1 for a, b, c in self.steps or ()]
        self.taps = [tap - 9 if len(self.shape) == 2 else tap for tap in taps]
        self.width = width
        self.register_buffer("places", torch.tensor(self.taps, dtype=torch.int64), persistent=False)
        neighbours = torch.from_numpy(np.array(view.neighbours, np.int64))
        self.register_buffer("neighbours", torch.where(neighbours < 0, view.cells, neighbours), persistent=False)
        exists = torch.from_numpy(np.array(view.exists, np.float32)).view(1, 1, *self.shape)
        self.register_buffer("exists", exists, persistent=False)
        self.is_full, self.existing = bool(exists.all()), float(exists.sum())

    def kernel(self, weight: Tensor) -> Tensor:
        """The kernel of a convolution from weights [outputs, taps, inputs]."""
        if self.steps is None:
            return weight
        outputs, _, inputs = weight.shape
        if self.taps != list(range(self.width)):
            weight = weight.new_zeros(outputs, self.width, inputs).index_copy(1, self.places.to(weight.device), weight)
        return weight.view(outputs, *(3 for _ in self.shape), inputs).movedim(-1, 1)

    def arranged(self, planes: Tensor) -> Tensor:
        """Planes [batch, planes, cells] in the shape of the board; the channels of a flat one last in memory."""
        values = planes.view(len(planes), -1, *self.shape)
        return values.contiguous(memory_format=torch.channels_last) if values.ndim == 4 else values

    def conv(self, values: Tensor, kernel: Tensor, bias: Tensor | None = None) -> Tensor:
        """A convolution with a kernel of `kernel`."""
        if self.steps is not None:
            return (F.conv2d if len(self.shape) == 2 else F.conv3d)(values, kernel, bias, padding=1)
        taps = F.pad(values, (0, 1))[:, :, self.neighbours]  # [batch, inputs, cells, taps]
        if self.kind == "points":
            count = (self.neighbours[:, 1:] < len(self.neighbours)).sum(1).clamp(min=1)
            taps = torch.stack([taps[..., 0], taps[..., 1:].sum(3) / count], 3)
        found = torch.einsum("bint,oti->bon", taps, kernel)
        return found if bias is None else found + bias[:, None]

    def only_existing(self, values: Tensor) -> Tensor:
        """The values, 0 in cells that do not exist."""
        return values if self.is_full else values * self.exists.to(values.dtype)

    def pool(self, values: Tensor) -> Tensor:
        """The mean and the maximum of each channel, of values that are at least 0."""
        flat = values.flatten(2)
        return torch.cat([flat.sum(2) / self.existing, flat.amax(2)], 1)

    def spread(self, values: Tensor) -> Tensor:
        """Values [batch, channels] for every cell."""
        return values.view(*values.shape, *(1 for _ in self.shape))


class Policy(nn.Module):  # type: ignore[misc]
    """Scores of all outputs of the policy by the cells that are clicked for them."""

    def __init__(self, view: BoardInput) -> None:
        super().__init__()
        clicks, cells = clicks_of(view), np.asarray(view.action_cells).astype(np.int64)
        self.cells, self.has_pairs, self.has_extras = view.cells, bool((clicks > 1).any()), bool((clicks == 0).any())
        order = np.concatenate([np.flatnonzero(clicks == count) for count in range(4)])
        places = {
            "one": cells[clicks == 1, 0],
            "two": cells[clicks == 2, 0] * view.cells + cells[clicks == 2, 1],
            "three": cells[clicks == 3, 0] * view.cells + cells[clicks == 3, 1],
            "rest": cells[clicks == 3, 1] * view.cells + cells[clicks == 3, 2],
            "place": np.argsort(order),
            "group": np.asarray(view.action_group).astype(np.int64),
        }
        for name, found in places.items():
            self.register_buffer(name, torch.from_numpy(found), persistent=False)

    def forward(self, weights: dict[str, Tensor], moves: Tensor, whole: Tensor) -> Tensor:
        mixed = F.linear(whole, weights["mix.w"], weights["mix.b"])
        m = F.relu(moves.flatten(2) + mixed[:, :, None])
        parts = [F.linear(whole, weights["extra.w"], weights["extra.b"])] if self.has_extras else []
        parts.append(torch.einsum("bcn,c->bn", m, weights["cell.w"])[:, self.one])
        if self.has_pairs:
            first, second = (torch.einsum("bcn,c->bn", m, weights[f"{name}.w"]) for name in ("from", "to"))
            q, k = (torch.einsum("bcn,qc->bqn", m, weights[f"{name}.w"]) for name in ("q", "k"))
            pairs = (first[:, :, None] + second[:, None, :] + torch.einsum("bqn,bqm->bnm", q, k)).flatten(1)
            parts += [pairs[:, self.two], pairs[:, self.three] + pairs[:, self.rest]]
        logits = torch.cat(parts, 1)[:, self.place]
        return logits + weights["offset"][self.group] if "offset" in weights else logits


class BoardModel(nn.Module):  # type: ignore[misc]
    """The network as it is trained: the arrays of `shapes_of`, and batch normalisation after each convolution."""

    def __init__(self, view: BoardInput, sizes: BoardSizes, weights: Weights) -> None:
        super().__init__()
        self.sizes, self.players, self.ground, self.policy = sizes, view.players, Surroundings(view), Policy(view)
        self.names = list(shapes_of(view, sizes, owner=True))
        for name in self.names:
            shape = shapes_of(view, sizes, owner=True)[name]
            array = np.asarray(weights.get(name, np.zeros(shape)), np.float32)
            self.register_parameter(key_of(name), nn.Parameter(torch.from_numpy(array.copy())))
        for name in self.normalised():
            channels = len(getattr(self, key_of(name)))
            self.register_parameter(key_of(name, "scale"), nn.Parameter(torch.ones(channels)))
            self.register_buffer(key_of(name, "mean"), torch.zeros(channels))
            self.register_buffer(key_of(name, "variance"), torch.ones(channels) - EPSILON)

    def normalised(self) -> list[str]:
        """The convolutions, by the names of their weights."""
        return [name for name in self.names if name in ("input.w", "head.w") or name[-3:] in (".w1", ".w2")]

    def all_weights(self) -> dict[str, Tensor]:
        """The parameters by their names in files."""
        return {name: getattr(self, key_of(name)) for name in self.names}

    def normal(self, name: str, values: Tensor) -> Tensor:
        """Normalise the values of a convolution over the batch, and add its bias."""
        mean, variance = getattr(self, key_of(name, "mean")), getattr(self, key_of(name, "variance"))
        scale, bias = getattr(self, key_of(name, "scale")), getattr(self, key_of(bias_of(name)))
        return F.batch_norm(values, mean, variance, scale, bias, self.training, MOMENTUM, EPSILON)

    def forward(self, planes: Tensor, numbers: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Scores of all outputs, of the results (each relative player's win, a draw), and of each cell's owner."""
        weights, ground = self.all_weights(), self.ground
        x = ground.conv(ground.arranged(planes.float()), ground.kernel(weights["input.w"]))
        x = self.normal("input.w", x) + ground.spread(F.linear(numbers, weights["input.globals"]))
        x = ground.only_existing(F.relu(x))
        for block in range(self.sizes.blocks):
            one, two = f"block{block}.w1", f"block{block}.w2"
            y = F.relu(self.normal(one, ground.conv(x, ground.kernel(weights[one]))))
            y = ground.only_existing(y)
            if block % 2:
                added = F.linear(ground.pool(y), weights[f"block{block}.pool.w"], weights[f"block{block}.pool.b"])
                y = ground.only_existing(y + ground.spread(added))
            y = self.normal(two, ground.conv(y, ground.kernel(weights[two])))
            x = ground.only_existing(F.relu(x + y))
        h = torch.einsum("bcn,oc->bon", x.flatten(2), weights["head.w"])
        h = F.relu(self.normal("head.w", h))
        return heads(self, weights, ground.only_existing(h.view(len(h), -1, *ground.shape)))

    def folded(self) -> Weights:
        """The weights as they play: batch normalisation within the convolutions."""
        found = {name: value.detach().float().cpu().numpy().copy() for name, value in self.all_weights().items()}
        for name in self.normalised():
            scale, mean, variance = (
                getattr(self, key_of(name, part)).detach().float().cpu().numpy()
                for part in ("scale", "mean", "variance")
            )
            scale = scale / np.sqrt(variance + EPSILON)
            found[name] *= scale.reshape(-1, *(1 for _ in found[name].shape[1:]))
            found[bias_of(name)] = found[bias_of(name)] - mean * scale
        return found


class FoldedModel(nn.Module):  # type: ignore[misc]
    """The network as it plays: what it says of many positions at once."""

    def __init__(self, view: BoardInput, sizes: BoardSizes, weights: Weights, kind: torch.dtype) -> None:
        super().__init__()
        self.sizes, self.players, self.ground, self.policy = sizes, view.players, Surroundings(view), Policy(view)
        self.names, self.kind = [name for name in weights if not name.startswith("owner")], kind
        for name, array in self.arranged(weights).items():
            self.register_buffer(key_of(name), array)

    def arranged(self, weights: Weights) -> dict[str, Tensor]:
        """The arrays as the convolutions use them."""
        found = {}
        for name in self.names:
            array = torch.from_numpy(np.asarray(weights[name], np.float32).copy())
            is_kernel = array.ndim == 3
            array = (self.ground.kernel(array) if is_kernel else array).to(self.kind)
            if is_kernel and array.ndim == 4:
                array = array.contiguous(memory_format=torch.channels_last)
            found[name] = array
        return found

    @torch.no_grad()  # type: ignore[untyped-decorator]
    def load(self, weights: Weights) -> None:
        """Take over other weights in place."""
        for name, array in self.arranged(weights).items():
            getattr(self, key_of(name)).copy_(array)

    def forward(self, planes: Tensor, numbers: Tensor) -> tuple[Tensor, Tensor]:
        """Scores of all outputs, and the value of the position for each relative player."""
        weights, ground = {name: getattr(self, key_of(name)) for name in self.names}, self.ground
        x = ground.conv(ground.arranged(planes.to(self.kind)), weights["input.w"], weights["input.b"])
        x = x + ground.spread(F.linear(numbers.to(self.kind), weights["input.globals"]))
        x = ground.only_existing(F.relu(x))
        for block in range(self.sizes.blocks):
            name = f"block{block}"
            y = ground.only_existing(F.relu(ground.conv(x, weights[f"{name}.w1"], weights[f"{name}.b1"])))
            if block % 2:
                added = F.linear(ground.pool(y), weights[f"{name}.pool.w"], weights[f"{name}.pool.b"])
                y = ground.only_existing(y + ground.spread(added))
            x = ground.only_existing(F.relu(x + ground.conv(y, weights[f"{name}.w2"], weights[f"{name}.b2"])))
        h = F.relu(torch.einsum("bcn,oc->bon", x.flatten(2), weights["head.w"]) + weights["head.b"][:, None])
        logits, result, _ = heads(self, weights, ground.only_existing(h.view(len(h), -1, *ground.shape)))
        return logits.float(), values_of(result.float())


def heads(model: nn.Module, weights: dict[str, Tensor], h: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """What the heads say; owners only where the weights have that head."""
    head = len(weights["mix.w"])
    moves, result = h[:, :head], h[:, head:]
    logits = model.policy(weights, moves, model.ground.pool(moves))
    hidden = F.relu(F.linear(model.ground.pool(result), weights["value1.w"], weights["value1.b"]))
    owners = None
    if "owner.w" in weights:
        owners = torch.einsum("bcn,oc->bon", result.flatten(2), weights["owner.w"])
    return logits, F.linear(hidden, weights["value2.w"], weights["value2.b"]), owners


def values_of(result: Tensor) -> Tensor:
    """The value for each relative player, from the scores of each one's win and of a draw."""
    chances = torch.softmax(result, 1)
    return chances[:, :-1] + DRAW * chances[:, -1:]


def key_of(name: str, part: str = "") -> str:
    """The name of an array inside a PyTorch module, where names may not have dots."""
    return f"{name}.{part}".strip(".").replace(".", "_")


def bias_of(name: str) -> str:
    """The name of the bias of a convolution.

    >>> bias_of("block0.w2"), bias_of("input.w")
    ('block0.b2', 'input.b')
    """
    head, _, last = name.rpartition(".")
    return f"{head}.b{last[1:]}"


def numpy_outputs(model: FoldedModel, planes: Array, numbers: Array) -> tuple[Array, Array]:
    """What a network says of positions, as NumPy arrays."""
    with torch.no_grad():
        logits, values = model(torch.from_numpy(planes), torch.from_numpy(numbers))
    return logits.numpy(), values.numpy()
