internal import ThrongWire

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

extension Throng {
    static let planName = "plan.json"
    static let memoryName = "memory.json"

    /// Asks the daemon whether there is a newer plan, and follows it from now on.
    ///
    /// - Returns: whether the daemon was asked and has a plan that can be followed; the old one stays otherwise.
    @discardableResult
    public func refreshPlan() async -> Bool {
        let generation = generation
        let answer: (plan: StoredPlan, date: Int64?)?
        do {
            answer = try await Self.fetch(source, transport: transport, known: stored, now: now)
        } catch {
            return false
        }
        guard let (answer, date) = answer, generation == self.generation else { return false }
        if let date { setClockRight(date) }
        if answer.document != stored.document {
            do {
                let newer = try PlanSource.read(answer.document)
                // Another app's plan would count this app's events as that one's.
                guard newer.published.app == plan.published.app else { return false }
                drain()
                plan = newer
                dropRefused()
            } catch {
                return false
            }
        }
        stored = answer
        Self.keep(stored, in: storage)
        return true
    }

    /// Goes by the daemon's clock where the device's is wrong, and moves what waits to when it happened.
    ///
    /// - Returns: by how much the time has changed. Unit: seconds.
    @discardableResult
    func setClockRight(_ date: Int64) -> Int64 {
        drain()
        let shift = memory.correction.learn(date, at: Self.now(of: clock))
        guard shift != 0 else { return 0 }
        memory.move(by: shift, in: plan.calendar)
        due = [:]
        nextRefresh = now + options.planAge
        isSaved = false
        return shift
    }

    /// The plan that is on disk, if it can be followed.
    static func storedPlan(in storage: any ClientStorage) -> (plan: DevicePlan, stored: StoredPlan, date: Int64?)? {
        do {
            guard let data = try storage.read(planName) else { return nil }
            let stored = try JSONDecoder().decode(StoredPlan.self, from: data)
            return (try PlanSource.read(stored.document), stored, nil)
        } catch {
            // Damaged, or written by another version: the daemon has it.
            return nil
        }
    }

    /// The daemon's plan, or else the one that the app bundles.
    static func firstPlan(
        _ source: PlanSource, storage: any ClientStorage, transport: any ClientTransport, now: Int64, bundled: Data?
    ) async throws -> (plan: DevicePlan, stored: StoredPlan, date: Int64?) {
        if let bundled {
            // Without waiting for a network; a newer one is asked for later.
            let plan = try PlanSource.read(bundled)
            return (plan, StoredPlan(document: bundled, tag: nil, unixSeconds: 0), nil)
        }
        guard let (fetched, date) = try await fetch(source, transport: transport, known: nil, now: now) else {
            throw ThrongError.noPlan("the daemon has none for this app.")
        }
        let plan = try PlanSource.read(fetched.document)
        keep(fetched, in: storage)
        return (plan, fetched, date)
    }

    /// What the device remembers; a new memory where there is none, or it is damaged.
    static func storedMemory(in storage: any ClientStorage, random: inout RandomSource) throws -> DeviceMemory {
        let data: Data?
        do {
            data = try storage.read(memoryName)
        } catch {
            // Starting anew over a memory that is there would make this a second device.
            throw error as? ThrongError ?? ThrongError.storage("What was stored could not be read.")
        }
        guard let data else { return DeviceMemory(random: &random) }
        do {
            return try JSONDecoder().decode(DeviceMemory.self, from: data)
        } catch {
            return DeviceMemory(random: &random)
        }
    }

    /// Asks the daemon for its plan, and what time it is there; nil where it has no plan for the app, or its answer is none.
    private static func fetch(
        _ source: PlanSource, transport: any ClientTransport, known: StoredPlan?, now: Int64
    ) async throws -> (plan: StoredPlan, date: Int64?)? {
        var headers = ["Accept": "application/json"]
        if let tag = known?.tag { headers["If-None-Match"] = tag }
        let response: ClientResponse
        do {
            response = try await transport.send(
                ClientRequest(
                    method: "GET", url: source.plan, headers: headers, body: Data(),
                    answerLimit: PlanSource.longestPlan))
        } catch {
            throw ThrongError.noPlan("the daemon could not be reached.")
        }
        // Whoever kept the answer on the way says for how long (RFC 9111, section 5.1).
        let age = response.headers["age"].flatMap { Int64($0) } ?? 0
        let date = response.headers["date"].flatMap(DaemonAnswer.unixSeconds).map { $0 + min(max(age, 0), 86_400) }
        switch response.status {
        case 200:
            return (StoredPlan(document: response.body, tag: response.headers["etag"], unixSeconds: now), date)
        case 304:
            guard var known else { return nil }
            known.unixSeconds = now
            return (known, date)
        default:
            return nil
        }
    }

    /// Keeps a plan for a start without a network; where the disk is full, that start will have to wait for one.
    private static func keep(_ plan: StoredPlan, in storage: any ClientStorage) {
        do {
            try storage.replace(planName, with: try JSONEncoder().encode(plan))
        } catch {
            return
        }
    }
}
