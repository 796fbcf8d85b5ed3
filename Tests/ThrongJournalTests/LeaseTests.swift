import Foundation
import Synchronization
import Testing
import ThrongIngest
import ThrongSystem

@testable import ThrongJournal

@Suite("Promise 3: nothing is acknowledged once another process may have the place")
struct LeaseTests {
    /// A clock that a test sets, and a lease by it.
    private final class Hourglass: Sendable {
        private let elapsed = Atomic<Int>(1000)
        var time: Duration { .milliseconds(elapsed.load(ordering: .relaxed)) }
        func pass(_ milliseconds: Int) { elapsed.add(milliseconds, ordering: .relaxed) }
        func lease() -> Lease {
            Lease(
                of: Machine(disk: SystemDisk.shared, time: { [self] _ in time }, random: { 0 }, hasThreads: false))
        }
    }

    @Test("a lease counts from before PostgreSQL was asked, so that stalls add up and late answers are worth less")
    func counts() {
        let glass = Hourglass()
        let lease = glass.lease()
        #expect(!lease.isValid)
        let asked = glass.time
        // Stands still three times, for less than three seconds each; the answer comes between.
        glass.pass(2800)
        lease.renew(from: asked)
        #expect(lease.isValid)
        glass.pass(2800)
        #expect(lease.isValid)
        glass.pass(2399)
        #expect(lease.isValid)
        glass.pass(1)
        #expect(!lease.isValid)
        // What was asked longer ago than a lease proves nothing any more, nor does it end what was asked since.
        lease.renew(from: asked)
        #expect(!lease.isValid)
        lease.renew(from: glass.time)
        lease.renew(from: asked)
        #expect(lease.isValid)
    }

    @Test("what is on disk when the lease has run out is acknowledged once it is renewed, a repeat of it no sooner")
    func acknowledges() async throws {
        let workshop = try Workshop()
        let data = try DataDirectory(path: workshop.path)
        let keys = try KeyRing(data)
        let space = CellSpace(layouts: [Workshop.layout])
        let replayed = try JournalReader(data, keys: keys).replay(space: space, flushed: .start) { _ in }
        let glass = Hourglass()
        let journal = try Journal(data, space: space, after: replayed, position: .start, lease: glass.lease()) { _ in }
        journal.renewLease(from: glass.time)
        let record = Workshop.record(1)
        try journal.append(record, key: keys.key(of: record.window))
        try await journal.acknowledgeable(record.position)

        glass.pass(20_000)
        #expect(!journal.mayAcknowledge && !journal.isHeld && journal.stall == .inDoubt)
        // It is on disk, which a flush may know, and a client who sends it again may not.
        try await journal.durable(record.position)
        let answered = Mutex(0)
        let next = Workshop.record(2)
        try journal.append(next, key: keys.key(of: next.window))
        for position in [record.position, next.position] {
            journal.acknowledgeable(position) { if case .success = $0 { answered.withLock { $0 += 1 } } }
        }
        try await Task.sleep(for: .milliseconds(300))
        #expect(answered.withLock { $0 } == 0)
        journal.renewLease(from: glass.time)
        try await journal.acknowledgeable(next.position)
        for _ in 0..<500 where answered.withLock({ $0 }) < 2 { try await Task.sleep(for: .milliseconds(10)) }
        #expect(answered.withLock { $0 } == 2)

        glass.pass(20_000)
        journal.acknowledgeable(record.position) { if case .failure = $0 { answered.withLock { $0 += 10 } } }
        journal.refuseAll()
        #expect(answered.withLock { $0 } == 12)
        journal.stop()
        data.unlock()
    }
}
