"""Writes dirty.csv and the data that pandas and scikit-learn make of it, pipeline-*.csv.

The files beside this script were written by pandas 3 and scikit-learn 1.9. The test reads
dirty.csv, and compares each datum with theirs. splits.csv is from the test: it has the training rows
of splits that are drawn.
"""

import numpy as np
import pandas as pd
from sklearn.impute import SimpleImputer
from sklearn.preprocessing import OneHotEncoder, StandardScaler

random = np.random.default_rng(5)
rows = 80
with open("dirty.csv", "w", encoding="utf-16", newline="\r\n") as out:
    out.write("Einkommen;Größe;verheiratet;Stadt;seit;Gruppe;y\n")
    for i in range(rows):
        income = f"{random.lognormal(10, 1):_.2f}".replace(".", ",").replace("_", ".")
        height = f"{random.normal(170, 10):.1f}".replace(".", ",")
        married = random.choice(["ja", "nein"])
        married = {"ja": "yes", "nein": "No"}[married]
        city = random.choice(["Köln", "Ulm", "Bonn", "Trier", "Jena"], p=[0.45, 0.3, 0.15, 0.06, 0.04])
        date = f"{random.integers(1, 29)}.{random.integers(1, 13)}.{random.integers(1975, 2024)}"
        group = "test" if i % 4 == 3 else "train"
        cells = [income, height, married, city, date]
        for k in random.choice(5, size=2, replace=False):
            if random.random() < 0.35:
                cells[k] = random.choice(["", "NA", "k.A."])
        out.write(";".join(cells + [group, str(random.integers(0, 2))]) + "\n")

raw = pd.read_csv("dirty.csv", sep=";", encoding="utf-16", decimal=",", thousands=".", na_values=["k.A."],
                  dtype={"Stadt": "object", "verheiratet": "object", "seit": "object"})
# The separator of thousands would take the points out of dates: they are texts to pandas here.
raw["verheiratet"] = raw["verheiratet"].str.lower().map({"yes": 1.0, "no": 0.0})
moment = pd.to_datetime(raw["seit"], format="%d.%m.%Y")
parts = {"seit.year": moment.dt.year, "seit.month": moment.dt.month, "seit.day": moment.dt.day,
         "seit.weekday": moment.dt.day_of_week + 1}
angle = 2 * np.pi * (moment.dt.day_of_year - 1) / 365.25
parts["seit.year-sin"], parts["seit.year-cos"] = np.sin(angle), np.cos(angle)
numbers = pd.DataFrame({"Einkommen": raw["Einkommen"], "Größe": raw["Größe"], "verheiratet": raw["verheiratet"], **parts}).astype(float)
city = raw[["Stadt"]].astype("object").where(raw[["Stadt"]].notna(), np.nan)
train = (raw["Gruppe"] == "train").to_numpy()



def transformed(treatment, fit, keep, steady):
    """The data of all rows, fitted on the rows fit. steady has a column for each word and one for rare words."""
    strategy = {"mode": "most_frequent", "median": "median"}.get(treatment, "mean")
    imputer = SimpleImputer(strategy=strategy).fit(numbers[fit])
    scaler = StandardScaler().fit(imputer.transform(numbers[fit]))
    scaled = scaler.transform(imputer.transform(numbers))
    if treatment == "indicator":
        filler, levels = SimpleImputer(strategy="constant", fill_value="~missing"), sorted(city["Stadt"].dropna().unique()) + ["~missing"]
    else:
        filler, levels = SimpleImputer(strategy="most_frequent"), sorted(city["Stadt"][keep].dropna().unique())
    words = filler.fit(city[fit]).transform(city)
    encoder = OneHotEncoder(categories=[levels], min_frequency=5, handle_unknown="infrequent_if_exist", sparse_output=False)
    encoded = encoder.fit(words[fit]).transform(words)
    if steady:
        rare = encoder.infrequent_categories_[0]
        rare = [] if rare is None else list(rare)
        frequent, merged = [level for level in levels if level not in rare], encoded
        encoded = np.zeros((rows, len(levels) + 1))
        for k, level in enumerate(frequent):
            encoded[:, levels.index(level)] = merged[:, k]
        if rare:
            encoded[:, -1] = merged[:, -1]
    columns = {}
    for k, name in enumerate(numbers):
        if name == "seit.year":
            for j in range(encoded.shape[1]):
                columns[f"Stadt{j}"] = encoded[:, j]
        columns[name] = scaled[:, k]
        gaps = numbers[name].isna() if steady else numbers[name][fit].isna()
        if treatment == "indicator" and gaps.any() and (name[:5] != "seit." or name == "seit.year"):
            columns[name + ".missing"] = numbers[name].isna().astype(float).to_numpy()
    columns["y"] = raw["y"].astype(float)
    return pd.DataFrame(columns)


for treatment in ["mean", "median", "mode", "indicator", "drop"]:
    keep = np.ones(rows, bool)
    if treatment == "drop":
        keep = (numbers.notna().all(axis=1) & city["Stadt"].notna()).to_numpy()
    frame = transformed(treatment, train & keep, keep, False)
    frame["test"] = ~train
    frame[keep].to_csv(f"pipeline-{treatment}.csv", index=False, float_format="%.17g")

# The splits that splits.csv lists: a line has a name, a treatment, a seed, and the use of each row.
with open("splits.csv") as lines, open("pipeline-splits.csv", "w") as out:
    for line in lines:
        name, treatment, seed, uses = line.strip().split(",")
        fit = np.array([use == "r" for use in uses])
        frame = transformed(treatment, fit, np.ones(rows, bool), name != "last")
        for values in frame.to_numpy():
            out.write(",".join([name, seed] + [f"{v:.17g}" for v in values]) + "\n")
