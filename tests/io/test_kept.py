"""Files that earlier versions wrote are read forever, and predict what they predicted.

    python tests/io/test_kept.py 7

writes `kept-7.kernelopt` and `kept-7.json`, and the same of rows with categories as `shops-7`, once for each version of
the format: a file that is there is never written again.
"""

import json
import sys
from pathlib import Path

import attrs
import numpy as np
import pandas as pd
import pytest

import kernelopt
from kernelopt._io._container import read, write
from kernelopt._prediction._class_weights import weighed
from kernelopt._prediction._odds import Shares

FOLDER = Path(__file__).parent
VERSIONS = [path.stem.removeprefix("kept-") for path in sorted(FOLDER.glob("kept-*.kernelopt"))]
WITH_CATEGORIES = [path.stem.removeprefix("shops-") for path in sorted(FOLDER.glob("shops-*.kernelopt"))]
ROWS = np.random.default_rng(5).uniform(-0.2, 1.2, size=(20, 3))


def union():
    """A member of every kind: P, frequencies, widths, pairs, a list with all spellings of a kernel, and views."""
    listed = ["linear", ("rbf", {"gamma": 2.0}), ("poly", {"degree": 2, "gamma": 0.5, "coef0": 1.0})]
    members = [
        "tk",
        {"name": "tk", "basis": "xz", "bounds": [-1, [2, 3, 4]], "rescale": None},
        "gpk",
        "cosine",
        "gaussian",
        {"name": "hyperkernel", "pivots": 20},
        kernelopt.Dictionary(listed, rescale="standard"),
        kernelopt.on(kernelopt.Dictionary(), [0, 2]),
        kernelopt.sampled("gaussian", 3),
        "delta",
    ]
    weight = [0.3, 0.05, 0.05, 0.1, 0.1, 0.1, 0.1, 0.1, 0.05, 0.05]
    return members, weight


def learned():
    """A machine for three classes with every member of the union in it."""
    X = np.random.default_rng(6).uniform(size=(40, 3))
    y = np.array(["left", "middle", "right"])[np.digitize(X[:, 0] + 0.3 * X[:, 1] ** 2, [0.4, 0.8])]
    members, weight = union()
    alone = [kernelopt.solve(X, y, family=member, solver="fw", criterion="svc", max_steps=1) for member in members]
    parts = tuple(s.mixture.parts[0].scaled(w) for s, w in zip(alone, weight, strict=True))
    return kernelopt.solve(X, y, family=members, criterion="svc", start=kernelopt.Mixture(parts), max_steps=0)


def shops(n, seed):
    """Rows with a column of many categories, one of few, and a gap here and there; some shops are new."""
    rng = np.random.default_rng(seed)
    names = [f"shop {k}" for k in rng.integers(0, 25 + 5 * seed, n)]
    far = np.where(rng.uniform(size=n) < 0.1, np.nan, rng.normal(size=n))
    return pd.DataFrame({"shop": names, "far": far, "open": rng.choice(["yes", "no"], n)})


def learned_of_shops():
    """A machine that compares categories, for two targets in different units."""
    table = shops(60, 0)
    y = table["shop"].str.len() + np.nan_to_num(table["far"]) + (table["open"] == "yes")
    return kernelopt.solve(table, np.column_stack([y, 1000.0 * np.sin(y)]), max_steps=3)


@pytest.mark.parametrize("version", VERSIONS)
def test_a_file_of_every_version_is_read(version):
    model = kernelopt.load(FOLDER / f"kept-{version}.kernelopt")
    kept = json.loads((FOLDER / f"kept-{version}.json").read_text(encoding="utf-8"))
    wanted = np.array(kept["decisions"])
    assert model.decision_function(ROWS) == pytest.approx(wanted, abs=1e-10 * np.abs(wanted).max())
    assert model.classes is not None
    assert model.classes.tolist() == kept["classes"]
    assert str(model.criterion) == kept["criterion"]
    assert model.certificate.upper == kept["upper"]
    assert len(model.kernel.leaves) == kept["members"]
    assert list(model.columns) == kept.get("columns", [])
    if "probabilities" in kept:
        assert model.predict_proba(ROWS) == pytest.approx(np.array(kept["probabilities"]), abs=1e-10)
    else:
        assert model.odds is None


@pytest.mark.parametrize("version", WITH_CATEGORIES)
def test_a_file_of_rows_with_categories_is_read(version):
    model = kernelopt.load(FOLDER / f"shops-{version}.kernelopt")
    wanted = json.loads((FOLDER / f"shops-{version}.json").read_text(encoding="utf-8"))
    mean, deviation = model.predict(shops(20, 1), return_std=True)
    assert mean == pytest.approx(np.array(wanted["mean"]), rel=1e-9)
    assert deviation == pytest.approx(np.array(wanted["deviation"]), rel=1e-9)


def test_version_1_named_the_columns_beside_the_kernel(tmp_path):
    """As a file of it would that a table was learned from."""
    content = read(FOLDER / "kept-1.kernelopt")
    told = {**json.loads(content.words["model"]), "columns": ["a", "b", "c"]}
    write(tmp_path / "one", attrs.evolve(content, words={**content.words, "model": json.dumps(told)}))
    assert kernelopt.load(tmp_path / "one").columns == ("a", "b", "c")


def test_there_is_a_file_of_this_version():
    from kernelopt._io._model_file import VERSION

    assert VERSION in VERSIONS
    assert VERSION in WITH_CATEGORIES


def written(path, save, kept):
    """Write a model and what it predicts, if they are not there."""
    if path.exists():
        sys.exit(f"{path} is kept as it is")
    save(path)
    path.with_suffix(".json").write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")


def main(version):
    """Write the files of a version."""
    s = learned_of_shops()
    mean, deviation = s.predict(shops(20, 1), return_std=True)
    told = {"mean": mean.tolist(), "deviation": deviation.tolist()}
    written(FOLDER / f"shops-{version}.kernelopt", s.model.save, told)
    s = learned().named(["left", "right", "height"])
    predictor, odds = weighed(s.model.predictor, Shares(0.1, 2.0), np.array([1.0, 2.0, 0.5]))
    model = attrs.evolve(s.model, predictor=predictor, odds=odds)
    kept = {
        "decisions": model.decision_function(ROWS).tolist(),
        "probabilities": model.predict_proba(ROWS).tolist(),
        "classes": s.model.classes.tolist(),
        "criterion": str(s.criterion),
        "upper": s.certificate.upper,
        "columns": list(s.model.columns),
        "members": sum(part.mass > 0.0 for part in s.mixture.parts),
    }
    written(FOLDER / f"kept-{version}.kernelopt", model.save, kept)


if __name__ == "__main__":
    main(sys.argv[1])
