import Testing
import ThrongCounting
import ThrongPlan

@Suite("One network brings so much in a window and no more, and is known by nothing once the window is over")
struct NetworkTalliesTests {
    private static let window = WindowID(
        app: "shop", purpose: "product", rotation: .standard, number: WindowNumber(1_994_640))
    private static let key = WindowKey.random()

    /// What the window's key makes of a text.
    private static func keyed(_ text: String) -> KeyedIdentifier {
        var text = text
        return text.withUTF8 { key.keyed(UnsafeRawBufferPointer($0)) }
    }

    private static func note(
        _ tallies: inout NetworkTallies, _ identifier: String, from network: String, events: Int = 1,
        lifting: Int? = nil
    ) -> NetworkTallies.Verdict {
        tallies.note(keyed(identifier), from: keyed(network), in: window, events: events, lifting: lifting)
    }

    @Test("the eleventh identifier of a network is refused, those that are known and another network's are not")
    func identifiers() {
        var tallies = NetworkTallies(limits: .init(identifiers: 10, events: nil))
        for number in 0..<10 {
            #expect(Self.note(&tallies, "\(number)", from: "a") == .admitted(liftsFloors: true))
        }
        #expect(Self.note(&tallies, "10", from: "a") == .refused)
        #expect(Self.note(&tallies, "3", from: "a") == .admitted(liftsFloors: true))
        #expect(Self.note(&tallies, "10", from: "b") == .admitted(liftsFloors: true))
        #expect(Self.note(&tallies, "10", from: "a") == .admitted(liftsFloors: true), "it belongs to b")
        let ended = tallies.takeEnded(overBy: Self.window.over)
        #expect(ended.map(\.window) == [Self.window] && ended.map(\.largest) == [10] && ended.map(\.all) == [11])
        var unbounded = NetworkTallies(limits: .init(identifiers: nil, events: nil))
        for number in 0..<100 {
            #expect(Self.note(&unbounded, "\(number)", from: "a") == .admitted(liftsFloors: true), "control")
        }
    }

    @Test("events are bounded, too, a batch as a whole; where there are no identifiers, only they are")
    func events() {
        var tallies = NetworkTallies(limits: .init(identifiers: 1, events: 10))
        #expect(Self.note(&tallies, "x", from: "a", events: 6) == .admitted(liftsFloors: true))
        #expect(Self.note(&tallies, "x", from: "a", events: 5) == .refused)
        #expect(Self.note(&tallies, "x", from: "a", events: 4) == .admitted(liftsFloors: true))
        #expect(Self.note(&tallies, "x", from: "a", events: 1) == .refused)
        for _ in 0..<10 {
            let verdict = tallies.note(.nobody, from: Self.keyed("b"), in: Self.window, events: 1, lifting: nil)
            #expect(verdict == .admitted(liftsFloors: true))
        }
        #expect(tallies.note(.nobody, from: Self.keyed("b"), in: Self.window, events: 1, lifting: nil) == .refused)
    }

    @Test("at most three identifiers of a network lift floors, the same ones until the window is over, from anywhere")
    func lifting() {
        var tallies = NetworkTallies(limits: .init())
        func lifts(_ identifier: String, from network: String, most: Int? = 3) -> Bool {
            Self.note(&tallies, identifier, from: network, lifting: most) == .admitted(liftsFloors: true)
        }
        #expect((0..<19).map { lifts("\($0)", from: "a") } == (0..<19).map { $0 < 3 })
        #expect((0..<19).map { lifts("\($0)", from: "a") }.count { $0 } == 3, "asked again")
        #expect((0..<19).map { lifts("\($0)", from: "\($0)") }.count { $0 } == 3, "from elsewhere")
        #expect(lifts("19", from: "b") && lifts("19", from: "a"), "it was another network's first")
        var free = NetworkTallies(limits: .init())
        let all = (0..<19).map { Self.note(&free, "\($0)", from: "a") }
        #expect(all.allSatisfy { $0 == .admitted(liftsFloors: true) }, "control: without a bound all lift")
    }

    @Test("what is full notes nobody new, refuses nobody, and lets nobody new lift floors where that is bounded")
    func full() {
        var tallies = NetworkTallies(limits: .init(identifiers: nil, events: nil, bytes: 1000))
        var last = 0
        while tallies.bytes < 1000 {
            #expect(Self.note(&tallies, "\(last)", from: "\(last)", lifting: 3) == .admitted(liftsFloors: true))
            last += 1
        }
        let full = tallies.bytes
        for number in 0..<1000 {
            let (id, network) = ("new \(number)", "\(number)")
            #expect(Self.note(&tallies, id, from: network, lifting: 3) == .admitted(liftsFloors: false))
            #expect(Self.note(&tallies, id, from: network) == .admitted(liftsFloors: true))
        }
        #expect(Self.note(&tallies, "0", from: "0", lifting: 3) == .admitted(liftsFloors: true), "known")
        #expect(tallies.bytes == full)
    }

    @Test("a window that is over is forgotten, and another one begins with nothing")
    func windows() {
        var tallies = NetworkTallies(limits: .init(identifiers: 1))
        #expect(Self.note(&tallies, "x", from: "a") == .admitted(liftsFloors: true))
        let next = WindowID(
            app: "shop", purpose: "product", rotation: .standard, number: WindowNumber(Self.window.number.value + 1))
        #expect(
            tallies.note(Self.keyed("y"), from: Self.keyed("a"), in: next, events: 1, lifting: nil)
                == .admitted(liftsFloors: true))
        #expect(tallies.takeEnded(overBy: Self.window.over - 1).isEmpty)
        #expect(Self.note(&tallies, "z", from: "a") == .refused)
        #expect(tallies.takeEnded(overBy: Self.window.over).map(\.window) == [Self.window])
        #expect(tallies.bytes > 0)
        #expect(tallies.takeEnded(overBy: next.over).map(\.all) == [1])
        #expect(tallies.bytes == 0 && tallies.takeEnded(overBy: next.over).isEmpty)
    }
}
