internal import Foundation
internal import Logging
internal import ServiceLifecycle
internal import Synchronization
package import ThrongJournal
internal import ThrongPlan
internal import ThrongSchedule
internal import ThrongStore
internal import UnixSignals

/// The effect of signals on a daemon, from its first moment on.
///
/// SIGTERM, SIGINT and SIGQUIT stop it in order; if the first only announced the stop, a second one stops it at once.
/// During its start, when nothing was taken that could be lost, they end it once its PostgreSQL has stopped.
///
/// SIGHUP reads the plans again. If they have changed and are valid, the daemon stops in order and starts with them in
/// the same process. SIGHUP reads the certificate again, too, which stops nothing. So a closed terminal or a habit of
/// reloading ends nothing.
final class Lifetime: Sendable {
    private enum Phase {
        case starting(PrivateCluster?)
        case running(ServiceGroup, by: [RunningPlan], stop: StopBudget)
        /// A signal ends the process during its start.
        case leaving
    }

    private let phase = Mutex(Phase.starting(nil))
    /// The plans with which it starts again once it has stopped; nil for none.
    private let next = Mutex<[RunningPlan]?>(nil)
    private let logger: Logger
    /// Reads the plans; nil if they come from no files.
    private let reread: (@Sendable () throws -> PlanReading)?

    /// The certificate; nil without TLS.
    private let certificates: Certificates?
    private let drain: Duration
    private let manager: ServiceManager?

    init(
        logger: Logger, certificates: Certificates?, reread: (@Sendable () throws -> PlanReading)?, drain: Duration,
        manager: ServiceManager?
    ) {
        (self.logger, self.certificates, self.reread, self.drain) = (logger, certificates, reread, drain)
        self.manager = manager
    }

    func starts(_ cluster: PrivateCluster?) { enter(.starting(cluster)) }

    /// Does not return where a signal has ended the start.
    func runs(_ group: ServiceGroup, by sources: [RunningPlan], stop: StopBudget) async {
        enter(.running(group, by: sources, stop: stop))
        await endIfLeaving()
    }

    private func enter(_ next: Phase) { phase.withLock { if case .leaving = $0 {} else { $0 = next } } }

    var isLeaving: Bool { phase.withLock { if case .leaving = $0 { true } else { false } } }

    /// Waits for the end of the process where a signal has ended the start: what fails then fails because of it, and is
    /// no news.
    func endIfLeaving() async {
        if isLeaving { await withUnsafeContinuation { (_: UnsafeContinuation<Void, Never>) in } }
    }

    /// Returns the plans with which it is to start again, and forgets them; nil if it was stopped for good.
    func takeNext() -> [RunningPlan]? { next.withLock { $0.take() } }

