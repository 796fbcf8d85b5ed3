internal import ThrongWire

extension Plan {
    var relayProblem: String? {
        guard app.relay != nil, !purposes.contains(where: { $0.transport == .oblivious }) else { return nil }
        return """
            'relay' is there and no purpose goes through it; delete it, or write 'transport: oblivious' in a purpose
            """
    }

    func transportProblem(_ purpose: Purpose) -> String? {
        guard app.relay == nil, purpose.transport == .oblivious else { return nil }
        return """
            'transport' is oblivious and the app names no relay to go through; add 'relay: \
            https://HOST' to the app, or write 'transport: direct'
            """
    }

    /// The names of purposes that go through the relay, in the plan's order.
    private var relayed: String {
        purposes.filter { $0.transport == .oblivious }.map(\.name.text).joined(separator: ", ")
    }

    // MARK: In words

    /// Returns a text for clients' users on the way that a purpose's events take; nil if devices send none.
    func transportText(of purpose: Purpose) -> String? {
        guard purpose.transport == .oblivious, let relay = app.relay else {
            return purpose.senders == .backends ? nil : "Your address is seen on arrival, and is not kept."
        }
        return """
            Sealed on your device and sent through \(relay.host), which knows your address and can't read it; here it can be \
            read, and your address is not seen. Nothing is taken that comes in another way.
            """
    }

    /// A text about the effect of the relay; nil if the app has none.
    var transportText: String? {
        guard let relay = app.relay else { return nil }
        return """
            The client seals what it sends for \(relayed) (RFC 9458) and sends it through the relay \(relay.host); the daemon \
            refuses what comes directly. So nobody here learns an address, as long as the relay belongs to somebody else and its \
            records are not put together with the daemon's.
            """
    }

    var relayPoints: [String] {
        app.relay.map {
            [
                """
                Who runs the relay \($0.host), which sees addresses and times, and by which contract. It has to be somebody who is \
                not told what the daemon learns.
                """
            ]
        } ?? []
    }
}
