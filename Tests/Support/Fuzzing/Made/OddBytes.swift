internal import ThrongSystem

/// Inputs that somebody bent: seeds with bytes changed, cut, doubled and mixed, and words put in.
package struct OddBytes: Sendable {
    private let seeds: [[UInt8]]
    private let words: [[UInt8]]
    private var random: SeededGenerator

    /// - Parameters:
    ///   - seeds: not empty.
    ///   - words: what is put in here and there; not empty.
    package init(of seeds: [[UInt8]], words: [[UInt8]], seed: UInt64) {
        self.seeds = seeds
        self.words = words
        random = SeededGenerator(seed: seed)
    }

    /// The next one: of one to four changes.
    package mutating func next() -> [UInt8] {
        var bytes = pick(seeds)
        for _ in 0...below(4) { change(&bytes) }
        return bytes
    }

    private mutating func change(_ bytes: inout [UInt8]) {
        let place = below(bytes.count + 1)
        let end = min(bytes.count, place + 1 + below(16))
        switch below(9) {
        case 0 where !bytes.isEmpty: bytes[min(place, bytes.count - 1)] ^= 1 << UInt8(below(8))
        case 1: bytes.insert(UInt8(below(256)), at: place)
        case 2: bytes.removeSubrange(place..<end)
        case 3: bytes.insert(contentsOf: bytes[place..<end], at: below(bytes.count + 1))
        case 4: bytes.removeSubrange(place...)
        case 5: bytes.replaceSubrange(place..<end, with: pick(words))
        case 6:
            let other = pick(seeds)
            bytes.replaceSubrange(place..<bytes.count, with: other[below(other.count + 1)...])
        case 7: swapNumbers(&bytes)
        default: bytes.insert(contentsOf: pick(words), at: place)
        }
    }

    /// Other digits where there are digits.
    private mutating func swapNumbers(_ bytes: inout [UInt8]) {
        for place in bytes.indices where (0x30...0x39).contains(bytes[place]) && below(8) == 0 {
            bytes[place] = 0x30 + UInt8(below(10))
        }
    }

    private mutating func pick(_ all: [[UInt8]]) -> [UInt8] { all[below(all.count)] }

    private mutating func below(_ bound: Int) -> Int { Int(random.next() % UInt64(bound)) }
}
