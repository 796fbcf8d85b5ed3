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
