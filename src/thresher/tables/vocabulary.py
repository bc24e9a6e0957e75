"""Words in the cells of plant tables: for "no value", for yes and no, units, and last lines."""

import re

MISSING = frozenset({"", "?", "na", "n/a", "nan", "null", "none"})
"""What stands for a missing value in any column, in lower case."""

_SIGNS = """
    - -- --- ---- ----- . .. ... * ** *** / // _ __ n.a. n.v. k.a. n.b. n.d. nd s.o. i.d. nil nat
    #n/a #nv #ref! #bezug! #div/0! #value! #wert! #name? #num! #zahl! #null! #### ##### ######
    missing fehlt leer empty <na> inf -inf +inf infinity -infinity ∞ -∞ 1.#inf 1.#qnan -1.#ind
"""
_PHRASES = """
    n. v.|k. a.|no data|no value|not available|not measured|nicht gemessen|keine messung
"""
NO_NUMBER = frozenset({*_SIGNS.split(), *_PHRASES.strip().split("|")})
"""What stands for "no value" among numbers and dates; among other texts it may be a level."""

YES = frozenset(
    {"true", "yes", "y", "t", "ja", "j", "wahr", "oui", "vrai", "si", "sì", "vero", "1"}
)
NO = frozenset({"false", "no", "n", "f", "nein", "falsch", "non", "faux", "falso", "0"})
"""Answers, in lower case; where a column has several forms of them they become two."""

_BAD = """
    nok|n.o.k.|not ok|nio|n.i.o.|n. i. o.|ng|n.g.|fail|failed|bad|schlecht|ko|k.o.|scrap
    |reject|rejected
"""
GOOD = frozenset({"ok", "o.k.", "io", "i.o.", "i. o.", "pass", "passed", "good", "gut"})
BAD = frozenset(word.strip() for word in _BAD.split("|"))
"""Results of a test, in lower case; where a target has several forms of them they become two."""

_UNITS = """
    % ‰ ppm ppb ° deg grad rad mrad °c c °f f k
    nm µm μm um mm cm dm m km in inch zoll " ft mil
    mm2 mm² cm2 cm² m2 m² mm3 mm³ cm3 cm³ m3 m³ ccm l ml µl cl
    n kn mn ncm nmm knm lbf lb lbs µg ug mg g kg t to oz
    bar mbar µbar pa hpa kpa mpa gpa psi n/mm2 n/mm² torr
    s sec sek sek. ms µs us ns min h std d hz khz mhz ghz
    rpm 1/min u/min min-1 min^-1 1/s upm 1/h
    v mv kv µv a ma µa ka w mw kw va kva kwh wh ah mah ω ohm kω kohm mω mohm nf µf pf mh j kj mj
    db dba db(a) lx lm cd µs/cm ph ra rz hv hb hrc cpk
    l/min l/h ml/min nl nl/min sccm m3/h m³/h kg/h bar/s mbar/s mbar·l/s mbar*l/s
    m/s mm/s mm/min m/min km/h m/s2 m/s² °/s
    g/cm3 g/cm³ kg/m3 kg/m³ kg/m g/m2 g/m² n/m mn/m µm/m mm/m cst mpas mpa·s mpa*s
    stk stk. st pcs pc ea € $ £ eur usd chf
    rh %rh %rf vol% vol.% wt% gew%
"""
UNITS = frozenset({*_UNITS.split(), "x g", "% rh"})
"""Units as plants write them, in lower case."""

MULTIPLIERS = frozenset({"%", "‰", "ppm", "k", "M", "Tsd", "Tsd.", "Mio", "Mio."})
"""What multiplies the number before it: 5 is not 5 %, and 500 beside 1k is not 500k."""

_PARTS = re.compile(r"[/*·\s]|\bpro\b|\bper\b")
_POWER = re.compile(r"[²³]|\^?-?[0-9]$")


def is_unit(text: str) -> bool:
    """Whether a text is a unit, or made of units, in brackets or not.

    >>> is_unit("[Nm]"), is_unit("m³/s"), is_unit("Press 3")
    (True, True, False)
    """
    word = text.strip("[]() ").lower()
    if word in UNITS:
        return True
    parts = [_POWER.sub("", part) for part in _PARTS.split(word)]
    return len(parts) > 1 and all(part in UNITS or part == "" for part in parts) and any(parts)


CLOSING = ("total", "sum", "summe", "gesamt", "average", "mean", "mittelwert", "count", "anzahl")
"""How a line begins that closes an export and is no row."""
