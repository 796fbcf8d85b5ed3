internal import Foundation
package import ThrongSuppression

/// A day of a crowd with heavy tails, laid out as a release does: every grouping of the dimensions, with the devices that
/// stand behind each cell.
package struct CrowdCube: Sendable {
    /// The cube as a problem. Its first dimension partitions devices if asked.
    package let problem: SuppressionProblem
    /// By column, how many dimensions it keeps.
    package let depth: [Int]
    /// By column, its events.
    package let events: [Int64]

    /// Makes a cube.
    ///
    /// - Parameters:
    ///   - sizes: by dimension, its buckets.
    ///   - events: events of the whole day; a device sends one to five.
    ///   - exponent: of Zipf's law in every dimension.
    ///   - isGridded: whether the engine is told where leaves stand.
    ///   - isPossible: which places may hold somebody.
    ///   - mostKept: cells that keep more dimensions are not offered.
    ///   - partitions: a device stays in one bucket of the first dimension, and floors add along it.
    package init(
        sizes: [Int], events: Int, exponent: Double = 1.1, threshold: Int64 = 20, partitions: Bool, seed: UInt64,
        isGridded: Bool = true, mostKept: Int = .max,
        isPossible: @escaping @Sendable (LeafGrid.Place) -> Bool = { _ in true }
    ) throws(SuppressionError) {
        let sample = CrowdSample(
            sizes: sizes, events: events, exponent: exponent, partitions: partitions, seed: seed)
        let leaves = sample.values.keys.sorted()
        let leafName = Dictionary(uniqueKeysWithValues: leaves.enumerated().map { ($0.element, UInt32($0.offset)) })
        var lists = IndexLists()
        var cells: [CandidateCell] = []
        var depth: [Int] = []
        var sums: [Int64] = []
        var names: [[Int: UInt32]] = []
        var rows: [(first: Int, devices: [Int64])] = []
        var marginOfColumn: [Int?] = []
        for margin in 0..<(1 << sizes.count) {
            var members: [Int: [UInt32]] = [:]
            for leaf in leaves { members[sample.project(leaf, to: margin), default: []].append(leafName[leaf] ?? 0) }
            var placed: [Int: UInt32] = [:]
            for (cell, list) in members.sorted(by: { $0.key < $1.key }) {
                let devices = sample.devices[margin][cell] ?? []
                let floor = devices.reduce(0, +)
                let sum = list.reduce(Int64(0)) { $0 + (sample.values[leaves[Int($1)]] ?? 0) }
                placed[cell] = UInt32(cells.count)
                lists.append(list)
                rows.append((sample.firstBucket(of: cell, in: margin), devices))
                depth.append(margin.nonzeroBitCount)
                sums.append(sum)
                let digits = Int64(Int64.bitWidth - max(sum, 1).leadingZeroBitCount)
                cells.append(
                    CandidateCell(
                        floor: floor, cost: digits * Int64(8 >> min(3, margin.nonzeroBitCount)),
                        isSensitive: floor < threshold, isOffered: margin.nonzeroBitCount <= mostKept,
                        level: margin.nonzeroBitCount))
                marginOfColumn.append(margin)
            }
            names.append(placed)
        }
        var relations: [AdditiveRelation] = []
        for coarse in names.indices {
            for fine in names.indices where fine != coarse && fine & coarse == coarse {
                var children: [Int: [ColumnIndex]] = [:]
                for (cell, column) in names[fine].sorted(by: { $0.key < $1.key }) {
                    children[sample.project(cell, to: coarse), default: []].append(ColumnIndex(column))
                }
                for (cell, column) in names[coarse].sorted(by: { $0.key < $1.key }) {
                    guard let parts = children[cell], parts.count > 1 else { continue }
                    relations.append(AdditiveRelation(parent: ColumnIndex(column), children: parts))
                }
            }
        }
        self.depth = depth
        self.events = sums
        let buckets = rows
        problem = try SuppressionProblem(
            measures: [
                AdditiveMeasure(values: leaves.map { sample.values[$0] ?? 0 }, protection: .surrounds(percent: 10))
            ],
            columns: lists, cells: cells, relations: relations, threshold: threshold,
            unionFloor: { parts in
                // The largest part holds in each bucket; buckets of a partition add.
                var largest: [Int64] = []
                for part in parts {
                    let (first, own) = buckets[Int(part.value)]
                    if largest.count < first + own.count {
                        largest += Array(repeating: 0, count: first + own.count - largest.count)
                    }
                    for (place, devices) in own.enumerated() {
                        largest[first + place] = max(largest[first + place], devices)
                    }
                }
                return largest.reduce(0, +)
            },
            grid: isGridded
                ? LeafGrid(
                    sizes: sizes, places: leaves.map { sample.place($0) },
                    groupings: (0..<(1 << sizes.count)).map { margin in
                        sizes.enumerated().map { axis, size in
                            margin & (1 << axis) != 0 ? Array(0..<Int32(size)) : nil
                        }
                    }, groupingOfColumn: marginOfColumn, columns: lists, isPossible: isPossible) : nil)
    }
}

