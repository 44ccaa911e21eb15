r"""TeX to MathML: the part of TeX that the docstrings of the methods use.

Browsers set MathML by themselves, so a page with formulae needs no script and no fonts
from elsewhere. What is not known here raises :class:`UnknownTeX`, and the page shows
the source.
"""

import re
from collections.abc import Callable
from html import escape

__all__ = ["UnknownTeX", "mathml"]


class UnknownTeX(ValueError):
    """A command that the converter does not know, or braces that do not match."""


_GREEK = {
    "alpha": "α",
    "beta": "β",
    "gamma": "γ",
    "delta": "δ",
    "epsilon": "ϵ",
    "varepsilon": "ε",
    "eta": "η",
    "theta": "θ",
    "kappa": "κ",
    "lambda": "λ",
    "mu": "μ",
    "nu": "ν",
    "xi": "ξ",
    "pi": "π",
    "rho": "ρ",
    "sigma": "σ",
    "tau": "τ",
    "phi": "ϕ",
    "varphi": "φ",
    "chi": "χ",
    "psi": "ψ",
    "omega": "ω",
    "Gamma": "Γ",
    "Delta": "Δ",
    "Theta": "Θ",
    "Lambda": "Λ",
    "Pi": "Π",
    "Sigma": "Σ",
    "Phi": "Φ",
    "Psi": "Ψ",
    "Omega": "Ω",
}
_LETTERS = _GREEK | {"ell": "ℓ", "infty": "∞", "partial": "∂", "nabla": "∇"}
_OPERATORS = {
    "in": "∈",
    "notin": "∉",
    "ne": "≠",
    "neq": "≠",
    "le": "≤",
    "leq": "≤",
    "ge": "≥",
    "geq": "≥",
    "ll": "≪",
    "gg": "≫",
    "cap": "∩",
    "cup": "∪",
    "subset": "⊂",
    "subseteq": "⊆",
    "setminus": "∖",
    "emptyset": "∅",
    "propto": "∝",
    "sim": "∼",
    "approx": "≈",
    "equiv": "≡",
    "cdot": "·",
    "times": "×",
    "pm": "±",
    "circ": "∘",
    "odot": "⊙",
    "otimes": "⊗",
    "leftarrow": "←",
    "rightarrow": "→",
    "to": "→",
    "Rightarrow": "⇒",
    "mid": "∣",
    "wedge": "∧",
    "vee": "∨",
    "forall": "∀",
    "exists": "∃",
    "prime": "′",
    "dots": "…",
    "ldots": "…",
    "cdots": "⋯",
    "vdots": "⋮",
    "langle": "⟨",
    "rangle": "⟩",
    "lVert": "‖",
    "rVert": "‖",
    "Vert": "‖",
    "lvert": "|",
    "rvert": "|",
    "lfloor": "⌊",
    "rfloor": "⌋",
    "lceil": "⌈",
    "rceil": "⌉",
    "|": "‖",
    "{": "{",
    "}": "}",
    "%": "%",
    "&": "&",
    "_": "_",
    "#": "#",
}
_LARGE = {
    "sum": "∑",
    "prod": "∏",
    "int": "∫",
    "bigcup": "⋃",
    "bigcap": "⋂",
}
_LIMITS = {"max", "min", "lim", "sup", "inf", "Pr", "det"}
_NAMED = _LIMITS | {"arg", "deg", "ln", "log", "exp", "cos", "sin", "tanh", "dim"}
_CLOSE_TO_NAMES = {None, "(", "[", "{", "}", ")", ",", "\\left", "\\bigl", "\\Bigl"}
_SPACES = {
    ",": 0.17,
    ":": 0.22,
    ";": 0.28,
    " ": 0.28,
    "!": -0.17,
    "quad": 1.0,
    "qquad": 2.0,
}
_SIZES = {
    f"{size}{side}" for size in ("big", "Big", "bigg", "Bigg") for side in ("", *"lrm")
}
_ACCENTS = {
    "bar": "¯",
    "overline": "¯",
    "hat": "^",
    "widehat": "^",
    "tilde": "˜",
    "widetilde": "˜",
    "vec": "→",
    "dot": "˙",
}
_UPRIGHT = {"mathrm", "operatorname", "mathit", "mathsf", "mathtt"}
_FENCES = {
    "matrix": ("", ""),
    "pmatrix": ("(", ")"),
    "bmatrix": ("[", "]"),
    "vmatrix": ("|", "|"),
    "cases": ("{", ""),
    "aligned": ("", ""),
    "array": ("", ""),
    "split": ("", ""),
}
_TOKEN = re.compile(r"\\[A-Za-z]+|\\.|[0-9]+(?:\.[0-9]+)?|\s+|.", re.S)


