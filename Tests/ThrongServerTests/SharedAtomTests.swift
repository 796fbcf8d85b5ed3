import TestCluster
import Testing

/// Attacks across metrics, on published numbers only: each is a sum of what happened, and whoever has some of them has what
/// they add and subtract up to. Of the fewer than k devices that are meant, nothing may follow.
@Suite("Promise 5: metrics are tied by what they count, not by names", .serialized)
struct SharedAtomTests {
    private typealias Atom = AtomTown.Atom

    private func expect(
        _ town: AtomTown, controls: [AtomTown.House], hides isMeant: (AtomTown.Atom) -> Bool
    ) async throws -> [String: [Bool]] {
        for control in controls {
            let published = try await town.published(by: control)
            let isGiven = town.gives(published, away: isMeant)
            #expect(isGiven, "\(control) must be seen to fail, with \(published.keys.sorted())")
        }
        let ours = try await town.published(by: .ours)
        let isGiven = town.gives(ours, away: isMeant)
        #expect(!isGiven, "\(ours.keys.sorted())")
        return ours
    }

    @Test("attack 39: one rule under two names of dimensions is one dimension")
    func names() async throws {
        let town = try AtomTown(
            AtomTown.metric("fine", by: "[os, kind]", margins: "[[os, kind]]")
                + AtomTown.metric("rough", by: "[platform]"),
            dimensions: """
                dimensions:
                  os: {title: System, field: system, list: [iOS, Android], partitions: devices}
                  platform: {title: Platform, field: system, list: [iOS, Android], partitions: devices}
                  kind: {title: Kind, field: kind, list: [p, q], partitions: devices}
                """,
            atoms: [
                Atom(fields: ["system": "iOS", "kind": "p"], devices: 0..<30, events: 90),
                Atom(fields: ["system": "iOS", "kind": "q"], devices: 30..<33, events: 3),
                Atom(fields: ["system": "Android", "kind": "p"], devices: 100..<140, events: 80),
                Atom(fields: ["system": "Android", "kind": "q"], devices: 140..<170, events: 30),
            ])
        let ours = try await expect(town, controls: [.byName, .apart]) {
            $0.fields == ["system": "iOS", "kind": "q"]
        }
        #expect(ours["rough"] != nil, "the total is no secret")
    }

    @Test("attack 39: the same in one metric")
    func namesWithin() async throws {
        let town = try AtomTown(
            AtomTown.metric("one", by: "[os, platform, kind]", margins: "[[os, kind], [platform]]"),
            dimensions: """
                dimensions:
                  os: {title: System, field: system, list: [iOS, Android], partitions: devices}
                  platform: {title: Platform, field: system, list: [iOS, Android], partitions: devices}
                  kind: {title: Kind, field: kind, list: [p, q], partitions: devices}
                """,
            atoms: [
                Atom(fields: ["system": "iOS", "kind": "p"], devices: 0..<30, events: 90),
                Atom(fields: ["system": "iOS", "kind": "q"], devices: 30..<33, events: 3),
                Atom(fields: ["system": "Android", "kind": "p"], devices: 100..<140, events: 80),
                Atom(fields: ["system": "Android", "kind": "q"], devices: 140..<170, events: 30),
            ])
        let ours = try await expect(town, controls: [.naive]) { $0.fields == ["system": "iOS", "kind": "q"] }
        #expect(ours["one"] != nil && ours["one iOS"] != nil, "tops are no secret")
    }

    private static let countries = [
        Atom(fields: ["country": "AT"], devices: 0..<90, events: 100),
        Atom(fields: ["country": "DE"], devices: 100..<190, events: 100),
        Atom(fields: ["country": "LI"], devices: 200..<203, events: 3),
        Atom(fields: ["country": "LU"], devices: 203..<205, events: 2),
        Atom(fields: ["country": "CH"], devices: 300..<600, events: 400),
    ]

    private static func isSmall(_ atom: Atom) -> Bool { ["LI", "LU"].contains(atom.fields["country"]) }

    @Test("attack 27: two coarsenings of one field, a metric each")
    func coarsenings() async throws {
        let town = try AtomTown(
            AtomTown.metric("one", by: "[near]") + AtomTown.metric("two", by: "[far]"),
            dimensions: """
                dimensions:
                  near: {title: Near, field: country, list: {near: [AT, DE]}, partitions: devices}
                  far: {title: Far, field: country, list: {far: [AT, DE, LI, LU]}, partitions: devices}
                """, atoms: Self.countries)
        let ours = try await expect(town, controls: [.naive, .byName], hides: Self.isSmall)
        #expect(ours["one near"] != nil && ours["two"] != nil)
    }

    @Test("attack 27: two dimensions that are made of one, a metric each")
    func derived() async throws {
        let town = try AtomTown(
            AtomTown.metric("one", by: "[country]", margins: "[[near]]")
                + AtomTown.metric("two", by: "[country]", margins: "[[far]]"),
            dimensions: Self.derivedDimensions, atoms: Self.countries)
        let ours = try await expect(town, controls: [.naive, .apart], hides: Self.isSmall)
        #expect(ours["one near"] != nil && ours["two"] != nil)
    }

