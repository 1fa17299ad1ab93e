"""Silos of granule in LAMMPS: discharge through round holes in a flat bottom. Lengths are in d, masses in m, g = 1."""

import math

import numpy as np

from lammps_setup import LOOSE, YOUNG, beginning, frames, grains, law, motion, run, steps

SHARE, SETTLING, FRAMES = 0.3, 20, 4  # of all grains that leave; time before the hole is opened; counts per sqrt(d/g)


def volume_below(height, radius):
    """Volume of the part of spheres below a height over their centres."""
    cap = np.clip(height + radius, 0, 2 * radius)
    return math.pi / 3 * cap**2 * (3 * radius - cap)


def bulk_of(y, radius, outer):
    """Volume of the bed per grain, from the fraction between 1 d above the bottom and 2 d below the surface."""
    low, high = 1.0, np.sort(y)[int(0.9 * (len(y) - 1))] - 2.0
    solid = (volume_below(high - y, radius) - volume_below(low - y, radius)).sum()
    fraction = solid / (math.pi * outer**2 * (high - low))
    return math.pi / 6 * ((2 * radius) ** 3).mean() / fraction


def rate_of(curve, low, high):
    """Slope and R2 of the line through what left between two parts of all that leave."""
    part = curve[(curve[:, 1] >= low * curve[-1, 1]) & (curve[:, 1] <= high * curve[-1, 1])]
    return np.polyfit(*part.T, 1)[0], np.corrcoef(*part.T)[0, 1] ** 2


def silo(folder, ranks, hole, depth, young, seed):
    """Grains that have left over time, the volume of the bed per grain, and all grains."""
    inner, outer, top = 0.5 * hole, 1.25 * hole, depth * 0.6 / LOOSE
    count = round(LOOSE * math.pi * (outer - 0.6) ** 2 * (top - 0.6) * 6 / math.pi)
    own = law(0.5, young=young)
    longest = 1.3 * SHARE * count * 0.9 / (0.58 * (hole - 1.4) ** 2.5) + 3
    run(
        [
            *beginning([-outer - 2, outer + 2, -30, top + 3, -outer - 2, outer + 2], "f f f"),
            f"region fill cylinder y 0 0 {outer - 0.6} 0.6 {top}",
            *grains("fill", count, 1000 * seed),
            "pair_style granular",
            f"pair_coeff * * {own}",
            *motion(young),
            "thermo_modify lost ignore",
            f"region wall cylinder y 0 0 {outer} INF INF side in",
            "region slab block INF INF -1 0 INF INF",
            f"region around cylinder y 0 0 {inner} INF INF side out",
            "region bottom intersect 2 slab around side out",
            f"region gate block {-inner - 1} {inner + 1} -1 0 {-inner - 1} {inner + 1} side out",
            *(f"fix {name} all wall/gran/region granular {own} region {name}" for name in ("wall", "bottom", "gate")),
            f"run {steps(SETTLING, young)}",
            "write_dump all custom begin.dump id x y z radius",
            "unfix gate",
            "region above block INF INF -3 INF INF INF",
            "variable inside equal count(all,above)",
            f'fix count all print {steps(1 / FRAMES, young)} "${{inside}}" file counts.txt screen no title "grains"',
            f"run {steps(longest, young)}",
        ],
        folder,
        ranks,
    )
    ((_, rows),) = frames(folder / "begin.dump")
    left = len(rows) - np.loadtxt(folder / "counts.txt", skiprows=1)
    last = int(np.argmax(left >= SHARE * len(rows))) or len(left) - 1
    curve = np.column_stack([np.arange(last + 1) / FRAMES, left[: last + 1]])
    return curve, bulk_of(rows[:, 2], rows[:, 4], outer), len(rows)


def orifice(args, folder):
    """Holes of several diameters; crates/granule/src/measure/dem/orifice.rs."""
    young, silos = (1e4, 12) if args.quick else (YOUNG, 24)
    for hole in args.holes or ([6, 8, 10] if args.quick else [8, 10, 12, 16, 20]):
        depth = 0.8 * hole + 9 if args.quick else 2.2 * hole
        for seed in range(args.first, args.first + max(1, int(silos / hole))):
            curve, bulk, count = silo(folder, args.ranks, hole, depth, young, seed)
            (rate, linearity), halves = rate_of(curve, 0.2, 1.0), rate_of(curve, 0.6, 1.0)[0] / rate_of(curve, 0.2, 0.6)[0]
            yield {"hole": hole, "seed": seed, "rate": rate * bulk, "r2": linearity, "halves": halves, "bulk": bulk, "grains": count}
