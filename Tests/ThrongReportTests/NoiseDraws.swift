import Foundation
import ThrongPlan
import ThrongRelease
import ThrongSystem

@testable import ThrongReport

/// Tables of two fields of devices with drawn noise, for tests of what margins leave open: 2,000 draws, always the same.
///
/// The noise is made from interactions as the daemon makes it, but of normal numbers: one total, one for each field and one
/// for both, each of the variance V over its product of 1 − 1/n, of which only the interaction is used.
struct NoiseDraws {
    /// Buckets of the two fields.
    static let sizes = [4, 2]
    static let count = 2000

    /// By draw and cell, the second field fastest: the layer that is kept, that of another question, and those of two
    /// periods. V is 1.
    let kept: [[Double]]
    let other: [[Double]]
    let now: [[Double]]
    let then: [[Double]]

    static let all = NoiseDraws()

    private init() {
        var dice = SeededGenerator(seed: 40)
        var layers = (0..<4).map { _ in [[Double]]() }
        for layer in layers.indices { layers[layer] = (0..<Self.count).map { _ in Self.layer(&dice) } }
        (kept, other, now, then) = (layers[0], layers[1], layers[2], layers[3])
    }

    private static func normals(_ count: Int, _ variance: Double, _ dice: inout SeededGenerator) -> [Double] {
        (0..<count).map { _ in
            let radius = (-2 * variance * log(1 - dice.fraction())).squareRoot()
            return radius * cos(2 * .pi * dice.fraction())
        }
    }

    private static func layer(_ dice: inout SeededGenerator) -> [Double] {
        let (rows, columns) = (sizes[0], sizes[1])
        let shares = sizes.map { 1 - 1 / Double($0) }
        let total = normals(1, 1, &dice)[0]
        let first = normals(rows, 1 / shares[0], &dice)
        let second = normals(columns, 1 / shares[1], &dice)
        let both = normals(rows * columns, 1 / shares[0] / shares[1], &dice)
        func mean(_ numbers: [Double]) -> Double { numbers.reduce(0, +) / Double(numbers.count) }
        let (firstMean, secondMean, grand) = (mean(first), mean(second), mean(both))
        let rowMeans = (0..<rows).map { row in mean((0..<columns).map { both[row * columns + $0] }) }
        let columnMeans = (0..<columns).map { column in mean((0..<rows).map { both[$0 * columns + column] }) }
        return (0..<rows * columns).map { cell in
            let (row, column) = (cell / columns, cell % columns)
            let ofRow = (first[row] - firstMean) / Double(columns)
            let ofColumn = (second[column] - secondMean) / Double(rows)
            let ofBoth = both[cell] - rowMeans[row] - columnMeans[column] + grand
            return total / Double(rows * columns) + ofRow + ofColumn + ofBoth
        }
    }

    /// What some buckets of the first field and some of the second hold together.
    static func sum(_ cells: [Double], _ rows: [Int]? = nil, _ columns: [Int]? = nil) -> Double {
        var sum = 0.0
        for row in rows ?? Array(0..<sizes[0]) {
            for column in columns ?? Array(0..<sizes[1]) { sum += cells[row * sizes[1] + column] }
        }
        return sum
    }

    /// Events and sums of a crowd by cell.
    struct Crowd {
        var events = Array(repeating: 0.0, count: NoiseDraws.sizes[0] * NoiseDraws.sizes[1])
        var sums = Array(repeating: 0.0, count: NoiseDraws.sizes[0] * NoiseDraws.sizes[1])

