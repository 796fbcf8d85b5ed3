internal import Foundation
internal import NIOCore
internal import NIOPosix
package import ThrongLoad

/// Posts prepared batches to a daemon over plain HTTP, at a rate of its own choosing or as fast as it is answered.
package struct LoadGenerator: Sendable {
    /// The options for sending a load.
    package struct Options: Sendable {
        /// Connections, each with one request under way at most.
        package var connections: Int
        /// Event loops, each a thread.
        package var threads: Int
        /// The time before the measured part; it is not part of any figure.
        package var warmUp: Duration
        /// The measured part.
        package var duration: Duration
        /// The longest time for which answers are waited for at the end.
        package var patience: Duration

        /// 64 connections on one thread, 2 seconds of warming up, 30 measured, 30 of patience.
        package init(
            connections: Int = 64, threads: Int = 1, warmUp: Duration = .seconds(2), duration: Duration = .seconds(30),
            patience: Duration = .seconds(30)
        ) {
            self.connections = connections
            self.threads = threads
            self.warmUp = warmUp
            self.duration = duration
            self.patience = patience
        }
    }

    /// The pace of requests.
    package enum Pace: Sendable {
        /// Each connection sends the next as soon as it has its answer. Latencies of such a run leave out what a client
        /// with a schedule would have waited.
        case asFastAsAnswered
        /// Due at instants that don't depend on answers. Unit: requests a second.
        case rate(Double, LoadSchedule.Spread)
    }

    private let host: String
    private let port: Int
    private let requests: PreparedRequests
    private let options: Options

    /// Prepares a load for `http://host:port/v1/batches`.
    package init(host: String, port: Int, batches: PreparedBatches, options: Options = Options()) {
        self.host = host
        self.port = port
        self.options = options
        let authority = host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
        requests = PreparedRequests(batches, host: authority, path: "/v1/batches")
    }

    /// Sends until the duration is over and everything is answered, or patience has ended.
    ///
    /// - Throws: ``LoadError/noServer(host:port:reason:)`` where connections can't be opened at the start.
    package func run(_ pace: Pace) async throws -> LoadTally {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: options.threads)
        let result: Result<LoadTally, any Error>
        do {
            result = .success(try await run(pace, on: group))
        } catch {
            result = .failure(error)
        }
        try await group.shutdownGracefully()
        return try result.get()
    }

    private func run(_ pace: Pace, on group: MultiThreadedEventLoopGroup) async throws -> LoadTally {
        let run = UInt64.random(in: .min ... .max)
        let whole = options.warmUp + options.duration
        let drivers = (0..<options.threads).map { place in
            let loop = group.next()
            let paceOfOne: LoadDriver.Pace =
                switch pace {
                case .asFastAsAnswered: .closed
                case .rate(let rate, let spread):
                    .open(
                        LoadSchedule(
                            rate: rate, duration: whole, spread: spread, seed: run, share: (place, options.threads)))
                }
            let settings = LoadDriver.Settings(
                requests: requests, run: run, place: place, drivers: options.threads,
                connections: max(1, options.connections / options.threads),
                warmUp: Int64(options.warmUp / .nanoseconds(1)), end: Int64(whole / .nanoseconds(1)),
                patience: TimeAmount(options.patience))
            return LoadDriver(on: loop, pace: paceOfOne, settings: settings) { driver in
                Self.connect(to: host, port, on: loop, for: driver)
            }
        }
        do {
            for driver in drivers { try await driver.prepare().get() }
        } catch {
            throw LoadError.noServer(host: host, port: port, reason: Self.reason(error))
        }
        let start = NIODeadline.now() + .milliseconds(50)
        let tallies = drivers.map { $0.run(from: start) }
        var sum = LoadTally()
        for tally in tallies { sum.add(try await tally.get()) }
        return sum
    }

    /// The system's word for why a connection could not be opened.
    private static func reason(_ error: any Error) -> String {
        let first = (error as? NIOConnectionError)?.connectionErrors.first?.error ?? error
        return (first as? IOError).map { String(cString: strerror($0.errnoCode)) } ?? "\(first)"
    }

    private static func connect(
        to host: String, _ port: Int, on loop: any EventLoop, for driver: LoadDriver
    ) -> EventLoopFuture<LoadConnection> {
        let connection = LoadConnection(driver: driver)
        return ClientBootstrap(group: loop)
            .channelOption(.tcpOption(.tcp_nodelay), value: 1)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(connection)
                }
            }
            .connect(host: host, port: port)
            .map { _ in connection }
    }
}
