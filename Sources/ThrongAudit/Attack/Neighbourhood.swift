/// The unknowns closest to a target, over equations that they share.
struct Neighbourhood {
    private let component: Component
    private let placeOf: [Int32: Int32]
    private let members: [Int32]
    private let rows: [Int]

    /// Walks outwards, short equations first, until `size` unknowns are inside.
    ///
    /// - Complexity: O(terms of the equations touched).
    init(_ component: Component, around terms: [LinearSystem.Term], size: Int, uses: UnknownUses) {
        self.component = component
        var placeOf: [Int32: Int32] = [:]
        var members: [Int32] = []
        func take(_ unknown: Int32) {
            guard placeOf[unknown] == nil else { return }
            placeOf[unknown] = Int32(members.count)
            members.append(unknown)
        }
        for term in terms { take(term.unknown) }
        var next = 0
        while next < members.count, members.count < size {
            let rows = uses[members[next]].map(\.row).sorted {
                component.rows[$0].terms.count < component.rows[$1].terms.count
            }
            for row in rows where members.count + component.rows[row].terms.count <= size + terms.count {
                for term in component.rows[row].terms { take(term.unknown) }
            }
            next += 1
        }
        rows = Set(members.flatMap { uses[$0].map(\.row) }).sorted()
        self.members = members
        self.placeOf = placeOf
    }

    /// Terms by place in the neighbourhood.
    func local(_ terms: [LinearSystem.Term]) -> [LinearSystem.Term] {
        terms.compactMap { term in
            placeOf[term.unknown].map { LinearSystem.Term(unknown: $0, coefficient: term.coefficient) }
        }
    }

    /// What the equations say of the inside whatever the outside is.
    var relaxed: Component {
        var result = Component(unknowns: members, rows: [], signed: members.map { component.signed[Int($0)] })
        for place in rows {
            let row = component.rows[place]
            let inside = local(row.terms)
            let outside = row.terms.filter { placeOf[$0.unknown] == nil }
            let isUnsigned = outside.allSatisfy { !component.signed[Int($0.unknown)] }
            let upper = isUnsigned && outside.allSatisfy { $0.coefficient > 0 } ? row.upper : nil
            let lower = isUnsigned && outside.allSatisfy { $0.coefficient < 0 } ? row.lower : nil
            guard upper != nil || lower != nil else { continue }
            result.rows.append(.init(terms: inside, lower: lower, upper: upper, source: row.source))
        }
        return result
    }

    /// What the equations leave of the inside when the outside stays as in a table that fits; nil on overflow.
    func anchored(to table: [Int64]) -> (component: Component, shape: ProgramShape)? {
        var result = Component(unknowns: members, rows: [], signed: members.map { component.signed[Int($0)] })
        for place in rows {
            let row = component.rows[place]
            var fixed = Int128(0)
            for term in row.terms where placeOf[term.unknown] == nil {
                fixed += Int128(term.coefficient) * Int128(table[Int(term.unknown)])
            }
            guard let offset = Int64(exactly: fixed) else { return nil }
            result.rows.append(
                .init(
                    terms: local(row.terms), lower: row.lower.map { $0 - offset }, upper: row.upper.map { $0 - offset },
                    source: row.source))
        }
        return (result, ProgramShape(result))
    }
}
