"""What follows from published numbers: exact bounds of any sum of unknowns that are whole numbers of at least 0.

A simplex method in whole numbers (Edmonds, Bareiss: every entry of the tableau is a minor over one common denominator),
then branch and bound. Meant for small tables; shares no line and no solver with what makes or audits releases."""

from fractions import Fraction


class Infeasible(Exception):
    """No table fits the numbers."""


class System:
    """Equations and inequalities: lower ≤ Σ coefficient · unknown ≤ upper; None is no bound."""

    def __init__(self, unknowns):
        self.unknowns = unknowns
        self.rows = []

    def add(self, terms, lower, upper):
        """`terms` maps unknowns to whole numbers."""
        self.rows.append(({name: factor for name, factor in terms.items() if factor}, lower, upper))

    def bounds(self, terms, nodes=400):
        """The least and the largest whole value of a sum, None where there is none; and whether tables attain both."""
        names = sorted({name for name, factor in terms.items() if factor}, key=str)
        names = self.linked(names)
        rows = [row for row in self.rows if any(name in names for name in row[0])]
        place = {name: number for number, name in enumerate(sorted(names, key=str))}
        rows = [([(place[name], factor) for name, factor in row.items()], lower, upper) for row, lower, upper in rows]
        goal = {place[name]: factor for name, factor in terms.items() if factor}
        top, sure = largest(len(place), rows, goal, nodes)
        bottom, sure_too = largest(len(place), rows, {name: -factor for name, factor in goal.items()}, nodes)
        return (None if bottom is None else -bottom), top, sure and sure_too

    def linked(self, names):
        """All unknowns that equations tie to these."""
        found, waiting = set(names), list(names)
        while waiting:
            name = waiting.pop()
            for row, _, _ in self.rows:
                if name in row:
                    waiting += [other for other in row if other not in found]
                    found.update(row)
        return found


def largest(count, rows, goal, nodes):
    """The largest whole value, or a proved bound of it; whether it is attained."""
    best, open_bounds, waiting = None, [], [[]]
    while waiting:
        cuts = waiting.pop()
        try:
            value, point = relaxed(count, rows + cuts, goal)
        except Infeasible:
            if not cuts:
                raise
            continue
        if value is None:
            return None, True
        limit = value.numerator // value.denominator
        if best is not None and limit <= best:
            continue
        broken = next((place for place, each in enumerate(point) if each.denominator != 1), None)
        if broken is None:
            best = limit
            continue
        nodes -= 1
        if nodes < 0:
            open_bounds.append(limit)
            continue
        floor = point[broken].numerator // point[broken].denominator
        waiting.append(cuts + [([(broken, 1)], floor + 1, None)])
        waiting.append(cuts + [([(broken, 1)], None, floor)])
    if best is None and not open_bounds:
        raise Infeasible
    top = max(open_bounds + ([] if best is None else [best]))
    return top, top == best


def relaxed(count, rows, goal):
    """The largest value over fractions and a point that attains it; None is unbounded."""
    lines = []
    width = count
    for terms, lower, upper in rows:
        if lower is not None and lower == upper:
            lines.append((dict(terms), {}, lower))
            continue
        if lower is not None:
            lines.append((dict(terms), {width: -1}, lower))
            width += 1
        if upper is not None:
            lines.append((dict(terms), {width: 1}, upper))
            width += 1
    total = width + len(lines)
    tableau = []
    for number, (terms, slack, value) in enumerate(lines):
        line = [0] * (total + 1)
        for place, factor in (*terms.items(), *slack.items()):
            line[place] += factor
        line[-1] = value
        if value < 0:
            line = [-each for each in line]
        line[width + number] = 1
        tableau.append(line)
    basis = [width + number for number in range(len(lines))]
    # First: drive the artificial unknowns to 0.
    first = [0] * (total + 1)
    for line in tableau:
        for place in range(width):
            first[place] -= line[place]
        first[-1] -= line[-1]
    state = Simplex(tableau, first, basis, width)
    state.run()
    if state.cost[-1] != 0:
        raise Infeasible
    state.drop_artificial(width)
    cost = [0] * (total + 1)
    for place, factor in goal.items():
        cost[place] = -factor * state.common
    for line, place in zip(state.tableau, state.basis):
        factor = cost[place]
        if factor:
            cost = [(each * state.common - factor * other) // state.common for each, other in zip(cost, line)]
    state.cost = cost
    if not state.run():
        return None, None
    point = [Fraction(0)] * count
    for line, place in zip(state.tableau, state.basis):
        if place < count:
            point[place] = Fraction(line[-1], state.common)
    return Fraction(state.cost[-1], state.common), point


class Simplex:
    """Minimizes `cost`; Bland's rule, so that it ends."""

    def __init__(self, tableau, cost, basis, width):
        self.tableau = tableau
        self.cost = cost
        self.basis = basis
        self.width = width
        self.common = 1

    def run(self):
        while True:
            column = next((place for place in range(self.width) if self.cost[place] < 0), None)
            if column is None:
                return True
            row = None
            for number, line in enumerate(self.tableau):
                if line[column] <= 0:
                    continue
                if row is None:
                    row = number
                    continue
                best = self.tableau[row]
                left, right = line[-1] * best[column], best[-1] * line[column]
                if left < right or (left == right and self.basis[number] < self.basis[row]):
                    row = number
            if row is None:
                return False
            self.pivot(row, column)

    def pivot(self, row, column):
        main = self.tableau[row]
        pivot = main[column]
        if pivot < 0:
            main = self.tableau[row] = [-each for each in main]
            pivot = -pivot
        for number, line in enumerate(self.tableau):
            if number != row:
                self.tableau[number] = self.reduced(line, main, pivot, column)
        self.cost = self.reduced(self.cost, main, pivot, column)
        self.common = pivot
        self.basis[row] = column

    def reduced(self, line, main, pivot, column):
        factor = line[column]
        if factor == 0:
            return [each * pivot // self.common for each in line] if pivot != self.common else line
        return [(each * pivot - factor * other) // self.common for each, other in zip(line, main)]

    def drop_artificial(self, width):
        for row in range(len(self.tableau) - 1, -1, -1):
            if self.basis[row] < width:
                continue
            column = next((place for place in range(width) if self.tableau[row][place] != 0), None)
            if column is None:
                # The row says what others say.
                del self.tableau[row], self.basis[row]
            else:
                self.pivot(row, column)
