public import Foundation
public import ThrongWire

/// The choices of an app about its ``Throng``. Everything has a default.
public struct ThrongOptions: Sendable {
    /// Fields that all events share, such as `os` and `app_version`; only what the plan names is used.
    public var context: [String: EventValue]
    /// The app key that goes with each batch, where the daemon's operator has made one; it is no secret.
    public var key: String?
    /// True if the app is not in people's hands, such as a debug build, a test or TestFlight: the daemon checks and answers
    /// what it sends, and counts nothing of it. What a test notes on the device and what others note is kept apart, too.
    public var isTest = false
    /// Makes identifiers that nobody can invent, for purposes whose plan counts proved devices; `DeviceCredentials` of the product
    /// `ThrongAttestation` is one. Without it, such purposes count what the device does and not that it is one more.
    public var identifiers: (any IdentifierSource)?
    /// The opt-out signals that are set when the library starts; see ``Throng/setSignals(_:)``.
    public var signals: Set<OptOutSignal>
    /// True if the person is known to be grown up when the library starts; see ``Throng/setGrownUp(_:)``.
    public var isGrownUp = false
    /// The answer of `GET /v1/plan/APP`, shipped with the app for its first start without a network.
    public var bundledPlan: Data?
    /// The gateway's lasting key, 32 bytes in base64, if the app knows it: as `Throng-Gateway` in the answer of
    /// `GET /v1/plan/APP`. Unless given, it is learned with the first plan. Requests that the plan wants sealed are
    /// sealed only with keys that this one vouches for.
    public var gatewayKey: String?
    /// Blinds values of open vocabularies where the plan names an evaluator: `ValueBlinder` of the product
    /// `ThrongAttestation`. Without it such values stay on the device, and their events count as `other`.
    public var blinding: (any ValueBlinding)?
    /// The evaluator's key, if the app knows it: what `throng evaluator --public-key` prints there. If the plan names
    /// another one, or none, values of open vocabularies stay on the device. Unless given, the plan's is believed.
    public var evaluatorKey: String?
    /// True if batches are sent without ``Throng/flush()``, and the plan is asked for once in ``planAge``; if false, call
    /// ``Throng/refreshPlan()`` as often: a new version of consent is learned by it.
    public var sendsByItself = true
    /// The time that events wait for others; each wait is half to one and a half times as long, at random.
    /// Unit: seconds.
    public var interval: Double = 60
    /// The longest that ``Throng/flush()`` waits between the batches of two purposes; each wait is random.
    /// Unit: seconds.
    public var gap: Double = 2
    /// The longest that an event waits to be sent; the daemon takes none that is older than 48 hours. Unit: seconds.
    public var ageLimit: Int64 = 47 * 3600
    /// The most different events that may wait; beyond it the oldest goes.
    public var queueLimit = 1000
    /// The most events that one batch holds. At most 1000.
    public var batchLimit = 200
    /// The number of batches that ``Throng/sent`` remembers.
    public var logLimit = 200
    /// The time for which a plan is used without asking for a newer one. Unit: seconds.
    public var planAge: Int64 = 24 * 3600
    /// Takes what an app's developer should know, such as dropped events; it is called on the library's own queue. In debug
    /// builds it writes to the standard error, each event and reason once, unless an app has something else in mind.
    public var notice: (@Sendable (ThrongNotice) -> Void)?
    /// The languages in which the person reads the plan's texts, best first, as BCP 47 names them: `de-AT`. Others than such are
    /// passed over. Unless given, the system's.
    public var languages = Locale.preferredLanguages
    /// Translates a purpose's explanation: from its key, `throng.purpose.NAME`, and the plan's own words in the
    /// language that serves the person best.
    public var localize: @Sendable (_ key: String, _ words: String) -> String = { _, words in words }

    /// True if the app was built for debugging, as by `swift run`, by `swift test` and by Xcode's Run.
    public static var isDebugBuild: Bool {
        #if DEBUG
            true
        #else
            false
        #endif
    }

    /// Starts with the defaults.
    public init(
        context: [String: any EventValueConvertible] = [:], signals: Set<OptOutSignal> = [], bundledPlan: Data? = nil
    ) {
        self.context = context.mapValues(\.eventValue)
        self.signals = signals
        self.bundledPlan = bundledPlan
        #if DEBUG
            notice = NoticePrinter.shared.say
        #endif
    }

    /// The same within bounds in which all arithmetic holds: whatever an app writes must not stop it.
    var checked: ThrongOptions {
        var options = self
        options.interval = interval.isFinite ? min(max(interval, 0), 86_400) : 60
        options.gap = gap.isFinite ? min(max(gap, 0), 3600) : 2
        options.ageLimit = min(max(ageLimit, 0), 48 * 3600)
        options.queueLimit = min(max(queueLimit, 1), 100_000)
        options.batchLimit = min(max(batchLimit, 1), 1000)
        options.logLimit = min(max(logLimit, 1), 100_000)
        options.planAge = min(max(planAge, 0), 400 * 86_400)
        // Nothing is proved of what counts into nothing.
        if isTest { options.identifiers = nil }
        return options
    }
}

