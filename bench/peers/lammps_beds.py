"""Beds of spheres and of rigid tetrahedra at rest and under a plate; crates/granule/src/measure/dem/load.rs and forces/."""

import math

import numpy as np

from lammps_setup import LARGEST, SMALLEST, TIME_STEP, YOUNG, beginning, frames, law, run, steps
from lammps_statistics import (
    by_layer,
    distance,
    gamma_shape,
    layers_of,
    peak,
    share_of_larger_half,
    tail_rate,
    tail_straightness,
)

FRICTION = 0.5
MEMBER = 3.523 ** (-1 / 3)  # radius of a member of a tetrahedron, in radii of the sphere of the same volume
EDGE, INERTIA = 1.5, 1.049  # edge in radii of members, moment of inertia in m r^2 of these
CORNERS = EDGE / math.sqrt(8) * np.array([[1, 1, 1], [1, -1, -1], [-1, 1, -1], [-1, -1, 1]])
PRESSURE, FRACTION, PRESSES, IDLE = 20, 0.6, 15, 10


class Vessel:
    """What holds a bed: a periodic cell of a side, or a cylinder of a radius, and how deep it is filled."""

    def __init__(self, tetrahedra, periodic=None, cylinder=None, depth=0):
        self.tetrahedra, self.radius, self.depth = tetrahedra, cylinder, depth
        self.half = cylinder or 0.5 * periodic
        self.ground = math.pi * cylinder**2 if cylinder else periodic**2
        self.side = periodic
        self.name = "tetrahedra" if tetrahedra else "spheres"
        # granule's random fill ends at these parts of the volume up to this height; that of spheres is looser here, and higher.
        self.height = depth * 0.6 / 0.36
        self.volume = (0.28 if tetrahedra else 0.36) * self.ground * (self.height - 0.6)
        self.top = 0.6 + self.volume / ((0.28 if tetrahedra else 0.3) * self.ground)

    def inside(self, places, radius):
        """Whether spheres lie above the base, below the top and within walls; periodic cells have none of these."""
        within = np.all(places[:, 1] > 0.6 + radius) and np.all(places[:, 1] < self.top - radius)
        return within and (self.side or np.all(np.hypot(places[:, 0], places[:, 2]) < self.half - radius))


def turned(rng):
    """A rotation at random."""
    q = rng.normal(size=4)
    w, x, y, z = q / np.linalg.norm(q)
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
            [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
            [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
        ]
    )


class Room:
    """Spheres by cells, for what is free."""

    def __init__(self, side):
        self.side, self.cells, self.width = side, {}, LARGEST

    def images(self, x):
        """The place, and its images near the faces of a periodic cell."""
        shifts = [-self.side, 0, self.side] if self.side else [0]
        for a in shifts:
            for c in shifts:
                y = x + [a, 0, c]
                if not self.side or np.all(np.abs(y[[0, 2]]) < 0.5 * self.side + 1.2):
                    yield y

    def is_free(self, x, radius):
        i, j, k = np.floor(x / self.width).astype(int)
        for a in (i - 1, i, i + 1):
            for b in (j - 1, j, j + 1):
                for c in (k - 1, k, k + 1):
                    for y, other in self.cells.get((a, b, c), ()):
                        if (x[0] - y[0]) ** 2 + (x[1] - y[1]) ** 2 + (x[2] - y[2]) ** 2 < (radius + other) ** 2:
                            return False
        return True

    def add(self, x, radius):
        for y in self.images(x):
            self.cells.setdefault(tuple(np.floor(y / self.width).astype(int)), []).append((y, radius))


