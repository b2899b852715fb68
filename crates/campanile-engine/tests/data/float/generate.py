#!/usr/bin/env python3
"""Writes the tables beside this file: expected floating-point results from exact rational arithmetic.

Nothing here rounds in a format. A result is found by binary search among the patterns of the format, comparing each
with the exact value, so that these tables and the code they test share no method. Values of `fsin` and its like come
from mpmath (`pip install mpmath`) with several hundred bits. Usage: ./generate.py
"""

import os
import random
from fractions import Fraction

import mpmath

FORMATS = {"bf": (8, 7), "hf": (5, 10), "f": (8, 23), "df": (11, 52)}
ROUNDINGS = ("re", "rd", "ru", "rz", "rna")
DIRECTORY = os.path.dirname(os.path.abspath(__file__))


class Format:
    def __init__(self, name):
        self.name = name
        exponent_bits, self.fraction_bits = FORMATS[name]
        self.bits = 1 + exponent_bits + self.fraction_bits
        self.sign = 1 << (self.bits - 1)
        self.infinity = self.sign - (1 << self.fraction_bits)
        self.bias = (1 << (exponent_bits - 1)) - 1
        self.one = self.bias << self.fraction_bits
        self.quiet = 1 << (self.fraction_bits - 1)
        self.nan = self.infinity | self.quiet

    def magnitude(self, bits):
        return bits & ~self.sign

    def negative(self, bits):
        return bits & self.sign != 0

    def is_nan(self, bits):
        return self.magnitude(bits) > self.infinity

    def is_infinite(self, bits):
        return self.magnitude(bits) == self.infinity

    def value(self, bits):
        """The exact value; infinity counts as the number its pattern would stand for were it finite."""
        magnitude = self.magnitude(bits)
        field = magnitude >> self.fraction_bits
        fraction = magnitude & ((1 << self.fraction_bits) - 1)
        if field:
            fraction |= 1 << self.fraction_bits
        value = Fraction(fraction) * Fraction(2) ** (max(field, 1) - self.bias - self.fraction_bits)
        return -value if self.negative(bits) else value

    def round(self, negative, compare):
        """Patterns, one a rounding mode, of the number whose magnitude `compare` orders against a rational."""
        low, high = 0, self.infinity
        while high - low > 1:
            middle = (low + high) // 2
            if compare(self.value(middle)) <= 0:
                low = middle
            else:
                high = middle
        exact = compare(self.value(low)) == 0
        tie = compare((self.value(low) + self.value(low + 1)) / 2)
        results = []
        for rounding in ROUNDINGS:
            if exact or rounding == "rz" or rounding == ("ru" if negative else "rd"):
                pick = low
            elif rounding in ("rd", "ru"):
                pick = low + 1
            elif tie != 0:
                pick = low + (tie < 0)
            else:
                pick = low + 1 if rounding == "rna" else low + low % 2
            results.append(pick | (self.sign if negative else 0))
        return results

    def rational(self, value, zeros=None):
        """Patterns of a rational; `zeros` are those of zero (by default +0, and -0 when rounding down)."""
        if value == 0:
            return zeros or [self.sign if rounding == "rd" else 0 for rounding in ROUNDINGS]
        magnitude = abs(value)
        return self.round(value < 0, lambda r: (r > magnitude) - (r < magnitude))

    def flush(self, bits):
        denormal = self.magnitude(bits) < 1 << self.fraction_bits
        return bits & self.sign if denormal else bits

    def saturate(self, bits):
        if self.is_nan(bits) or self.negative(bits):
            return 0
        return min(bits, self.one)

    def clamp(self, bits):
        return bits - 1 if self.is_infinite(bits) else bits

    def specials(self):
        quantum = 1 << self.fraction_bits
        positive = [0, 1, 2, quantum // 2, quantum - 1, quantum, quantum + 1, self.one - 1, self.one, self.one + 1,
                    self.one + quantum // 2, self.one + quantum, self.one - quantum, self.infinity - 1,
                    self.infinity - quantum, self.infinity, self.nan, self.nan + 5, self.infinity + 3]
        return [bits | sign for bits in positive for sign in (0, self.sign)]

    def random(self, near=None):
        """A pattern of random exponent and few or many fraction bits, or one close to `near` in magnitude."""
        fraction = random.getrandbits(self.fraction_bits)
        if random.random() < 0.5:
            fraction &= fraction << random.randrange(self.fraction_bits)
            fraction &= (1 << self.fraction_bits) - 1
        top = self.infinity >> self.fraction_bits
        if near is None:
            field = random.randrange(top)
        else:
            field = (self.magnitude(near) >> self.fraction_bits) + random.randint(-3, 3)
        field = min(max(field, 0), top - 1)
        return random.choice((0, self.sign)) | field << self.fraction_bits | fraction