/// Events of devices in a cube; a cell's number has a digit a dimension.
private struct CrowdSample {
    let sizes: [Int]
    let partitions: Bool
    /// By leaf. Unit: events.
    private(set) var values: [Int: Int64] = [:]
    /// By margin, by cell, by bucket of the partition from ``firstBucket(of:in:)`` on: distinct devices.
    private(set) var devices: [[Int: [Int64]]]

    init(sizes: [Int], events: Int, exponent: Double, partitions: Bool, seed: UInt64) {
        self.sizes = sizes
        self.partitions = partitions
        var random = SecretGenerator(seed: seed)
        let margins = 1 << sizes.count
        devices = Array(repeating: [:], count: margins)
        let laws = sizes.map { size in
            var sum = 0.0
            return (1...size).map { rank -> Double in
                sum += pow(Double(rank), -exponent)
                return sum
            }
        }
        func draw(_ place: Int) -> Int {
            let law = laws[place]
            let target = Double.random(in: 0..<law[law.count - 1], using: &random)
            var (low, high) = (0, law.count - 1)
            while low < high {
                let middle = (low + high) / 2
                if law[middle] > target { high = middle } else { low = middle + 1 }
            }
            return low
        }
        var sent = 0
        while sent < events {
            let home = draw(0)
            var seen: Set<Int> = []
            for _ in 0..<min(Int.random(in: 1...5, using: &random), events - sent) {
                var cell = partitions ? home : draw(0)
                for place in sizes.indices.dropFirst() { cell = cell * sizes[place] + draw(place) }
                values[cell, default: 0] += 1
                seen.insert(cell)
                sent += 1
            }
            for margin in 0..<margins {
                for cell in Set(seen.map({ project($0, to: margin) })) {
                    let bucket = partitions && margin & 1 == 0 ? home : 0
                    var known = devices[margin][cell] ?? []
                    if known.count <= bucket { known += Array(repeating: 0, count: bucket + 1 - known.count) }
                    known[bucket] += 1
                    devices[margin][cell] = known
                }
            }
        }
    }

    /// The bucket of the partition that a cell's devices are counted from: its own where it keeps that dimension.
    func firstBucket(of cell: Int, in margin: Int) -> Int {
        partitions && margin & 1 != 0 ? cell / sizes.dropFirst().reduce(1, *) : 0
    }

    /// Where a leaf stands.
    func place(_ leaf: Int) -> LeafGrid.Place {
        var rest = leaf
        var result = LeafGrid.Place(repeating: 0)
        for axis in sizes.indices.reversed() {
            result[axis] = Int32(rest % sizes[axis])
            rest /= sizes[axis]
        }
        return result
    }

    /// The cell of a margin that holds a cell: the digits that are not kept become 0.
    func project(_ cell: Int, to margin: Int) -> Int {
        var rest = cell
        var result = 0
        var weight = 1
        for place in sizes.indices.reversed() {
            if margin & (1 << place) != 0 { result += rest % sizes[place] * weight }
            weight *= sizes[place]
            rest /= sizes[place]
        }
        return result
    }
}
