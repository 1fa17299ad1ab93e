"""A settled bed of distinct elements in LAMMPS, from positions that granule has written; README.md beside it says what is compared.

Prints one line `RESULT {...}` with the time of the steps after the warm-up. Needs no packages but numpy; starts the `lmp` of
the Python that runs it.
"""

import argparse
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np

DENSITY = 2500  # [kg/m3]
# The law of bed_spheres.toml and bed_clumps.toml.
LAW = (
    "hertz/material 5e6 0.5 0.3 tangential mindlin_rescale NULL 1.0 0.5 damping coeff_restitution "
    "rolling sds 500 0.09 0.05"
)
TIME_STEP = 4e-5  # [s]
PERIOD = {False: 0.8, True: 0.5}  # along x and z [m], of spheres and of rigid grains
SKIN = 0.2  # radii of the smallest sphere
MEMBERS = 4
# A tetrahedron of spheres of radius r, 1.5 r apart: volume in spheres, and moment of inertia in m r^2.
VOLUME, INERTIA = 3.523, 1.049


def arguments():
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("bed", type=Path, help="folder with position_000020.npy and the like")
    parser.add_argument("--clumps", action="store_true", help="every four spheres are one rigid grain")
    parser.add_argument("--folder", type=Path, default=Path("."), help="where files are written")
    parser.add_argument("--warm", type=int, default=250, help="steps that are not timed")
    parser.add_argument("--steps", type=int, default=250, help="steps that are timed")
    parser.add_argument("--ranks", type=int, default=2)
    return parser.parse_args()


def last(folder, field):
    """A field of the last frame that has it."""
    return np.load(sorted(folder.glob(f"{field}_*.npy"))[-1]).astype(float)


def centers(position, period):
    """Centres of rigid grains, inside the box."""
    grains = position.reshape(-1, MEMBERS, 3)
    horizontal = np.array([1, 0, 1])
    apart = grains - grains[:, :1]
    apart -= period * horizontal * np.round(apart / period)
    center = grains[:, 0] + apart.mean(axis=1)
    return center - period * horizontal * np.floor(center / period)


def images(position, center, period):
    """By how many periods members are to be moved to lie with the centre of their grain."""
    apart = position - np.repeat(center, MEMBERS, axis=0)
    return -(np.array([1, 0, 1]) * np.round(apart / period)).astype(int)


def write_data(path, period, position, velocity, spin, radius, image):
    """The spheres as LAMMPS reads them."""
    count, top = len(position), position[:, 1].max() + 0.05
    lines = [f"bed\n\n{count} atoms\n1 atom types"]
    lines += [f"0 {period} xlo xhi\n-0.01 {top} ylo yhi\n0 {period} zlo zhi", "\nAtoms # sphere\n"]
    for i, x, r, n in zip(range(1, count + 1), position, radius, image):
        lines.append(f"{i} 1 {2 * r:.9g} {DENSITY} {x[0]:.9g} {x[1]:.9g} {x[2]:.9g} {n[0]} {n[1]} {n[2]}")
    lines.append("\nVelocities\n")
    rows = zip(range(1, count + 1), np.hstack([velocity, spin]))
    lines += [f"{i} " + " ".join(f"{number:.9g}" for number in row) for i, row in rows]
    path.write_text("\n".join(lines) + "\n")


def write_bodies(path, center, velocity, radius):
    """Masses, centres and moments of inertia of rigid grains."""
    speed = velocity.reshape(-1, MEMBERS, 3).mean(axis=1)
    with path.open("w") as file:
        file.write(f"{len(center)}\n")
        for k, (x, v, r) in enumerate(zip(center, speed, radius[::MEMBERS])):
            mass = VOLUME * DENSITY * 4 / 3 * np.pi * r**3
            inertia = INERTIA * mass * r * r
            numbers = [mass, *x, inertia, inertia, inertia, 0, 0, 0, *v, 0, 0, 0]
            file.write(f"{k + 1} " + " ".join(f"{number:.12g}" for number in numbers) + " 0 0 0\n")


