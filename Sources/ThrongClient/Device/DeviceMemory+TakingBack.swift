internal import Foundation
internal import ThrongWire

extension DeviceMemory {
    /// Notes the identifier that a batch goes under; without one there is nothing to take back.
    mutating func use(_ batch: Outstanding, of purpose: DevicePlan.Purpose) {
        guard purpose.hasIdentifiers else { return }
        let place = RotationWindow(window: batch.window, rotation: purpose.rotation)
        if !purpose.countsChildren {
            takingBack.use(
                UsedIdentifier(
                    place: place, mark: mark(of: purpose.name), isSealed: batch.isSealed, attested: batch.attested),
                for: purpose.name)
        } else if let id = batch.identifier {
            takingBack.use(PassingIdentifier(place: place, id: id, isSealed: batch.isSealed), for: purpose.name)
        }
    }

    /// Notes the identifier of a batch that may have arrived, if its secret may go with the process.
    mutating func useOutstanding(of purpose: DevicePlan.Purpose) {
        guard purpose.countsChildren, let batch = outstanding[purpose.name], batch.mayHaveArrived else { return }
        use(batch, of: purpose)
    }

    /// Notes that the daemon is to take back what was sent for a purpose, as far as its windows are open. Each
    /// withdrawal waits a while of its own, so that their times don't link them. Nothing is noted if nothing was sent.
    ///
    /// - Parameters:
    ///   - app: the app that the purpose belongs to.
    ///   - purpose: nil if the plan does not have it any more.
    ///   - wait: the time that they wait about, half to one and a half times as long. Unit: seconds.
    mutating func takeBack(
        _ name: String, _ purpose: DevicePlan.Purpose?, of app: String, now: UnixSeconds, wait: Double,
        random: inout RandomSource
    ) {
        // These firsts would prove what is taken back, or is nobody's business any more; whoever agrees again may prove
        // them then.
        firsts.forget(pendingFirsts.filter { $0.purpose == name }.map(\.mark))
        pendingFirsts.removeAll { $0.purpose == name }
        if let purpose { useOutstanding(of: purpose) }
        let (used, passing) = takingBack.takeUsed(of: name)
        let identifiers =
            used.map {
                PassingIdentifier(
                    place: $0.place,
                    id: $0.attested ?? identifier(purpose: name, window: $0.place.window, mark: $0.mark),
                    isSealed: $0.isSealed)
            } + passing
        guard !identifiers.isEmpty else { return }
        if let last = used.last(where: { $0.attested != nil }) { takingBack.spend(last.place, of: name) }
        let withdrawals = identifiers.compactMap { identifier in
            OwedWithdrawal(
                identifier, purpose: name, app: app,
                due: now + Int64(wait * Double.random(in: 0.5...1.5, using: &random)), random: &random)
        }
        takingBack.tell(withdrawals, of: name)
        // The amounts that were added are forgotten, so that another identifier may add as much.
        sent[name] = nil
        recorded[name] = nil
    }
}

extension OwedWithdrawal {
    fileprivate init?(
        _ identifier: PassingIdentifier, purpose: String, app: String, due: UnixSeconds, random: inout RandomSource
    ) {
        let request = WithdrawRequest(
            app: app, purpose: purpose, window: identifier.place.window, id: identifier.id)
        // Names and numbers can always be written.
        guard let body = try? request.sentText else { return nil }
        self.body = body
        id = BatchID(high: random.next(), low: random.next()).description
        self.purpose = purpose
        place = identifier.place
        self.due = due
        isSealed = identifier.isSealed
    }
}

extension Outstanding {
    /// The identifier under which it goes.
    fileprivate var identifier: String? {
        struct Named: Decodable { let id: String }
        // The library wrote it, so that it can be read.
        return (try? JSONDecoder().decode(Named.self, from: Data(body.utf8)))?.id
    }
}
