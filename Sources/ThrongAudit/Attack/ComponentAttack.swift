/// Plays against one component: writes down whole tables that fit it, and proves bounds by duals.
final class ComponentAttack {
    private let component: Component
    private let options: AuditOptions
    private let deadline: Deadline
    private let shape: ProgramShape
    private var program: LinearProgram?
    private var random: SplitMix
    /// Programs solved.
    private(set) var programs = 0
    /// Whether nothing fits the rows.
    private(set) var isInfeasible = false
    /// Tables that fit, the last one first to be moved from.
    private var table: [Int64]?
    private lazy var uses = UnknownUses(unknowns: component.unknowns.count, rows: component.rows.map(\.terms))

    init(_ component: Component, options: AuditOptions, deadline: Deadline) {
        self.component = component
        self.options = options
        self.deadline = deadline
        shape = ProgramShape(component)
        random = SplitMix(state: UInt64(component.unknowns.count))
    }

    private var isLarge: Bool { component.unknowns.count > options.programLimit || hasStalled }

    /// Whether searches over whole numbers would see only part of it.
    private var isFractional: Bool { component.unknowns.count > options.wholeNumberLimit }

    /// Whether the first program over all of it ran out of time.
    private var hasStalled = false

    private func solve(_ terms: [LinearSystem.Term], maximizes: Bool) -> LinearProgram.Outcome {
        if program == nil { program = LinearProgram(shape) }
        programs += 1
        // The first program finds a table at all, which takes far longer than moving from it.
        let limit = programs == 1 ? deadline.left / 3 : min(deadline.left, options.programSeconds)
        return program?.solve(terms, maximizes: maximizes, seconds: limit) ?? .undecided
    }

    /// Writes down tables until every part has what it needs or rounds stop helping.
    ///
    /// Each round pushes a random half of the parts that still need something up, or down, all at once: one program
    /// clears many parts.
    func fill(_ parts: inout [Part], of members: [Int]) {
        var idle = 0
        var round = 0
        while idle < 4, round < (isFractional ? 8 : 60), !deadline.isOver, !isInfeasible {
            let needy = members.filter { !isDone(parts[$0]) }
            guard !needy.isEmpty, !isLarge else { return }
            let down = round % 3 == 2
            var weights: [Int32: Int64] = [:]
            for place in needy where round == 0 || random.next() & 1 == 0 {
                for term in parts[place].terms { weights[term.unknown, default: 0] += term.coefficient }
            }
            let terms = weights.sorted { $0.key < $1.key }.map {
                LinearSystem.Term(unknown: $0.key, coefficient: $0.value * Int64(1 + random.next() % 3))
            }
            round += 1
            idle += 1
            switch solve(terms, maximizes: !down) {
            case .infeasible: isInfeasible = true
            case .optimum(_, let solution, _):
                if record(solution, in: &parts, of: members) {
                    idle -= 1
                } else if !isFractional {
                    let found = IntegerProgram.solve(
                        shape, terms, maximizes: !down, seconds: min(2, deadline.left))
                    programs += 1
                    if found.isInfeasible { isInfeasible = true }
                    if let solution = found.solution { record(solution, in: &parts, of: members) }
                }
                let left = members.filter { !isDone(parts[$0]) }.count
                if left < needy.count { idle = 0 }
            case .unbounded: break
            case .undecided: hasStalled = true
            }
        }
    }

    private func isDone(_ part: Part) -> Bool {
        part.isSettled(closeness: options.closeness)
            || (isFractional && part.isOpenInFractions(closeness: options.closeness))
    }

    /// Takes a table if it is one of whole numbers and fits in exact arithmetic.
    @discardableResult
    private func record(_ solution: [Double], in parts: inout [Part], of members: [Int]) -> Bool {
        for place in members {
            var value = 0.0
            for term in parts[place].terms { value += Double(term.coefficient) * solution[Int(term.unknown)] }
            let old = parts[place].fractions ?? value...value
            parts[place].fractions = min(old.lowerBound, value)...max(old.upperBound, value)
        }
        var values: [Int64] = []
        values.reserveCapacity(solution.count)
        for value in solution {
            let whole = value.rounded()
            guard abs(value - whole) < 1e-5, abs(whole) < 9e15 else { return false }
            values.append(Int64(whole))
        }
        guard component.admits(values) else { return false }
        table = values
        for place in members {
            guard let value = parts[place].value(in: values) else { continue }
            parts[place].least = min(parts[place].least ?? value, value)
            parts[place].most = max(parts[place].most ?? value, value)
        }
        return true
    }