def with_sign(format, negative, magnitude):
    return [magnitude | (format.sign if negative else 0)] * 5


def add(format, a, b):
    if format.is_infinite(a) or format.is_infinite(b):
        if format.is_infinite(a) and format.is_infinite(b) and a != b:
            return [format.nan] * 5
        return [a if format.is_infinite(a) else b] * 5
    zeros = [a] * 5 if a == b else None
    return format.rational(format.value(a) + format.value(b), zeros)


def sub(format, a, b):
    return add(format, a, b ^ format.sign)


def mul(format, a, b, target=None):
    target = target or format
    negative = format.negative(a) != format.negative(b)
    if format.is_infinite(a) or format.is_infinite(b):
        if format.magnitude(a) == 0 or format.magnitude(b) == 0:
            return [target.nan] * 5
        return with_sign(target, negative, target.infinity)
    return target.rational(format.value(a) * format.value(b), with_sign(target, negative, 0))


def div(format, a, b):
    negative = format.negative(a) != format.negative(b)
    a_zero, b_zero = format.magnitude(a) == 0, format.magnitude(b) == 0
    a_infinite, b_infinite = format.is_infinite(a), format.is_infinite(b)
    if a_zero and b_zero or a_infinite and b_infinite:
        return [format.nan] * 5
    if a_infinite or b_zero:
        return with_sign(format, negative, format.infinity)
    if a_zero or b_infinite:
        return with_sign(format, negative, 0)
    return format.rational(format.value(a) / format.value(b))


def fma(format, a, b, c):
    negative = format.negative(a) != format.negative(b)
    if format.is_infinite(a) or format.is_infinite(b):
        if format.magnitude(a) == 0 or format.magnitude(b) == 0:
            return [format.nan] * 5
        if format.is_infinite(c) and format.negative(c) != negative:
            return [format.nan] * 5
        return with_sign(format, negative, format.infinity)
    if format.is_infinite(c):
        return [c] * 5
    product = format.value(a) * format.value(b)
    same = product == 0 and format.magnitude(c) == 0 and format.negative(c) == negative
    return format.rational(product + format.value(c), [c] * 5 if same else None)


def root(format, a, inverse):
    if format.magnitude(a) == 0:
        return [a | format.infinity if inverse else a] * 5
    if format.negative(a):
        return [format.nan] * 5
    if format.is_infinite(a):
        return [0 if inverse else a] * 5
    square = 1 / format.value(a) if inverse else format.value(a)
    return format.round(False, lambda r: (r * r > square) - (r * r < square))


def sqrt(format, a):
    return root(format, a, False)


def rsqrt(format, a):
    return root(format, a, True)


def integral(format, a):
    if format.is_infinite(a):
        return [a] * 5
    return [next(bits for bits in format.rational(Fraction(whole), [a & format.sign] * 5))
            for whole in whole_numbers(format.value(a))]


