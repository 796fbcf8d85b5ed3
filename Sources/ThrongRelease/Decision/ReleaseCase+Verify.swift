internal import ThrongFaults
internal import ThrongPlan
internal import ThrongSuppression

extension ReleaseCase {
    /// Looks at a finished pattern by code that shares no line with what found it: the table itself, unions of small leaves,
    /// bands beside a sum, and what can be computed with tied metrics' numbers.
    ///
    /// - Parameters:
    ///   - silent: whose sums and devices are withheld.
    ///   - seconds: for each of the last three.
    func verified(
        _ laid: CaseTable, _ pattern: SuppressionPattern, silent: Silence, seconds: Double
    ) -> (faults: Int, unexamined: ReleaseDecision.Unexamined) {
        var random = SystemRandomNumberGenerator()
        var unexamined = ReleaseDecision.Unexamined()
        var faults = PatternVerifier(laid.problem).violations(
            of: pattern, prime: RandomPrime.draw(using: &random), seed: random.next()
        ).count
        if laid.problem.leafCount <= UnionRepair.mostLeaves {
            let unions = UnionVerifier(
                laid.problem, witnesses: pattern.witnesses, prime: RandomPrime.draw(using: &random), seed: random.next()
            ).outcome(publishing: pattern.isPublished, until: ContinuousClock().now + .seconds(seconds))
            faults += unions.faults
            unexamined.parts = unions.unexamined
        }
        if let banded = BandedSums(laid) {
            let bands = JointVerifier(laid.problem, ranges: banded.ranges, mayHide: banded.isBand).outcome(
                publishing: pattern.isPublished,
                withSums: pattern.isPublished.indices.map {
                    pattern.isPublished[$0] && !silent.sums.contains(ColumnIndex(UInt32($0)))
                }, except: Set(pattern.pinned),
                until: ContinuousClock().now + .seconds(seconds))
            faults += bands.faults
            unexamined.bounds = bands.unexamined
        }
        if !Fault.countAbsent.isOn {
            let own = published(laid, pattern, silent) { !laid.problem.cells[$0].isForced }
            faults += DeviceVerifier(self, publishing: own)?.faults ?? 0
        }
        if !tied.isEmpty, !Fault.releaseApart.isOn, !Fault.ignoreColumns.isOn {
            let deadline = ContinuousClock().now + .seconds(seconds)
            let columns = ColumnVerifier(self, publishing: published(laid, pattern, silent), until: deadline)
                .outcome(until: deadline)
            faults += columns.faults
            unexamined.numbers = columns.unexamined
        }
        return (faults, unexamined)
    }
}