    func watched(_ work: @escaping @Sendable () async throws -> Void) async throws {
        // A log that nobody reads any more is no reason to end.
        signal(SIGPIPE, SIG_IGN)
        let signals = await UnixSignalsSequence(trapping: .sigterm, .sigint, .sigquit, .sighup)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { for await signal in signals { await self.heed(signal) } }
            defer { group.cancelAll() }
            do { try await work() } catch {
                await endIfLeaving()
                throw error
            }
        }
    }

    private func heed(_ signal: UnixSignal) async {
        if signal == .sighup { certificates?.reload(isAsked: true) }
        let current = phase.withLock { phase in
            let current = phase
            if case .starting = phase, signal != .sighup { phase = .leaving }
            return current
        }
        switch current {
        case .leaving: break
        case .starting where signal == .sighup:
            logger.notice("SIGHUP: plans are read while throng starts; once it has, send it again")
        case .running(let group, let sources, let stop) where signal == .sighup:
            guard !stop.isAnnounced else {
                return logger.notice("SIGHUP: a stop is near, and the plans are not read anew")
            }
            guard reload(beside: sources) else { return }
            manager?.say(.reloading)
            await group.triggerGracefulShutdown()
        case .running(let group, by: _, let stop):
            // A stop for good is not taken back by a reload that came before.
            next.withLock { $0 = nil }
            manager?.say(.stopping)
            guard drain > .zero, !stop.isAnnounced else { return await group.triggerGracefulShutdown() }
            stop.announce()
            logger.notice(
                "it stops soon, and /readyz says so; another signal stops it now", metadata: ["in": "\(drain)"])
            Task { [drain] in
                // Nobody cancels this task.
                try? await Task.sleep(for: drain)
                await group.triggerGracefulShutdown()
            }
        case .starting(let cluster):
            logger.notice("stopped during the start")
            await onOwnThread { [logger] () -> Void in
                leave(stopping: cluster, within: StopBudget.clusterSeconds, logger: logger)
            }
        }
    }

    /// Returns true if there are other plans to start with. It logs their changes, or why they can't be used.
    private func reload(beside sources: [RunningPlan]) -> Bool {
        guard let reread else {
            logger.notice("SIGHUP: these plans come from no files, so that nothing can be read anew")
            return false
        }
        let found: [RunningPlan]
        do {
            let reading = try reread()
            if !reading.changedSettings.isEmpty {
                logger.warning(
                    "SIGHUP: settings have changed that take a restart, and throng goes on by the former ones",
                    metadata: ["settings": "\(reading.changedSettings.joined(separator: " "))"])
            }
            found = reading.sources
        } catch {
            logger.error(
                "SIGHUP: a plan can't be used, or a setting, and throng goes on by what it has",
                metadata: ["error": "\(error)"])
            return false
        }
        guard found.map(\.bytes) != sources.map(\.bytes) else {
            logger.notice("SIGHUP: the plans say what they said, and nothing changes; other settings need a restart")
            return false
        }
        for source in found { say(source.plan, in: sources.first { $0.plan.app.name == source.plan.app.name }?.plan) }
        for gone in sources where !found.contains(where: { $0.plan.app.name == gone.plan.app.name }) {
            logger.warning("an app is served no more", metadata: ["app": "\(gone.plan.app.name)"])
        }
        next.withLock { $0 = found }
        return true
    }

    private func say(_ plan: Plan, in former: Plan?) {
        guard let former else { return logger.notice("an app is new", metadata: ["app": "\(plan.app.name)"]) }
        do {
            for change in try PlanDiff(from: former, to: plan, rules: .system).changes {
                logger.notice(
                    "the plan changes",
                    metadata: [
                        "app": "\(plan.app.name)", "kind": "\(change.kind.rawValue)", "what": "\(change.subject)",
                        "meaning": "\(change.meaning)",
                    ])
            }
        } catch { logger.warning("the plans can't be compared", metadata: ["error": "\(error)"]) }
    }
}

/// The result of a reload.
package struct PlanReading: Sendable {
    /// The plans, as their files are now.
    package let sources: [RunningPlan]
    /// The keys of settings that have changed since the start, and that only a start reads.
    package let changedSettings: [String]

    package init(sources: [RunningPlan], changedSettings: [String] = []) {
        (self.sources, self.changedSettings) = (sources, changedSettings)
    }
}

/// The service manager that started this process. It is told the process's state by datagrams to the Unix socket that
/// `NOTIFY_SOCKET` names, as systemd's sd_notify(3) has it.
///
/// Without a service manager nothing is sent, and a datagram that can't be sent holds nothing up.
package struct ServiceManager: Sendable {
    /// The socket's path, or a zero and an abstract name.
    private let address: [UInt8]

    package enum State: Sendable, Hashable {
        /// Clients get answers. The text is for people.
        case ready(String)
        /// It stops in order and goes on by other plans.
        case reloading
        case stopping
    }

    /// Nil if no service manager listens, or its socket's name is not valid.
    package init?(environment: [String: String]) {
        guard let name = environment["NOTIFY_SOCKET"], name.hasPrefix("/") || name.hasPrefix("@"),
            (2...SocketFile.longestPath).contains(name.utf8.count)
        else { return nil }
        address = name.hasPrefix("@") ? [0] + name.utf8.dropFirst() : Array(name.utf8)
    }

    package func say(_ state: State) {
        let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        var target = sockaddr_un()
        target.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &target.sun_path) { $0.copyBytes(from: address) }
        // An abstract name is as long as it is said to be; a path ends with a zero.
        let length = MemoryLayout<sa_family_t>.size + address.count + (address[0] == 0 ? 0 : 1)
        let text = Array(Self.text(of: state).utf8)
        withUnsafePointer(to: target) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { target in
                _ = sendto(descriptor, text, text.count, Int32(MSG_NOSIGNAL | MSG_DONTWAIT), target, socklen_t(length))
            }
        }
    }

    private static func text(of state: State) -> String {
        switch state {
        case .ready(let words): return "READY=1\nSTATUS=\(words)\n"
        case .stopping: return "STOPPING=1\nSTATUS=stops in order\n"
        case .reloading:
            var now = timespec()
            clock_gettime(CLOCK_MONOTONIC, &now)
            let microseconds = now.tv_sec * 1_000_000 + now.tv_nsec / 1000
            return "RELOADING=1\nMONOTONIC_USEC=\(microseconds)\nSTATUS=starts anew by other plans\n"
        }
    }
}

