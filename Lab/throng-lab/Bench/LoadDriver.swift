internal import NIOCore
internal import ThrongLoad

/// Sends one event loop's share of a load and notes what becomes of it.
///
/// Unchecked: everything happens on its event loop; others only call ``run(from:)``, which goes there first.
final class LoadDriver: @unchecked Sendable {
    /// The spacing of a run's requests.
    enum Pace {
        /// The next as soon as there is an answer: what the server takes at most.
        case closed
        case open(LoadSchedule)
    }

    /// The settings of one driver.
    struct Settings {
        let requests: PreparedRequests
        let run: UInt64
        /// Tells drivers of one run apart: batches are numbered in turn.
        let place: Int
        let drivers: Int
        let connections: Int
        /// Not measured. Unit: nanoseconds.
        let warmUp: Int64
        /// Unit: nanoseconds from the start.
        let end: Int64
        let patience: TimeAmount
    }

    private let eventLoop: any EventLoop
    private let settings: Settings
    private let connect: (LoadDriver) -> EventLoopFuture<LoadConnection>
    /// Promised by ``run(from:)``.
    private var done: EventLoopPromise<LoadTally>?
    private var pace: Pace
    private var start = NIODeadline.now()
    private var tally = LoadTally()
    private var number: UInt64
    private var idle: [LoadConnection] = []
    private var busy = 0
    /// Requests that were due while no connection was free. Unit: nanoseconds from the start.
    private var backlog = CircularBuffer<Int64>()
    private var next: Int64?
    private var isOver = false
    private var isFinished = false

    init(
        on eventLoop: any EventLoop, pace: Pace, settings: Settings,
        connect: @escaping (LoadDriver) -> EventLoopFuture<LoadConnection>
    ) {
        self.eventLoop = eventLoop
        self.pace = pace
        self.settings = settings
        self.connect = connect
        number = UInt64(settings.place)
    }

    /// Opens the connections; fails where one can't be opened.
    func prepare() -> EventLoopFuture<Void> {
        eventLoop.flatSubmit { [self] in
            let all = (0..<settings.connections).map { _ in
                connect(self).map { self.idle.append($0) }
            }
            return EventLoopFuture.andAllSucceed(all, on: eventLoop)
        }
    }

    /// Sends from that instant on; the tally comes once all is answered, or patience has ended.
    func run(from start: NIODeadline) -> EventLoopFuture<LoadTally> {
        let promise = eventLoop.makePromise(of: LoadTally.self)
        eventLoop.scheduleTask(deadline: start) { [self] in
            self.start = start
            done = promise
            switch pace {
            case .closed:
                while let connection = idle.popLast() { sendNext(on: connection) }
                eventLoop.scheduleTask(deadline: start + .nanoseconds(settings.end)) { self.finishSending() }
            case .open(var schedule):
                next = schedule.next()
                pace = .open(schedule)
                tick()
            }
        }
        return promise.futureResult
    }

    // MARK: Sending

    private func elapsed() -> Int64 { (NIODeadline.now() - start).nanoseconds }

    /// Sends everything that is due and comes back when the next is.
    private func tick() {
        guard !isFinished, case .open(var schedule) = pace else { return }
        let now = elapsed()
        while let due = next, due <= now {
            if due >= settings.warmUp { tally.requests += 1 }
            if let connection = idle.popLast() {
                if due >= settings.warmUp { LoadTally.record(elapsed() - due, in: &tally.lateness) }
                send(on: connection, due: due)
            } else {
                if due >= settings.warmUp { tally.waited += 1 }
                backlog.append(due)
            }
            next = schedule.next()
        }
        pace = .open(schedule)
        if let next {
            eventLoop.scheduleTask(deadline: start + .nanoseconds(next)) { self.tick() }
        } else {
            finishSending()
        }
    }

    private func send(on connection: LoadConnection, due: Int64) {
        busy += 1
        let number = number
        self.number += UInt64(settings.drivers)
        connection.send(number, of: settings.requests, run: settings.run, due: due)
    }

    /// Sends where answers bring on requests: now is when it is due.
    private func sendNext(on connection: LoadConnection) {
        let due = elapsed()
        if due >= settings.warmUp { tally.requests += 1 }
        send(on: connection, due: due)
    }

    private func take(_ connection: LoadConnection) {
        if let due = backlog.popFirst() {
            send(on: connection, due: due)
        } else if case .closed = pace, !isOver {
            sendNext(on: connection)
        } else {
            idle.append(connection)
            finishIfIdle()
        }
    }

    // MARK: What comes back

    func answered(_ connection: LoadConnection, _ response: ResponseReader.Response, due: Int64) {
        busy -= 1
        let now = elapsed()
        if due >= settings.warmUp {
            tally.statuses[response.status, default: 0] += 1
            LoadTally.record(now - due, in: &tally.latency)
        }
        if response.status == 202 {
            if due >= settings.warmUp {
                tally.acceptedEvents += response.acceptedEvents
                tally.sentEvents += settings.requests.batches.events
            }
            // The rate counts answers that come within the measured part, whenever their requests were due.
            if now >= settings.warmUp, now < settings.end { tally.inTime += 1 }
        }
        if response.keepsAlive { take(connection) } else { finishIfIdle() }
    }

    /// A connection has ended; another takes its place.
    func lost(_ connection: LoadConnection, due: Int64?) {
        guard !isFinished else { return }
        if due != nil { busy -= 1 }
        idle.removeAll { $0 === connection }
        reconnect(after: .milliseconds(10))
        finishIfIdle()
    }

    private func reconnect(after pause: TimeAmount) {
        guard !isFinished else { return }
        eventLoop.scheduleTask(in: pause) { [self] in
            guard !isFinished else { return }
            connect(self).whenComplete { result in
                switch result {
                case .success(let connection): self.take(connection)
                case .failure: self.reconnect(after: .milliseconds(100))
                }
            }
        }
    }

    // MARK: The end

    private func finishSending() {
        guard !isOver else { return }
        isOver = true
        eventLoop.scheduleTask(in: settings.patience) { self.finish() }
        finishIfIdle()
    }

    private func finishIfIdle() {
        if isOver, busy == 0, backlog.isEmpty { finish() }
    }

    private func finish() {
        guard !isFinished else { return }
        isFinished = true
        // Those that were never sent too: whoever asked for the rate would wait for them still.
        tally.unanswered = tally.requests - tally.statuses.values.reduce(0, +)
        tally.seconds = Double(settings.end - settings.warmUp) / 1e9
        done?.succeed(tally)
    }
}
