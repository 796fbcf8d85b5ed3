#!/usr/bin/env python3
"""Writes Golden.swift: the probability functions that the samplers are held against, to 40 digits by mpmath.

    python3 golden.py > Golden.swift

Probabilities are whole numbers of 2^-62. A histogram has one bin for each x in -reach...reach and one for the rest. The critical values of
chi-squared are those of a significance of 10^-6: a right sampler fails one seed in a million."""
from fractions import Fraction
from mpmath import mp, mpf, exp, floor, gammainc, findroot, sqrt

mp.dps = 60
UNIT = 1 << 62
SIGNIFICANCE = mpf(10) ** -6


def critical(df):
    # Wilson and Hilferty give a start; the upper regularised gamma function the value.
    z = mpf("4.753424")
    start = df * (1 - mpf(2) / (9 * df) + z * sqrt(mpf(2) / (9 * df))) ** 3
    return findroot(lambda x: gammainc(mpf(df) / 2, x / 2, mp.inf, regularized=True) / SIGNIFICANCE - 1, start)


def gaussian(variance):
    v = mpf(variance.numerator) / variance.denominator
    bound = int(20 * sqrt(v)) + 60
    whole = sum(exp(-mpf(x * x) / (2 * v)) for x in range(-bound, bound + 1))
    return lambda x: exp(-mpf(x * x) / (2 * v)) / whole


def rows(numbers, width=110):
    line = "           "
    for number in numbers:
        text = f" {number},"
        if len(line) + len(text) > width:
            yield line
            line = "           "
        line += text
    yield line


def histogram(variance, reach, pmf):
    probabilities = [pmf(x) for x in range(-reach, reach + 1)]
    probabilities.append(1 - sum(probabilities))
    assert min(probabilities) * 200_000 > 5, variance
    print(f'        Histogram(\n            name: "gaussian {variance}",')
    print(f'            variance: "{variance}", reach: {reach}, critical: {mp.nstr(critical(2 * reach + 1), 12)},')
    print("            probabilities: [")
    for row in rows(int(floor(p * UNIT + mpf(1) / 2)) for p in probabilities):
        print("    " + row)
    print("            ]),")


print("// Written by golden.py; don't edit.\n")
print("/// Exact probabilities, computed to 60 digits and kept as whole numbers of 2^-62.")
print("enum Golden {")
print("    static let histograms = [")
F = Fraction
for variance, reach in [(F(1), 3), (F(1, 4), 1), (F(9, 4), 5), (F(10), 12), (F(1000, 7), 45)]:
    histogram(variance, reach, gaussian(variance))
print("    ]\n")
print("    /// exp(-x) rounded down. Unit: 2^-62.")
print("    static let exponentials = [")
for x in [F(0), F(1, 1000), F(1, 7), F(1, 3), F(1, 2), F(2, 3), F(3, 4), F(1), F(4, 3), F(2), F(5, 2), F(7), F(40)]:
    print(f'        GoldenExponential(text: "{x}", floor: {int(floor(exp(-mpf(x.numerator) / x.denominator) * UNIT))}),')
print("    ]")
print("}")
