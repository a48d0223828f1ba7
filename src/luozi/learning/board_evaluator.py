"""A board network that evaluates the leaves of self-play by PyTorch; on a GPU in bf16, in one CUDA graph a half."""

from __future__ import annotations

import numpy as np
import torch
from numpy.typing import DTypeLike
from torch import Tensor

from luozi.compiled import Array
from luozi.evaluators.board_inputs import BoardInput
from luozi.evaluators.board_weights import BoardSizes
from luozi.evaluators.weight_files import Weights
from luozi.learning.board_forest import zeros
from luozi.learning.board_model import FoldedModel
from luozi.learning.board_selfplay import Evaluation, LeafBatch

WARM_UP = 3  # evaluations before a graph is captured

CapturedGraph = tuple[torch.cuda.CUDAGraph, torch.cuda.Event, torch.cuda.Stream]


class TorchEvaluator:
    """What the leaves of self-play are worth."""

    def __init__(self, view: BoardInput, sizes: BoardSizes, weights: Weights, device: str = "cpu") -> None:
        self.device = torch.device(device)
        self.on_gpu = self.device.type == "cuda"
        self.is_instant = not self.on_gpu
        if not self.on_gpu:
            torch.set_num_threads(1)  # each thread of self-play evaluates leaves of its own
        kind = torch.bfloat16 if self.on_gpu else torch.float32
        self.model = FoldedModel(view, sizes, weights, kind).to(self.device).eval()
        self.run = torch.compile(self.model, dynamic=False) if self.on_gpu else self.model
        self.make = pinned if self.on_gpu else zeros
        self.graphs: dict[int, CapturedGraph] = {}
        self.kept: list[list[Tensor] | tuple[Tensor, ...]] = []  # memory of the graphs

    def load(self, weights: Weights) -> None:
        """Take over other weights in place; graphs stay valid."""
        self.model.load(weights)
        if self.on_gpu:
            torch.cuda.synchronize()

    def start(self, leaves: LeafBatch) -> Evaluation | None:
        """Begin to evaluate; the answers are in the leaves when what is returned is done."""
        if not self.on_gpu:
            with torch.inference_mode():
                logits, values = self.model(torch.from_numpy(leaves.planes), torch.from_numpy(leaves.numbers))
            leaves.logits[:], leaves.values[:] = logits.numpy(), values.numpy()
            return None
        key = leaves.planes.ctypes.data
        if key not in self.graphs:
            self.graphs[key] = self._capture(leaves)
        graph, event, stream = self.graphs[key]
        with torch.cuda.stream(stream):
            graph.replay()
            event.record(stream)
        evaluation: Evaluation = event
        return evaluation

    def _capture(self, leaves: LeafBatch) -> CapturedGraph:
        """A graph that copies the leaves to the GPU, evaluates them and copies the answers back."""
        torch.backends.cudnn.benchmark = True
        stream, graph = torch.cuda.Stream(), torch.cuda.CUDAGraph()
        ours = [torch.from_numpy(part) for part in leaves]
        shown = [torch.empty_like(part, device=self.device) for part in ours[:2]]

        def evaluate() -> tuple[Tensor, Tensor]:
            for own, part in zip(shown, ours[:2], strict=True):
                own.copy_(part, non_blocking=True)
            found: tuple[Tensor, Tensor] = self.run(*shown)
            for part, answer in zip(ours[2:], found, strict=True):
                part.copy_(answer, non_blocking=True)
            return found

        torch.cuda.synchronize()
        with torch.cuda.stream(stream), torch.no_grad():
            for _ in range(WARM_UP):
                evaluate()
        torch.cuda.synchronize()
        with torch.cuda.graph(graph, stream=stream), torch.no_grad():
            self.kept += [shown, evaluate()]
        torch.cuda.synchronize()
        return graph, torch.cuda.Event(), stream


def pinned(shape: tuple[int, ...], kind: DTypeLike) -> Array:
    """Zeros in memory that a GPU reads by itself."""
    found: Array = torch.zeros(shape, dtype=getattr(torch, np.dtype(kind).name)).pin_memory().numpy()
    return found
