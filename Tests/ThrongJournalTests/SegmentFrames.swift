/// What lies in a segment's bytes, by the format that Segment.swift states; shares nothing with the reader.
struct SegmentFrames {
    struct Frame {
        let start: Int
        let end: Int
        let first: UInt64
        /// 0 for a mark.
        let count: Int
        /// Unit: bytes.
        let synced: Int
    }

    let header: Int
    var frames: [Frame] = []

    /// - Parameter bytes: whole frames.
    init(_ bytes: [UInt8]) {
        func number(_ place: Int, _ size: Int) -> Int {
            bytes[place..<place + size].reversed().reduce(0) { $0 << 8 | Int($1) }
        }
        header = 40 + 32 * number(24, 4)
        var place = header
        while place < bytes.count {
            let end = place + 8 + number(place, 4)
            frames.append(
                Frame(
                    start: place, end: end, first: UInt64(number(place + 8, 8)), count: number(place + 24, 4),
                    synced: number(place + 28, 8)))
            place = end
        }
    }

    /// Without marks.
    var records: [Frame] { frames.filter { $0.count > 0 } }
    /// Where each frame begins, and the end of the last.
    var boundaries: [Int] { [header] + frames.map(\.end) }
}
