"""Reads meshes, fields and samples of granule with readers that others wrote; README.md beside it says how."""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import plyfile
import vtk
from vtk.util.numpy_support import vtk_to_numpy

READERS = {".obj": vtk.vtkOBJReader, ".stl": vtk.vtkSTLReader, ".ply": vtk.vtkPLYReader}


def granule(program, folder, *args):
    """Runs a verb of `granule mesh` in a folder, without its cache."""
    environment = os.environ | {"GRANULE_CACHE": ""}
    command = [program, "mesh", *args]
    subprocess.run(command, check=True, cwd=folder, env=environment, stdout=subprocess.DEVNULL)


def updated(reader, path):
    """The output of a VTK reader that found nothing to complain about."""
    problems = []
    for event in ("ErrorEvent", "WarningEvent"):
        reader.AddObserver(event, lambda *args: problems.append(args))
    reader.SetFileName(str(path))
    reader.Update()
    assert not problems, (path, problems)
    return reader.GetOutput()


def check_meshes(program, folder):
    """A drum in every format: VTK must find it closed, with the volume of a thick-walled cylinder."""
    for ending, reader in READERS.items():
        path = folder / f"drum{ending}"
        granule(program, folder, "make", "drum", "--size", "1,0.5", "--thickness", "0.1", "--divisions", "200", "-o", path.name)
        clean = vtk.vtkCleanPolyData()
        clean.SetInputData(updated(reader(), path))
        edges = vtk.vtkFeatureEdges()
        edges.SetInputConnection(clean.GetOutputPort())
        edges.FeatureEdgesOff()
        edges.ManifoldEdgesOff()
        edges.Update()
        assert edges.GetOutput().GetNumberOfCells() == 0, (path, "open or non-manifold edges")
        mass = vtk.vtkMassProperties()
        mass.SetInputConnection(clean.GetOutputPort())
        mass.Update()
        expected = np.pi * (0.5**2 * 0.5 - 0.4**2 * 0.3)
        assert abs(mass.GetVolume() / expected - 1) < 2e-3, (path, mass.GetVolume(), expected)


def check_field(program, folder):
    """The field of a sphere, node by node."""
    granule(program, folder, "make", "sphere", "--divisions", "100", "-o", "sphere.ply")
    granule(program, folder, "sdf", "sphere.ply", "--cell", "0.05", "--padding", "0.2", "-o", "sphere.vti")
    image = updated(vtk.vtkXMLImageDataReader(), folder / "sphere.vti")
    values = vtk_to_numpy(image.GetPointData().GetScalars())
    assert image.GetPointData().GetScalars().GetName() == "distance"
    points = np.array([image.GetPoint(k) for k in range(image.GetNumberOfPoints())])
    exact = np.linalg.norm(points, axis=1) - 0.5
    assert np.abs(values - exact).max() < 2e-4, np.abs(values - exact).max()
    low, high = image.GetBounds()[::2], image.GetBounds()[1::2]
    assert max(low) <= -0.699 and min(high) >= 0.699, image.GetBounds()


def check_samples(program, folder):
    """Spheres in the sphere: whole ones, none in another."""
    granule(program, folder, "sample", "sphere.ply", "--radius", "0.04", "-o", "grains.ply")
    vertices = plyfile.PlyData.read(str(folder / "grains.ply"))["vertex"]
    centers = np.stack([vertices[axis] for axis in "xyz"], axis=1)
    assert np.all(vertices["radius"] == np.float32(0.04)) and len(centers) > 500
    assert (np.linalg.norm(centers, axis=1) + 0.04).max() < 0.5 + 4e-5
    distances = np.linalg.norm(centers[:, None] - centers[None], axis=2) + 9 * np.eye(len(centers))
    assert distances.min() > 0.08 * (1 - 5e-4), distances.min()
    granule(program, folder, "sample", "sphere.ply", "--radius", "0.04", "--mode", "surface", "-o", "shell.ply")
    shell = plyfile.PlyData.read(str(folder / "shell.ply"))["vertex"]
    points = np.stack([shell[axis] for axis in "xyz"], axis=1)
    normals = np.stack([shell[f"normal_{axis}"] for axis in "xyz"], axis=1)
    assert np.abs(np.linalg.norm(points, axis=1) - 0.5).max() < 1e-3
    assert (points * normals).sum(axis=1).min() > 0.49


def main():
    program = str(Path(sys.argv[1]).resolve())
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        check_meshes(program, folder)
        check_field(program, folder)
        check_samples(program, folder)
    print(f"meshes, fields and samples are right (VTK {vtk.vtkVersion().GetVTKVersion()}, plyfile, NumPy {np.__version__})")


if __name__ == "__main__":
    main()