/// The state that a ``Throng`` finds when it starts.
struct Start {
    let plan: DevicePlan?
    let stored: StoredPlan
    /// The plan that was followed before, where a bundled one takes its place.
    let former: DevicePlan?
    /// True if the daemon has to be asked before anything is sent under this plan.
    let isUnconfirmed: Bool
    let consents: Consents
    let memory: DeviceMemory
    var notices: [ThrongNotice] = []

    /// Reads what is stored.
    ///
    /// - Parameter isTest: true if the device's memory is a test's.
    /// - Throws: ``ThrongError`` if the storage can't be used, or the only plan that there is can't be followed.
    init(_ source: PlanSource, storage: AppStorage, bundled: Data?, isTest: Bool) throws(ThrongError) {
        let kept = Self.plan(in: storage, for: source)
        let empty = StoredPlan(document: Data(), tag: nil, unixSeconds: .epoch, address: source.address)
        if let bundled, kept.map({ !$0.stored.hasFollowed(bundled) }) ?? true {
            do throws(ThrongError) {
                plan = try source.read(bundled)
                stored = (kept?.stored ?? empty).with(bundled, tag: nil, unixSeconds: .epoch)
            } catch {
                guard let kept else { throw error }
                plan = kept.plan
                stored = kept.stored
                notices.append(.noPlan(error))
            }
        } else {
            plan = kept?.plan
            stored = kept?.stored ?? empty
        }
        let isReplaced = kept != nil && kept?.stored.document != stored.document
        former = isReplaced ? kept?.plan : nil
        isUnconfirmed = isReplaced
        if let found = ConsentDocument.read(from: storage, for: source.address) {
            consents = found.consents
            if found.isLost { notices.append(.consentLost) }
            // If the disk does not allow it now, the next start binds them to this device.
            if found.isUnbound { try? ConsentDocument.write(found.consents, to: storage, for: source.address) }
        } else {
            // Nobody is asked if a refusal could not be kept.
            consents = Consents()
            do {
                try ConsentDocument.write(consents, to: storage, for: source.address)
            } catch { throw .storage("What a person says could not be kept in the directory; the disk may be full.") }
        }
        let memory = try Self.memory(in: storage, for: source, isTest: isTest)
        self.memory = memory.memory
        if let notice = memory.notice { notices.append(notice) }
        // The plan is kept for a start without a network, and to know later what was followed.
        if kept?.stored.document != stored.document, plan != nil { Throng.keep(stored, in: storage) }
    }

    /// The plan that is on disk, if it is this address's and can be followed.
    private static func plan(
        in storage: AppStorage, for source: PlanSource
    ) -> (plan: DevicePlan, stored: StoredPlan)? {
        do {
            guard let data = try storage.read(Throng.planName) else { return nil }
            let stored = try JSONDecoder().decode(StoredPlan.self, from: data)
            guard stored.address == source.address else { return nil }
            return (try source.read(stored.document), stored)
        } catch {
            // Damaged, or written by another version: the daemon has it.
            return nil
        }
    }

    /// Returns the device's memory; a new one if there is none of this device, daemon and kind.
    private static func memory(
        in storage: AppStorage, for source: PlanSource, isTest: Bool
    ) throws(ThrongError) -> (memory: DeviceMemory, notice: ThrongNotice?) {
        let new = DeviceMemory(address: source.memoryAddress(isTest: isTest))
        let data: Data?
        do { data = try storage.read(AppStorage.memoryName) } catch is SealError {
            try start(new, in: storage)
            return (new, .anotherDevice)
        } catch {
            // Starting anew over a memory that is there would make this a second device.
            throw error as? ThrongError ?? ThrongError.storage("What was stored could not be read.")
        }
        guard let data else {
            // A missing document of consents is, from now on, one that was taken away.
            try start(new, in: storage)
            return (new, nil)
        }
        do {
            let memory = try JSONDecoder().decode(DeviceMemory.self, from: data)
            guard memory.address != new.address else { return (memory, nil) }
            for place in memory.log { try storage.remove(Throng.logName(place)) }
            return (new, nil)
        } catch { return (new, .memoryLost) }
    }

    /// Writes the first memory of a device; a log that is there is none of its.
    private static func start(_ memory: DeviceMemory, in storage: AppStorage) throws(ThrongError) {
        do {
            try storage.removeLog()
            try storage.replace(AppStorage.memoryName, with: try JSONEncoder().encode(memory))
        } catch { throw .storage("Nothing could be written to the directory; the disk may be full.") }
    }
}
