internal import Foundation
internal import ThrongAudit
internal import ThrongPlan

extension TrialTown {
    /// Whether nobody was counted where a finding of one metric says that few are: `country=AT+DE, amount in numbers=[5.0, inf),
    /// when=1794787200..<1794873600`. What can't be read as such is taken to be somebody.
    func isOfNobody(_ finding: AuditFinding) -> Bool {
        var parts: [String] = []
        let target = finding.target.components(separatedBy: ": ").last ?? ""
        for piece in target.components(separatedBy: ", ") {
            if piece.contains("=") {
                parts.append(piece)
            } else if !parts.isEmpty {
                parts[parts.count - 1] += ", " + piece
            }
        }
        let tests = parts.map(Self.test)
        let counting = tables.indices.filter { tables[$0].layout.metric.text == finding.metric }
        guard !tests.isEmpty, !counting.isEmpty, tests.allSatisfy({ $0 != nil }) else { return false }
        return !happenings.contains { happening in
            counting.contains { table in
                guard happening.tables.contains(table) else { return false }
                let values = trial.people[happening.group].values
                let period = happening.period(tables[table], trial)
                return tests.allSatisfy { test in
                    test.map { $0(values, TrialPlan.events[happening.event], period) } ?? true
                }
            }
        }
    }

    private typealias Test = (_ values: [String: String], _ event: String, _ period: Period) -> Bool

    /// Reads one condition; nil where it is of none of the town's fields.
    private static func test(_ part: String) -> Test? {
        let sides = part.split(separator: "=", maxSplits: 1).map(String.init)
        guard sides.count == 2 else { return nil }
        if sides[0] == "when" {
            let ends = sides[1].components(separatedBy: "..<").compactMap { Int64($0) }
            guard ends.count == 2 else { return nil }
            return { $2.start.value < ends[1] && $2.end.value > ends[0] }
        }
        let field = sides[0].replacingOccurrences(of: " in numbers", with: "")
        if field != sides[0] {
            // What everybody has in such a field is a number.
            if sides[1] == "no number" { return { _, _, _ in false } }
            let ends = sides[1].trimmingCharacters(in: CharacterSet(charactersIn: "[)")).components(separatedBy: ", ")
                .compactMap { Double($0) }
            guard ends.count == 2, ends[0] < ends[1] else { return nil }
            return { values, _, _ in
                values[field].flatMap { Double($0) }.map { (ends[0]..<ends[1]).contains($0) } ?? true
            }
        }
        var listed = Set(sides[1].components(separatedBy: "+"))
        if field == "what" {
            // "a of the rest" is of some clients only.
            listed = Set(listed.map { $0.components(separatedBy: " of ")[0] })
            guard listed.isSubset(of: TrialPlan.events) else { return nil }
            return { _, event, _ in listed.contains(event) }
        }
        if let dimension = TrialDimension.named(field), !TrialDimension.values.contains(where: { $0.field == field }) {
            return { values, event, _ in
                let value = dimension.field == "event" ? event : values[dimension.field] ?? ""
                return listed.contains(dimension.label(value))
            }
        }
        // What is listed are values, or buckets of some rule: whichever it is, nobody may have any.
        let rules = TrialDimension.all.filter { $0.field == field }
        let values = (TrialDimension.values.first { $0.field == field }?.all ?? []).filter { value in
            listed.contains(value) || rules.contains { listed.contains($0.label(value)) }
        }
        guard !values.isEmpty else { return nil }
        return { own, _, _ in values.contains(own[field] ?? "") }
    }
}
