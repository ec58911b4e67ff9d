"""Draws the state diagram of a machine from its table.

The states are below each other in the model's order. Transitions to lower states are on the right, those to higher
states on the left; two share a lane if they do not overlap. Labels cannot cross connectors, which are beside them.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from ...ir import Machine
from ..describe import changing_rows, row_labels, staying_rows
from .svg import Drawing

__all__ = ["draw"]

_CHAR = 7.25  # width of a character, in pixels
_LINE = 16  # height of a line
_PAD = 10
_GAP_MIN = 44  # between states
_PORT = 12  # between the connectors of a state
_LANE = 26  # between a lane's line and what is beside it
_LABEL_CHARS = 28
_BOX_CHARS = 58


@dataclass(slots=True)
class _Box:
    name: str
    lines: list[str]
    x: float = 0.0
    y: float = 0.0
    width: float = 0.0
    height: float = 0.0


@dataclass(slots=True)
class _Edge:
    """All rows from one state (index) to another, and the label's lines. `lane` counts from 0, next to the states."""

    source: int
    target: int
    lines: list[str]
    lane: int = 0
    ports: dict[int, float] = field(default_factory=dict)  # row of the state → y

    @property
    def down(self) -> bool:
        return self.target > self.source

    @property
    def rows(self) -> tuple[int, int]:
        return min(self.source, self.target), max(self.source, self.target)

    @property
    def gap(self) -> int:
        """The index of the state below which the label is."""
        return self.source if self.down else self.source - 1

    @property
    def label_width(self) -> float:
        return math.ceil(max(map(len, self.lines)) * _CHAR) + _LANE

    @property
    def label_height(self) -> float:
        return len(self.lines) * _LINE


def draw(machine: Machine) -> str:
    """The diagram as SVG."""
    rows = {state.name: index for index, state in enumerate(machine.states)}
    boxes = [
        _Box(state.name, row_labels(machine, staying_rows(machine, state.name), _BOX_CHARS, keep_steps=True))
        for state in machine.states
    ]
    edges = [
        _Edge(rows[source], rows[target], row_labels(machine, group, _LABEL_CHARS, keep_steps=True))
        for (source, target), group in changing_rows(machine).items()
    ]
    for down in (True, False):
        _assign_lanes([edge for edge in edges if edge.down is down])
    _place(boxes, edges)
    return _paint(machine, boxes, edges)


# --- positions


def _assign_lanes(edges: list[_Edge]) -> None:
    """Assigns lanes to edges on one side, short edges first; edges may share a lane if at most one state is in both."""
    lanes: list[list[_Edge]] = []
    for edge in sorted(edges, key=lambda edge: (edge.rows[1] - edge.rows[0], edge.rows, edge.source)):
        for number, lane in enumerate(lanes):
            if all(edge.rows[0] >= other.rows[1] or edge.rows[1] <= other.rows[0] for other in lane):
                edge.lane = number
                lane.append(edge)
                break
        else:
            edge.lane = len(lanes)
            lanes.append([edge])


def _place(boxes: list[_Box], edges: list[_Edge]) -> None:
    width = math.ceil(max(max(map(len, [box.name, *box.lines])) for box in boxes) * _CHAR) + 2 * _PAD
    y = 40.0
    for row, box in enumerate(boxes):
        ports = max(sum(row in edge.rows and edge.down is down for edge in edges) for down in (True, False))
        box.width = width
        text = (len(box.lines) + 1) * _LINE + 2 * _PAD + (6 if box.lines else 0)
        box.height = max(text, (ports + 1) * _PORT)
        box.y = y
        labels = [edge.label_height for edge in edges if edge.gap == row]
        y += box.height + max([_GAP_MIN, *(height + 2 * _PAD for height in labels)])
    for down in (True, False):
        _place_ports(boxes, [edge for edge in edges if edge.down is down])
    left = 20 + sum(_lane_widths([edge for edge in edges if not edge.down]))
    for box in boxes:
        box.x = left


def _place_ports(boxes: list[_Box], edges: list[_Edge]) -> None:
    """Places the ends of edges on one side of the states, in `ports`: above those of edges to or from higher states,
    below the others. Of the former, outer lanes are lower, of the latter higher, so that lines do not cross.
    """
    for row, box in enumerate(boxes):
        above = sorted((edge for edge in edges if edge.rows[1] == row), key=lambda edge: edge.lane)
        below = sorted((edge for edge in edges if edge.rows[0] == row), key=lambda edge: -edge.lane)
        stack = [*above, *below]
        step = box.height / (len(stack) + 1)
        for index, edge in enumerate(stack, 1):
            edge.ports[row] = box.y + index * step


def _lane_widths(edges: list[_Edge]) -> list[float]:
    """The width of each lane in pixels, the innermost first: its widest label and a margin."""
    count = max((edge.lane + 1 for edge in edges), default=0)
    return [max(e.label_width for e in edges if e.lane == lane) + _LANE for lane in range(count)]


# --- drawing


def _paint(machine: Machine, boxes: list[_Box], edges: list[_Edge]) -> str:
    right = [edge for edge in edges if edge.down]
    left = [edge for edge in edges if not edge.down]
    width = boxes[0].x + boxes[0].width + sum(_lane_widths(right)) + 20
    height = boxes[-1].y + boxes[-1].height + 20
    drawing = Drawing(width, height, f"{machine.title}: states and transitions")
    first = boxes[0]
    middle = first.x + first.width / 2
    drawing.dot(middle, 12)
    drawing.arrow([(middle, 12), (middle, first.y)])
    for edge in right:
        x = boxes[0].x + boxes[0].width + _LANE + sum(_lane_widths(right)[: edge.lane])
        _paint_edge(drawing, boxes, edge, boxes[0].x + boxes[0].width, x)
    for edge in left:
        x = boxes[0].x - _LANE - sum(_lane_widths(left)[: edge.lane])
        _paint_edge(drawing, boxes, edge, boxes[0].x, x)
    for box in boxes:
        _paint_box(drawing, box)
    return drawing.text()


def _paint_edge(drawing: Drawing, boxes: list[_Box], edge: _Edge, side: float, lane: float) -> None:
    begin, end = edge.ports[edge.source], edge.ports[edge.target]
    drawing.arrow([(side, begin), (lane, begin), (lane, end), (side, end)])
    above = boxes[edge.gap]
    room = boxes[edge.gap + 1].y - above.y - above.height
    y = above.y + above.height + (room - edge.label_height) / 2
    widest = max(map(len, edge.lines)) * _CHAR
    x = lane + 8 if edge.down else lane - 8 - widest
    drawing.block(x, y, edge.lines, _LINE)


def _paint_box(drawing: Drawing, box: _Box) -> None:
    drawing.box(box.x, box.y, box.width, box.height)
    drawing.title(box.x + box.width / 2, box.y + _PAD + 11, box.name)
    if box.lines:
        rule = box.y + _PAD + _LINE + 2
        drawing.rule(box.x, rule, box.x + box.width)
        drawing.block(box.x + _PAD, rule + 4, box.lines, _LINE)
