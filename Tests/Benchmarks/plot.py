"""Draws the curves of a benchmark run: plot.py FIGURES.json PICTURE.png"""

import json
import sys

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plot
from matplotlib.ticker import LogFormatter

with open(sys.argv[1]) as file:
    curves = json.load(file)["growth"]

causes = list(dict.fromkeys(curve["of"] for curve in curves))
figure, panels = plot.subplots(1, len(causes), figsize=(5 * len(causes), 4), squeeze=False)
for cause, panel in zip(causes, panels[0]):
    for curve in curves:
        if curve["of"] == cause:
            points = curve["points"]
            ours = not any(name in curve["who"] for name in ("libsecret", "bare"))
            panel.plot(
                [point["count"] for point in points],
                [point["median"] / 1000 for point in points],
                marker="o",
                linestyle="-" if ours else "--",
                label=curve["who"],
            )
    panel.set(xscale="log", yscale="log", xlabel=cause, ylabel="median, ms")
    for axis in (panel.xaxis, panel.yaxis):
        axis.set_major_formatter(LogFormatter())
        axis.set_minor_formatter(LogFormatter(minor_thresholds=(1, 0.4)))
    panel.grid(True, which="both", alpha=0.3)
    panel.legend(fontsize=7)
figure.tight_layout()
figure.savefig(sys.argv[2], dpi=80)
