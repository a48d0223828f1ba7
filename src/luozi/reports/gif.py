"""A game record as an animated GIF, with one frame for each position."""

from __future__ import annotations

import io
from functools import lru_cache
from typing import Any

from PIL import Image, ImageDraw, ImageFont

from luozi.drawing.board_picture import BLACK, BLUE, FALLING, GREEN, MANY, RED, WHITE, Marks, box, scene_of
from luozi.drawing.primitives import Area, Disc, Scene, Shape, Stroke, Words, parts
from luozi.messages import LuoziError
from luozi.records.replay import Replay, ReplayStep
from luozi.reports.replays import told_of

WIDTH = 480  # of a frame, in pixels
SMOOTH = 2  # drawn so many times larger, and then reduced
MOST_FRAMES = 1000
BAND = 30.0  # under the board, for a line of words
LARGEST, WIDE = 13.0, 0.56  # letters under the board: their size, and how wide one is beside it
LETTER, LINE = 8.4, 17.0  # a character of a board that is text
MILLISECONDS, AT_THE_END = 600, 2500
COLOURS, CERTAIN = 96, (BLACK, WHITE, RED, GREEN, BLUE, *FALLING, *MANY)
LEAST = 260.0  # the width of a board that is text


def gif_bytes(replay: Replay, milliseconds: int = MILLISECONDS) -> bytes:
    """Return the GIF of a game."""
    if len(replay.steps) > MOST_FRAMES:
        raise LuoziError(
            "a GIF has at most {most} moves; this game has {count}",
            most=f"{MOST_FRAMES:,}",
            count=f"{len(replay.steps) - 1:,}",
        )
    scenes = [frame_of(replay, step) for step in replay.steps]
    size = max(scene.width for scene in scenes), max(scene.height for scene in scenes)
    images = [pixels(scene._replace(width=size[0], height=size[1])) for scene in scenes]
    palette = palette_of(images[len(images) // 2], images[-1])
    frames = [image.quantize(palette=palette, dither=Image.Dither.NONE) for image in images]
    times = [milliseconds] * (len(frames) - 1) + [AT_THE_END]
    content = io.BytesIO()
    frames[0].save(content, "GIF", save_all=True, append_images=frames[1:], duration=times, loop=0, optimize=False)
    return content.getvalue()


def palette_of(*images: Image.Image) -> Image.Image:
    """Return one palette for all frames, so that nothing flickers, with the exact colours of pieces and marks."""
    both = Image.new("RGB", (images[0].width, sum(image.height for image in images)))
    for place, image in enumerate(images):
        both.paste(image, (0, place * images[0].height))
    usual = (both.quantize(COLOURS - len(CERTAIN)).getpalette() or [])[: 3 * (COLOURS - len(CERTAIN))]
    palette = Image.new("P", (1, 1))
    palette.putpalette([part for colour in CERTAIN for part in parts(colour)] + usual)
    return palette


def frame_of(replay: Replay, step: ReplayStep) -> Scene:
    """Return a position with its move as text below."""
    game = replay.record.game
    others = [cells[-1] for cells in step.marks if cells]
    marks = Marks(step.last, step.winning, others=others)
    scene = scene_of(game, step.state, marks) or text_scene(game.show(step.state))
    words = replay.move_text(step)
    if step is replay.steps[-1]:
        words += f" · {replay.result}"
    lines = [words, *([told_of(game, step)] if any(one.chances is not None for one in replay.steps) else [])]
    height = scene.height + BAND * len(lines)
    captions = [
        Words(scene.width / 2, scene.height + (place + 0.45) * BAND, line, size_of(line, scene.width), BLACK)
        for place, line in enumerate(lines)
        if line
    ]
    return Scene(scene.width, height, (Area(box(0, 0, scene.width, height), WHITE), *scene.shapes, *captions))


def size_of(line: str, width: float) -> float:
    """Return a font size with which a line fits below a board."""
    return min(LARGEST, (width - 2 * LETTER) / (WIDE * max(1, len(line))))


def text_scene(text: str) -> Scene:
    """Return a board that is text, with a fixed width for each character."""
    lines = text.splitlines() or [""]
    shapes = [
        Words(LETTER * (column + 2), LINE * (row + 1), character, 13, BLACK)
        for row, line in enumerate(lines)
        for column, character in enumerate(line)
        if character != " "
    ]
    return Scene(max(LEAST, LETTER * (max(map(len, lines)) + 4)), LINE * (len(lines) + 1), tuple(shapes))


def pixels(scene: Scene) -> Image.Image:
    """Return a scene as an image."""
    scale = SMOOTH * WIDTH / scene.width
    image = Image.new("RGB", (SMOOTH * WIDTH, round(scale * scene.height)), WHITE)
    pen = ImageDraw.Draw(image)
    for shape in scene.shapes:
        paint(pen, shape, scale)
    return image.resize((WIDTH, image.height // SMOOTH), Image.Resampling.LANCZOS)


def paint(pen: Any, shape: Shape, scale: float) -> None:
    """Draw one shape."""
    if isinstance(shape, Words):
        font = font_of(max(1, round(scale * shape.size)))
        weight = round(0.02 * scale * shape.size) if shape.bold else 0
        place = scale * shape.x, scale * shape.y
        pen.text(place, shape.text, shape.fill, font, anchor="mm", stroke_width=weight, stroke_fill=shape.fill)
        return
    line = None if shape.stroke == "none" else shape.stroke
    wide = max(1, round(scale * shape.width))
    if isinstance(shape, Disc):
        x, y, radius = scale * shape.x, scale * shape.y, scale * shape.radius + wide / 2 * (line is not None)
        fill = None if shape.fill == "none" else shape.fill
        pen.ellipse((x - radius, y - radius, x + radius, y + radius), fill, line, wide)
        return
    points = [(scale * x, scale * y) for x, y in shape.points]
    if isinstance(shape, Stroke):
        pen.line(points, shape.stroke, wide, joint="curve")
    else:
        pen.polygon(points, None if shape.fill == "none" else shape.fill)
        if line is not None:
            pen.line([*points, points[0]], line, wide)


@lru_cache(maxsize=32)
def font_of(size: int) -> Any:
    """Return Pillow's default font."""
    return ImageFont.load_default(size)