    private static let derivedDimensions = """
        dimensions:
          country: {title: Country, field: country, list: [AT, DE, LI, LU, CH], partitions: devices}
          near: {title: Near, of: country, groups: {near: [AT, DE]}}
          far: {title: Far, of: country, groups: {far: [AT, DE, LI, LU]}}
        """

    @Test("attack 27: two dimensions that are made of one, in one metric")
    func within() async throws {
        let town = try AtomTown(
            AtomTown.metric("one", by: "[country]", margins: "[[near], [far]]"),
            dimensions: Self.derivedDimensions, atoms: Self.countries)
        _ = try await expect(town, controls: [.naive], hides: Self.isSmall)
    }

    @Test("coarsenings whose difference k devices make are both published")
    func largeCoarsening() async throws {
        var atoms = Self.countries
        atoms[2] = Atom(fields: ["country": "LI"], devices: 200..<230, events: 60)
        atoms[3] = Atom(fields: ["country": "LU"], devices: 230..<260, events: 60)
        let town = try AtomTown(
            AtomTown.metric("one", by: "[near]") + AtomTown.metric("two", by: "[far]"),
            dimensions: """
                dimensions:
                  near: {title: Near, field: country, list: {near: [AT, DE]}, partitions: devices}
                  far: {title: Far, field: country, list: {far: [AT, DE, LI, LU]}, partitions: devices}
                """, atoms: atoms)
        let ours = try await town.published(by: .ours)
        #expect(ours.keys.sorted() == ["one", "one near", "one other", "two", "two far", "two other"])
    }

    @Test("attack 28: a kind of event beside a metric of that event alone")
    func kinds() async throws {
        let town = try AtomTown(
            AtomTown.metric("pages", events: "[home, search]", by: "[page, kind]", margins: "[[page, kind]]")
                + AtomTown.metric("searches", events: "[search]"),
            dimensions: """
                dimensions:
                  page: {title: Page, field: event, list: {Home: [home], Search: [search]}}
                  kind: {title: Kind, field: kind, list: [p, q], partitions: devices}
                """,
            atoms: [
                Atom(event: "search", fields: ["kind": "p"], devices: 0..<30, events: 90),
                Atom(event: "search", fields: ["kind": "q"], devices: 30..<33, events: 3),
                Atom(event: "home", fields: ["kind": "p"], devices: 100..<140, events: 80),
                Atom(event: "home", fields: ["kind": "q"], devices: 140..<170, events: 30),
            ])
        _ = try await expect(town, controls: [.byName, .apart]) { $0.event == "search" && $0.fields["kind"] == "q" }
    }

    @Test("attack 28: the same where each counts an event that the other does not")
    func overlapping() async throws {
        let town = try AtomTown(
            AtomTown.metric("pages", events: "[home, search]", by: "[page]")
                + AtomTown.metric("finds", events: "[search, find]"),
            dimensions: """
                dimensions:
                  page: {title: Page, field: event, list: {Home: [home], Search: [search]}}
                """,
            atoms: [
                Atom(event: "search", devices: 0..<45, events: 200),
                Atom(event: "home", devices: 100..<190, events: 400),
                Atom(event: "find", devices: 0..<1, events: 60),
            ])
        _ = try await expect(town, controls: [.naive, .apart]) { $0.event == "find" }
    }

    @Test("attack 31: all actions less safe ones are one device's sixty")
    func actions() async throws {
        let town = try AtomTown(
            AtomTown.metric("actions", events: "[safe, risky]", by: "[country]")
                + AtomTown.metric("safe", events: "[safe]", by: "[country]"),
            dimensions: """
                dimensions:
                  country: {title: Country, field: country, list: [AT, DE], partitions: devices}
                """,
            atoms: [
                Atom(event: "safe", fields: ["country": "AT"], devices: 0..<45, events: 200),
                Atom(event: "risky", fields: ["country": "AT"], devices: 0..<1, events: 60),
                Atom(event: "safe", fields: ["country": "DE"], devices: 100..<190, events: 400),
            ])
        let ours = try await expect(town, controls: [.naive, .apart]) { $0.event == "risky" }
        #expect(ours["safe AT"] != nil || ours["actions AT"] != nil, "only one of the two gives way")
    }

    @Test("actions that k other devices took are published beside the safe ones")
    func manyActions() async throws {
        let town = try AtomTown(
            AtomTown.metric("actions", events: "[safe, risky]") + AtomTown.metric("safe", events: "[safe]"),
            dimensions: """
                dimensions:
                  country: {title: Country, field: country, list: [AT, DE], partitions: devices}
                """,
            atoms: [
                Atom(event: "safe", devices: 0..<45, events: 200), Atom(event: "risky", devices: 30..<100, events: 160),
            ])
        #expect(try await town.published(by: .ours).keys.sorted() == ["actions", "safe"])
    }

    @Test("attack 40: a purpose with consent beside one without tells nothing of the three who refused")
    func consent() async throws {
        let town = try AtomTown(
            AtomTown.metric("everybody") + AtomTown.metric("asked", purpose: "asked"),
            dimensions: """
                dimensions:
                  country: {title: Country, field: country, list: [AT, DE], partitions: devices}
                """,
            atoms: [
                Atom(devices: 0..<60, events: 200), Atom(consents: false, devices: 100..<103, events: 30),
            ])
        let ours = try await expect(town, controls: [.naive, .apart]) { !$0.consents }
        #expect(ours.count == 1)
    }
}
