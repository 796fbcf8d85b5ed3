package import ThrongWire

/// The app that a plan counts for.
package struct App: Sendable, Hashable {
    /// What clients send as `app`.
    package let name: AppName
    /// What people call it.
    package internal(set) var title: String
    /// Who answers for the plan inside the house.
    package let owner: String
    /// Whom the public may ask: a mail address or a page.
    package let contact: String
    /// Expected audience, in devices per day; the linter weighs k and the cubes against it.
    package let audience: Int
    /// How many devices a published number stands for, unless a metric asks for more.
    package let threshold: Threshold
    /// Where the app's days begin: a name from the IANA time zone database.
    package let timeZone: String
    /// How long after a period's end its release waits for late events.
    package let grace: Duration
    /// Whether children use it.
    package let directedTo: DirectedTo
    /// Through which relay oblivious purposes go; nil where there is none.
    package let relay: RelayAddress?
    /// Who evaluates the values of revealed dimensions before they are hashed; nil where nobody does.
    package let evaluator: Evaluator?
    /// Whether clients need a key.
    package let keys: KeyRule

    /// Whether clients need a key, by which an operator can tell them apart and turn some of them away.
    package enum KeyRule: String, Sendable, Hashable, CaseIterable {
        /// Who sends one needs one that is good; who sends none needs none.
        case optional
        /// Each needs one that is good.
        case required
    }

    /// Puts the app's part of a plan together.
    package init(
        name: AppName,
        title: String,
        owner: String,
        contact: String,
        audience: Int,
        threshold: Threshold,
        timeZone: String,
        grace: Duration,
        directedTo: DirectedTo = .general,
        relay: RelayAddress? = nil,
        evaluator: Evaluator? = nil,
        keys: KeyRule = .optional
    ) {
        self.name = name
        self.title = title
        self.owner = owner
        self.contact = contact
        self.audience = audience
        self.threshold = threshold
        self.timeZone = timeZone
        self.grace = grace
        self.directedTo = directedTo
        self.relay = relay
        self.evaluator = evaluator
        self.keys = keys
    }
}