        /// - Parameter isHeavy: whether a few devices do most, in a few cells.
        init(_ devices: Int, isHeavy: Bool) {
            var dice = SeededGenerator(seed: UInt64(devices))
            let weights = isHeavy ? [0.72, 0.9, 0.97] : [0.4, 0.7, 0.9]
            for _ in 0..<devices {
                let (place, column, size) = (dice.fraction(), dice.fraction(), dice.fraction())
                let row = weights.firstIndex { place < $0 } ?? 3
                let cell = row * 2 + (column < (isHeavy ? 0.93 : 0.8) ? 0 : 1)
                let sent = isHeavy ? min(20, (1 / (1 - size)).rounded(.down)) : 1 + (size * 15).rounded(.down)
                events[cell] += sent
                let value = isHeavy ? min(60, 3 / (1 - place)) : 20 + 20 * size
                sums[cell] += (sent * value).rounded()
            }
        }
    }

    /// Crowds of three sizes, even ones and such with heavy tails.
    static let crowds: [Crowd] = [60, 300, 20_000].flatMap { devices in
        [false, true].map { Crowd(devices, isHeavy: $0) }
    }

    /// A layer's √V of events where a device adds 20 at most, at k = 20, and of sums where an event is worth 60 at most.
    static let (eventDeviation, sumDeviation) = (40.0, 2400.0)

    /// The law that a release of these fields states, with margins rounded up.
    static func law() throws -> MarginLaw {
        func labels(_ count: Int) -> [BucketLabel] { (0..<count).map { BucketLabel("\($0)") } }
        let groupings = (0..<UInt32(4)).map { Margin(bits: $0) }
        let layout = MetricLayout(
            app: "shop", metric: "orders", purpose: "product", rotation: .standard, period: .day, timeZone: "UTC",
            dimensions: [
                .init(name: "os", labels: labels(sizes[0]), partitionsDevices: true, rule: "os"),
                .init(name: "screen", labels: labels(sizes[1]), partitionsDevices: true, rule: "screen"),
            ],
            sums: [SumMeasure(name: "spent", field: "amount", lowest: 0, highest: 60, decimals: 0, unit: "EUR")],
            contributionBound: 20, groupings: groupings)
        let margins = groupings.map { grouping in
            let fields = sizes.indices.filter { grouping.keeps($0) }
            let factor = fields.reduce(2.0) { $0 * (1 + 1 / Double(sizes[$1] * sizes[$1])) }
            func margin(_ deviation: Double) -> Int64 {
                Int64((Interval.z * deviation * factor.squareRoot()).rounded(.up))
            }
            return ReleaseMargins.Grouping(
                count: margin(eventDeviation), sums: [margin(sumDeviation)], devices: margin(5))
        }
        let header = ReleaseHeader(
            layout: layout, period: PeriodCalendar.utc.period(.day, containing: UnixSeconds(1_795_255_200)),
            plan: PlanVersion(hex: String(repeating: "5e", count: 32)), threshold: Threshold(devices: 20), sampling: 1,
            reach: true, groupings: groupings, margins: ReleaseMargins(cost: "1", groupings: margins))
        guard let law = MarginLaw(header) else { throw Exact() }
        return law
    }

    struct Exact: Error {}

    /// By draw, the noise of what some buckets hold together. Unit: √V of a layer.
    static func noise(of layers: [[Double]], _ rows: [Int]? = nil, _ columns: [Int]? = nil) -> [Double] {
        let columns = columns ?? Array(0..<sizes[1])
        let cells = (rows ?? Array(0..<sizes[0])).flatMap { row in columns.map { row * sizes[1] + $0 } }
        return layers.map { layer in
            var sum = 0.0
            for cell in cells { sum += layer[cell] }
            return sum
        }
    }

    /// The same for two layers together.
    static func noise(
        of layers: [[Double]], and others: [[Double]], _ rows: [Int]? = nil, _ columns: [Int]? = nil
    ) -> [Double] {
        zip(noise(of: layers, rows, columns), noise(of: others, rows, columns)).map { $0 + $1 }
    }

    /// Both layers of one period.
    func noise(_ rows: [Int]? = nil, _ columns: [Int]? = nil) -> [Double] {
        Self.noise(of: kept, and: now, rows, columns)
    }
}
