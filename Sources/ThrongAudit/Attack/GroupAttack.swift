/// Plays the attacker against one group of metrics: merge, presolve, split, write down tables, eliminate, bound.
struct GroupAttack {
    let model: LeafModel
    let options: AuditOptions
    let deadline: Deadline
    let maker: CertificateMaker
    let presolve: Presolve
    let components: [Component]
    private let placeOf: [(component: Int32, place: Int32)]
    private var parts: [Part] = []
    private var numberOf: [PartKey: Int] = [:]
    private var membersOf: [Int: [Int]] = [:]
    private var attacks: [Int: ComponentAttack] = [:]
    private var eliminations: [Int: [Elimination]] = [:]
    /// By target: its parts.
    private var wholes: [Side] = []
    private var touches: [Side] = []

    private struct PartKey: Hashable {
        let component: Int32
        let terms: [LinearSystem.Term]
    }

    /// One bound's side of a target: what is solved, and the parts that are open.
    private struct Side {
        var solved: Int64
        var parts: [Int]
    }

    /// What came of a target.
    enum Verdict {
        /// Both a table with k or more and one with another value were written down, or nothing bounds it.
        case cleared
        /// No linear combination pins it.
        case open
        /// It is 0.
        case empty
        /// Its only value.
        case exact(Int64, [AuditCertificate])
        /// Its range, at least one end of which is proved.
        case range(lower: Int64, upper: Int64?, [AuditCertificate])
        /// Neither proved nor cleared.
        case unproved

        /// What is proved from below.
        var lower: Int64? {
            switch self {
            case .exact(let value, _): value
            case .range(let lower, _, _): lower
            case .cleared, .open, .empty, .unproved: nil
            }
        }
    }

    init(_ model: LeafModel, statements: [AuditStatement], options: AuditOptions, deadline: Deadline) {
        self.model = model
        self.options = options
        self.deadline = deadline
        presolve = Presolve(model.system)
        maker = CertificateMaker(system: model.system, presolve: presolve, statements: statements)
        (components, placeOf) = Component.split(model.system, presolve)
    }

    /// Whether published numbers, or a guess, fit no table.
    var contradicts: Bool { !presolve.contradictions.isEmpty || attacks.values.contains { $0.isInfeasible } }

    /// The components that no table fits.
    var infeasible: [Int] { attacks.filter { $0.value.isInfeasible }.keys.sorted() }

    /// Programs solved.
    var programs: Int { attacks.values.reduce(0) { $0 + $1.programs } }

    /// Plays; calls `found` with every target and its verdict.
    mutating func run(_ found: (Target, Verdict) -> Void) {
        for target in model.targets {
            touches.append(side(target.touched, target))
            wholes.append(side(target.whole, target))
        }
        for (component, members) in membersOf.sorted(by: { $0.key < $1.key }) {
            guard !components[component].rows.isEmpty else { continue }
            let attack = ComponentAttack(components[component], options: options, deadline: deadline)
            attacks[component] = attack
            attack.fill(&parts, of: members)
        }
        for (place, target) in model.targets.enumerated() { found(target, verdict(place, target)) }
    }

    private mutating func side(_ terms: [LinearSystem.Term], _ target: Target) -> Side {
        var side = Side(solved: 0, parts: [])
        var open: [Int32: [LinearSystem.Term]] = [:]
        for term in terms {
            if let value = presolve.value[Int(term.unknown)] {
                side.solved += term.coefficient * value
            } else {
                let (component, place) = placeOf[Int(term.unknown)]
                open[component, default: []].append(.init(unknown: place, coefficient: term.coefficient))
            }
        }
        for (component, terms) in open.sorted(by: { $0.key < $1.key }) {
            let key = PartKey(component: component, terms: terms)
            let number: Int
            if let known = numberOf[key] {
                number = known
            } else {
                number = parts.count
                numberOf[key] = number
                membersOf[Int(component), default: []].append(number)
                parts.append(Part(component: Int(component), terms: terms, wanted: 0, isSum: false))
            }
            parts[number].wanted = max(parts[number].wanted, max(1, target.threshold - side.solved))
            if case .sum = target.measure { parts[number].isSum = true }
            side.parts.append(number)
        }
        return side
    }