    /// The largest or smallest value of a part over whole tables, with its proof.
    func bound(_ place: Int, above: Bool, in parts: inout [Part], of members: [Int]) -> Part.Bound {
        if isLarge { return nearby(place, above: above, in: &parts) }
        let terms = parts[place].terms
        switch solve(terms, maximizes: above) {
        case .infeasible:
            isInfeasible = true
            return .unknown
        case .unbounded: return .unbounded
        case .undecided: return .unknown
        case .optimum(let value, let solution, let duals):
            let limit = above ? (value + 1e-6).rounded(.down) : (value - 1e-6).rounded(.up)
            guard abs(limit) < 9e15 else { return .unknown }
            let proof = Part.Bound.at(
                Int64(limit), duals: Self.fractions(duals, component.rows), rows: component.rows.map(\.source))
            record(solution, in: &parts, of: members)
            if (above ? parts[place].most : parts[place].least) == Int64(limit) { return proof }
            if isFractional { return proof }
            // The bound is not reached by a whole table yet: the true one may be narrower.
            let found = IntegerProgram.solve(
                shape, terms, maximizes: above, seconds: min(options.programSeconds, deadline.left))
            programs += 1
            if found.isInfeasible { isInfeasible = true }
            if let solution = found.solution { record(solution, in: &parts, of: members) }
            guard let best = found.bound else { return proof }
            let whole = Int64(above ? (best + 1e-6).rounded(.down) : (best - 1e-6).rounded(.up))
            if whole == Int64(limit) { return proof }
            return .at(whole, duals: nil, rows: component.rows.map(\.source))
        }
    }

    /// The bound that the equations around a part prove, in a component too large for one program.
    ///
    /// Unknowns outside are at least 0, so an equation that reaches outside still bounds its inside from above: what
    /// is proved here is proved. If a whole table is known, moving only the inside gives witnesses, too.
    private func nearby(_ place: Int, above: Bool, in parts: inout [Part]) -> Part.Bound {
        let inside = Neighbourhood(component, around: parts[place].terms, size: options.neighbourhood, uses: uses)
        if let table, let shape = inside.anchored(to: table), let program = LinearProgram(shape.shape) {
            programs += 1
            let terms = inside.local(parts[place].terms)
            if case .optimum(_, let solution, _) = program.solve(
                terms, maximizes: above, seconds: min(options.programSeconds, deadline.left))
            {
                let whole = solution.map { $0.rounded() }
                if zip(solution, whole).allSatisfy({ abs($0 - $1) < 1e-5 }), whole.allSatisfy({ abs($0) < 9e15 }) {
                    let values = whole.map { Int64($0) }
                    var moved = Part(
                        component: 0, terms: terms, wanted: 0, isSum: false)
                    moved.most = moved.value(in: values)
                    if shape.component.admits(values), let value = moved.most {
                        parts[place].least = min(parts[place].least ?? value, value)
                        parts[place].most = max(parts[place].most ?? value, value)
                    }
                }
            }
        }
        let relaxed = inside.relaxed
        guard let program = LinearProgram(ProgramShape(relaxed)) else { return .unknown }
        programs += 1
        let outcome = program.solve(
            inside.local(parts[place].terms), maximizes: above, seconds: min(options.programSeconds, deadline.left))
        guard case .optimum(let value, _, let duals) = outcome else { return .unknown }
        let limit = above ? (value + 1e-6).rounded(.down) : (value - 1e-6).rounded(.up)
        guard abs(limit) < 9e15 else { return .unknown }
        return .at(Int64(limit), duals: Self.fractions(duals, relaxed.rows), rows: relaxed.rows.map(\.source))
    }

    /// Duals are fractions of small denominators on tables; where they are not, there is no short proof.
    private static func fractions(
        _ duals: [Double], _ rows: [Component.Row]
    ) -> [(row: Int, coefficient: Rational)]? {
        var result: [(row: Int, coefficient: Rational)] = []
        for (dual, row) in zip(duals, rows) where abs(dual) > 1e-9 {
            guard let coefficient = Rational(near: dual, limit: 10_000) else { return nil }
            result.append((row.source, coefficient))
        }
        return result
    }
}

extension Part {
    /// Whether tables of fractions show that no linear combination pins it.
    func isOpenInFractions(closeness: Int64) -> Bool {
        guard let fractions, fractions.upperBound > Double(wanted) - 1e-6,
            fractions.upperBound - fractions.lowerBound > 1e-3
        else { return false }
        guard isSum, fractions.lowerBound > 0 else { return true }
        return fractions.lowerBound * Double(100 + closeness) <= fractions.upperBound * Double(100 - closeness)
    }

    /// Whether the tables that were written down clear it: large enough, and more than one value.
    func isSettled(closeness: Int64) -> Bool {
        guard let least, let most, most >= wanted, least < most else { return false }
        return !isSum || !Interval(lower: least, upper: most).isClose(percent: closeness)
    }
}
