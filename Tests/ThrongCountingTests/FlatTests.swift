import Testing
import ThrongPlan
import ThrongWire

@testable import ThrongCounting

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

    @Test("a repeated batch is told the same, whatever names clients choose")
    func answers() {
        var flat = AnsweredBatches()
        var told: [BatchID: (BatchAnswer, UInt64)] = [:]
        for round in UInt64(0)..<20_000 {
            let batch = BatchID(high: round % 2 == 0 ? 7 : round / 3, low: round % 2 == 0 ? round / 3 : 7)
            let known = flat.answer(to: batch)
            #expect(known?.answer == told[batch]?.0)
            #expect(known?.position.value == told[batch]?.1)
            guard known == nil else { continue }
            let refused: [BatchAnswer.Refusal] = round % 5 == 0 ? [.init(index: 1, reason: .tooOld)] : []
            let answer = BatchAnswer(accepted: Int(round % 100), refused: refused)
            flat.add(batch, answer, at: JournalPosition(1000 + round))
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
