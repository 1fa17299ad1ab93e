"""Reads the exports of granule with readers that others wrote; README.md beside it says how."""

import csv
import json
import subprocess
import sys
import tempfile
from importlib.metadata import version
from pathlib import Path

import numpy as np
import plyfile
import pyvista
import vtk
from vtk.util.numpy_support import vtk_to_numpy

FIELDS = ["velocity", "density", "pressure", "stress", "neighbor_count"]
TRACKED = [0, 100, 17, 999999]  # the last is not there
COMPONENTS = {"integer": [""], "scalar": [""], "vec3": ["x", "y", "z"], "quaternion": ["x", "y", "z", "w"], "tensor": ["xx", "xy", "xz", "yy", "yz", "zz"]}
VTK_TENSOR = ["xx", "yy", "zz", "xy", "yz", "xz"]


def run(program, folder, up):
    """Runs a scene with every format."""
    fields = json.dumps(FIELDS)
    command = [program, "run", "column", "--quick", "--seconds", "0.2", "--up", up, "--out", str(folder)]
    command += ["--export", "ply,vtk,npy,csv", "--track", ",".join(map(str, TRACKED)), "--set", f"output.fields={fields}"]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)


def read_ply(path, fields):
    """Fields of a frame by name, with time and up axis from the comments."""
    data = plyfile.PlyData.read(str(path))
    assert data.byte_order == "<" and not data.text, path
    vertices = data["vertex"]
    values = {}
    for field in fields:
        name = field["name"]
        names = {"position": ["x", "y", "z"]}.get(name) or [
            f"{name}_{c}" if c else name for c in COMPONENTS[field["kind"]]
        ]
        columns = [np.asarray(vertices[n]) for n in names]
        values[name] = columns[0] if len(columns) == 1 else np.stack(columns, axis=1)
    comments = [comment.split() for comment in data.comments]
    notes = {words[0]: words[1] for words in comments if words[0] in ("time", "up")}
    units = {words[1]: words[2] for words in comments if words[0] == "unit"}
    return values, float(notes["time"]), notes["up"], units


def read_vtp(path, fields):
    """Fields of a frame by name, with time, up axis and units."""
    problems = []
    reader = vtk.vtkXMLPolyDataReader()
    for event in ("ErrorEvent", "WarningEvent"):
        reader.AddObserver(event, lambda *args: problems.append(args))
    reader.SetFileName(str(path))
    reader.Update()
    assert not problems, (path, problems)
    data = reader.GetOutput()
    count = data.GetNumberOfPoints()
    assert data.GetNumberOfVerts() == count == data.GetNumberOfCells(), path
    connectivity = vtk_to_numpy(data.GetVerts().GetConnectivityArray())
    assert np.array_equal(connectivity, np.arange(count)), path
    assert np.array_equal(vtk_to_numpy(data.GetVerts().GetOffsetsArray()), np.arange(count + 1)), path
    values, units = {}, {}
    label = vtk.vtkDataArray.UNITS_LABEL()
    for field in fields:
        name = field["name"]
        array = data.GetPoints().GetData() if name == "position" else data.GetPointData().GetArray(name)
        values[name] = vtk_to_numpy(array)
        units[name] = array.GetInformation().Get(label)
        if field["kind"] == "tensor":
            order = [VTK_TENSOR.index(c) for c in COMPONENTS["tensor"]]
            values[name] = values[name][:, order]
            found = [array.GetComponentName(k).lower() for k in range(6)]
            assert found == VTK_TENSOR, found
    notes = data.GetFieldData()

    def text(name):
        array = notes.GetAbstractArray(name)
        return [array.GetValue(k) for k in range(array.GetNumberOfValues())]

    assert sorted(text("units")) == sorted(f"{name} [{unit}]" for name, unit in units.items())
    assert text("generator")[0].startswith("granule ")
    return values, notes.GetArray("TimeValue").GetValue(0), text("up")[0], units


def read_npy(folder, frame, fields):
    """Fields of a frame by name."""
    values = {}
    for field in fields:
        path = folder / "npy" / f"{field['name']}_{frame:06}.npy"
        with open(path, "rb") as file:
            assert np.lib.format.read_magic(file) == (1, 0)
        array = np.load(path, allow_pickle=False)
        assert array.flags["C_CONTIGUOUS"] and array.dtype.str in ("<f4", "<u4"), path
        values[field["name"]] = array
    return values