def loose(vessel, rng):
    """Grains at random, none of which overlap: centre, radius of the sphere of the same volume, places of members."""
    room, found, left = Room(vessel.side), [], vessel.volume
    radii = []
    while left > 0:
        radii.append(0.5 * rng.uniform(SMALLEST, LARGEST))
        left -= 4 / 3 * math.pi * radii[-1] ** 3
    for radius in sorted(radii, reverse=True):
        member = radius * MEMBER if vessel.tetrahedra else radius
        while True:
            center = rng.uniform([-vessel.half, 0.6, -vessel.half], [vessel.half, vessel.top, vessel.half])
            places = center + member * CORNERS @ turned(rng).T if vessel.tetrahedra else center[None]
            if vessel.inside(places, member) and all(room.is_free(x, member) for x in places):
                break
        for x in places:
            room.add(x, member)
        found.append((center, radius, member, places))
    return found


def base(vessel, rng):
    """Places of the spheres of a rough base, about one per squared diameter."""
    count = int(2 * vessel.half)
    width = 2 * vessel.half / count
    for i in range(count):
        for k in range(count):
            a, b, c = rng.uniform(-1, 1, 3)
            x, z = (width * (n + 0.5) - vessel.half + 0.2 * move for n, move in ((i, a), (k, c)))
            yield np.array([x, 0.1 * b, z])


def write_bed(vessel, folder, seed):
    """Writes grains and base as data, and mass, centre and inertia of rigid ones; gives the number of grains."""
    rng = np.random.default_rng(seed)
    grains, rough = loose(vessel, rng), list(base(vessel, rng))
    atoms, bodies = [], []
    for grain, (center, radius, member, places) in enumerate(grains, 1):
        mass = (2 * radius) ** 3
        density = mass / len(places) / (4 / 3 * math.pi * member**3)
        atoms += [(1, x, 2 * member, density, grain) for x in places]
        inertia = INERTIA * mass * member**2
        bodies.append(f"{grain} {mass} {center[0]} {center[1]} {center[2]} {inertia} {inertia} {inertia}" + 9 * " 0" + 3 * " 0")
    atoms += [(2, x, 1.0, 6 / math.pi, 0) for x in rough]
    half = vessel.half + (0 if vessel.side else 1.5)

    def image(x):
        return [math.floor((c + half) / (2 * half)) if vessel.side else 0 for c in (x[0], x[2])]

    lines = ["grains", "", f"{len(atoms)} atoms", "2 atom types", ""]
    lines += [f"{-half} {half} xlo xhi", f"-2 {vessel.top + 4} ylo yhi", f"{-half} {half} zlo zhi", "", "Atoms # hybrid", ""]
    for n, (kind, x, diameter, density, grain) in enumerate(atoms, 1):
        a, c = image(x)
        place = f"{x[0] - 2 * half * a} {x[1]} {x[2] - 2 * half * c}"
        lines.append(f"{n} {kind} {place} {diameter} {density} {grain} {a} 0 {c}")
    (folder / "bed.data").write_text("\n".join(lines) + "\n")
    (folder / "bodies.txt").write_text("\n".join([str(len(bodies)), *bodies]) + "\n")
    return len(grains)


def plate(vessel):
    """A smooth plate that presses from a time on, faster or slower as its load is below or above what it is to be."""
    weight = FRACTION * 6 / math.pi * vessel.depth * vessel.ground
    force = PRESSURE * weight
    stiffness = 0.3 * YOUNG * vessel.ground / vessel.depth
    damping = math.sqrt(stiffness * weight)
    slowest = force - 0.5 * damping  # the load that lets it move at 0.5 sqrt(g d)
    return [
        f"run {steps(PRESSES)}",
        "variable sunk internal 0.0",
        "variable down equal v_sunk",
        f"region plate plane 0 {vessel.height + 1.5} 0 0 -1 0 move NULL v_down NULL",
        f"fix plate sand wall/gran/region granular {law(0.0)} region plate contacts",
        "compute load sand reduce sum f_plate[3]",
        f"variable load equal ternary(-c_load>{slowest},-c_load,{slowest})",
        f"fix press all controller 1 1.0 {-1 / damping} 0.0 0.0 v_load {force} sunk",
    ]