def script(args, smallest):
    """The run as LAMMPS reads it."""
    rigid = [
        "fix mol all property/atom mol ghost yes",
        f"read_data {args.folder / 'bed.data'}",
        f"variable grain atom floor((id-1)/{MEMBERS})+1",
        "set group all mol v_grain",
        "neigh_modify exclude molecule/intra all",
    ]
    moved = [
        "fix weight all gravity 9.81 vector 0 -1 0 disable",
        f"fix move all rigid/small molecule infile {args.folder / 'bed.bodies'} gravity weight",
    ]
    commands = [
        "units si",
        "atom_style sphere",
        "atom_modify map array",
        "boundary p f p",
        "newton off",
        "comm_modify vel yes",
        "processors * 1 *",
        *(rigid if args.clumps else [f"read_data {args.folder / 'bed.data'}"]),
        f"neighbor {SKIN * smallest} bin",
        "neigh_modify every 1 delay 0 check yes",
        "pair_style granular",
        f"pair_coeff * * {LAW}",
        f"fix floor all wall/gran granular {LAW} yplane 0 NULL",
        *(moved if args.clumps else ["fix weight all gravity 9.81 vector 0 -1 0", "fix move all nve/sphere"]),
        f"timestep {TIME_STEP}",
        # Temperatures of rigid grains do not exist.
        "thermo_style custom step atoms",
        "thermo_modify lost error",
        "thermo 1000000",
        f"run {args.warm}",
        f"run {args.steps}",
        "compute touch all contact/atom",
        "compute touches all reduce sum c_touch",
        "thermo_style custom step atoms c_touches",
        "run 0",
        'print "CONTACTS $(c_touches)"',
    ]
    return "\n".join(commands) + "\n"


def main():
    args = arguments()
    args.folder = args.folder.resolve()
    args.folder.mkdir(parents=True, exist_ok=True)
    position, velocity = last(args.bed, "position"), last(args.bed, "velocity")
    period = PERIOD[args.clumps]
    spin, radius = last(args.bed, "angular_velocity"), last(args.bed, "radius").ravel()
    image = np.zeros(position.shape, dtype=int)
    if args.clumps:
        center = centers(position, period)
        image = images(position, center, period)
        write_bodies(args.folder / "bed.bodies", center, velocity, radius)
    write_data(args.folder / "bed.data", period, position, velocity, spin, radius, image)
    (args.folder / "bed.in").write_text(script(args, radius.min()))
    programs = Path(sys.executable).parent
    libraries = f"{programs.parent / 'lib'}:{os.environ.get('LD_LIBRARY_PATH', '')}"
    environment = os.environ | {"LD_LIBRARY_PATH": libraries, "OMP_NUM_THREADS": "1"}
    command = [programs / "mpirun", "-np", str(args.ranks), programs / "lmp", "-in", "bed.in", "-log", "none", "-nocite"]
    run = subprocess.run(command, cwd=args.folder, env=environment, capture_output=True, text=True)
    loops = re.findall(r"Loop time of (\S+) on (\d+) procs for (\d+) steps with (\d+) atoms", run.stdout)
    contacts = re.search(r"^CONTACTS (\S+)", run.stdout, re.M)
    if run.returncode or len(loops) < 3 or not contacts:
        sys.exit(f"LAMMPS failed:\n{run.stdout[-3000:]}\n{run.stderr[-3000:]}")
    seconds, _, steps, atoms = loops[1]
    shares = dict(re.findall(r"^(Pair|Neigh|Comm|Modify) +\|.*\| *(\S+) *$", run.stdout.split("Loop time")[2], re.M))
    result = {
        "particles": int(atoms),
        "ms_per_step": 1e3 * float(seconds) / int(steps),
        "contacts_per_particle": float(contacts[1]) / int(atoms),
        "shares": {name.lower(): float(share) for name, share in shares.items()},
    }
    print("RESULT " + json.dumps(result), flush=True)


if __name__ == "__main__":
    main()
