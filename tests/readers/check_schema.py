"""Holds scenes against the JSON schema with a validator that others wrote; README.md beside it says how."""

import json
import subprocess
import sys
import tomllib
from pathlib import Path

import jsonschema

ROOT = Path(__file__).resolve().parents[2]


def scenes():
    """Every scene of the project by name."""
    for path in sorted((ROOT / "scenes").rglob("*.toml")):
        yield path.name, path.read_text()
    page = (ROOT / "docs/tutorial.md").read_text()
    yield "tutorial", "\n".join(block.split("```")[0] for block in page.split("```toml\n")[1:])


def main():
    text = subprocess.run([sys.argv[1], "schema"], check=True, capture_output=True, text=True).stdout
    schema = json.loads(text)
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    for name, text in scenes():
        scene = tomllib.loads(text)
        validator.validate(scene)
        # What the program refuses, the schema refuses too.
        for key, value in {"simulatoin": {}, "name": 3, "output": {"formats": ["vtkk"]}, "simulation": {"fsp": 1}}.items():
            assert not validator.is_valid({**scene, key: value}), (name, key)
        print(f"{name}: valid")


if __name__ == "__main__":
    main()