def mathml(tex: str, *, display: bool = False) -> str:
    r"""Write a formula in MathML.

    Parameters
    ----------
    tex : str
        The formula.

    display : bool, default=False
        Whether it stands on a line of its own.

    Returns
    -------
    markup : str
        A ``math`` element; texts in it are escaped.

    Examples
    --------
    >>> mathml("w_m")
    '<math><msub><mi>w</mi><mi>m</mi></msub></math>'
    """
    rows = _Reader(tex, display).rows(until=None)
    body = rows[0][0] if len(rows) == 1 and len(rows[0]) == 1 else _table(rows, "left")
    return f'<math display="block">{body}</math>' if display else f"<math>{body}</math>"


class _Reader:
    """Reads tokens from the left and writes elements."""

    def __init__(self, tex: str, display: bool) -> None:
        self.tokens = _TOKEN.findall(tex)
        self.display = display
        self.place = 0
        self.is_name = False

    def peek(self) -> str | None:
        """The next token that is no space."""
        while self.place < len(self.tokens) and self.tokens[self.place].isspace():
            self.place += 1
        return self.tokens[self.place] if self.place < len(self.tokens) else None

    def next(self) -> str:
        token = self.peek()
        if token is None:
            raise UnknownTeX("the formula ends too early")
        self.place += 1
        return token

    def rows(self, until: str | None) -> list[list[str]]:
        r"""Cells between & in rows between \\, up to a token or to the end."""
        rows, cells, items = [], [], []  # type: ignore[var-annotated]
        while True:
            token = self.peek()
            if token is None and until is not None:
                raise UnknownTeX(f"{until} is missing")
            if token is None or token == until:
                break
            if token == "&":
                self.next()
                cells.append(_row(items))
                items = []
            elif token == "\\\\":
                self.next()
                rows.append([*cells, _row(items)])
                cells, items = [], []
            else:
                items.append(self.scripted())
        if until is not None:
            self.next()
        last = [*cells, _row(items)]
        return [*rows, last] if items or cells or not rows else rows

    def group(self) -> str:
        """One argument: what stands in braces, or one item."""
        if self.peek() == "{":
            self.next()
            return _row([item for row in self.rows("}") for item in row])
        return self.item()[0]

    def words(self) -> str:
        """The text in the braces that follow, with its spaces; or one token."""
        token = self.next()
        if token != "{":
            return token
        if "}" not in self.tokens[self.place :]:
            raise UnknownTeX("} is missing")
        end = self.tokens.index("}", self.place)
        words = " ".join("".join(self.tokens[self.place : end]).split("\n"))
        self.place = end + 1
        return words

    def scripted(self) -> str:
        """One item with its sub- and superscript."""
        self.is_name = False
        base, limits = self.item()
        is_name = self.is_name
        sub = sup = None
        primes: list[str] = []
        while (token := self.peek()) in ("_", "^", "'"):
            self.next()
            if token == "_" and sub is None:
                sub = self.group()
            elif token == "^" and sup is None:
                sup = self.group()
            elif token == "'":
                primes.append("<mo>′</mo>")
            else:
                raise UnknownTeX("two scripts in one place")
        if primes:
            sup = _row([*primes, *([] if sup is None else [sup])])
        item = _with_scripts(base, sub, sup, below=limits and self.display)
        # "ln w" needs a space, "ln(w)" none.
        if is_name and self.peek() not in _CLOSE_TO_NAMES:
            return f"<mrow>{item}{_space(0.17)}</mrow>"
        return item

    def item(self) -> tuple[str, bool]:
        """One element, and whether its scripts are limits."""
        token = self.next()
        if token == "{":
            self.place -= 1
            return self.group(), False
        if token in ("}", "&", "_", "^"):
            raise UnknownTeX(f"{token} in an odd place")
        if token[0] == "\\":
            return self.command(token[1:])
        if token[0].isdigit():
            return f"<mn>{token}</mn>", False
        if token.isalpha():
            return f"<mi>{token}</mi>", False
        if token == "'":
            return "<mo>′</mo>", False
        if token == "-":
            return "<mo>−</mo>", False
        if token == "~":
            return _space(0.28), False
        fence = ' stretchy="false"' if token in "()[]|" else ""
        return f"<mo{fence}>{escape(token)}</mo>", False

    def command(self, name: str) -> tuple[str, bool]:
        if name in _LETTERS:
            return f"<mi>{_LETTERS[name]}</mi>", False
        if name in _OPERATORS:
            fence = ' stretchy="false"' if _OPERATORS[name] in "⟨⟩‖|{}⌊⌋⌈⌉" else ""
            return f"<mo{fence}>{escape(_OPERATORS[name])}</mo>", False
        if name in _LARGE:
            return f"<mo>{_LARGE[name]}</mo>", name != "int"
        self.is_name = name in _NAMED
        if name == "arg" and self.peek() in ("\\max", "\\min"):
            # The limits belong under both words.
            return _name(f"arg {self.next()[1:]}"), True
        if name in _NAMED:
            return _name(name), name in _LIMITS
        if name in _SPACES:
            return _space(_SPACES[name]), False
        if name in _SIZES or name in ("left", "right"):
            return self.fence(stretchy=name in ("left", "right")), False
        if name in _UPRIGHT:
            return _name(self.words()), False
        if name in ("text", "textrm", "mbox"):
            # Spaces at the ends of a text are dropped by browsers.
            words = escape(self.words()).replace(" ", "\u00a0")
            return f"<mtext>{words}</mtext>", False
        if name in _ACCENTS:
            accent = f'<mo stretchy="false">{_ACCENTS[name]}</mo>'
            if name.startswith(("over", "wide")):
                accent = f"<mo>{_ACCENTS[name]}</mo>"
            return f'<mover accent="true">{self.group()}{accent}</mover>', False
        special: dict[str, Callable[[], str]] = {
            "frac": lambda: f"<mfrac>{self.group()}{self.group()}</mfrac>",
            "tfrac": lambda: _styled(
                f"<mfrac>{self.group()}{self.group()}</mfrac>", False
            ),
            "dfrac": lambda: _styled(
                f"<mfrac>{self.group()}{self.group()}</mfrac>", True
            ),
            "binom": lambda: (
                '<mrow><mo>(</mo><mfrac linethickness="0">'
                f"{self.group()}{self.group()}</mfrac><mo>)</mo></mrow>"
            ),
            "sqrt": lambda: f"<msqrt>{self.group()}</msqrt>",
            "mathrel": self.group,
            "mathop": self.group,
            "mathbf": lambda: _bold(self.words()),
            "mathcal": lambda: f"<mi>{escape(self.words())}</mi>",
            "mathbb": lambda: f"<mi>{escape(self.words()).translate(_DOUBLE)}</mi>",
            "textstyle": self.small,
            "displaystyle": lambda: "",
            "limits": lambda: "",
            "substack": self.stack,
            "begin": self.environment,
        }
        if name not in special:
            raise UnknownTeX(f"\\{name} is not known")
        return special[name](), False

    def fence(self, stretchy: bool) -> str:
        token = self.next()
        shown = _OPERATORS.get(token[1:], token) if token[0] == "\\" else token
        if shown == ".":
            return ""
        flag = "true" if stretchy else "false"
        return f'<mo stretchy="{flag}">{escape(shown)}</mo>'

    def small(self) -> str:
        """The next item in the size of running text."""
        kept, self.display = self.display, False
        item = _styled(self.scripted(), False)
        self.display = kept
        return item

    def stack(self) -> str:
        if self.next() != "{":
            raise UnknownTeX(r"\substack takes braces")
        return _table(self.rows("}"), "center")

    def environment(self) -> str:
        name = self.words()
        if name not in _FENCES:
            raise UnknownTeX(f"the environment {name} is not known")
        if name == "array":
            self.words()
        rows = self.rows("\\end")
        if self.words() != name:
            raise UnknownTeX(f"the environment {name} does not end")
        opening, closing = _FENCES[name]
        table = _table(rows, "left" if name in ("cases", "aligned") else "center")
        fences = [
            f"<mo>{escape(mark)}</mo>" if mark else "" for mark in (opening, closing)
        ]
        return f"<mrow>{fences[0]}{table}{fences[1]}</mrow>"


