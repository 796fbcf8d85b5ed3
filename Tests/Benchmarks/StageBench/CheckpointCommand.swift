import ArgumentParser
import CAllocationCount
import Foundation
import Synchronization
import ThrongIngest
import ThrongJournal
import ThrongPlan

/// Counts without pause in one window while a checkpoint of it is written, and says what that costs who counts.
struct CheckpointCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "checkpoint", abstract: "How long counting stands still while a checkpoint is written.")

    @OptionGroup var workbench: Workbench
    @OptionGroup var crowd: WindowCrowd

    @Option(help: "Batches in the window.")
    var batches: UInt64 = 5_000_000

    @Option(help: "Batches a second that are counted meanwhile.")
    var rate: UInt64 = 10_000

    func run() throws {
        let world = try workbench.world()
        let crowd = try self.crowd.made(world)
        let folder = try TemporaryFolder()
        let (data, keys, journal) = try world.journal(in: folder.path)
        let key = try keys.key(of: crowd.window)
        let state = Mutex(world.counting())
        let rate = self.rate
        /// Counts, and returns the longest time that a batch took.
        @Sendable func count(_ numbers: Range<UInt64>, pausing: Bool, until isOver: () -> Bool = { false }) throws
            -> Longest
        {
            var longest = Longest()
            var due = ContinuousClock.now
            for number in numbers {
                if isOver() { break }
                while !journal.hasRoom { Thread.sleep(forTimeInterval: 0.001) }
                let (batch, identifier) = crowd.batch(number)
                if pausing {
                    due += .nanoseconds(1_000_000_000 / rate)
                    let wait = due - .now
                    if wait > .milliseconds(1) { Thread.sleep(forTimeInterval: wait / .seconds(1)) }
                }
                let began = ContinuousClock.now
                try state.withLock { counting in
                    try journal.append(try world.count(batch, identifier: identifier, in: &counting), key: key)
                    if number % 50_000 == 0, let flush = counting.freeze() { counting.applied(flush, closed: []) }
                }
                longest.note(ContinuousClock.now - began)
            }
            return longest
        }
        _ = try count(0..<batches, pausing: false)
        let alone = try count(batches..<batches + 5 * rate, pausing: true)
        let memory = resident_bytes()
        let isOver = Atomic<Bool>(false)
        let beside = Mutex<Longest?>(nil)
        let ended = DispatchSemaphore(value: 0)
        let first = batches + 5 * rate
        Thread.detachNewThread {
            do {
                let found = try count(first..<first + 1000 * rate, pausing: true) { isOver.load(ordering: .relaxed) }
                beside.withLock { $0 = found }
            } catch {
                FileHandle.standardError.write(Data("counting failed: \(error)\n".utf8))
            }
            ended.signal()
        }
        var clerk = CheckpointClerk(data: data, keys: keys, journal: journal)
        let machine = data.machine
        let cpu = machine.time(CLOCK_THREAD_CPUTIME_ID)
        var last = machine.elapsed()
        let peak = Mutex(memory)
        try clerk.write(space: world.space) { walk in
            // A quarter of a core, as the daemon does.
            if walk != nil { Thread.sleep(forTimeInterval: (machine.elapsed() - last) * 3 / .seconds(1)) }
            last = machine.elapsed()
            peak.withLock { $0 = max($0, resident_bytes()) }
            return state.withLock { $0.step(&walk) }
        }
        let spent = machine.time(CLOCK_THREAD_CPUTIME_ID) - cpu
        isOver.store(true, ordering: .relaxed)
        ended.wait()
        journal.stop()
        guard let besides = beside.withLock({ $0 }) else { throw ExitCode.failure }
        let line: [String: Any] = [
            "batches": batches, "pairs": state.withLock { $0.openPairs }, "bytes": clerk.bytes,
            "seconds": clerk.seconds, "cpuSeconds": spent / .seconds(1), "windowBytes": memory,
            "extraBytes": peak.withLock { $0 } - memory, "longestAlone": alone.seconds, "countedBeside": besides.count,
            "longestBeside": besides.seconds, "overTenMilliseconds": besides.slow,
        ]
        print(String(decoding: try JSONSerialization.data(withJSONObject: line, options: .sortedKeys), as: UTF8.self))
    }

    struct Longest: Sendable {
        private(set) var count = 0
        private(set) var slow = 0
        private var longest = Duration.zero
        var seconds: Double { longest / .seconds(1) }

        mutating func note(_ length: Duration) {
            count += 1
            longest = max(longest, length)
            if length > .milliseconds(10) { slow += 1 }
        }
    }
}
