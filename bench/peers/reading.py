#!/usr/bin/env python3
"""Reads and encodes the file of BenchmarkReading with polars, and prints seconds and memory.

The same work as Starling's: words are codes (or with --dummies columns of 0 and 1, as numpy has
them), dates are days, gaps have means, numbers are standardised, and the result is an array of
float64. Usage: reading.py FILE [--dummies]. Needs polars and numpy.
"""

import resource
import sys
import time

import numpy
import polars as pl

WORDS, NUMBERS = ["city", "job", "zip", "plan"], ["age", "income", "score", "height", "ratio", "load", "change", "children", "visits", "code"]


def encode(path, dummies):
    began = time.perf_counter()
    kinds = {w: pl.String if dummies else pl.Categorical for w in ["client", *WORDS]}
    frame = pl.read_csv(path, schema_overrides=kinds | {n: pl.Float64 for n in NUMBERS}, try_parse_dates=True)
    read = time.perf_counter()
    day = 86_400_000_000
    frame = frame.with_columns(
        (pl.col("since").cast(pl.Datetime("us")).cast(pl.Int64) / day).alias("since"),
        (pl.col("seen").cast(pl.Datetime("us")).cast(pl.Int64) / day).alias("seen"),
        pl.col("married").cast(pl.Float64),
        (pl.col("owner") == "yes").cast(pl.Float64),
        pl.col("client").cast(pl.Categorical).to_physical() if dummies else pl.col("client").to_physical(),
    )
    scaled = ["since", "seen", *NUMBERS, "married", "owner"]
    frame = frame.with_columns(pl.col(scaled).fill_null(pl.col(scaled).mean()))
    frame = frame.with_columns((pl.col(scaled) - pl.col(scaled).mean()) / pl.col(scaled).std(ddof=0))
    mode = frame["job"].drop_nulls().mode()[0]
    frame = frame.with_columns(pl.col("job").fill_null(mode))
    if dummies:
        frame = frame.to_dummies(WORDS)
    else:
        frame = frame.with_columns(pl.col(WORDS).to_physical())
    array = frame.cast(pl.Float64).to_numpy()
    assert array.dtype == numpy.float64 and not numpy.isnan(array).any()
    return array, read - began, time.perf_counter() - read


array, read, fit = encode(sys.argv[1], "--dummies" in sys.argv)
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
print(f"polars {pl.__version__}, {pl.thread_pool_size()} threads: {array.shape}, read {read:.2f} s, encode {fit:.2f} s, {len(array) / (read + fit):.0f} rows/s, peak {peak / 2**30:.2f} GiB")