    private mutating func verdict(_ place: Int, _ target: Target) -> Verdict {
        let (whole, touched) = (wholes[place], touches[place])
        // An unknown that stands in no equation can be anything.
        let isFree = touched.parts.contains { components[parts[$0].component].rows.isEmpty }
        let isSame = target.whole == target.touched
        if touched.parts.isEmpty {
            guard isSame || touched.solved == 0 else {
                return range(target, lower: whole.solved, upper: touched.solved, [prove(target, .atMost, [])])
            }
            if touched.solved == 0 { return .empty }
            return .exact(touched.solved, [prove(target, .equal, [])].compactMap { $0 })
        }
        if isFree, case .sum = target.measure {} else if isFree { return .cleared }
        if isClear(target, whole, touched) { return .cleared }
        if isOpen(touched) { return .open }
        if isSame, let certificate = determined(target, touched) {
            return certificate
        }
        return bounded(target, place)
    }

    private func isClear(_ target: Target, _ whole: Side, _ touched: Side) -> Bool {
        guard let most = seen(touched, { $0.most }), most >= target.threshold || target.measure.isSum else {
            return false
        }
        guard let least = whole.parts.isEmpty ? whole.solved : seen(whole, { $0.least }), least < most else {
            return false
        }
        return !target.measure.isSum
            || !Interval(lower: least, upper: most).isClose(percent: options.closeness)
    }

    /// Whether fractions alone open it, one part being enough: parts of other components only add to it.
    private func isOpen(_ side: Side) -> Bool {
        side.parts.contains { number in
            components[parts[number].component].unknowns.count > options.wholeNumberLimit
                && parts[number].isOpenInFractions(closeness: options.closeness)
        }
    }

    private func seen(_ side: Side, _ value: (Part) -> Int64?) -> Int64? {
        var sum = side.solved
        for number in side.parts {
            guard let value = value(parts[number]) else { return nil }
            sum += value
        }
        return sum
    }

    /// Exact elimination: whether the equations leave one value, modulo two primes, then in fractions.
    private mutating func determined(_ target: Target, _ side: Side) -> Verdict? {
        var weights: [(row: Int, coefficient: Rational)] = []
        for number in side.parts {
            let part = parts[number]
            guard part.least == nil || part.least == part.most else { return nil }
            if let range = part.fractions, range.upperBound - range.lowerBound > 1e-3 { return nil }
            let equations = components[part.component].rows.filter { $0.value != nil }
            if eliminations[part.component] == nil {
                // Combinations cost memory in the square of the rows; larger components find theirs nearby.
                let tracks = equations.count <= 1500
                eliminations[part.component] = [PrimeField.first, .second].map { field in
                    Elimination(
                        unknowns: components[part.component].unknowns.count, rows: equations.map(\.terms),
                        field: field, tracks: tracks, deadline: deadline)
                }
            }
            guard let fields = eliminations[part.component] else { return nil }
            var combination: [(row: Int, coefficient: Rational)]?
            var isDetermined = false
            for var field in fields where !isDetermined {
                isDetermined = field.determines(part.terms)
                if isDetermined { combination = field.combination(of: part.terms) }
            }
            guard isDetermined else { return nil }
            let found = combination?.map { (equations[$0.row].source, $0.coefficient) } ?? nearbyCombination(part)
            guard let found else { return nil }
            weights += found.map { (row: $0.0, coefficient: $0.1) }
        }
        guard let proof = maker.prove(target.touched, by: weights, claim: .equal), let value = proof.total.floor,
            proof.total.denominator == 1
        else { return nil }
        return value == 0 ? .empty : .exact(value, [proof.certificate])
    }

