import ThrongIngest
import ThrongPlan
import ThrongWire

/// A batch as its client knows it.
struct Post {
    /// What the client was told.
    enum Fate {
        /// It was never counted.
        case refused
        /// Nobody knows: no answer came, or one that leaves it open.
        case unknown
        case acknowledged
    }

    let number: Int
    /// Place of the metric and of its purpose.
    let place: Int
    let cell: Int
    let who: Int
    let window: WindowID
    let periodStart: UnixSeconds
    /// When it happened.
    let at: UnixSeconds
    /// In how many cells it counts, from the first one on.
    var spread = 1
    /// Events beside the one that counts.
    var refused = 0
    var fate = Fate.refused
    /// The earliest line of processes that knows of it: each copy begins another one.
    var line: Int
    /// Whether a copy was made before it was sent to that line, so that the later ones don't know of it.
    var isApart = false
    /// Whether its window ended between two processes: neither may know whom all it saw.
    var isBetween = false

    /// Whose it is.
    var sender: Sender { Sender(who: who, window: window) }

    /// A client in one window.
    struct Sender: Hashable {
        let who: Int
        let window: WindowID

        /// As it names itself.
        var identifier: [UInt8] { Array("device-\(who)-\(window.number.value)".utf8) }
    }

    /// What each of its cells adds to the sum of the metric that has one.
    var amount: Int64 { place == 1 ? 1 + Int64(number % 90) : 0 }

    /// Where it counts.
    var cells: [Int] { (0..<spread).map { (cell + $0) % Town.cells } }

    /// The batch after bucketing.
    func bucketed(_ layouts: [MetricLayout]) -> BucketedBatch {
        let ordinal = layouts.firstIndex { $0.metric == Town.visits[place] } ?? 0
        var marks: [BucketedBatch.Mark] = []
        if place == 0, let often = layouts.firstIndex(where: { $0.metric == Town.often }) {
            marks.append(
                .init(
                    event: 0, metric: Int32(often), cell: CellIndex(0), periodStart: periodStart, steps: 0, count: 1))
        }
        return BucketedBatch(
            id: BatchID(high: UInt64(number) &+ 1, low: 77), window: window,
            events: [.init(refusal: nil, contributions: 0..<Int32(spread))]
                + repeatElement(
                    .init(refusal: .unknownEvent, contributions: Int32(spread)..<Int32(spread)), count: refused),
            contributions: cells.map { cell in
                .init(
                    metric: Int32(ordinal), cell: CellIndex(UInt32(cell)), periodStart: periodStart, count: 1,
                    firstAmount: 0)
            },
            amounts: place == 1 ? [amount] : [], marks: marks)
    }
}
