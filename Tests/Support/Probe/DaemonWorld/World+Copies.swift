import ThrongPlan
import ThrongSystem

@testable import ThrongServer

/// A process on a copy of the data directory takes the daemon's place, as on another machine.
extension World {
    /// One that waits for the place.
    struct Rival {
        let disk: VirtualDisk
        /// What its process has announced, over all attempts to start.
        let succession: Succession
        var daemon: VirtualDaemon
        /// Unit: the machine's time that never goes back.
        var nextAttempt: Duration
    }

    /// Whether somebody waits for the daemon's place. What the daemon has acknowledged meanwhile nobody else has: whatever
    /// ends it in disorder takes that away.
    var isContested: Bool { rival != nil }
    static let endsProcesses: Set<Action.Kind> = [.kill, .powerLoss, .stop, .syncFails, .diskFills]

    /// Copies the data directory of a daemon that has its place, and starts a process on it.
    func copy(_ chance: inout SeededGenerator) {
        guard rival == nil, former == nil, daemon.isSettled, database.condition == .up, database.loss == nil,
            disk.failingSync == nil, disk.dying == nil, disk.capacity == Self.capacity
        else { return }
        let twin = disk.copy(SeededGenerator(seed: chance.next()))
        let succession = Succession()
        let other = makeDaemon(on: twin, succession: succession, needsWatermark: false)
        lines += 1
        oracle.copies()
        rival = Rival(disk: twin, succession: succession, daemon: other, nextAttempt: clock.elapsed + .seconds(1))
        other.start()
    }

    /// One of the two stands still, for less than whoever takes its place waits.
    func standOne(_ chance: inout SeededGenerator) {
        let length = Duration.milliseconds(100 + chance.below(2800))
        (former ?? daemon).stand(for: length)
    }

    /// Lets one of the two that stands still again and again do so, with a moment between; now and then for as long as its place takes
    /// to be taken.
    func attendStutter() {
        guard var stutter, clock.elapsed >= stutter.next else { return }
        let one = former ?? daemon
        // What was acknowledged and not flushed goes with a process that stands still for so long, as with one that is killed.
        let isLevel = one.ingestion?.gauges.journalLag == 0
        let length = Duration.milliseconds(
            stutter.chance.oneIn(4) && isLevel
                ? 20_000 + stutter.chance.below(40_000)
                : stutter.chance.oneIn(4) ? 500 + stutter.chance.below(4500) : 2000 + stutter.chance.below(850))
        one.stand(for: length)
        stutter.next = clock.elapsed + length + .milliseconds(100 + stutter.chance.below(200))
        self.stutter = stutter
    }

    /// The turns of a process whose place was taken, and of one that waits for it.
    func attendCopies() {
        if let former {
            former.write()
            former.flushIfDue()
            former.watchFence()
            executor.drain()
            if former.endIfFailed() != nil || !former.isRunning { self.former = nil }
        }
        guard var rival else { return }
        switch rival.daemon.phase {
        case .starting: return
        case .running: return takePlace(rival)
        case .ended: break
        case .failedToStart(let error):
            if !isPassing(error) { fail(.startRefused, "\(error), on a copy") }
        }
        guard clock.elapsed >= rival.nextAttempt else { return }
        rival.nextAttempt = clock.elapsed + .seconds(1)
        rival.daemon = makeDaemon(on: rival.disk, succession: rival.succession, needsWatermark: true)
        self.rival = rival
        rival.daemon.start()
    }

    private func takePlace(_ rival: Rival) {
        trace.note("place taken")
        former = daemon.isRunning ? daemon : nil
        disk = rival.disk
        daemon = rival.daemon
        line = lines
        let isBehind = latestShown > clock.shown
        oracle.takesOver(now: isBehind ? latestShown + 60 : clock.shown)
        self.rival = nil
    }
}