def settled(vessel, folder, friction, rest, seed, ranks, pressed=False):
    """Grains fall, and come to rest: columns of spheres and contacts, the energy that is left, and its course."""
    count = write_bed(vessel, folder, seed)
    energy, (soonest, latest), own = rest["energy"], rest["within"], law(friction)
    setup = beginning([0, 1, 0, 1, 0, 1], "p f p" if vessel.side else "f f f")
    setup = [line for line in setup if not line.startswith(("region all", "create_box"))]
    setup = ["atom_style hybrid sphere bond" if line == "atom_style sphere" else line for line in setup]
    if vessel.tetrahedra:
        move = [
            "fix weight sand gravity 1.0 vector 0 -1 0 disable",
            "fix move sand rigid/small molecule infile bodies.txt gravity weight",
            "compute forward sand ke/rigid move",
            "compute turning sand erotate/rigid move",
        ]
    else:
        move = [
            "fix weight sand gravity 1.0 vector 0 -1 0",
            "fix move sand nve/sphere",
            "compute forward sand ke",
            "compute turning sand erotate/sphere",
        ]
    walls = [f"fix floor sand wall/gran granular {own} yplane 0 NULL"]
    if vessel.radius:
        walls += [
            f"region tube cylinder y 0 0 {vessel.radius} INF INF side in",
            f"fix tube sand wall/gran/region granular {own} region tube",
        ]
    begun = PRESSES if pressed else 0
    commands = [
        *setup,
        "read_data bed.data",
        "comm_modify cutoff 3.0",
        "group sand type 1",
        "group base type 2",
        "neigh_modify exclude group base base",
        *(["neigh_modify exclude molecule/intra sand"] if vessel.tetrahedra else []),
        "pair_style granular",
        f"pair_coeff * * {own}",
        *move,
        "fix base base freeze",
        *walls,
        f"timestep {TIME_STEP}",
        f"variable energy equal (c_forward+c_turning)/{count}",
        f"thermo {steps(10)}",
        "thermo_style custom step v_energy",
        "thermo_modify lost error flush yes",
        f"fix energy all print {steps(10)} '$(step) $(v_energy)' file energy.txt screen no",
        *(plate(vessel) if pressed else []),
        f"run {steps(soonest - begun)}",
        f"fix rest all halt {steps(1)} v_energy < {energy} error continue",
        f"run {steps(latest - soonest)}",
        "compute who all property/local patom1 patom2 cutoff radius",
        "compute pairs all pair/local dx dy dz force p1 p2 p3 cutoff radius",
        "run 0",
        "write_dump all custom end.dump id type mol x y z radius fx fy fz",
        "write_dump all local pairs.dump index c_who[1] c_who[2] c_pairs[1] c_pairs[2] c_pairs[3] c_pairs[4] c_pairs[5] c_pairs[6] c_pairs[7]",
        f"print '$(step*{TIME_STEP}) $(v_energy) {'$(-c_load)' if pressed else 0}' file last.txt",
    ]
    run(commands, folder, ranks)
    ((_, spheres),) = frames(folder / "end.dump")
    ((_, pairs),) = frames(folder / "pairs.dump")
    time, left, load_on_plate = (float(word) for word in (folder / "last.txt").read_text().split())
    course = [[float(word) for word in line.split()] for line in (folder / "energy.txt").read_text().splitlines()[1:]]
    return Bed(vessel, spheres, pairs), {"time": time, "energy": left, "plate": load_on_plate, "grains": count}, course


