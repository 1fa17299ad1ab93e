"""Experiments of granule in LAMMPS: the same set-up, law and estimator, for numbers that miss a published range.

`python lammps_experiments.py zhou|segregation|planar|tumbler|load|forces|orifice [--quick]` prints one line `RESULT {...}` per run. Lengths are in diameters d,
masses in m of a grain of that diameter, g = 1. Needs no packages but numpy; starts the `lmp` of the Python that runs it.
"""

import argparse
import json
import math
import tempfile
from pathlib import Path

import numpy as np

from lammps_beds import forces, load
from lammps_setup import LOOSE, TIME_STEP, YOUNG, beginning, frames, grains, law, motion, run, steps
from lammps_silos import orifice, volume_below


def profile(x, radius, depth, fraction):
    """Middles of bins of 1 d, and heights to which the volume of grains would fill them."""
    edges = np.arange(math.floor((x - radius).min()), math.ceil((x + radius).max()) + 1)
    below = np.array([volume_below(edge - x, radius).sum() for edge in edges])
    return 0.5 * (edges[1:] + edges[:-1]), np.diff(below) / (fraction * depth)


def slope(x, y, radius, depth, fraction=0.58, flank=(0.2, 0.8)):
    """Mean inclination of both flanks of a deposit [degrees]."""
    middle, height = profile(x[y > 0], radius[y > 0], depth, fraction)
    crest, top = middle[height.argmax()], height.max()
    angles = []
    for sign in (-1, 1):
        part = (sign * (middle - crest) > 0) & (height >= flank[0] * top) & (height <= flank[1] * top)
        if part.sum() >= 3:
            angles.append(math.degrees(math.atan(abs(np.polyfit(middle[part], height[part], 1)[0]))))
    return float(np.mean(angles))


def zhou(args, folder):
    """Heaps that are left on a plate; crates/granule/src/measure/dem/zhou.rs."""
    half, plate, bed = (28, 16, 10) if args.quick else (50, 22, 13)
    depth, wall_friction = 4, 0.5
    for friction, rolling in [(0.2, 0.2), (0.4, 0.2), (0.8, 0.2), (0.4, 0.05), (0.4, 0.4)]:
        for seed in range(1, args.seeds + 1):
            top = bed * 0.6 / LOOSE
            count = round(LOOSE * 2 * half * depth * top * 6 / math.pi)
            wall = law(wall_friction, rolling)
            run(
                [
                    *beginning([-half - 3, half + 3, -8, top + 4, 0, depth], "f f p"),
                    f"region fill block {-half + 0.6} {half - 0.6} 0.6 {top} 0 {depth}",
                    *grains("fill", count, 1000 * seed),
                    "pair_style granular",
                    f"pair_coeff * * {law(friction, rolling)}",
                    *motion(),
                    f"fix floor all wall/gran granular {wall} yplane 0 NULL",
                    f"fix sides all wall/gran granular {wall} xplane {-half} {half}",
                    f"run {steps(45)}",
                    "unfix floor",
                    f"region plate block {-plate} {plate} -2 0 INF INF side out",
                    f"fix plate all wall/gran/region granular {wall} region plate",
                    f"run {steps(150)}",
                    "write_dump all custom end.dump id x y z radius",
                ],
                folder,
                args.ranks,
            )
            ((_, rows),) = frames(folder / "end.dump")
            angle = slope(rows[:, 1], rows[:, 2], rows[:, 4], depth)
            yield {"friction": friction, "rolling": rolling, "seed": seed, "angle": angle, "grains": len(rows)}


