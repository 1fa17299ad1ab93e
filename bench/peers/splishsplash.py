"""A dam break in SPlisHSPlasH, headless and with a fixed time step; README.md beside it says what is compared.

Prints one line `RESULT {...}` with the times of the steps after the warm-up. One case per process.
"""

import argparse
import ctypes
import json
import os
import shutil
import sys
import tempfile
import time
from pathlib import Path

SIZES = {"30k": (32, 30, 32), "100k": (48, 44, 48), "250k": (64, 61, 64)}
METHODS = {"WCSPH": 0, "IISPH": 3, "DFSPH": 4}
BOUNDARIES = {"particles": 0, "volume-maps": 2}
GAPS = {"particles": 1.25, "volume-maps": 2.0}  # first centre to wall, in spacings; closer, the fluid explodes there
RADIUS = 0.025  # [m]
SPACING = 2 * RADIUS
TIME_STEPS = {"WCSPH": 0.0005, "IISPH": 0.002, "DFSPH": 0.002}  # [s]


def arguments():
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--size", default="100k", choices=SIZES)
    parser.add_argument("--solver", default="IISPH", choices=METHODS)
    parser.add_argument("--boundary", default="particles", choices=BOUNDARIES)
    parser.add_argument("--iterations", type=int, help="exactly so many in every step, and no divergence solver")
    parser.add_argument("--warm", type=int, default=50, help="steps that are not timed")
    parser.add_argument("--steps", type=int, default=50, help="steps that are timed")
    parser.add_argument("--threads", type=int, default=2)
    return parser.parse_args()


def solver_settings(args):
    """When the solvers stop: a mean density error in percent, or a fixed number of iterations."""
    least, most = args.iterations or 2, args.iterations or 100
    common = {"minIterations": least, "maxIterations": most, "maxError": 0.1}
    divergence = {"maxIterationsV": most, "maxErrorV": 0.1, "enableDivergenceSolver": not args.iterations}
    weak = {"stiffness": 50000, "exponent": 7}
    return {"WCSPH": weak, "IISPH": common, "DFSPH": common | divergence}


def tank(size, mesh):
    """A closed box around the fluid with room to fall."""
    return {
        "geometryFile": str(mesh),
        "translation": [length / 2 for length in size],
        "rotationAxis": [1, 0, 0],
        "rotationAngle": 0,
        "scale": size,
        "isDynamic": False,
        "isWall": True,
        "samplingMode": 0,
        "mapInvert": True,
        "mapThickness": 0.0,
        "mapResolution": [max(8, round(length / 0.1)) for length in size],
    }


def block(counts, gap):
    """A lattice whose first centre lies at (gap, gap, gap): a FluidBlock begins one spacing after its start."""
    return {
        "denseMode": 0,
        "start": [0.0, 0.0, 0.0],
        "end": [(count + 1) * SPACING for count in counts],
        "translation": [gap - SPACING] * 3,
        "scale": [1, 1, 1],
    }


def scene(args, mesh):
    """The dam break as SPlisHSPlasH reads it."""
    counts, gap = SIZES[args.size], GAPS[args.boundary] * SPACING
    width = [(count - 1) * SPACING + 2 * gap for count in counts]
    configuration = {
        "particleRadius": RADIUS,
        "simulationMethod": METHODS[args.solver],
        "gravitation": [0, -9.81, 0],
        "timeStepSize": TIME_STEPS[args.solver],
        "cflMethod": 0,
        "boundaryHandlingMethod": BOUNDARIES[args.boundary],
        "enableZSort": True,
        "stopAt": end_time(args),
    }
    viscosity = {"viscosity": 0.01, "viscosityBoundary": 0.0}
    water = {"id": "Fluid", "density0": 1000, "viscosityMethod": 1, "Standard viscosity": viscosity}
    return {
        "Configuration": configuration | solver_settings(args),
        "Materials": [water],
        "RigidBodies": [tank([2 * width[0], 1.5 * width[1], width[2]], mesh)],
        "FluidBlocks": [block(counts, gap)],
    }


def end_time(args):
    """Simulated time by which all steps have been timed [s]."""
    return (args.warm + args.steps + 5) * TIME_STEPS[args.solver]


class Clock:
    """Called after every step: notes its time and iterations, and ends the process after the last."""

    def __init__(self, args, splash, folder):
        self.args, self.splash, self.folder = args, splash, folder
        self.started = None
        self.steps = []  # seconds, pressure iterations, divergence iterations

    def __call__(self):
        now = time.perf_counter()
        if self.started is not None:
            self.steps.append((now - self.started, *self.iterations()))
        if len(self.steps) == self.args.warm + self.args.steps:
            # The simulation is gone once run() returns, so everything ends here.
            print("RESULT " + json.dumps(self.result()), flush=True)
            shutil.rmtree(self.folder, ignore_errors=True)
            os._exit(0)
        self.started = time.perf_counter()

    def iterations(self):
        """Iterations of the last step: pressure and divergence."""
        if self.args.solver == "WCSPH":
            return 0, 0
        solver = self.splash.Simulation.getCurrent().getTimeStep()
        kind = getattr(self.splash, "TimeStep" + self.args.solver)
        divergence = solver.getValueUInt(kind.SOLVER_ITERATIONS_V) if self.args.solver == "DFSPH" else 0
        return solver.getValueUInt(kind.SOLVER_ITERATIONS), divergence

    def result(self):
        """Means over the timed steps."""
        fluid = self.splash.Simulation.getCurrent().getFluidModel(0)
        seconds, pressure, divergence = zip(*self.steps[self.args.warm :])
        mean = lambda values: sum(values) / len(values)
        return {
            "particles": fluid.numActiveParticles(),
            "ms_per_step": 1e3 * mean(seconds),
            "iterations": mean(pressure),
            "divergence_iterations": mean(divergence),
        }


def main():
    args = arguments()
    os.environ["OMP_NUM_THREADS"] = str(args.threads)
    ctypes.CDLL("libGL.so.1")  # before the copy inside the wheel, which crashes at import
    import pysplishsplash as splash

    folder = Path(tempfile.mkdtemp(prefix="splishsplash_"))
    mesh = Path(sys.prefix) / "bin/data/models/UnitBox.obj"
    scene_file = folder / "scene.json"
    scene_file.write_text(json.dumps(scene(args, mesh)))
    base = splash.Exec.SimulatorBase()
    base.init(
        sceneFile=str(scene_file),
        useGui=False,
        outputDir=str(folder / "out"),
        useCache=False,
        initialPause=False,
        stopAt=end_time(args),
    )
    base.setTimeStepCB(Clock(args, splash, folder))
    base.run()


if __name__ == "__main__":
    main()
