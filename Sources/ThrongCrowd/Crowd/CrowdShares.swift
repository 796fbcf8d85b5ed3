internal import Foundation
package import ThrongPlan

/// The shares of buckets that somebody knows of a crowd: lines of `dimension,bucket,share` after a header.
///
/// Buckets without a line keep what they would have had. Shares are in proportion to each other; they need not add up.
package struct CrowdShares: Sendable {
    private var shares: [DimensionName: [BucketLabel: Double]] = [:]

    /// Nothing is known.
    package init() {}

    /// Reads a file for a plan.
    ///
    /// - Throws: ``LoadError`` where it can't be read, or has a line that is none.
    package init(file: String, for plan: Plan) throws {
        guard let bytes = FileManager.default.contents(atPath: file) else { throw LoadError.unreadable(file: file) }
        let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
        for (place, line) in lines.enumerated().dropFirst() where !line.allSatisfy(\.isWhitespace) {
            let parts = line.split(separator: ",", omittingEmptySubsequences: false)
                .map { $0.trimmingCharacters(in: .whitespaces) }
            guard parts.count == 3, let share = Double(parts[2]), share.isFinite, share >= 0,
                let dimension = plan.dimension(DimensionName(parts[0])),
                try dimension.rule.labels().contains(BucketLabel(parts[1]))
            else { throw LoadError.malformedShare(file: file, line: place + 1) }
            shares[dimension.name, default: [:]][BucketLabel(parts[1])] = share
        }
    }

    /// The share of a bucket among those that are known of its dimension, 0 to 1; nil where nothing is said of it.
    func share(of label: BucketLabel, in dimension: DimensionName) -> Double? {
        guard let known = shares[dimension], let share = known[label] else { return nil }
        return share / max(known.values.reduce(0, +), .leastNormalMagnitude)
    }
}
