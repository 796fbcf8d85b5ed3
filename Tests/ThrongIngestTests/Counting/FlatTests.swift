import Testing
import ThrongPlan
import ThrongWire

@testable import ThrongIngest

@Suite("Flat sets and tables agree with the standard ones")
struct FlatTests {
    @Test("a flat set, over growth, runs of neighbours and both ends of a section")
    func set() {
        var flat = FlatSet()
        var standard: Set<UInt64> = []
        var random = SystemRandomNumberGenerator()
        for round in 0..<60_000 {
            let member: UInt64 =
                switch round % 5 {
                case 0: UInt64(round % 500) + 2
                case 1: .max - UInt64(round % 700)
                case 2: (random.next() & 0xFF) << 56 | .max >> 8 - UInt64(round % 90)
                default: random.next()
                }
            let (wasThere, isAdded) = (flat.contains(member), flat.insert(member))
            #expect(wasThere == standard.contains(member))
            #expect(isAdded == standard.insert(member).inserted)
            let isThere = flat.contains(member)
            #expect(isThere)
            if round % 3 == 0 {
                let later: UInt64 = random.next()
                flat.insertLater(later)
                standard.insert(later)
            }
        }
        flat.settle()
        #expect(flat.count == standard.count)
        for member in standard {
            let (isThere, isAdded) = (flat.contains(member), flat.insert(member))
            #expect(isThere && !isAdded)
        }
    }

    @Test("what identifiers added is found again, over growth")
    func contributions() {
        var flat = Contributions()
        var standard: [UInt64: UInt32] = [:]
        var random = SystemRandomNumberGenerator()
        let keys = (0..<3000).map { $0 % 2 == 0 ? random.next() : UInt64($0) << 40 + 1 }
        for round in 0..<UInt32(30_000) {
            let key = keys[Int(round) * 7 % keys.count]
            #expect(flat[key].used == standard[key, default: 0])
            #expect(flat[key].partition == (standard[key] == nil ? .max : 3))
            flat.set(key, used: round, partition: 3)
            standard[key] = round
        }
    }

    @Test("what waits is added up with what is there, whenever somebody asks")
    func contributionsLater() {
        var flat = Contributions()
        var standard: [UInt64: UInt32] = [:]
        var random = SystemRandomNumberGenerator()
        let keys = (0..<40_000).map { $0 % 2 == 0 ? random.next() : UInt64($0) << 40 + 1 }
        for round in 0..<200_000 {
            let key = keys[round * 7919 % keys.count]
            flat.addLater(key, used: UInt32(round % 5), partition: 3)
            standard[key, default: 0] += UInt32(round % 5)
            guard round % 30_000 == 0 else { continue }
            #expect(flat[key].used == standard[key])
        }
        for (key, used) in standard {
            let known = flat[key]
            #expect(known.used == used && known.partition == 3)
        }
    }

    /// Something whose hash is shared by others.
    private struct Twin: HashedSlot {
        static var free: Self { Self(order: 0) }
        let order: UInt64
        var name = 0
        var seen = 0
        func isSame(as other: Self) -> Bool { name == other.name }
        mutating func takeIn(_ later: Self) { seen += later.seen }
    }

    @Test("things of one hash stay apart, and what is the same comes together", arguments: [true, false])
    func twins(atEnds: Bool) {
        var table = OrderedTable<Twin>()
        var standard: [UInt64: [Int: Int]] = [:]
        var random = SystemRandomNumberGenerator()
        // At the ends of a section runs of neighbours go on behind its last place.
        let hashes = (0..<3000).map { place -> UInt64 in
            atEnds ? UInt64(place % 256) << 56 | (.max >> 8 - UInt64(place / 256)) : random.next()
        }
        for round in 0..<300_000 {
            let (hash, name) = (hashes[round * 31 % hashes.count], round % 7)
            table.insertLater(Twin(order: hash, name: name, seen: 1))
            standard[hash, default: [:]][name, default: 0] += 1
        }
        table.settle()
        #expect(table.count == standard.values.reduce(0) { $0 + $1.count })
        for (hash, names) in standard {
            for (name, seen) in names {
                let found = table.slot(like: Twin(order: hash, name: name))
                #expect(found?.seen == seen)
            }
            let stranger = table.slot(like: Twin(order: hash, name: 8))
            #expect(stranger == nil)
        }
    }

    @Test("a repeated batch is told the same, whatever names clients choose")
    func answers() {
        var flat = AnsweredBatches()
        var told: [BatchID: (BatchAnswer, UInt64)] = [:]
        for round in UInt64(0)..<20_000 {
            let batch = BatchID(high: round % 2 == 0 ? 7 : round / 3, low: round % 2 == 0 ? round / 3 : 7)
            let known = flat.answer(to: batch, events: 0)
            #expect(known?.answer == told[batch]?.0)
            #expect(known?.position.value == told[batch]?.1)
            guard known == nil else { continue }
            let refused: [BatchAnswer.Refusal] = round % 5 == 0 ? [.init(index: 1, reason: .tooOld)] : []
            let answer = BatchAnswer(accepted: Int(round % 100), refused: refused)
            if round % 3 == 0 {
                flat.addLater(batch, answer, at: JournalPosition(1000 + round))
            } else {
                flat.add(batch, answer, at: JournalPosition(1000 + round))
            }
            told[batch] = (answer, 1000 + round)
        }
        #expect(told.count > 10_000)
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