    /// The combination over growing neighbourhoods: what pins a cell is mostly near it, and a short proof reads better.
    private func nearbyCombination(_ part: Part) -> [(Int, Rational)]? {
        let component = components[part.component]
        let uses = UnknownUses(unknowns: component.unknowns.count, rows: component.rows.map(\.terms))
        for size in [50, 400, 3000] {
            let inside = Neighbourhood(component, around: part.terms, size: size, uses: uses).relaxed
            let equations = inside.rows.filter { $0.value != nil }
            let terms = Neighbourhood(component, around: part.terms, size: size, uses: uses).local(part.terms)
            var elimination = Elimination(
                unknowns: inside.unknowns.count, rows: equations.map(\.terms), field: .first, tracks: true,
                deadline: deadline)
            if let found = elimination.combination(of: terms) {
                return found.map { (equations[$0.row].source, $0.coefficient) }
            }
        }
        return nil
    }

    /// Proves bounds of the parts and adds them up.
    private mutating func bounded(_ target: Target, _ place: Int) -> Verdict {
        guard let upper = bound(touches[place], above: true), !deadline.isOver || upper.value != nil else {
            return isClear(target, wholes[place], touches[place]) ? .cleared : .unproved
        }
        // The tables written down while bounding may have cleared it.
        if isClear(target, wholes[place], touches[place]) { return .cleared }
        if isOpen(touches[place]) { return .open }
        guard let lower = bound(wholes[place], above: false), let least = lower.value else { return .unproved }
        guard let most = upper.value else {
            return .cleared
        }
        if most == 0 { return .empty }
        if most < target.threshold || least == most || target.measure.isSum {
            let certificates = [
                prove(target, .atMost, upper.weights) ?? maker.search(over: upper.rows, total: most),
                least > 0
                    ? prove(target, .atLeast, lower.weights) ?? maker.search(over: lower.rows, total: least) : nil,
            ]
            return range(target, lower: least, upper: most, certificates)
        }
        // The bound reaches k but no table does: the search over whole numbers ran out of time.
        return .unproved
    }

    private func range(
        _ target: Target, lower: Int64, upper: Int64, _ certificates: [AuditCertificate?]
    ) -> Verdict {
        let found = certificates.compactMap { $0 }
        return lower == upper ? .exact(lower, found) : .range(lower: lower, upper: upper, found)
    }

    private struct Sum {
        /// Nil is unbounded.
        var value: Int64?
        var weights: [(row: Int, coefficient: Rational)]?
        var rows: [Int]
    }

    /// Nil where a part has no known bound.
    private mutating func bound(_ side: Side, above: Bool) -> Sum? {
        var sum = Sum(value: side.solved, weights: [], rows: [])
        for number in side.parts {
            let part = parts[number]
            guard let attack = attacks[part.component] else {
                // No equation holds it: at least 0, and no more is known.
                if above { sum.value = nil }
                continue
            }
            let known = above ? part.ceiling : part.floor
            if known == nil && deadline.isOver { return nil }
            let bound = known ?? attack.bound(number, above: above, in: &parts, of: membersOf[part.component] ?? [])
            if above { parts[number].ceiling = bound } else { parts[number].floor = bound }
            switch bound {
            case .unbounded: sum.value = nil
            case .unknown: return nil
            case .at(let value, let duals, let rows):
                sum.value = sum.value.map { $0 + value }
                sum.rows += rows
                if let duals { sum.weights? += duals } else { sum.weights = nil }
            }
        }
        return sum
    }

    private func prove(
        _ target: Target, _ claim: AuditCertificate.Claim, _ weights: [(row: Int, coefficient: Rational)]?
    ) -> AuditCertificate? {
        guard let weights else { return nil }
        let terms = claim == .atLeast ? target.whole : target.touched
        return maker.prove(terms, by: weights, claim: claim)?.certificate
    }
}

extension AuditMeasure {
    /// Whether it is a clipped sum: no threshold of devices applies to its value.
    var isSum: Bool {
        if case .sum = self { true } else { false }
    }
}
