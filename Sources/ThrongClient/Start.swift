internal import Foundation
internal import ThrongWire

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
            } catch {
                throw .storage("What a person says could not be kept in the directory; the disk may be full.")
            }
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
