/// Turns a combination of equations into one of published numbers, and checks it in exact arithmetic.
///
/// Unknowns that presolving found are taken apart into the equations that gave them, so that the result stands on
/// published numbers alone.
struct CertificateMaker {
    let system: LinearSystem
    let presolve: Presolve
    let statements: [AuditStatement]

    /// A checked combination.
    struct Proof {
        let certificate: AuditCertificate
        let total: Rational
    }

    /// Adds up rows times coefficients; nil where they do not prove the claim of the target.
    func prove(
        _ target: [LinearSystem.Term], by weights: [(row: Int, coefficient: Rational)], claim: AuditCertificate.Claim
    ) -> Proof? {
        var residual: [Int32: Rational] = [:]
        var combination: [Int: Rational] = [:]
        var queue = PivotHeap()
        func note(_ unknown: Int32) {
            // Later values stand on earlier ones, so the last one found is taken apart first.
            if presolve.value[Int(unknown)] != nil { queue.push(-presolve.order[Int(unknown)], unknown) }
        }
        for term in target {
            residual[term.unknown] = Rational(term.coefficient)
            note(term.unknown)
        }
        func take(_ row: Int, _ weight: Rational) -> Bool {
            guard let sum = (combination[row] ?? .zero).plus(weight) else { return false }
            combination[row] = sum
            for term in system.rows[row].terms {
                guard let product = weight.times(Rational(term.coefficient)),
                    let rest = (residual[term.unknown] ?? .zero).plus(product.negated)
                else { return false }
                residual[term.unknown] = rest
                note(term.unknown)
            }
            return true
        }
        for weight in weights where !take(weight.row, weight.coefficient) { return nil }
        var zeros: Set<Int> = []
        var steps = 0
        while let next = queue.pop() {
            guard let rest = residual[next.unknown], !rest.isZero else { continue }
            let row = Int(presolve.reason[Int(next.unknown)])
            if presolve.value[Int(next.unknown)] == 0 {
                zeros.insert(row)
                residual[next.unknown] = .zero
                continue
            }
            steps += 1
            guard steps < 20_000,
                let term = system.rows[row].terms.first(where: { $0.unknown == next.unknown }),
                let weight = rest.divided(by: Rational(term.coefficient)), take(row, weight)
            else { return nil }
        }
        for (unknown, rest) in residual where !rest.isZero {
            let isSigned = system.signed.contains(unknown)
            switch claim {
            case .atMost: guard rest.isNegative && !isSigned else { return nil }
            case .atLeast: guard !rest.isNegative && !isSigned else { return nil }
            case .equal, .integerSearch: return nil
            }
        }
        return total(of: combination, claim: claim).map { total in
            Proof(
                certificate: certificate(
                    combination, zeros: zeros, claim: claim, total: total.description, isExact: true),
                total: total)
        }
    }

    private func total(of combination: [Int: Rational], claim: AuditCertificate.Claim) -> Rational? {
        var total = Rational.zero
        for (place, weight) in combination where !weight.isZero {
            let row = system.rows[place]
            let takesUpper = (claim == .atMost) != weight.isNegative
            let bound = claim == .equal ? row.value : takesUpper ? row.upper : row.lower
            guard let bound, let product = weight.times(Rational(bound)), let sum = total.plus(product) else {
                return nil
            }
            total = sum
        }
        return total
    }

    /// The certificate of a search that no short combination stands for: the numbers that it was about.
    func search(over rows: [Int], total: Int64) -> AuditCertificate {
        var combination: [Int: Rational] = [:]
        for row in rows.prefix(40) { combination[row] = .one }
        return certificate(combination, zeros: [], claim: .integerSearch, total: "\(total)", isExact: false)
    }

    private func certificate(
        _ combination: [Int: Rational], zeros: Set<Int>, claim: AuditCertificate.Claim, total: String, isExact: Bool
    ) -> AuditCertificate {
        var steps: [AuditCertificate.Step] = []
        var rules: Set<String> = []
        for (place, weight) in combination where !weight.isZero {
            switch system.rows[place].origin {
            case .statement(let number):
                let statement = statements[number]
                steps.append(
                    .init(coefficient: weight.description, source: statement.source, number: statement.text))
            case .rule(let words), .guess(let words): rules.insert(words)
            }
        }
        let because = zeros.sorted().prefix(20).map { place in
            switch system.rows[place].origin {
            case .statement(let number): statements[number].text
            case .rule(let words), .guess(let words): words
            }
        }
        return AuditCertificate(
            claim: claim, steps: steps.sorted { ($0.source, $0.number) < ($1.source, $1.number) },
            zeros: Array(Set(because)).sorted(), rules: rules.sorted(), total: total, isExact: isExact)
    }
}
