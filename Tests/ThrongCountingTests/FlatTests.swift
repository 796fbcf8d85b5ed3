import Testing

@testable import ThrongCounting

@Suite("Flat sets and tables agree with the standard ones")
struct FlatTests {
    @Test("a flat set, over growth and collisions")
    func set() {
        var flat = FlatSet()
        var standard: Set<UInt64> = []
        var random = SystemRandomNumberGenerator()
        for round in 0..<20_000 {
            // Few low bits: long runs of neighbours.
            let member = round % 3 == 0 ? UInt64(round % 500) + 2 : random.next() & 0xFFFF_FFFF_0000_00FF | 2
            #expect(flat.insert(member) == standard.insert(member).inserted)
        }
        #expect(flat.count == standard.count)
    }

    @Test("the member 0 can be added once")
    func zero() {
        var flat = FlatSet()
        let first = flat.insert(0)
        let second = flat.insert(0)
        #expect(first && !second)
    }

    @Test("a flat table, over growth and collisions")
    func table() {
        var flat = FlatTable<Int64>(initial: 0)
        var standard: [UInt64: Int64] = [:]
        for round in 0..<20_000 {
            let key = UInt64(round % 3000) << 32 | UInt64(round % 7)
            flat[key] += Int64(round)
            standard[key, default: 0] += Int64(round)
        }
        var seen = 0
        flat.forEach { key, value in
            #expect(standard[key] == value)
            seen += 1
        }
        #expect(seen == standard.count)
    }
}