/// The time limits of a stop, whatever hangs: less than a minute in all, so that a service manager that waits for
/// longer never has to kill. The next start makes up for work that was cut off: releases and reports are due again, and
/// the journal keeps the counts that PostgreSQL does not have.
final class StopBudget: Sendable {
    /// The limit of questions to PostgreSQL for releases, reports, deliveries and pages.
    static let questions = Duration.seconds(5)
    static let requests = Duration.seconds(15)
    /// The limit of the last flush, from the answer to the last request.
    static let lastFlush = Duration.seconds(10)
    /// The limit of everything up to the last flush. Only the private PostgreSQL comes after it.
    static let untilFlushed = Duration.seconds(30)
    /// The limit of the private PostgreSQL. Unit: seconds.
    static let clusterSeconds = 25

    private let state = Mutex<(began: ContinuousClock.Instant?, isFlushed: Bool)>((nil, false))
    private let announced = Mutex(false)

    /// The time at which the stop began; now if it has not.
    var began: ContinuousClock.Instant { state.withLock { $0.began ?? .now } }
    var isFlushed: Bool { state.withLock { $0.isFlushed } }

    /// True if a stop is near, and clients that can go elsewhere should.
    var isAnnounced: Bool { announced.withLock { $0 } }
    func announce() { announced.withLock { $0 = true } }
    func begin() { state.withLock { $0.began = $0.began ?? .now } }
    func flushed() { state.withLock { $0.isFlushed = true } }
}

/// Hears of a stop before all others, and makes sure that it ends.
struct StopWatch: Service {
    let budget: StopBudget
    let cluster: PrivateCluster?
    let logger: Logger
    /// Cuts work short that nobody waits for.
    let onStop: @Sendable () -> Void

    func run() async throws {
        try await gracefulShutdown()
        budget.begin()
        onStop()
        // It has a thread of its own: work that hangs may hold those of the shared pool.
        Thread.detachNewThread { [self] in
            Thread.sleep(forTimeInterval: StopBudget.untilFlushed / .seconds(1))
            guard !budget.isFlushed else { return }
            logger.error("the stop took too long and is cut short; the journal keeps what PostgreSQL does not have")
            leave(stopping: cluster, within: StopBudget.clusterSeconds, logger: logger)
        }
    }
}

/// Hears of a stop once the last flush is over.
struct FlushMark: Service {
    let budget: StopBudget

    func run() async throws {
        try await gracefulShutdown()
        budget.flushed()
    }
}

/// A server whose requests have some time left once a stop has begun; then they are cut off.
struct BoundedServer: Service {
    let server: any Service
    let budget: StopBudget

    func run() async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await server.run() }
            group.addTask {
                try await gracefulShutdown()
                try await Task.sleep(until: budget.began + StopBudget.requests, clock: .continuous)
            }
            // The first of two ends it: the server has ended by itself, or its time is up.
            try await group.next()
            group.cancelAll()
        }
    }
}

/// Ends this process without waiting for anything but the private PostgreSQL. Blocks.
func leave(stopping cluster: PrivateCluster?, within seconds: Int, logger: Logger) -> Never {
    let isDone = DispatchSemaphore(value: 0)
    Task.detached {
        do {
            try await cluster?.stop(within: seconds)
        } catch { logger.error("the private PostgreSQL could not be stopped", metadata: ["error": "\(error)"]) }
        isDone.signal()
    }
    isDone.wait()
    _exit(0)
}