def segregation(args, folder):
    """A large sphere in a shaken bed; crates/granule/src/measure/dem/segregation.rs."""
    side, bed, young = (7, 9, 1e4) if args.quick else (12, 12, 1e5)
    frequency, acceleration, large, shakes = 0.3, 3.0, 3.0, 100
    amplitude = acceleration / (2 * math.pi * frequency) ** 2
    for seed in range(1, args.seeds + 1):
        top = bed * 0.6 / LOOSE + 1.02 * large
        count = round(LOOSE * side * side * (top - 1.02 * large) * 6 / math.pi)
        own = law(0.5, young=young)
        run(
            [
                *beginning([-side / 2, side / 2, -2, top + 20, -side / 2, side / 2], "p f p"),
                f"create_atoms 2 single 0 {0.51 * large} 0",
                f"region fill block {-side / 2} {side / 2} {1.02 * large + 0.6} {top} {-side / 2} {side / 2}",
                *grains("fill", count, 1000 * seed),
                f"set type 2 diameter {large}",
                f"set type 2 density {6 / math.pi}",
                "pair_style granular",
                f"pair_coeff * * {own}",
                *motion(young),
                f"fix floor all wall/gran granular {own} yplane 0 NULL wiggle y {amplitude} {1 / frequency}",
                f"dump all all custom {steps(1, young)} all.dump id type y",
                f"run {steps(shakes / frequency, young)}",
            ],
            folder,
            args.ranks,
        )
        below = []
        for _, rows in frames(folder / "all.dump"):
            intruder = rows[:, 1] == 2
            below.append(float((rows[~intruder, 2] < rows[intruder, 2]).mean()))
        yield {"seed": seed, "below": float(np.mean(below[-20:])), "grains": len(rows) - 1}


def planar(args, folder):
    """Columns between panes on a floor of spheres; crates/granule/src/measure/dem/planar.rs."""
    length, depth, fraction = (12, 5, 0.6) if args.quick else (25, 8, 0.6)
    for aspect in args.aspects:
        rng = np.random.default_rng(7)
        published = 1.2 * aspect if aspect < 2.3 else 1.9 * aspect ** (2 / 3)
        reach = math.ceil(length * (1 + 1.7 * published) + 10)
        top = 0.6 + aspect * length * fraction / LOOSE
        count = round(LOOSE * length * depth * (top - 0.6) * 6 / math.pi)
        spots = [
            f"create_atoms 2 single {x + 0.5 + 0.2 * a:.4f} {0.1 * b:.4f} {(z + 0.5 + 0.2 * c) % depth:.4f}"
            for x in range(reach)
            for z in range(depth)
            for a, b, c in [rng.uniform(-1, 1, 3)]
        ]
        own, fall = law(0.5, 0.05), math.sqrt(2 * aspect * length)
        run(
            [
                *beginning([-3, reach + 30, -3, top + 4, 0, depth], "f f p"),
                *spots,
                f"region fill block 0.6 {length - 0.6} 1.2 {top} 0 {depth}",
                *grains("fill", count, 1000),
                "set type 2 diameter 1",
                f"set type 2 density {6 / math.pi}",
                "group floor type 2",
                "group sand type 1",
                "neigh_modify exclude group floor floor",
                "pair_style granular",
                f"pair_coeff * * {own}",
                "fix weight sand gravity 1.0 vector 0 -1 0",
                "fix move sand nve/sphere",
                f"timestep {TIME_STEP}",
                "thermo 20000",
                "thermo_modify lost ignore",
                f"fix bottom sand wall/gran granular {own} yplane 0 NULL",
                f"fix back sand wall/gran granular {own} xplane 0 NULL",
                f"fix gate sand wall/gran granular {law(0.0, 0.05)} xplane NULL {length}",
                f"run {steps(4 * fall + 15)}",
                "write_dump sand custom begin.dump id x y z radius",
                "unfix gate",
                f"run {steps(10 * fall + 20)}",
                "write_dump sand custom end.dump id x y z radius",
            ],
            folder,
            args.ranks,
        )
        ((_, before),), ((_, after),) = frames(folder / "begin.dump"), frames(folder / "end.dump")
        middle, height = profile(before[:, 1], before[:, 4], depth, fraction)
        area = height[middle < length].sum()
        middle, height = profile(after[:, 1], after[:, 4], depth, fraction)
        crest = height.argmax()
        low = np.nonzero(height[crest:] < 0.5)[0]
        front = middle[crest + (low[0] if len(low) else len(height) - crest) - 1] + 0.5
        yield {"aspect": area / length**2, "runout": (front - length) / length, "height": height.max() / length}