_DOUBLE = str.maketrans("RNZQCEPI1", "ℝℕℤℚℂ𝔼ℙ𝕀𝟙")


def _with_scripts(base: str, sub: str | None, sup: str | None, below: bool) -> str:
    if sub is not None and sup is not None:
        tag = "munderover" if below else "msubsup"
    elif sub is not None:
        tag = "munder" if below else "msub"
    elif sup is not None:
        tag = "mover" if below else "msup"
    else:
        return base
    return f"<{tag}>{base}{sub or ''}{sup or ''}</{tag}>"


def _row(items: list[str]) -> str:
    return items[0] if len(items) == 1 else f"<mrow>{''.join(items)}</mrow>"


def _table(rows: list[list[str]], align: str) -> str:
    body = "".join(
        "<mtr>" + "".join(f"<mtd>{cell}</mtd>" for cell in row) + "</mtr>"
        for row in rows
    )
    return f'<mtable class="{align}">{body}</mtable>'


def _name(words: str) -> str:
    # A single letter would be set in italics.
    upright = ' mathvariant="normal"' if len(words) == 1 else ""
    return f"<mi{upright}>{escape(words)}</mi>"


def _bold(words: str) -> str:
    return f'<mi class="bold">{escape(words)}</mi>'


def _space(width: float) -> str:
    return f'<mspace width="{width:g}em"></mspace>'


def _styled(item: str, display: bool) -> str:
    flag = "true" if display else "false"
    return f'<mstyle displaystyle="{flag}" scriptlevel="0">{item}</mstyle>'
