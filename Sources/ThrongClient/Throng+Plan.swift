internal import Foundation
internal import ThrongWire

extension Throng {
    static let planName = "plan.json"

    /// Waits until there is a plan, such as before a consent screen is shown: returns at once if one is stored or
    /// bundled, and asks the daemon otherwise.
    ///
    /// - Throws: ``ThrongError/noPlan(_:)`` or ``ThrongError/plan(_:)``, which say what the daemon answered. Records go
    ///   on waiting, and the daemon is asked again.
    public func loadPlan() async throws(ThrongError) {
        guard plan == nil else { return }
        try await askForPlan()
    }

    /// Asks the daemon whether there is a newer plan, and follows it from now on.
    ///
    /// - Returns: whether the daemon was asked and has a plan that can be followed; the old one stays otherwise, and
    ///   ``status`` says why.
    @discardableResult public func refreshPlan() async -> Bool {
        do throws(ThrongError) {
            try await askForPlan()
            return true
        } catch { return false }
    }

    /// True if the daemon is to be asked for its plan before anything is sent.
    var needsPlan: Bool {
        // The daemon says with its plan who the gateway is.
        plan == nil || isUnconfirmed || asksForEvents || plan?.relay != nil && gateway == nil
    }

    private func askForPlan() async throws(ThrongError) {
        let generation = generation
        do throws(PlanFailure) {
            let (answer, date) = try await fetch()
            guard generation == self.generation, !isShut else { throw .noPlan("everything was forgotten meanwhile.") }
            if let date { setClockRight(date) }
            memory.takingBack.forgetOver(at: now)
            if answer.document != stored.document || plan == nil { try follow(answer.document) }
            stored = answer
            Self.keep(stored, in: storage)
            planProblem = nil
            planFailures = 0
            isUnconfirmed = false
            takeHeld()
            dropRefused()
        } catch {
            planProblem = error.error
            planFailures += 1
            if plan == nil { options.notice?(.noPlan(error.error)) }
            // A daemon that answers has no newer plan; one that does not may have one.
            if error.isFinal { takeHeld() }
            persist()
            throw error.error
        }
    }

    private func follow(_ document: Data) throws(PlanFailure) {
        let newer: DevicePlan
        do throws(ThrongError) {
            newer = try source.read(document)
        } catch {
            throw PlanFailure(error: error, isFinal: true)
        }
        drain()
        if let old = plan { memory.follow(newer, after: old, queueLimit: options.queueLimit) }
        plan = newer
        isSaved = false
    }

    /// Goes by the daemon's clock if the device's is wrong, and moves waiting events to when they happened.
    private func setClockRight(_ date: UnixSeconds) {
        drain()
        let shift = memory.correction.learn(date, at: Self.now(of: clock))
        guard shift != 0 else { return }
        if let plan { memory.move(by: shift, in: plan.calendar, now: now) }
        memory.takingBack.follow(clock: now)
        due = [:]
        nextRefresh = now + options.planAge
        isSaved = false
    }

    /// The reason why a plan could not be had.
    private struct PlanFailure: Error {
        let error: ThrongError
        /// True if the daemon, or something in its place, has answered that there is none.
        let isFinal: Bool

        static func noPlan(_ reason: String, isFinal: Bool = false) -> PlanFailure {
            PlanFailure(error: .noPlan(reason), isFinal: isFinal)
        }
    }

    /// Asks the daemon for its plan, and what time it is there.
    private func fetch() async throws(PlanFailure) -> (plan: StoredPlan, date: UnixSeconds?) {
        var headers = ["Accept": "application/json"]
        // A device that has a relay and knows the gateway asks through it, too. It asks at times that batches give
        // away, such as when one is refused, and its address would be that batch's.
        let isSealed = plan?.relay != nil && gateway != nil
        // Sealed without the tag, which could be one of the device's own.
        if plan != nil, !isSealed, let tag = stored.tag { headers["If-None-Match"] = tag }
        let now = now
        let response: ClientResponse
        do throws(TransportFailure) {
            let request = ClientRequest(
                method: "GET", url: source.plan, headers: headers, body: Data(), answerLimit: PlanSource.longestPlan)
            response = isSealed ? try await sendSealed(request) : try await transport.send(request)
        } catch { throw .noPlan("the daemon could not be reached.") }
        // A cache on the way says for how long it kept the answer (RFC 9111, section 5.1).
        let age = response.headers["age"].flatMap { Int64($0) } ?? 0
        let date = response.headers["date"].flatMap { UnixSeconds(httpDate: $0) }.map { $0 + min(max(age, 0), 86_400) }
        switch response.status {
        case 200:
            var newer = stored.with(response.body, tag: isSealed ? nil : response.headers["etag"], unixSeconds: now)
            newer.gateway = response.headers[GatewayIdentity.header] ?? newer.gateway
            return (newer, date)
        case 304 where headers["If-None-Match"] != nil:
            var same = stored
            same.unixSeconds = now
            same.gateway = response.headers[GatewayIdentity.header] ?? same.gateway
            return (same, date)
        case 404: throw .noPlan("the daemon has none for the app \(source.app) (404).", isFinal: true)
        case 300..<400:
            let lead = "the request was led elsewhere (\(response.status))"
            throw .noPlan("\(lead), as networks do that ask people to sign in.")
        case 500...: throw .noPlan("the daemon, or what stands before it, is out of order (\(response.status)).")
        default: throw .noPlan("the answer was \(response.status).", isFinal: true)
        }
    }

    /// Keeps a plan for a start without a network.
    static func keep(_ plan: StoredPlan, in storage: AppStorage) {
        // If the disk is full, that start will have to wait for one.
        try? storage.replace(planName, with: JSONEncoder().encode(plan))
    }
}