def surface_angle(x, y, z):
    """Inclination of the middle 0.6 of a surface [degrees], by the highest centres of columns; crates/granule/src/measure/surface.rs."""
    width = 2.0
    tops = {}
    for column, height in zip(zip(np.floor(x / width), np.floor(z / width)), y):
        tops[column] = max(height, tops.get(column, height))
    strips = {}
    for (strip, _), height in tops.items():
        strips.setdefault(strip, []).append(height)
    middle, half = 0.5 * (min(strips) + max(strips)), 0.5 * 0.6 * (max(strips) - min(strips) + 1)
    points = [((strip + 0.5) * width, np.mean(h)) for strip, h in sorted(strips.items()) if abs(strip - middle) <= half]
    return abs(math.degrees(math.atan(np.polyfit(*zip(*points), 1)[0])))


def loose_height(radius, share):
    """Height over the axis up to which a part of a drum's section lies, by bisection."""
    low, high = -radius, radius
    for _ in range(60):
        middle = 0.5 * (low + high)
        h = middle / radius
        if (math.pi / 2 + math.asin(h) + h * math.sqrt(1 - h * h)) / math.pi < share:
            low = middle
        else:
            high = middle
    return low


def tumbler(args, folder):
    """A drum that turns and is stopped; crates/granule/src/measure/dem/tumbler.rs."""
    radius, length, young = (12, 6, 1e4) if args.quick else (20, 8, 3e4)
    fill, slowing, standing = 0.35, 30, 30
    for froude in (3e-3, 3e-2) if args.quick else (1e-3, 1e-2):
        for seed in range(1, args.seeds + 1):
            omega = math.sqrt(froude / radius)
            turning = 0.6 * 2 * math.pi / omega
            count = round(0.5 * math.pi * radius**2 * length * 0.6 * 6 / math.pi)
            step = TIME_STEP * math.sqrt(YOUNG / young)
            since = [f"({step}*step-{t})" for t in (turning, turning + slowing)]
            slower = f"{omega}*({turning}+{since[0]}-0.5*{since[0]}*{since[0]}/{slowing})"
            run(
                [
                    *beginning([-radius - 2, radius + 2, -radius - 2, radius + 2, 0, length], "f f p"),
                    f"region inside cylinder z 0 0 {radius - 0.6} 0 {length}",
                    f"region lower block INF INF INF {loose_height(radius, 0.3 / fill)} INF INF",
                    "region fill intersect 2 inside lower",
                    *grains("fill", count, 1000 * seed),
                    "pair_style granular",
                    f"pair_coeff * * {law(0.5, 0.02, young)}",
                    *motion(young),
                    f"variable angle equal {omega}*{step}*step",
                    f"region drum cylinder z 0 0 {radius} INF INF side in rotate v_angle 0 0 0 0 0 1",
                    f"fix drum all wall/gran/region granular {law(0.8, 0.02, young)} region drum",
                    f"dump all all custom {steps(1, young)} all.dump id x y z",
                    f"run {steps(turning, young)}",
                    f'variable angle equal "{slower}"',
                    f"run {steps(slowing, young)}",
                    f"variable angle equal {omega * (turning + 0.5 * slowing)}",
                    f"run {steps(standing, young)}",
                ],
                folder,
                args.ranks,
            )
            angles = [(step * n, surface_angle(*rows.T[1:4])) for n, rows in frames(folder / "all.dump")]
            late = [angle for t, angle in angles if turning * 0.25 / 0.6 < t <= turning]
            rest = np.mean([angle for t, angle in angles if t > turning + slowing + 0.5 * standing])
            yield {"froude": froude, "seed": seed, "angle": np.mean(late), "spread": np.std(late), "rest": rest, "grains": count}


EXPERIMENTS = {"zhou": zhou, "segregation": segregation, "planar": planar, "tumbler": tumbler, "load": load, "forces": forces, "orifice": orifice}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("experiment", choices=list(EXPERIMENTS))
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--aspects", type=float, nargs="+", default=[0.5, 1, 2, 3, 4, 6], help="of planar columns")
    parser.add_argument("--holes", type=float, nargs="+", help="diameters of holes")
    parser.add_argument("--first", type=int, default=1, help="first seed of beds and silos")
    parser.add_argument("--grains", choices=["both", "spheres", "tetrahedra"], default="both", help="of beds")
    parser.add_argument("--longest", type=float, help="longest wait for beds at rest [sqrt(d/g)]")
    parser.add_argument("--ranks", type=int, default=1)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        for result in EXPERIMENTS[args.experiment](args, Path(folder)):
            print("RESULT " + json.dumps(result), flush=True)


if __name__ == "__main__":
    main()
