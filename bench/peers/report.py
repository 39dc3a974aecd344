"""The figures of a measurement as text, Markdown, JSON and a part of the help page."""

import datetime
import json
import os
import platform
import subprocess
import textwrap

import environments

HELP_PAGE = os.path.join(environments.ROOT, "cmd", "starling", "command", "help", "performance.md")
MOST_APART = 4  # times the lower quartile
UNCLEAR = "unclear"
HEAD = ["workload", "who", "updates a second", "a CPU-second", "start", "memory", "Starling to peer, by wall", "by CPU"]


def figures(rows, starling, command, versions):
    """All that a measurement found, as --json writes it."""
    version = subprocess.run([starling, "version"], capture_output=True, text=True).stdout.strip()
    commit = subprocess.run(["git", "rev-parse", "--short=10", "HEAD"], cwd=environments.ROOT, capture_output=True, text=True).stdout.strip()
    return {
        "format": 1,
        "date": datetime.date.today().isoformat(),
        "command": command,
        "commit": commit,
        "version": version.splitlines(),
        "machine": {"processor": _processor(), "cores": os.cpu_count(), "system": platform.system().lower(), "load": _load()},
        "versions": versions,
        "rows": rows,
    }


def _processor():
    try:
        with open("/proc/cpuinfo") as f:
            for line in f:
                if line.startswith("model name"):
                    return line.split(":", 1)[1].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()


def _load():
    return round(os.getloadavg()[0], 1) if hasattr(os, "getloadavg") else None


def write(f, json_file, markdown_file, help_page):
    cells = [_cells(row) for row in f["rows"]]
    print(_caption(f))
    print(text(cells), end="")
    if json_file:
        with open(json_file, "w") as out:
            json.dump(f, out, indent=1)
            out.write("\n")
    table = f"{_caption(f)}\n\n{markdown(cells)}"
    if markdown_file:
        with open(markdown_file, "w") as out:
            out.write(table)
    if help_page:
        _renew_help(f)


def _renew_help(f):
    """Puts the caption and a narrow table where those of the last measurement stand."""
    with open(HELP_PAGE) as page:
        before, rest = page.read().split("\nMeasured on", 1)
    after = rest.split("```text\n", 1)[1].split("```\n", 1)[1]
    with open(HELP_PAGE, "w") as page:
        page.write(f"{before}\n{textwrap.fill(_caption(f), 86)}\n\n```text\n{narrow(f['rows'])}```\n{after}")


def narrow(rows):
    """The table in 78 columns, as the help page shows it."""
    lines, last = [f"{'':22}{'updates a':>10}{'':13}{'Starling to it, by':>24}", f"{'':22}{'CPU-second':>10}{'start':>7}{'MiB':>6}{'wall':>8}  CPU (quartiles)"], ""
    for row in rows:
        if row["workload"] != last:
            lines += ["", row["workload"]]
            last = row["workload"]
        if row["failed"]:
            lines += textwrap.wrap(f"{row['name']}: {row['failed']}", 76, subsequent_indent="  ")
            continue
        ratios = ""
        if "ratio_cpu" in row:
            two = lambda v: f"{v:.2g}" if v < 100 else number(v)
            wall = two(row["ratio_wall"][0]) if _told(row["ratio_wall"]) else UNCLEAR
            middle, low, high = (two(v) for v in row["ratio_cpu"])
            ratios = f"{wall:>8}  " + (f"{middle} ({low} to {high})" if _told(row["ratio_cpu"]) else UNCLEAR)
        lines.append(f"{row['name']:22}{number(row['per_second_cpu']):>10}{row['start']:>6.2f}s{row['memory'] / 2**20:>6.0f}{ratios}")
    return "\n".join(lines) + "\n"


def _caption(f):
    m = f["machine"]
    return f"Measured on {f['date']} at commit {f['commit']} by `{f['command']}`, on {m['cores']} cores of {m['processor']} at a load of {m['load']}."


def _cells(row):
    """A line of the table, in the order of HEAD."""
    first = [row["workload"], row["name"]]
    if row["failed"]:
        return [*first, row["failed"], "", "", "", "", ""]
    ratios = [_spread(row[key]) if key in row else "" for key in ("ratio_wall", "ratio_cpu")]
    return [*first, number(row["per_second_wall"]), number(row["per_second_cpu"]), f"{row['start']:.2f} s", f"{row['memory'] / 2**20:.0f} MiB", *ratios]


def _told(ratio):
    """Whether an update was told from the start: of runs that are too short for that, quartiles are far apart."""
    return ratio[2] <= MOST_APART * ratio[1]


def _spread(ratio):
    if not _told(ratio):
        return UNCLEAR
    middle, low, high = (number(v) for v in ratio)
    return f"{middle} ({low} to {high})"


def number(v):
    """Three digits, with commas from a thousand on."""
    if v >= 100:
        digits = len(str(int(v))) - 3
        return f"{int(round(v, -digits)):,}"
    return f"{v:.3g}"


def text(cells):
    """Columns of even width; a workload is named once, and a failure takes the rest of its line."""
    shown, last = [], ""
    for c in cells:
        shown.append(["" if c[0] == last else c[0], *c[1:]])
        last = c[0]
    failed = [not any(c[3:]) for c in shown]
    widths = [max(len(c[k]) for c, bad in zip([HEAD, *shown], [False, *failed]) if k < 2 or not bad) for k in range(len(HEAD))]
    lines = []
    for c, bad in zip([HEAD, *shown], [False, *failed]):
        padded = [c[0].ljust(widths[0]), c[1].ljust(widths[1])] + ([c[2]] if bad else [c[k].rjust(widths[k]) for k in range(2, len(HEAD))])
        lines.append("  ".join(padded).rstrip())
    return "\n".join(lines) + "\n"


def markdown(cells):
    lines = ["| " + " | ".join(HEAD) + " |", "| --- | --- | " + " | ".join(["---:"] * (len(HEAD) - 2)) + " |"]
    return "\n".join(lines + ["| " + " | ".join(c).replace("  ", " ") + " |" for c in cells]) + "\n"
