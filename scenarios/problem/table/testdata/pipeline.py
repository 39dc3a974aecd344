"""Writes dirty.csv and the data that pandas and scikit-learn make of it, pipeline-*.csv.

The files beside this script were written by pandas 3 and scikit-learn 1.9. The test reads
dirty.csv, and compares each datum with theirs.
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

for treatment in ["mean", "median", "mode", "indicator", "drop"]:
    keep = np.ones(rows, bool)
    if treatment == "drop":
        keep = (numbers.notna().all(axis=1) & city["Stadt"].notna()).to_numpy()
    fit = train & keep
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
    columns = {}
    for k, name in enumerate(numbers):
        if name == "seit.year":
            for j in range(encoded.shape[1]):
                columns[f"Stadt{j}"] = encoded[:, j]
        columns[name] = scaled[:, k]
        if treatment == "indicator" and numbers[name][fit].isna().any() and (name[:5] != "seit." or name == "seit.year"):
            columns[name + ".missing"] = numbers[name].isna().astype(float).to_numpy()
    columns["y"] = raw["y"].astype(float)
    frame = pd.DataFrame(columns)
    frame["test"] = ~train
    frame[keep].to_csv(f"pipeline-{treatment}.csv", index=False, float_format="%.17g")
