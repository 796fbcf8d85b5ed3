internal import Crypto
internal import Foundation
package import ThrongPlan

/// The numbers that left the house about one metric and one period. A release is made once and never changed.
///
/// ``MarginCase/decide(secret:)`` decides what is published. The ledger has two more ways,
/// which a file sees only if it imports `@_spi(Ledger)`: ``init(restoring:cells:digest:)`` reads back what was published, if the
/// digest still matches, and ``init(decayed:dropped:cells:)`` reads back what age left.
package struct Release: Sendable, Hashable {
    /// The header: everything about the numbers but the numbers.
    package let header: ReleaseHeader
    /// The published cells, by margin, then by cell. A cell that is not here is withheld.
    package let cells: [PublishedCell]
    /// The dimensions by which age has left no numbers; the header no longer has their groupings.
    package let aged: Set<DimensionName>

    /// Creates the release of a decision; ``MarginCase/decide(secret:)`` calls it.
    init(decided header: ReleaseHeader, cells: [PublishedCell]) {
        self.header = header
        self.cells = cells.sorted { ($0.margin, $0.cell) < ($1.margin, $1.cell) }
        aged = []
    }

    /// Reads back a release that was stored.
    ///
    /// - Throws: ``ReleaseError/altered(metric:period:)`` if the digest does not match what is read.
    @_spi(Ledger) public init(restoring header: ReleaseHeader, cells rows: [Row], digest: ReleaseDigest)
        throws(ReleaseError)
    {
        self.init(remaining: header, cells: rows)
        guard self.digest == digest else { throw .altered(metric: header.layout.metric, period: header.period) }
    }

    /// Takes rows as they are. Each of the ledger's ways calls it after checks of its own.
    init(remaining header: ReleaseHeader, cells rows: [Row], without aged: Set<DimensionName> = []) {
        self.header = header
        self.aged = aged
        cells = rows.map {
            PublishedCell(
                margin: $0.margin, cell: $0.cell, count: $0.count, sums: $0.sums, reach: $0.reach, firsts: $0.firsts)
        }.sorted { ($0.margin, $0.cell) < ($1.margin, $1.cell) }
    }

    /// A released cell as a store keeps it, with the members of a ``PublishedCell``.
    package struct Row: Sendable, Hashable {
        package let margin: Margin
        package let cell: CellIndex
        package let count: Int64
        package let sums: [Int64]
        package let reach: DeviceFloor?
        package let firsts: Int64?

        /// Creates a row of what a ``PublishedCell`` has.
        @_spi(Ledger) public init(
            margin: Margin, cell: CellIndex, count: Int64, sums: [Int64], reach: DeviceFloor?, firsts: Int64? = nil
        ) {
            (self.margin, self.cell, self.count, self.sums, self.reach) = (margin, cell, count, sums, reach)
            self.firsts = firsts
        }
    }

    /// Returns the published cell of these buckets, one for each dimension that is kept; nil if it is withheld.
    ///
    /// - Complexity: O(log cells).
    package func cell(_ buckets: [DimensionName: BucketLabel]) -> PublishedCell? {
        let places = header.layout.dimensions.indices.filter { buckets[header.layout.dimensions[$0].name] != nil }
        guard places.count == buckets.count else { return nil }
        let margin = Margin(keeping: places)
        var indices: [Int] = []
        for place in places {
            let dimension = header.layout.dimensions[place]
            guard let label = buckets[dimension.name], let bucket = dimension.labels.firstIndex(of: label) else {
                return nil
            }
            indices.append(bucket)
        }
        return cell(header.layout.cell(buckets: indices, in: margin), in: margin)
    }

    /// Returns the published cell at that place; nil if it is withheld.
    package func cell(_ cell: CellIndex, in margin: Margin) -> PublishedCell? {
        let place = cells.partitioningIndex { ($0.margin, $0.cell) >= (margin, cell) }
        guard place < cells.endIndex, cells[place].margin == margin, cells[place].cell == cell else { return nil }
        return cells[place]
    }

    package func shows(_ margin: Margin) -> Bool { header.groupings.contains(margin) }

    /// Reads back the numbers that age has left of a release. The digest covered numbers that are gone, and went with
    /// them. The rest therefore has to fit the header: cells of the layout, each once, with its sums, and with at least
    /// k devices wherever they say how many.
    ///
    /// Groupings that kept a dropped dimension are gone from the header, so that nothing takes their missing cells for
    /// withheld ones.
    /// - Throws: ``ReleaseError/altered(metric:period:)`` if a row does not fit.
    @_spi(Ledger) public init(
        decayed header: ReleaseHeader, dropped: Set<DimensionName>, cells rows: [Row]
    ) throws(ReleaseError) {
        let places = header.layout.dimensions.indices.filter { dropped.contains(header.layout.dimensions[$0].name) }
        let left = header.groupings.filter { margin in !places.contains { margin.keeps($0) } }
        var remaining = header
        remaining.groupings = left
        remaining.margins = header.margins?.keeping(header.groupings.map(left.contains))
        self.init(remaining: remaining, cells: rows.filter { left.contains($0.margin) }, without: dropped)
        guard cells.allSatisfy(header.couldPublish),
            zip(cells, cells.dropFirst()).allSatisfy({ !$0.isSamePlace(as: $1) })
        else { throw .altered(metric: header.layout.metric, period: header.period) }
    }

    /// The digest over the header's JSON (sorted keys), a newline, and one line a cell:
    /// `margin,cell,count,sum…,reach,firsts` in decimal; a hyphen for a sum that is withheld, reach and firsts left out where
    /// they are not published.
    package var digest: ReleaseDigest {
        var hash = SHA256()
        hash.update(data: header.json)
        hash.update(data: Data("\n".utf8))
        for cell in cells {
            var words = ["\(cell.margin.bits)", "\(cell.cell.value)", "\(cell.count)"]
            words += header.layout.sums.indices.map { $0 < cell.sums.count ? "\(cell.sums[$0])" : "-" }
            if let reach = cell.reach { words.append("\(reach.devices)") }
            if let firsts = cell.firsts { words.append("\(firsts)") }
            hash.update(data: Data((words.joined(separator: ",") + "\n").utf8))
        }
        return ReleaseDigest(hex: hash.finalize().lowerHex)
    }
}

extension ReleaseHeader {
    /// True if a number can be one of this release's, as far as the number alone can tell.
    fileprivate func couldPublish(_ cell: PublishedCell) -> Bool {
        Int(cell.cell.value) < layout.size(of: cell.margin) && cell.sums.count == layout.sums.count
            && [cell.reach?.devices, cell.firsts].allSatisfy { threshold.isReached(by: $0 ?? .max) }
    }
}

extension PublishedCell {
    fileprivate func isSamePlace(as other: PublishedCell) -> Bool { margin == other.margin && cell == other.cell }
}