def whole_numbers(value):
    """`value` rounded to an integer in the five modes."""
    floor = value.numerator // value.denominator
    ceiling = floor if floor == value else floor + 1
    toward_zero = floor if value >= 0 else ceiling
    distance = value - floor
    if distance == Fraction(1, 2):
        even = floor + floor % 2
        away = ceiling if value > 0 else floor
    else:
        even = away = floor if distance < Fraction(1, 2) else ceiling
    return [even, floor, ceiling, toward_zero, away]


def operation(format, function, operands, flags, target=None):
    """The results of an instruction: its exact function between `.ftz`, NaN rule and `.dsat`."""
    target = target or format
    if "z" in flags:
        operands = [format.flush(bits) for bits in operands]
    nans = [bits for bits in operands if format.is_nan(bits)]
    if nans:
        results = [convert_nan(target, format, nans[0])] * 5
    else:
        results = function(format, *operands)
    if "z" in flags:
        results = [target.flush(bits) for bits in results]
    if "s" in flags:
        results = [target.saturate(bits) for bits in results]
    return results


def convert_nan(target, source, bits):
    payload = bits & ((1 << source.fraction_bits) - 1)
    shift = target.fraction_bits - source.fraction_bits
    payload = payload << shift if shift >= 0 else payload >> -shift
    return target.nan | payload | (target.sign if source.negative(bits) else 0)


def convert(target, source, a, flags):
    if source.is_nan(a):
        return [convert_nan(target, source, a)] * 5
    if "z" in flags:
        a = source.flush(a)
    if source.is_infinite(a):
        results = with_sign(target, source.negative(a), target.infinity)
    else:
        results = target.rational(source.value(a), with_sign(target, source.negative(a), 0))
    if "z" in flags:
        results = [target.flush(bits) for bits in results]
    if "s" in flags:
        results = [target.clamp(bits) for bits in results]
    return results


class Table:
    """A file of lines `operands -> results`, where five equal results are written once."""

    def __init__(self, name, columns):
        self.path = os.path.join(DIRECTORY, name + ".txt")
        self.lines = {f"# {columns}": None}

    def row(self, words, results):
        results = [str(result) for result in results]
        if len(set(results)) == 1:
            results = results[:1]
        self.lines[" ".join(words) + " -> " + " ".join(results)] = None

    def write(self):
        with open(self.path, "w") as file:
            file.writelines(line + "\n" for line in self.lines)


def hexadecimal(format, bits):
    return f"{bits:0{format.bits // 4}x}"


def pattern(format, value):
    """The pattern of a rational that `format` can represent, or of its neighbour toward zero."""
    return format.rational(value)[3]


def with_plain(flags):
    """Every row is there without flags, too."""
    return ["-"] if flags == "-" else ["-", flags]


