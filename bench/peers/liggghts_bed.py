"""A bed of grains of four spheres in LIGGGHTS, as Debian has it; README.md beside it says what is compared.

`--settle` fills a box at random and lets the grains settle; without, the steps after that are timed and one line
`RESULT {...}` is printed. Needs no packages.
"""

import argparse
import json
import os
import re
import subprocess
import sys
from pathlib import Path

# The materials of bed_clumps.toml; LIGGGHTS takes the stiffness of rolling from that of friction.
LAW = "hertz tangential history rolling_friction epsd2"
MATERIAL = [
    "fix young all property/global youngsModulus peratomtype 5e6",
    "fix poisson all property/global poissonsRatio peratomtype 0.3",
    "fix restitution all property/global coefficientRestitution peratomtypepair 1 0.5",
    "fix friction all property/global coefficientFriction peratomtypepair 1 0.5",
    "fix rolling all property/global coefficientRollingFriction peratomtypepair 1 0.05",
]
TIME_STEP = 4e-5  # [s]
PERIOD = 0.5  # along x and z [m]
RADIUS = 0.005  # of a sphere [m]
SKIN = 0.2 * RADIUS
SETTLING = 10000  # steps
CORNER = 1.5 * RADIUS / 8**0.5  # of a cube whose diagonals on the faces are the tetrahedron's edges
SIGNS = [(1, 1, 1), (1, -1, -1), (-1, 1, -1), (-1, -1, 1)]


def arguments():
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--settle", type=int, metavar="GRAINS", help="let so many grains settle, instead of timing")
    parser.add_argument("--folder", type=Path, default=Path("."), help="where files are written")
    parser.add_argument("--warm", type=int, default=50, help="steps that are not timed")
    parser.add_argument("--steps", type=int, default=250, help="steps that are timed")
    parser.add_argument("--ranks", type=int, default=2)
    return parser.parse_args()


def shape():
    """A tetrahedron of four spheres."""
    spheres = " ".join(f"{x * CORNER} {y * CORNER} {z * CORNER} {RADIUS}" for x, y, z in SIGNS)
    template = "fix shape all particletemplate/multisphere 15485863 atom_type 1 density constant 2500"
    return f"{template} nspheres 4 ntry 1000000 spheres {spheres} type 1"


def common(begin):
    """What both runs say; `begin` is where the box comes from."""
    return [
        "atom_modify map array",
        "newton off",
        "communicate single vel yes",
        "processors * 1 *",
        *begin,
        f"neighbor {SKIN} bin",
        "neigh_modify delay 0",
        *MATERIAL,
        f"pair_style gran model {LAW}",
        "pair_coeff * *",
        f"timestep {TIME_STEP}",
        "fix weight all gravity 9.81 vector 0 -1 0",
        f"fix floor all wall/gran model {LAW} primitive type 1 yplane 0.0",
        shape(),
    ]


def settle(grains):
    """Fills a box and lets the grains fall."""
    height = grains * 1.845e-6 / 0.18 / PERIOD**2
    begin = [
        f"region box block 0 {PERIOD} -0.01 {height + 0.1} 0 {PERIOD} units box",
        "create_box 1 box",
    ]
    pack = "seed 32452867 distributiontemplate kinds vel constant 0 0 0 insert_every once overlapcheck yes"
    return [
        "atom_style granular",
        "units si",
        "boundary p f p",
        *common(begin),
        "fix kinds all particledistribution/discrete 32452843 1 shape 1.0",
        f"region fill block 0 {PERIOD} 0 {height} 0 {PERIOD} units box",
        f"fix fill all insert/pack {pack} orientation random region fill ntry_mc 100000 particles_in_region {grains}",
        "fix move all multisphere",
        "thermo 1000",
        "run 1",
        f"run {SETTLING}",
        "write_restart bed.restart",
    ]


def timed(args):
    """Goes on from the settled bed."""
    return [
        *common(["read_restart bed.restart"]),
        "fix move all multisphere",
        "thermo 1000000",
        f"run {args.warm}",
        f"run {args.steps}",
        "compute touch all contact/atom",
        "compute touches all reduce sum c_touch",
        "thermo_style custom step atoms c_touches",
        "run 0",
    ]


def run(args, commands):
    """Runs commands and returns what was said."""
    (args.folder / "bed.in").write_text("\n".join(commands) + "\n")
    environment = os.environ | {"OMP_NUM_THREADS": "1"}
    command = ["mpirun.openmpi", "--allow-run-as-root", "-np", str(args.ranks), "liggghts", "-in", "bed.in"]
    done = subprocess.run(command, cwd=args.folder, env=environment, capture_output=True, text=True)
    if done.returncode or "ERROR" in done.stdout:
        sys.exit(f"LIGGGHTS failed:\n{done.stdout[-3000:]}\n{done.stderr[-3000:]}")
    return done.stdout


def main():
    args = arguments()
    args.folder = args.folder.resolve()
    args.folder.mkdir(parents=True, exist_ok=True)
    if args.settle:
        print(run(args, settle(args.settle))[-1500:])
        return
    said = run(args, timed(args))
    loops = re.findall(r"Loop time of (\S+) on (\d+) procs for (\d+) steps with (\d+) atoms", said)
    touches = re.findall(r"^ *\d+ +(\d+) +(\S+) *$", said, re.M)
    seconds, _, steps, atoms = loops[1]
    result = {
        "particles": int(atoms),
        "ms_per_step": 1e3 * float(seconds) / int(steps),
        "contacts_per_particle": float(touches[-1][1]) / int(atoms) if touches else None,
    }
    print("RESULT " + json.dumps(result), flush=True)


if __name__ == "__main__":
    main()
