/// Open unknowns that equations link to each other and to no others, with what is left of these equations.
struct Component {
    /// Its unknowns, as the system numbers them; inside, they go by their place here.
    var unknowns: [Int32]
    /// Terms by place.
    var rows: [Row]
    /// By place: whether it may be negative.
    var signed: [Bool]

    /// What is left of a row of the system.
    struct Row {
        var terms: [LinearSystem.Term]
        var lower: Int64?
        var upper: Int64?
        /// Its place in the system.
        var source: Int

        var value: Int64? { lower == upper ? lower : nil }
    }

    /// Splits what presolving left open; `placeOf` gives each open unknown's component and place.
    ///
    /// Rows that are rescaled copies of each other stay: they cost the programs little and make short certificates.
    /// - Complexity: O(terms · α).
    static func split(
        _ system: LinearSystem, _ presolve: Presolve
    ) -> (components: [Component], placeOf: [(component: Int32, place: Int32)]) {
        var parent = Array(0..<Int32(system.unknowns))
        func root(_ unknown: Int32) -> Int32 {
            var current = unknown
            while parent[Int(current)] != current {
                parent[Int(current)] = parent[Int(parent[Int(current)])]
                current = parent[Int(current)]
            }
            return current
        }
        var live: [(row: Int, terms: [LinearSystem.Term])] = []
        for (place, row) in system.rows.enumerated() where presolve.open[place] > 0 {
            let terms = row.terms.filter { presolve.value[Int($0.unknown)] == nil }
            live.append((place, terms))
            for term in terms.dropFirst() { parent[Int(root(term.unknown))] = root(terms[0].unknown) }
        }
        var numberOf = Array(repeating: Int32(-1), count: system.unknowns)
        var components: [Component] = []
        var placeOf = Array(repeating: (component: Int32(-1), place: Int32(-1)), count: system.unknowns)
        for unknown in 0..<Int32(system.unknowns) where presolve.value[Int(unknown)] == nil {
            let top = Int(root(unknown))
            if numberOf[top] < 0 {
                numberOf[top] = Int32(components.count)
                components.append(Component(unknowns: [], rows: [], signed: []))
            }
            let number = Int(numberOf[top])
            placeOf[Int(unknown)] = (Int32(number), Int32(components[number].unknowns.count))
            components[number].unknowns.append(unknown)
            components[number].signed.append(system.signed.contains(unknown))
        }
        for (place, terms) in live {
            guard let rest = presolve.rest(of: place, in: system) else { continue }
            let number = Int(placeOf[Int(terms[0].unknown)].component)
            components[number].rows.append(
                Row(
                    terms: terms.map {
                        LinearSystem.Term(
                            unknown: placeOf[Int($0.unknown)].place, coefficient: $0.coefficient)
                    }, lower: rest.lower, upper: rest.upper, source: place))
        }
        return (components, placeOf)
    }

    /// Whether these whole numbers fit every row, in exact arithmetic.
    ///
    /// - Complexity: O(terms).
    func admits(_ values: [Int64]) -> Bool {
        for (place, value) in values.enumerated() where value < 0 && !signed[place] { return false }
        return rows.allSatisfy { row in
            var sum = Int128(0)
            for term in row.terms { sum += Int128(term.coefficient) * Int128(values[Int(term.unknown)]) }
            if let lower = row.lower, sum < Int128(lower) { return false }
            if let upper = row.upper, sum > Int128(upper) { return false }
            return true
        }
    }
}
