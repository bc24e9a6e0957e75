"""Random tables with categories and missing values, and a by-hand reader of printed cards."""

import re

import numpy as np
import pandas as pd


def mixed_table(seed, n=400):
    """Return a table with numbers, texts, missing values, and labels that depend on them."""
    random = np.random.default_rng(seed)
    force = random.normal(60.0, 5.0, n).round(1)
    speed = random.integers(1200, 1300, n).astype(float)
    line = random.choice(["north", "east", "west", "south"], n).astype(object)
    risk = (force > 64) * 2.0 + (line == "east") + (speed > 1280) * 1.5
    force[random.random(n) < 0.1] = np.nan
    line[random.random(n) < 0.1] = None
    risk += np.isnan(force) * 1.0
    label = (risk + random.normal(0.0, 0.6, n) > 2.4).astype(int)
    label[:3] = 1
    table = pd.DataFrame({"force": force, "speed": speed, "line": pd.Categorical(line)})
    return table, np.where(label == 1, "scrap", "good")


def new_rows(seed, n):
    """Return rows as users may have them: any numbers, unknown and missing values."""
    random = np.random.default_rng(seed)
    levels = ["north", "east", "west", "south", "moon", None]
    table = pd.DataFrame(
        {
            "force": random.normal(60.0, 8.0, n),
            "speed": random.normal(1250.0, 60.0, n),
            "line": random.choice(np.array(levels, dtype=object), n),
        }
    )
    return table.mask(random.random(table.shape) < 0.1)


def read_card(text):
    """Return the parts of a printed card, and the least points of an alert."""
    parts, rows = [], {}
    for line in text.splitlines():
        if line.startswith("Part "):
            rows = {}
            parts.append(rows)
        found = re.fullmatch(r" *(\d+)  (.+)\?  +(\S+(?: to \d+)?)  +(\S+(?: to \d+)?)", line)
        if found:
            number, question, yes, no = found.groups()
            rows[int(number)] = (question, yes, no)
    (least,) = re.findall(r"^alert +(-?\d+) points or more", text, flags=re.MULTILINE)
    return parts, int(least)


def says_yes(question, row):
    """Answer a question of a printed card as a person would."""
    column, how, asked = re.fullmatch(r"(\S+) (<=|>|in|not in|is) (.+)", question).groups()
    value = row[column]
    known = {"north", "east", "west", "south"}
    if pd.isna(value) or (isinstance(value, str) and value not in known):
        return False
    if how == "is":
        return True
    if how in ("<=", ">"):
        return (value <= float(asked)) == (how == "<=")
    return (value in asked.strip("{}").split(", ")) == (how == "in")


def points_by_hand(parts, row):
    """Add up the points of a row as a person would."""
    total = 0
    for rows in parts:
        number = min(rows)
        while True:
            question, yes, no = rows[number]
            answer = yes if says_yes(question, row) else no
            if not answer.startswith("go to"):
                total += int(answer)
                break
            number = int(answer.removeprefix("go to "))
    return total