def same(one, other, where):
    """Whether two frames hold the same bits."""
    assert one.keys() == other.keys(), where
    for name in one:
        a, b = np.ascontiguousarray(one[name]), np.ascontiguousarray(other[name])
        assert a.shape == b.shape and a.tobytes() == b.tobytes(), (where, name, a.shape, b.shape)


def check_series(folder, index):
    """The time series lists every frame, and pyvista opens it at every time."""
    reader = pyvista.get_reader(str(folder / "vtk" / "column.pvd"))
    assert reader.time_values == [frame["time"] for frame in index["frames"]], reader.time_values
    for k, frame in enumerate(index["frames"]):
        reader.set_active_time_point(k)
        assert reader.read()[0].n_points == frame["particles"]


def check_tracks(folder, index, frames):
    """Every row holds the numbers of its particle in its frame."""
    with open(folder / "tracks.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    there = TRACKED[:-1]
    assert len(rows) == len(there) * len(frames)
    for k, row in enumerate(rows):
        frame, which = divmod(k, len(there))
        values = frames[frame]
        assert int(row["id"]) == there[which]
        assert float(row["time"]) == index["frames"][frame]["time"]
        at = list(values["id"]).index(int(row["id"]))
        assert [np.float32(row[c]) for c in "xyz"] == list(values["position"][at])
        assert np.float32(row["stress_xy"]) == values["stress"][at][1]
        assert np.float32(row["density"]) == values["density"][at]
    summary = json.loads((folder / "summary.json").read_text())
    assert summary["missing_tracks"] == TRACKED[-1:] and summary["complete"]


def check(folder, up):
    """All readers agree about all frames of a run."""
    index = json.loads((folder / "frames.json").read_text())
    fields = index["fields"]
    assert index["up"] == up and {field["name"] for field in fields} == {"id", "position", *FIELDS}
    assert len(index["frames"]) > 2
    frames = []
    for entry in index["frames"]:
        number = entry["frame"]
        ply, time, ply_up, units = read_ply(folder / entry["file"], fields)
        vtp, vtp_time, vtp_up, vtp_units = read_vtp(folder / "vtk" / f"frame_{number:06}.vtp", fields)
        assert time == vtp_time == entry["time"] and ply_up == vtp_up == up
        assert units == vtp_units == {field["name"]: field["unit"] for field in fields}
        assert len(ply["id"]) == entry["particles"] and np.all(np.diff(ply["id"].astype(np.int64)) > 0)
        same(ply, vtp, (number, "ply and vtp"))
        same(ply, read_npy(folder, number, fields), (number, "ply and npy"))
        frames.append(ply)
    check_series(folder, index)
    check_tracks(folder, index, frames)
    assert any(np.abs(values["stress"]).max() > 0 for values in frames), "there is something to compare"
    return frames


def matrices(tensors):
    """Full matrices of symmetric tensors."""
    xx, xy, xz, yy, yz, zz = tensors.T
    return np.stack([xx, xy, xz, xy, yy, yz, xz, yz, zz], axis=1).reshape(-1, 3, 3)


def check_turn(y_up, z_up):
    """One run is the other, turned."""
    turn = np.array([[1, 0, 0], [0, 0, -1], [0, 1, 0]], dtype=np.float32)
    assert np.linalg.det(turn) == 1
    for before, after in zip(y_up, z_up, strict=True):
        for name in before:
            expected = before[name]
            if name in ("position", "velocity"):
                expected = expected @ turn.T
            if name == "stress":
                expected, after[name] = turn @ matrices(expected) @ turn.T, matrices(after[name])
            assert np.array_equal(expected, after[name]), name


def main():
    program = str(Path(sys.argv[1]).resolve())
    print("readers:", ", ".join(f"{name} {version(name)}" for name in ("vtk", "pyvista", "plyfile", "numpy")))
    with tempfile.TemporaryDirectory() as place:
        frames = {}
        for up in ("y", "z"):
            folder = Path(place) / up
            run(program, folder, up)
            frames[up] = check(folder, up)
            print(f"{up} up: {len(frames[up])} frames, all readers agree")
        check_turn(frames["y"], frames["z"])
        print("z up is y up, turned")


if __name__ == "__main__":
    main()
