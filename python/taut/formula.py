"""Formulas that are traced: a Python function is called once with symbols, which write down what it
calculates with them. The library evaluates that, with derivatives, without Python."""

import inspect
import math

import numpy as np

from . import _taut

_OPERATIONS = ("number variable add subtract multiply divide negate power sqrt sin cos tan asin acos "
               "atan atan2 exp log abs minimum maximum").split()
_CODES = {name: code for code, name in enumerate(_OPERATIONS)}

_PLAIN = {
    "add": lambda a, b: a + b, "subtract": lambda a, b: a - b, "multiply": lambda a, b: a * b,
    "divide": lambda a, b: a / b, "negate": lambda a: -a, "sqrt": math.sqrt, "sin": math.sin,
    "cos": math.cos, "tan": math.tan, "asin": math.asin, "acos": math.acos, "atan": math.atan,
    "atan2": math.atan2, "exp": math.exp, "log": math.log, "abs": abs, "minimum": min,
    "maximum": max,
}


class _Program:
    """What was calculated so far, each thing once."""

    def __init__(self):
        self.instructions = []
        self._known = {}

    def write(self, operation, a=0, b=0, number=0.0):
        key = (_CODES[operation], a, b, number)
        if key not in self._known:
            self._known[key] = len(self.instructions)
            self.instructions.append(key)
        return Symbol(self, self._known[key])


class Symbol:
    """A number that is not known yet."""

    __slots__ = ("_program", "_index")
    __array_priority__ = 1000

    def __init__(self, program, index):
        self._program = program
        self._index = index

    def _with(self, value):
        """Another operand, as a symbol of the same formula."""
        if isinstance(value, Symbol):
            if value._program is not self._program:
                raise _taut.Error("a formula uses a symbol of another formula")
            return value
        value = float(value)
        if not math.isfinite(value):
            raise _taut.Error(f"a formula uses {value}, expected finite numbers")
        return self._program.write("number", number=value)

    def _binary(self, operation, other, swapped=False):
        try:
            other = self._with(other)
        except (TypeError, ValueError):
            return NotImplemented
        first, second = (other, self) if swapped else (self, other)
        return self._program.write(operation, first._index, second._index)

    def _unary(self, operation):
        return self._program.write(operation, self._index)

    def __add__(self, other):
        return self._binary("add", other)

    def __radd__(self, other):
        # sum() begins with 0
        return self if isinstance(other, (int, float)) and other == 0 else self._binary("add", other, True)

    def __sub__(self, other):
        return self._binary("subtract", other)

    def __rsub__(self, other):
        return self._binary("subtract", other, True)

    def __mul__(self, other):
        return self._binary("multiply", other)

    def __rmul__(self, other):
        return self._binary("multiply", other, True)

    def __truediv__(self, other):
        return self._binary("divide", other)

    def __rtruediv__(self, other):
        return self._binary("divide", other, True)

    def __neg__(self):
        return self._unary("negate")

    def __pos__(self):
        return self

    def __abs__(self):
        return self._unary("abs")

    def __pow__(self, exponent):
        if isinstance(exponent, Symbol):
            return exp(exponent * log(self))
        exponent = float(exponent)
        if not math.isfinite(exponent):
            raise _taut.Error(f"a formula uses {exponent}, expected finite numbers")
        if exponent == 0:
            return self._with(1)
        if exponent == 1:
            return self
        return self._program.write("power", self._index, number=exponent)

    def __rpow__(self, base):
        return exp(self * math.log(base))

    # NumPy calls these for sqrt(x), sin(x), … of an array of symbols.
    def sqrt(self):
        return self._unary("sqrt")

    def sin(self):
        return self._unary("sin")

    def cos(self):
        return self._unary("cos")

    def tan(self):
        return self._unary("tan")

    def arcsin(self):
        return self._unary("asin")

    def arccos(self):
        return self._unary("acos")

    def arctan(self):
        return self._unary("atan")

    def exp(self):
        return self._unary("exp")

    def log(self):
        return self._unary("log")

    def conjugate(self):
        return self

    def arctan2(self, other):
        return self._binary("atan2", other)

    def _cannot(self, *_):
        raise _taut.Error(
            "a formula is traced once, so it cannot decide by the value of a place or of the time: "
            "use taut.formula.minimum, maximum, abs, or several constraints"
        )

    __bool__ = __lt__ = __le__ = __gt__ = __ge__ = __eq__ = __ne__ = _cannot
    __hash__ = None  # type: ignore[assignment]

    def __float__(self):
        raise _taut.Error(
            "a formula needs the number behind a symbol: use the functions of NumPy or of "
            "taut.formula instead of those of math"
        )

    __int__ = __index__ = __float__


def _function(operation):
    def function(*arguments):
        for argument in arguments:
            if isinstance(argument, Symbol):
                return argument._program.write(
                    operation, *(argument._with(a)._index for a in arguments))
        return _PLAIN[operation](*arguments)

    function.__name__ = operation
    function.__doc__ = f"{operation} of symbols or of numbers."
    return function


sqrt, sin, cos, tan = map(_function, ("sqrt", "sin", "cos", "tan"))
asin, acos, atan, atan2 = map(_function, ("asin", "acos", "atan", "atan2"))
exp, log, minimum, maximum = map(_function, ("exp", "log", "minimum", "maximum"))


def trace(formula, point_count):
    """The programs of a formula of that many points: (instructions, result) for each number that it
    gives."""
    if not callable(formula):
        raise _taut.Error(f"constraint: found {formula!r}, expected a function of the points")
    program = _Program()
    symbols = [program.write("variable", i) for i in range(3 * point_count + 1)]
    places = [_array(symbols[3 * k:3 * k + 3]) for k in range(point_count)]
    count = _argument_count(formula)
    if count is not None and count not in (point_count, point_count + 1):
        raise _taut.Error(
            f"constraint: found a function of {count} arguments, expected {point_count}, one for "
            "each point, and maybe the time"
        )
    given = formula(*places, *([symbols[-1]] if count == point_count + 1 else []))
    results = np.atleast_1d(np.asarray(given, dtype=object)).ravel()
    programs = []
    for result in results:
        if not isinstance(result, Symbol) or result._program is not program:
            raise _taut.Error(
                f"constraint: found the value {result!r}, expected something that depends on the "
                "points"
            )
        programs.append((program.instructions, result._index))
    if not programs:
        raise _taut.Error("constraint: found no value, expected one or more")
    return programs


def _array(symbols):
    array = np.empty(len(symbols), dtype=object)
    array[:] = symbols
    return array


def _argument_count(function):
    """How many places a function takes; None if any number."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return None
    if any(p.kind is p.VAR_POSITIONAL for p in parameters):
        return None
    return sum(p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD) and p.default is p.empty
               for p in parameters)