def tie_operands(format, function):
    """Operands whose exact result often lies halfway between neighbours, or close to that."""
    a = format.random(near=format.one)
    half = Fraction(2) ** ((format.magnitude(a) >> format.fraction_bits) - format.bias - format.fraction_bits - 1)
    nudge = random.choice((Fraction(1), Fraction(1), Fraction(3), 1 + Fraction(1, 1 << (format.fraction_bits // 2))))
    b = pattern(format, random.choice((half, -half)) * nudge)
    if function in (add, sub):
        return [a, b]
    if function is fma:
        # The product is the half unit, or a half unit and a little: the rounding must see all of it.
        x, y = format.one | random.choice((0, 1, 2)), b
        return random.choice(([x, y, a], [y, x, a], [a, format.one, b]))
    if function is mul:
        # Odd factors with just more bits together than the format has; or a denormal product.
        bits = random.randrange(2, format.fraction_bits)
        x = random.getrandbits(bits) | 1 | 1 << (bits - 1)
        y = random.getrandbits(format.fraction_bits + 2 - bits) | 1
        scale = Fraction(2) ** random.choice((0, 1 - format.bias - format.fraction_bits))
        return [pattern(format, Fraction(x)), pattern(format, Fraction(y) * scale)]
    if function is div:
        # A denormal quotient can lie halfway.
        quotient = Fraction(2 * random.getrandbits(4) + 1, 2) * Fraction(2) ** (1 - format.bias - format.fraction_bits)
        divisor = Fraction(random.getrandbits(format.fraction_bits - 4) | 1) * 2 ** (format.bias // 2)
        return [pattern(format, quotient * divisor), pattern(format, divisor)]
    value = format.value(a)
    return [pattern(format, value * value)]


def arithmetic(name, function, count, arity, flag_choices):
    table = Table(name, "format flags operands -> .re .rd .ru .rz .rna; flags: z .ftz, s .dsat")
    for format in map(Format, FORMATS):
        specials = format.specials()
        rows = []
        if arity == 1:
            rows += [[a] for a in specials]
        for _ in range(count):
            rows.append([random.choice(specials) for _ in range(arity)])
            first = format.random()
            rows.append([first] + [format.random(near=random.choice((first, format.one)))
                                   for _ in range(arity - 1)])
            rows.append(tie_operands(format, function))
        for operands in rows:
            for flags in with_plain(random.choice(flag_choices)):
                results = operation(format, function, operands, flags)
                table.row([format.name, flags] + [hexadecimal(format, bits) for bits in operands],
                          [hexadecimal(format, bits) for bits in results])
    table.write()


def multiply_full(count):
    table = Table("mul_full", "format flags operands -> .re .rd .ru .rz .rna as .f")
    single = Format("f")
    for format in (Format("bf"), Format("hf")):
        for _ in range(count):
            first = format.random()
            near = format.random(near=random.choice((first, format.infinity - (first & ~format.sign))))
            for operands in ([first, near], [random.choice(format.specials()) for _ in range(2)]):
                flags = random.choice(("-", "-", "z", "s"))
                results = operation(format, lambda f, a, b: mul(f, a, b, single), operands, flags, single)
                table.row([format.name, flags] + [hexadecimal(format, bits) for bits in operands],
                          [hexadecimal(single, bits) for bits in results])
    table.write()


def conversions(count):
    table = Table("convert", "to from flags operand -> .re .rd .ru .rz .rna; flags: z .ftz, s .dsat")
    pairs = [("f", "bf"), ("f", "hf"), ("df", "bf"), ("df", "hf"), ("df", "f"),
             ("bf", "f"), ("hf", "f"), ("bf", "df"), ("hf", "df"), ("f", "df")]
    for to, source in pairs:
        target, source = Format(to), Format(source)
        rows = source.specials()
        for _ in range(count):
            rows.append(source.random())
            if target.bits < source.bits:
                # Around numbers of the target, and around the middle between them.
                low = random.choice((random.randrange(target.infinity), random.randrange(64),
                                     (1 << target.fraction_bits) - random.randrange(3),
                                     target.infinity - 1 - random.randrange(3)))
                middle = (target.value(low) + target.value(low + 1)) / 2
                exact = pattern(source, random.choice((middle, target.value(low + 1))))
                rows.append(exact + random.choice((-1, 0, 0, 1)) | random.choice((0, source.sign)))
        for a in rows:
            for flags in with_plain(random.choice(("z", "s", "zs"))):
                results = convert(target, source, a, flags)
                table.row([to, source.name, flags, hexadecimal(source, a)],
                          [hexadecimal(target, bits) for bits in results])
    table.write()


def to_integers(count):
    table = Table("to_integer", "from type operand -> .re .rd .ru .rz .rna")
    for format in map(Format, FORMATS):
        for bits in (8, 16, 32, 64):
            for signed in (False, True):
                least, most = (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) if signed else (0, (1 << bits) - 1)
                rows = [0, format.sign, format.infinity, format.infinity | format.sign, format.nan, format.infinity + 1]
                for _ in range(count):
                    near = random.choice((least, most, most + 1, 0, random.randint(least, most)))
                    value = near + Fraction(random.randint(-6, 6), 4)
                    rows.append(pattern(format, min(max(value, -format.value(format.infinity - 1)),
                                                    format.value(format.infinity - 1))))
                    rows.append(format.random())
                for a in rows:
                    if format.is_nan(a):
                        values = [0] * 5
                    elif format.is_infinite(a):
                        values = [least if format.negative(a) else most] * 5
                    else:
                        values = [min(max(value, least), most) for value in whole_numbers(format.value(a))]
                    table.row([format.name, f"{'s' if signed else 'u'}{bits}", hexadecimal(format, a)],
                              [f"{value % (1 << bits):x}" for value in values])
    table.write()


def from_integers(count):
    table = Table("from_integer", "to type flags operand -> .re .rd .ru .rz .rna; flags: s .dsat")
    for format in map(Format, FORMATS):
        for bits in (8, 16, 32, 64):
            for signed in (False, True):
                least, most = (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) if signed else (0, (1 << bits) - 1)
                rows = [least, most, 0, 1, least + 1, most - 1]
                for _ in range(count):
                    # A tie, or one beside it: the format's precision, then a one or a zero and ones.
                    width = random.randint(1, bits)
                    value = random.getrandbits(width)
                    if width > format.fraction_bits + 2:
                        drop = width - format.fraction_bits - 1
                        value = (value >> drop << drop) + (1 << (drop - 1)) + random.choice((-1, 0, 0, 1))
                    rows.append(min(max(random.choice((value, -value)), least), most))
                for value in rows:
                    results = format.rational(Fraction(value), [0] * 5)
                    for flags in with_plain(random.choice(("-", "s"))):
                        clamped = [format.clamp(result) if flags == "s" else result for result in results]
                        table.row([format.name, f"{'s' if signed else 'u'}{bits}", flags, f"{value % (1 << bits):x}"],
                                  [hexadecimal(format, result) for result in clamped])
    table.write()


def integrals(count):
    table = Table("integral", "format flags operand -> .re .rd .ru .rz .rna; flags: z .ftz")
    for format in map(Format, FORMATS):
        rows = format.specials()
        for _ in range(count):
            rows.append(format.random(near=format.one + (random.randint(-2, format.fraction_bits)
                                                         << format.fraction_bits)))
            value = Fraction(random.getrandbits(random.randint(1, format.fraction_bits)), 2)
            rows.append(pattern(format, value) + random.choice((-1, 0, 0, 1)) & (format.sign - 1)
                        | random.choice((0, format.sign)))
        for a in rows:
            for flags in ("-", "z"):
                results = operation(format, integral, [a], flags)
                table.row([format.name, flags, hexadecimal(format, a)],
                          [hexadecimal(format, bits) for bits in results])
    table.write()


def choices(count):
    table = Table("choose", "format flags a b -> minimum maximum; flags: z .ftz, s .dsat, n .nanp")
    for format in map(Format, FORMATS):
        for _ in range(count):
            first = random.choice(format.specials())
            for a, b in ((first, random.choice(format.specials())), (first, first ^ format.sign),
                         (format.random(), format.random())):
                flags = random.choice(("-", "z", "s", "n", "zs", "zn", "sn"))
                x, y = ((format.flush(a), format.flush(b)) if "z" in flags else (a, b))
                nans = [bits for bits in (x, y) if format.is_nan(bits)]
                if nans and (len(nans) == 2 or "n" in flags):
                    results = [nans[0] | format.quiet] * 2
                elif nans:
                    results = [y if format.is_nan(x) else x] * 2
                else:
                    results = sorted((x, y), key=lambda bits: (format.value(bits), not format.negative(bits)))
                if "s" in flags:
                    results = [format.saturate(bits) for bits in results]
                table.row([format.name, flags, hexadecimal(format, a), hexadecimal(format, b)],
                          [hexadecimal(format, bits) for bits in results])
    table.write()


def comparisons(count):
    table = Table("compare", "format flags a b -> eq ne gt ge lt le; flags: z .ftz")
    for format in map(Format, FORMATS):
        for _ in range(count):
            first = random.choice(format.specials())
            for a, b in ((first, random.choice(format.specials())), (first, first), (first, first ^ format.sign),
                         (format.random(), format.random())):
                flags = random.choice(("-", "z"))
                x, y = (format.value(format.flush(bits) if flags == "z" else bits) for bits in (a, b))
                if format.is_nan(a) or format.is_nan(b):
                    results = [0, 1, 0, 0, 0, 0]
                else:
                    results = [int(result) for result in (x == y, x != y, x > y, x >= y, x < y, x <= y)]
                table.row([format.name, flags, hexadecimal(format, a), hexadecimal(format, b)], results)
    table.write()


def approximations(count):
    """True values of the approximated functions, as double-precision patterns."""
    table = Table("approximate", "function format operand -> the value in double precision")
    double = Format("df")
    mpmath.mp.prec = 600
    functions = {"sin": mpmath.sin, "cos": mpmath.cos, "tanh": mpmath.tanh,
                 "exp2": lambda x: mpmath.mpf(2) ** x, "log2": lambda x: mpmath.log(x, 2)}
    for format in (Format("bf"), Format("hf"), Format("f")):
        for name, function in functions.items():
            rows = {bits for bits in format.specials() if format.magnitude(bits) < format.infinity}
            for _ in range(count):
                rows.add(format.random())
                rows.add(format.random(near=format.one))
                if name in ("sin", "cos"):
                    # Next to a multiple of a quarter turn, where almost all leading bits cancel.
                    turns = random.getrandbits(random.randint(1, 12 if format.name == "hf" else 120))
                    near = mpmath.nint(turns * mpmath.pi / 2 * 2 ** 40) / 2 ** 40
                    rows.add(pattern(format, Fraction(int(near * 2 ** 40), 2 ** 40)))
                if name == "log2":
                    rows.add(format.one + random.randint(-40, 40))
                if name == "exp2":
                    rows.add(pattern(format, Fraction(random.randint(-160 * 8, 130 * 8), 8)))
            if format.name == "f":
                # The single-precision number nearest to a multiple of a quarter turn, relative to its size.
                rows.add(pattern(format, Fraction(16367173) * 2 ** 72))
            for a in sorted(rows):
                value = format.value(a)
                if name == "log2" and value <= 0 or name == "exp2" and abs(value) > 1000:
                    continue
                if value == 0 and name in ("sin", "tanh"):
                    result = a >> (format.bits - 1) << 63
                else:
                    result = nearest_double(double, function(mpmath.mpf(value.numerator) / value.denominator))
                table.row([name, format.name, hexadecimal(format, a)], [hexadecimal(double, result)])
    table.write()


def nearest_double(double, value):
    sign, mantissa, exponent, _ = value._mpf_
    return double.rational(Fraction(mantissa) * Fraction(2) ** exponent * (-1 if sign else 1), [0] * 5)[0]


def main():
    random.seed(754)
    arithmetic("add", add, 40, 2, ("-", "z", "s", "zs"))
    arithmetic("sub", sub, 12, 2, ("-", "z", "s", "zs"))
    arithmetic("mul", mul, 40, 2, ("-", "z", "s", "zs"))
    arithmetic("div", div, 40, 2, ("-", "z"))
    arithmetic("fma", fma, 60, 3, ("-", "z", "s", "zs"))
    arithmetic("sqrt", sqrt, 20, 1, ("-", "z"))
    arithmetic("rsqrt", rsqrt, 20, 1, ("-", "z"))
    multiply_full(60)
    conversions(20)
    integrals(30)
    to_integers(8)
    from_integers(8)
    choices(60)
    comparisons(40)
    approximations(30)


if __name__ == "__main__":
    main()
