/// The things that an audit looked at, and its findings. Its JSON is filed and signed.
package struct AuditReport: Sendable, Codable {
    package var format = "throng-audit/2"
    /// The files and releases that were read, with their digests.
    package var sources: [AuditSource] = []
    /// Published numbers that were read, each meaning once.
    package var numbers = 0
    /// The number of these whose noise the audit could work out by itself.
    package var examined = 0
    /// The combinations of numbers of one period that were examined, by size: [0] holds those of two.
    package var differences: [Int] = []
    /// Comparisons of one number over two days.
    package var days = 0
    /// Sums that were added up.
    package var sums = 0
    /// Stated margins that were compared with the law.
    package var margins = 0
    /// Numbers that two sources, or two metrics, state.
    package var repeated = 0
    /// Squares that scatter was judged by.
    package var squares = 0
    /// Numbers of pages that were compared with the files beside them.
    package var pages = 0
    package var closest: [Closest] = []
    /// Estimates of the combinations that were given, and of all numbers if they were asked for.
    package var estimates: [AuditEstimate] = []
    /// The largest cost of a period: the most that one device adds to all that was released of it. ρ of
    /// zero-concentrated differential privacy; nil if no source says it.
    package var cost: Double?
    /// Promises that were not kept.
    package var findings: [AuditFinding] = []
    /// Findings beyond the listed ones.
    package var unlisted = 0
    /// Things that were not examined, each with its reason.
    package var unexamined: [String] = []
    package var seconds = 0.0

    package init() {}

    package struct Closest: Sendable, Codable {
        /// The measure: devices, or events and sums.
        package let measure: String
        /// The standard deviation. Unit: the measure's.
        package let deviation: Double
        /// The promise. Unit: the measure's.
        package let promised: Double
        /// The numbers.
        package let combination: String
    }

    /// True if every promise was kept, as far as was examined.
    package var holds: Bool { findings.isEmpty && unlisted == 0 }

    /// 0: kept; 2: not kept; 3: something was not examined.
    package var exitCode: Int32 { !holds ? 2 : unexamined.isEmpty ? 0 : 3 }

    /// Findings that are listed; more are counted.
    static let mostFindings = 200

    mutating func find(_ check: AuditFinding.Check, _ about: String, _ explanation: String) {
        guard findings.count < Self.mostFindings else { return unlisted += 1 }
        findings.append(AuditFinding(check: check, about: about, explanation: explanation))
    }
}

/// The best unbiased estimate of a combination.
package struct AuditEstimate: Sendable, Codable {
    package let combination: String
    /// The estimate. Unit: the measure's.
    package let value: Double
    /// The standard deviation. Unit: the measure's.
    package let deviation: Double
    /// The least deviation that is promised; 0 if measures are mixed. Unit: the measure's.
    package let promised: Double
}
