"""The data sets that stand beside the project, by name: which hold classes, which numbers, and their rows."""

import numpy as np

from kernelopt import datasets

CLASSES = (
    "heart", "liver", "new_thyroid", "sonar", "ionosphere", "transfusion", "pima", "wdbc", "breast_wisconsin",
    "australian", "german_numer", "credit_crx", "fourclass", "tkl_circle", "hill_valley", "raetsch_titanic",
    "raetsch_image", "raetsch_splice", "raetsch_banana", "raetsch_breast_cancer", "raetsch_diabetis",
    "raetsch_flare_solar", "raetsch_german", "raetsch_heart", "raetsch_ringnorm", "raetsch_thyroid", "raetsch_twonorm",
    "adult_a9a", "usps", "mnist", "ann_thyroid", "churn", "clean1", "dna", "magic", "mfeat_factors", "mfeat_fourier",
    "mfeat_karhunen", "mfeat_morphological", "mfeat_zernike", "monk2", "nursery", "saheart", "satimage", "shuttle",
    "sleep", "soybean", "texture",
)  # fmt: skip
NUMBERS = ("boston", "auto_mpg", "airfoil", "servo", "auto_imports", "abalone", "ccpp", "kin40k", "ca_housing",
           "gas_turbine", "fri_c3_1000_25", "fri_c4_1000_100", "fried", "house_16H", "keggdirected", "kin8nm", "naval",
           "no2", "power_plant", "puma8NH", "solar", "tamielectric", "tecator", "wind", "wine_red")  # fmt: skip


def data(name: str, rows: int) -> tuple[np.ndarray, np.ndarray]:
    """Rows and targets, numbers standardised; a random sample of larger sets."""
    held = datasets.load(name)
    X, y = held.X, held.y
    if len(X) > rows:
        chosen = np.random.default_rng(0).permutation(len(X))[:rows]
        X, y = X[chosen], y[chosen]
    varying = X.max(axis=0) > X.min(axis=0)
    return X[:, varying], y if name in CLASSES else (y - y.mean()) / y.std()
