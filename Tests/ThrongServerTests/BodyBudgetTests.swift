import Dispatch
import NIOCore
import Testing

@testable import ThrongServer

@Suite("Bodies that arrive take no more memory than they may")
struct BodyBudgetTests {
    @Test("what is given back can be taken again, and nothing beyond the limit")
    func limit() {
        let budget = BodyBudget(limit: 100)
        #expect(budget.exchange(0, for: 60))
        #expect(!budget.exchange(0, for: 41))
        #expect(budget.bytes == 60)
        #expect(budget.exchange(0, for: 40))
        #expect(!budget.exchange(40, for: 41))
        #expect(budget.exchange(60, for: 0))
        #expect(budget.exchange(40, for: 100))
        #expect(budget.exchange(100, for: 0) && budget.bytes == 0)
    }

    @Test("a body that is alone has room, however large it is")
    func alone() {
        let budget = BodyBudget(limit: 100)
        #expect(budget.exchange(0, for: 80))
        #expect(budget.exchange(80, for: 160))
        #expect(!budget.exchange(0, for: 1))
        #expect(budget.bytes == 160)
    }

    @Test("everything but batches takes a quarter at most, and leaves the rest to batches")
    func share() {
        let budget = BodyBudget(limit: 100)
        #expect(budget.exchange(0, for: 20, of: .other))
        #expect(!budget.exchange(0, for: 6, of: .other))
        #expect(budget.exchange(0, for: 5, of: .other))
        #expect(budget.exchange(0, for: 75) && !budget.exchange(0, for: 1))
        #expect(budget.exchange(5, for: 0, of: .other))
        #expect(budget.exchange(0, for: 5))
        // Refused by the whole, it takes nothing of the share.
        #expect(!budget.exchange(0, for: 5, of: .other))
        #expect(budget.exchange(80, for: 0))
        #expect(budget.exchange(0, for: 5, of: .other))
        #expect(budget.exchange(25, for: 0, of: .other) && budget.bytes == 0)
    }

    @Test("batches of more than 64 KiB take half at most, and leave the rest to smaller ones")
    func largeBatches() {
        let size = 64 << 10
        let budget = BodyBudget(limit: 16 * size)
        #expect(budget.exchange(0, for: size))
        // Grown, it takes of the share of large ones.
        #expect(budget.exchange(size, for: 8 * size))
        #expect(!budget.exchange(0, for: size + 1))
        for _ in 0..<8 { #expect(budget.exchange(0, for: size)) }
        #expect(!budget.exchange(0, for: 1))
        // Refused by the whole, it takes nothing of the share.
        #expect(budget.exchange(8 * size, for: 6 * size) && budget.exchange(0, for: 2 * size))
        #expect(budget.exchange(6 * size, for: 0) && budget.exchange(2 * size, for: 0))
        #expect(budget.exchange(0, for: 8 * size))
        #expect(budget.exchange(8 * size, for: 0) && budget.exchange(8 * size, for: 0) && budget.bytes == 0)
    }

    @Test("a body takes what it holds: of large ones, which have room to grow, no more than has come")
    func sizes() {
        #expect(BodyBudget.size(of: nil) == 0)
        // A slice keeps the whole block that it was read into.
        #expect(BodyBudget.size(of: ByteBuffer(repeating: 0, count: 4096).getSlice(at: 0, length: 1)) == 4096)
        #expect(BodyBudget.size(of: ByteBuffer(repeating: 0, count: 200_000).getSlice(at: 0, length: 1)) == 64 << 10)
        var grown = ByteBuffer(repeating: 0, count: 500_000)
        grown.writeRepeatingByte(0, count: 30_000)
        #expect(grown.storageCapacity == 1 << 20 && BodyBudget.size(of: grown) == 530_000)
    }

    @Test("work that was let in is done in its turn, and what is too much is turned away at once")
    func turns() async {
        let batches = SlowBatches(bodies: BodyBudget(limit: 100), label: "throng-test", most: 2)
        let gate = DispatchSemaphore(value: 0)
        #expect(batches.add(bytes: 0) { gate.wait() })
        #expect(batches.add(bytes: 0) {})
        #expect(await batches.run { 1 } == nil)
        gate.signal()
        batches.finish()
        #expect(await batches.run { 2 } == 2)
    }

    @Test("a thousand bodies at once leave nothing behind")
    func atOnce() async {
        let budget = BodyBudget(limit: 5000)
        await withTaskGroup(of: Void.self) { group in
            for size in 1...1000 {
                group.addTask { if budget.exchange(0, for: size) { _ = budget.exchange(size, for: 0) } }
            }
        }
        #expect(budget.bytes == 0)
    }
}