class Bed:
    """Spheres that move, with their grains, and contacts among them."""

    def __init__(self, vessel, spheres, pairs):
        self.vessel = vessel
        self.sand = spheres[spheres[:, 1] == 1]
        self.grain = np.zeros(int(spheres[:, 0].max()) + 1, dtype=int)
        numbers = self.sand[:, 2] if vessel.tetrahedra else self.sand[:, 0]
        self.grain[self.sand[:, 0].astype(int)] = numbers
        self.place = np.full((len(self.grain), 3), np.nan)
        self.place[spheres[:, 0].astype(int)] = spheres[:, 3:6]
        self.radius = np.zeros(len(self.grain))
        self.radius[spheres[:, 0].astype(int)] = spheres[:, 6]
        self.own, self.other = pairs[:, 1].astype(int), pairs[:, 2].astype(int)
        touching = pairs[:, 6] != 0
        both = touching & (self.grain[self.own] > 0) & (self.grain[self.other] > 0)
        # From the partner to oneself, and the force on oneself: along that way, and across it.
        self.own, self.other, pairs = self.own[both], self.other[both], pairs[both]
        way = pairs[:, 3:6]
        apart = np.linalg.norm(way, axis=1)
        self.direction = way / apart[:, None]
        self.normal, self.across = pairs[:, 6], pairs[:, 7:10]
        overlap = self.radius[self.own] + self.radius[self.other] - apart
        self.point = self.place[self.own] - self.direction * (self.radius[self.own] - 0.5 * overlap)[:, None]
        self.layers = layers_of(self.sand[:, 4], vessel.radius)
        self.center = self.centers()

    def nearest(self, way):
        if self.vessel.side:
            way = way - self.vessel.side * np.round(way / self.vessel.side) * [1, 0, 1]
        return way

    def centers(self):
        """Middles of the spheres of grains."""
        ids = self.sand[:, 0].astype(int)
        order = np.argsort(self.grain[ids], kind="stable")
        ids = ids[order]
        numbers, first = np.unique(self.grain[ids], return_index=True)
        members = len(ids) // len(numbers)
        start = self.place[ids[first]]
        sums = sum(self.nearest(self.place[ids[first + k]] - start) for k in range(members))
        center = np.full((numbers.max() + 1, 3), np.nan)
        center[numbers] = start + sums / members
        return center

    def loads(self):
        """Sums of normal forces on spheres and on grains, and single contacts, each over the mean of its layer."""
        press = self.normal > 0
        on_sphere, on_grain = np.zeros(len(self.grain)), np.zeros(len(self.center))
        for side in (self.own, self.other):
            np.add.at(on_sphere, side[press], self.normal[press])
            np.add.at(on_grain, self.grain[side[press]], self.normal[press])
        sphere, grain = on_sphere > IDLE, on_grain > IDLE
        return {
            "grains": by_layer(on_grain[grain], self.center[grain], self.layers),
            "spheres": by_layer(on_sphere[sphere], self.place[sphere], self.layers),
            "contacts": by_layer(self.normal[press], self.point[press], self.layers),
        }

    def pressed(self, of_grains):
        """Places, normal and tangential forces and angles to the vertical, of spheres or of grains that touch."""
        if not of_grains:
            press = self.normal > 0
            angle = np.degrees(np.arccos(np.clip(np.abs(self.direction[press, 1]), 0, 1)))
            return self.point[press], self.normal[press], np.linalg.norm(self.across[press], axis=1), angle
        a, b = self.grain[self.own], self.grain[self.other]
        force = self.normal[:, None] * self.direction + self.across
        force = np.where((a < b)[:, None], force, -force)
        keys = np.minimum(a, b) * len(self.center) + np.maximum(a, b)
        keys, first, of = np.unique(keys, return_index=True, return_inverse=True)
        sums = np.zeros((len(keys), 3))
        np.add.at(sums, of, force)
        way = self.nearest(self.center[keys // len(self.center)] - self.center[keys % len(self.center)])
        way /= np.linalg.norm(way, axis=1)[:, None]
        normal = (sums * way).sum(axis=1)
        across = np.linalg.norm(sums - normal[:, None] * way, axis=1)
        press = normal > 0
        angle = np.degrees(np.arccos(np.clip(np.abs(way[press, 1]), 0, 1)))
        return self.point[first][press], normal[press], across[press], angle

    def mobilized(self):
        """Mean tangential over mean normal force."""
        press = (self.normal > 0) & (self.layers(self.point) >= 0)
        return np.linalg.norm(self.across[press], axis=1).sum() / self.normal[press].sum()

    def imbalance(self):
        """Largest of the forces that are left on the middle half of grains [m g]: contacts and weights must be in balance."""
        rest = np.zeros_like(self.center)
        force = self.normal[:, None] * self.direction + self.across
        np.add.at(rest, self.grain[self.own], force)
        np.add.at(rest, self.grain[self.other], -force)
        mass = np.zeros(len(self.center))
        mass[self.grain[self.sand[:, 0].astype(int)]] = (2 * self.sand[:, 6] / (MEMBER if self.vessel.tetrahedra else 1)) ** 3
        rest[:, 1] -= mass
        inside = self.layers(self.center) >= 0
        return float(np.median(np.linalg.norm(rest[inside], axis=1)))


def vessels(args, quick, full):
    chosen = quick if args.quick else full
    return [vessel for vessel in chosen if args.grains in ("both", vessel.name)]


def load(args, folder):
    """Longmore's experiment 2: a plate presses a bed with twenty times its weight."""
    rest = {"energy": 1e-5, "within": [40, 120]} if args.quick else {"energy": 1e-6, "within": [60, 300]}
    quick = [Vessel(False, periodic=10, depth=14), Vessel(True, periodic=8, depth=13)]
    full = [Vessel(False, cylinder=12, depth=24), Vessel(True, cylinder=9, depth=18)]
    for vessel in vessels(args, quick, full):
        for seed in range(args.first, args.first + args.seeds):
            bed, end, _ = settled(vessel, folder, FRICTION, rest, seed, args.ranks, pressed=True)
            loads = bed.loads()
            result = {"of": vessel.name, "seed": seed, **end, "forces": len(loads["grains"])}
            for name, values in loads.items():
                result[f"shape of {name}"], result[f"gain, {name}"] = gamma_shape(values)
            yield result | {"peak": peak(loads["grains"]), "mobilized": bed.mobilized(), "imbalance": bed.imbalance()}


def forces(args, folder):
    """Longmore's experiments 1, 3, 5 and 6: forces in a bed at rest, rough and smooth."""
    rest = {"energy": 1e-6, "within": [20, 80]} if args.quick else {"energy": 1e-8, "within": [20, 200]}
    if args.longest:
        rest["within"][1] = args.longest
    quick = [Vessel(False, periodic=9, depth=15), Vessel(True, periodic=8, depth=14)]
    full = [Vessel(False, cylinder=12, depth=32), Vessel(True, cylinder=10, depth=24)]
    for vessel in vessels(args, quick, full):
        for seed in range(args.first, args.first + args.seeds):
            rough, end, course = settled(vessel, folder, FRICTION, rest, seed, args.ranks)
            smooth, smooth_end, smooth_course = settled(vessel, folder, 0.0, rest, seed, args.ranks)
            for of_grains in (False, True) if vessel.tetrahedra else (False,):
                yield {
                    "of": vessel.name + (" by grain" if of_grains else " by sphere") * vessel.tetrahedra,
                    "seed": seed,
                    **end,
                    "smooth energy": smooth_end["energy"],
                    **statistics(rough, smooth, of_grains),
                    "mobilized": rough.mobilized(),
                    "imbalance": rough.imbalance(),
                    "course": [[round(step * TIME_STEP), energy] for step, energy in course],
                    "smooth course": [[round(step * TIME_STEP), energy] for step, energy in smooth_course],
                }


def statistics(rough, smooth, of_grains):
    """The numbers of crates/granule/src/measure/dem/forces/report.rs."""
    place, normal, across, angle = rough.pressed(of_grains)
    f, t = (by_layer(values, place, rough.layers) for values in (normal, across))
    angles = [angle[rough.layers(place) >= 0]]
    place, _, _, angle = smooth.pressed(of_grains)
    angles.append(angle[smooth.layers(place) >= 0])
    tail = (2, 5)
    return {
        "contacts": len(f),
        "rate": tail_rate(f, tail),
        "R2": tail_straightness(f, tail, 0.5),
        "above the mean": float((f > 1).mean()),
        "slower": tail_rate(f, tail) - tail_rate(t, tail),
        "stronger half": share_of_larger_half(f),
        "angles": distance(*angles),
    }
