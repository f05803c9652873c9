# SPDX-License-Identifier: Apache-2.0
"""Pictures of a quantity over N and p, as SVG: bands of colour over a grid (contours), and curves. They look
like those of `parcast sweep -o F.svg`: the same colours, which colour-blind readers can distinguish (Okabe
and Ito 2008), and the same axes."""
import math
from xml.sax.saxutils import escape

COLORS = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9"]
BANDS = ["#e8f1f8", "#b3d3ea", "#6aaed6", "#2f7fb8", "#0b4f86", "#082a4d"]  # light to dark
LEFT, RIGHT, TOP, BOTTOM = 76, 24, 44, 56


class Axis:
    """An axis, logarithmic or linear."""

    def __init__(self, values, start, end, log=True):
        self.log = log
        self.low, self.high = self.scale(min(values)), self.scale(max(values))
        if self.low == self.high:
            self.low, self.high = self.low - 0.5, self.high + 0.5
        self.start, self.end = start, end

    def scale(self, value):
        return math.log10(value) if self.log else value

    def __call__(self, value):
        return self.start + (self.scale(value) - self.low) / (self.high - self.low) * (self.end - self.start)

    def ticks(self):
        if not self.log:
            return [self.low + i * (self.high - self.low) / 4 for i in range(5)]
        steps = (
            [1]
            if self.high - self.low > 3
            else [1, 2, 5] if self.high - self.low > 0.7 else [1, 1.5, 2, 3, 4, 5, 6, 8]
        )
        values = [
            step * 10.0**decade
            for decade in range(math.floor(self.low), math.ceil(self.high) + 1)
            for step in steps
        ]
        return [value for value in values if self.low - 1e-9 <= self.scale(value) <= self.high + 1e-9]


def text(x, y, anchor, words, more=""):
    return f'<text x="{x:.2f}" y="{y:.2f}" text-anchor="{anchor}"{more}>{escape(words)}</text>\n'


def line(x1, y1, x2, y2, kind):
    return f'<line class="{kind}" x1="{x1:.2f}" y1="{y1:.2f}" x2="{x2:.2f}" y2="{y2:.2f}"/>\n'


def framed(width, height, shapes):
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="sans-serif"'
        ' font-size="12">\n<style>.grid{stroke:#dddddd}.axis{stroke:#333333}</style>\n<rect width="100%"'
        ' height="100%" fill="#ffffff"/>\n' + shapes + "</svg>\n"
    )


def plain(value):
    return f"{value:.4g}"


def curves(title, x_name, y_name, series, y_text=plain, share=False):
    """Draws `series`: name -> [(x, y), ...]. A share is drawn from 0 to 1, other quantities on logarithmic
    axes."""
    width, height = 720, 440
    xs = sorted({x for points in series.values() for x, _ in points})
    ys = [y for points in series.values() for _, y in points]
    x, y = Axis(xs, LEFT + 14, width - RIGHT - 14), Axis(
        [0, 1] if share else ys, height - BOTTOM, TOP, log=not share
    )
    out = text(LEFT, 24, "start", title, ' font-weight="bold"')
    for value in xs if len(xs) <= 12 else x.ticks():
        out += line(x(value), TOP, x(value), height - BOTTOM, "grid") + text(
            x(value), height - BOTTOM + 18, "middle", plain(value)
        )
    for value in y.ticks():
        out += line(LEFT, y(value), width - RIGHT, y(value), "grid") + text(
            LEFT - 8, y(value) + 4, "end", y_text(value)
        )
    out += line(LEFT, height - BOTTOM, width - RIGHT, height - BOTTOM, "axis") + line(
        LEFT, TOP, LEFT, height - BOTTOM, "axis"
    )
    out += text((LEFT + width - RIGHT) / 2, height - 14, "middle", x_name)
    out += text(
        16, (TOP + height - BOTTOM) / 2, "middle", y_name,
        f' transform="rotate(-90 16 {(TOP + height - BOTTOM) / 2:.2f})"',
    )
    for i, (name, points) in enumerate(series.items()):
        color = COLORS[i % len(COLORS)]
        out += (
            f'<polyline points="{" ".join(f"{x(a):.2f},{y(b):.2f}" for a, b in points)}" fill="none"'
            f' stroke="{color}" stroke-width="1.8"/>\n'
        )
        for a, b in points:
            out += (
                f'<circle cx="{x(a):.2f}" cy="{y(b):.2f}" r="3"'
                f' fill="{color}">'
                f'<title>{escape(f"{name}, {x_name} {plain(a)}: {y_text(b)}")}</title></circle>\n'
            )
        if name:
            out += text(LEFT + 14, TOP + 16 * (i + 1), "start", name, f' fill="{color}"')
    return framed(width, height, out)


def bands(title, x_name, y_name, panels, limits, band_text):
    """Draws contours of `panels`: name -> {(x, y): value}. A cell has the colour of the first limit above its
    value. Cells reach half way to their neighbours, so that a grid of few rows fills the picture."""
    width, panel_height, gap = 720, 110, 46
    height = TOP + 30 + len(panels) * (panel_height + gap)
    out = text(LEFT, 24, "start", title, ' font-weight="bold"')
    at = LEFT
    for color, words in zip(BANDS, [*(band_text(limit) for limit in limits), "more"]):
        out += (
            f'<rect x="{at}" y="{TOP - 8}" width="14" height="12" fill="{color}" stroke="#333333"'
            ' stroke-width="0.5"/>\n' + text(at + 20, TOP + 2, "start", words)
        )
        at += 30 + 7 * len(words)
    for number, (name, cells) in enumerate(panels.items()):
        top = TOP + 30 + number * (panel_height + gap)
        xs, ys = sorted({a for a, _ in cells}), sorted({b for _, b in cells})
        x = Axis(
            xs, LEFT + (width - RIGHT - LEFT) / (2 * len(xs)),
            width - RIGHT - (width - RIGHT - LEFT) / (2 * len(xs)),
        )
        y = Axis(ys, top + panel_height * (1 - 0.5 / len(ys)), top + panel_height * 0.5 / len(ys))
        edges_x, edges_y = halfway(xs, x, LEFT, width - RIGHT), halfway(ys, y, top + panel_height, top)
        out += text(LEFT, top - 5, "start", name)
        for (a, b), value in sorted(cells.items()):
            i, j = xs.index(a), ys.index(b)
            color = BANDS[sum(value >= limit for limit in limits)]
            out += (
                f'<rect x="{edges_x[i]:.2f}" y="{edges_y[j + 1]:.2f}"'
                f' width="{edges_x[i + 1] - edges_x[i]:.2f}" height="{edges_y[j] - edges_y[j + 1]:.2f}"'
                f' fill="{color}">'
                f'<title>{escape(f"{name}, {x_name} {plain(a)}, {y_name} {plain(b)}: {100 * value:.1f} %")}'
                f'</title></rect>\n'
            )
        for value in ys:
            out += text(LEFT - 8, y(value) + 4, "end", plain(value))
        out += text(
            16, top + panel_height / 2, "middle", y_name,
            f' transform="rotate(-90 16 {top + panel_height / 2:.2f})"',
        )
        for value in x.ticks():
            out += text(x(value), top + panel_height + 16, "middle", plain(value))
        out += text(width - RIGHT, top - 5, "end", x_name)
    return framed(width, height, out)


def halfway(values, axis, first, last):
    """Returns the edges of cells around values on an axis, which ends at the edges of the picture."""
    places = [axis(value) for value in values]
    return [first, *[(a + b) / 2 for a, b in zip(places, places[1:])], last]
