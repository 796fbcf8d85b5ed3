package import ThrongPlan
package import ThrongReport
package import ThrongStore
package import ThrongSystem

/// Brings made reports to where they go, each file once as far as the other side lets one know: what was acknowledged
/// is written down at once, and what may have arrived is sent again under the same idempotency key.
package struct DeliveryQueue: Sendable {
    package let store: DeliveryStore
    let folder: String
    let options: DeliveryOptions
    /// Writes files into a folder, on a thread of its own.
    package var write: @Sendable (ReportFiles, ReportFolder) throws -> [String] = { try $1.deliver($0) }

    package var traces = Traces.off

    package init(store: DeliveryStore, folder: String, options: DeliveryOptions) {
        self.store = store
        self.folder = folder
        self.options = options
    }

    /// A try that is over.
    package struct Outcome: Sendable {
        package let claim: DeliveryClaim
        /// The reason why it failed; nil where everything arrived.
        package let fault: String?
        /// The time at which it is tried again; nil where it is over for good.
        package let retryAt: UnixSeconds?
        /// The paths or addresses of the files that arrived.
        package let arrived: [String]
    }

    /// Tries what is due, of one run or of all of the app, one after another, until nothing is.
    package func work(
        app: AppName, run: ReportRunName? = nil, foldersOnly: Bool, now: @Sendable () -> UnixSeconds,
        over: (Outcome) -> Void
    ) async throws {
        while let claim = try await store.claimDelivery(
            app: app, run: run, foldersOnly: foldersOnly, lease: options.lease, now: now())
        {
            guard let outcome = try await attempt(claim, now: now) else { continue }
            over(outcome)
        }
    }

    /// Nil where another process has taken the delivery over.
    package func attempt(_ claim: DeliveryClaim, now: @Sendable () -> UnixSeconds) async throws -> Outcome? {
        var arrived: [String] = []
        var fault: String?
        let span = traces.begin(.delivery)
        span?.say(.app, claim.run.app.text)
        span?.say(.report, claim.run.report.text)
        span?.say(.attempts, Int(claim.attempt))
        defer { span?.end(failed: fault != nil) }
        do {
            arrived = try await deliver(claim, now: now)
        } catch let error as PostgresError {
            // Nothing can be written down now: once the lease is over, the delivery goes on where it was.
            throw error
        } catch is TakenOver {
            return nil
        } catch {
            fault = "\(error)"
        }
        let retryAt = fault == nil ? nil : options.retry(after: claim.attempt, now: now())
        guard try await store.finish(claim, error: fault, retryAt: retryAt, now: now()) else { return nil }
        return Outcome(claim: claim, fault: fault, retryAt: retryAt, arrived: arrived)
    }

    private struct TakenOver: Error {}

    private func deliver(_ claim: DeliveryClaim, now: @Sendable () -> UnixSeconds) async throws -> [String] {
        let stored = try await store.files(of: claim.run)
        guard !stored.isEmpty else { throw DeliveryFault.noFiles }
        let files = stored.map { ReportFile(name: $0.name, bytes: $0.contents) }
        switch Delivery(target: claim.target, authorization: claim.authorization) {
        case .folder(let path):
            let place = ReportFolder(named: path, in: folder)
            let report = ReportFiles(files)
            try await extend(claim, now())
            let paths = try await onOwnThread { [write] in try write(report, place) }
            for file in stored { try await note(file.place, nil, claim, now()) }
            return paths
        case .http(let target):
            let known = try await store.arrived(claim)
            let sender = FileSender(options: options)
            for (place, file) in zip(stored.map(\.place), files) where !known.contains(place) {
                let key = FileSender.key(of: file, within: claim.idempotencyKey)
                try await extend(claim, now())
                let status = try await sender.send(file, to: target, key: key)
                try await note(place, status, claim, now())
            }
            return files.map { target.method == .put ? target.url + $0.name : target.url }
        case nil:
            throw DeliveryFault.unknownTarget
        }
    }

    /// Extends the lease of a try. One whose lease another process has taken over sends nothing, whatever held it up.
    private func extend(_ claim: DeliveryClaim, _ now: UnixSeconds) async throws {
        guard try await store.extend(claim, lease: options.lease, now: now) else { throw TakenOver() }
    }

    private func note(_ place: Int, _ status: Int?, _ claim: DeliveryClaim, _ now: UnixSeconds) async throws {
        guard
            try await store.noteArrival(of: place, status: status, by: claim, lease: options.lease, now: now)
        else { throw TakenOver() }
    }
}
