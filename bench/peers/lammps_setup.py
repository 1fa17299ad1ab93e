"""What set-ups of granule in LAMMPS share: law, steps, runs and dumps. Lengths are in d, masses in m, g = 1."""

import math
import os
import subprocess
import sys
from pathlib import Path

import numpy as np

YOUNG, POISSON, RESTITUTION, TANGENTIAL_DAMPING = 1e5, 0.3, 0.5, 0.5
TIME_STEP = 1.5e-3  # [sqrt(d/g)], at E = 1e5 m g/d2
SMALLEST, LARGEST = 0.9, 1.1  # diameters
LOOSE = 0.25  # part of the volume that grains fill before they fall


def law(friction, rolling=0.0, young=YOUNG):
    """Hertz, Mindlin with rescaled memory, and rolling resistance with the spring and damping that granule takes by itself."""
    text = (
        f"hertz/material {young} {RESTITUTION} {POISSON} tangential mindlin_rescale NULL {TANGENTIAL_DAMPING} {friction} "
        "damping coeff_restitution"
    )
    if rolling > 0:
        shear = young / (4 * (2 - POISSON) * (1 + POISSON))
        stiffness = 8 * shear * math.sqrt(0.5 * 1e-3) * 0.5
        text += f" rolling sds {stiffness} {0.2 * math.sqrt(0.4 * stiffness)} {rolling}"
    return text


def beginning(box, boundary, skin=0.15):
    """Units, a box, and how neighbours are found."""
    return [
        "units lj",
        "atom_style sphere",
        "atom_modify map array",
        f"boundary {boundary}",
        "newton off",
        "comm_modify vel yes",
        "region all block " + " ".join(str(x) for x in box),
        "create_box 2 all",
        f"neighbor {skin} bin",
        "neigh_modify every 1 delay 0 check yes",
    ]


def grains(region, count, seed):
    """Grains of many sizes at random in a region."""
    return [
        f"create_atoms 1 random {count} {seed} {region} overlap {LARGEST} maxtry 1000",
        f"variable size atom random({SMALLEST},{LARGEST},{seed + 17})",
        "set type 1 diameter v_size",
        f"set type 1 density {6 / math.pi}",
    ]


def motion(young=YOUNG):
    """Gravity and steps."""
    return [
        "fix weight all gravity 1.0 vector 0 -1 0",
        "fix move all nve/sphere",
        f"timestep {TIME_STEP * math.sqrt(YOUNG / young)}",
        "thermo 20000",
        "thermo_style custom step atoms ke",
        "thermo_modify lost ignore flush yes",
    ]


def steps(duration, young=YOUNG):
    """Steps in a time [sqrt(d/g)]."""
    return round(duration / (TIME_STEP * math.sqrt(YOUNG / young)))


def run(commands, folder, ranks):
    """Runs LAMMPS on commands."""
    (folder / "run.in").write_text("\n".join(commands) + "\n")
    programs = Path(sys.executable).parent
    libraries = f"{programs.parent / 'lib'}:{os.environ.get('LD_LIBRARY_PATH', '')}"
    environment = os.environ | {"LD_LIBRARY_PATH": libraries, "OMP_NUM_THREADS": "1"}
    command = [programs / "mpirun", "-np", str(ranks), programs / "lmp", "-in", "run.in", "-log", "none", "-nocite"]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"LAMMPS failed:\n{done.stdout[-3000:]}\n{done.stderr[-3000:]}")


def frames(path):
    """Time step and rows of every frame of a dump, rows in order of ids."""
    lines = iter(path.read_text().splitlines())
    for line in lines:
        if line == "ITEM: TIMESTEP":
            step = int(next(lines))
        elif line in ("ITEM: NUMBER OF ATOMS", "ITEM: NUMBER OF ENTRIES"):
            count = int(next(lines))
        elif line.startswith(("ITEM: ATOMS", "ITEM: ENTRIES")):
            rows = np.array([next(lines).split() for _ in range(count)], dtype=float)
            yield step, rows[rows[:, 0].argsort()]
