/// One change of a plan: its effect on counters, on what people were told, or on the operator's work.
package struct PlanChange: Sendable, Hashable, Encodable {
    package let kind: Kind
    /// The changed part of the plan, such as "metric 'views'".
    package let subject: String
    package let meaning: String
    /// The purpose concerned; nil if the change concerns none or all of them.
    let purpose: PurposeName?

    /// Sorts of changes, those first that ask for most.
    package enum Kind: String, Sendable, Hashable, CaseIterable, Comparable, Encodable {
        /// People agreed to less than this, and their clients don't know: they go on counting without asking.
        case unasked
        /// People agreed to less than this: they have to be asked again.
        case asks
        /// More is counted, kept, published or handed on than people were told.
        case widens
        /// Counters start anew; the period under way is released in two parts.
        case splits
        /// Less is counted, kept, published or handed on than people were told.
        case tightens
        /// The operator's work changes.
        case runs
        /// Words only.
        case words

        /// Orders the sorts by what they ask for, the most first.
        package static func < (left: Self, right: Self) -> Bool {
            allCases.firstIndex(of: left) ?? 0 < allCases.firstIndex(of: right) ?? 0
        }
    }

    private enum CodingKeys: String, CodingKey { case kind, subject, meaning }
}

/// Everything that a new plan does in a former one's place.
package struct PlanDiff: Sendable {
    /// The changes, those first that ask for most, then in the order of the plans.
    package let changes: [PlanChange]

    /// Compares two plans of one app.
    ///
    /// - Throws: ``PlanProblem`` where a bucketing cannot be compiled, such as missing user agent rules.
    package init(from old: Plan, to new: Plan, rules: UserAgentRules) throws {
        var comparison = PlanComparison(old: old, new: new, rules: rules)
        comparison.compareApps()
        for purpose in new.purposes { comparison.compare(purpose, old.purpose(purpose.name)) }
        for purpose in old.purposes where new.purpose(purpose.name) == nil {
            comparison.note(.tightens, .init("purpose '\(purpose.name)'"), "nothing is counted for it any more")
        }
        comparison.compareDimensions()
        try comparison.compareMetrics()
        comparison.compareReports()
        comparison.askAgain()
        let all = comparison.changes
        changes = all.indices.sorted { (all[$0].kind, $0) < (all[$1].kind, $1) }.map { all[$0] }
    }

    package var kinds: Set<PlanChange.Kind> { Set(changes.map(\.kind)) }
}
