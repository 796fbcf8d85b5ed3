import Testing
import ThrongIngest
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

    private static let start = UnixSeconds(1_795_176_000)

    private static func source(_ network: String, _ place: UInt16 = 0) -> NetworkTallies.Source {
        .init(network: keyed(network), place: place)
    }

    private static func note(
        _ tallies: inout NetworkTallies, _ identifier: String, from network: String, at place: UInt16 = 0,
        events: Int = 1, lifting: Int? = nil, after seconds: Int64 = 0
    ) -> NetworkTallies.Verdict {
        tallies.note(
            keyed(identifier), from: source(network, place), in: window, events: events, lifting: lifting,
            now: start + seconds)
    }

    /// Whether a batch counts, whatever it lifts.
    private static func isAdmitted(
        _ tallies: inout NetworkTallies, _ identifier: String, at place: UInt16 = 0, after seconds: Int64 = 0
    ) -> Bool {
        if case .admitted = note(&tallies, identifier, from: "a", at: place, after: seconds) { true } else { false }
    }

    /// How many of a flood's identifiers count: so many of them, spread over so long, from so many places in turn.
    private static func flood(
        _ tallies: inout NetworkTallies, of count: Int, places: UInt16 = 1, from begin: Int64 = 0, over seconds: Int64
    ) -> Int {
        (0..<count).count { number in
            isAdmitted(
                &tallies, "flood \(begin) \(number)", at: UInt16(number % Int(places)),
                after: begin + Int64(number) * seconds / Int64(count))
        }
    }

    @Test("the eleventh identifier of a network is refused, those that are known and another network's are not")
    func identifiers() {
        var tallies = NetworkTallies(limits: .init(identifiers: 10, events: nil))
        for number in 0..<10 {
            #expect(Self.note(&tallies, "\(number)", from: "a") == .admitted(liftsFloors: true))
        }
        #expect(Self.note(&tallies, "10", from: "a") == .refused(retrySeconds: 360), "a tenth of an hour each")
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
        #expect(Self.note(&tallies, "x", from: "a", events: 5) == .refused(retrySeconds: 360))
        #expect(Self.note(&tallies, "x", from: "a", events: 4) == .admitted(liftsFloors: true))
        #expect(Self.note(&tallies, "x", from: "a", events: 1) == .refused(retrySeconds: 360))
        #expect(Self.note(&tallies, "x", from: "a", events: 1, after: 360) == .admitted(liftsFloors: true))
        func nobody() -> NetworkTallies.Verdict {
            tallies.note(.nobody, from: Self.source("b"), in: Self.window, events: 1, lifting: nil, now: Self.start)
        }
        for _ in 0..<10 { #expect(nobody() == .admitted(liftsFloors: true)) }
        #expect(nobody() == .refused(retrySeconds: 360))
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
            tallies.note(
                Self.keyed("y"), from: Self.source("a"), in: next, events: 1, lifting: nil, now: Self.start)
                == .admitted(liftsFloors: true))
        #expect(tallies.takeEnded(overBy: Self.window.over - 1).isEmpty)
        #expect(Self.note(&tallies, "z", from: "a") == .refused(retrySeconds: 3600))
        #expect(tallies.takeEnded(overBy: Self.window.over).map(\.window) == [Self.window])
        #expect(tallies.bytes > 0)
        #expect(tallies.takeEnded(overBy: next.over).map(\.all) == [1])
        #expect(tallies.bytes == 0 && tallies.takeEnded(overBy: next.over).isEmpty)
    }

    // MARK: Floods

    @Test("a flood of 10,000 from one address fills half of its network: the other half is for others, at once")
    func otherAddresses() {
        var tallies = NetworkTallies(limits: .init())
        #expect(Self.isAdmitted(&tallies, "known"))
        let taken = Self.flood(&tallies, of: 10_000, over: 15)
        #expect((5000...5100).contains(taken), "\(taken)")
        let honest = (0..<200).count { Self.isAdmitted(&tallies, "honest \($0)", at: UInt16(1 + $0 % 200), after: 15) }
        #expect(honest == 200)
        #expect(Self.isAdmitted(&tallies, "known", after: 15), "who is known goes on")
        #expect(!Self.isAdmitted(&tallies, "one more", after: 15), "control: the flood's address is full")
    }

    @Test(
        "behind the flood's own address, new devices get in again as soon as Retry-After says, and 200 within two minutes"
    )
    func sameAddress() {
        var tallies = NetworkTallies(limits: .init())
        _ = Self.flood(&tallies, of: 10_000, over: 15)
        var waiting: [(id: String, due: Int64)] = (0..<200).map { ("honest \($0)", 16 + Int64($0) / 4) }
        var now: Int64 = 16
        while !waiting.isEmpty, now < 3600 {
            waiting = waiting.compactMap { id, due in
                guard due <= now else { return (id, due) }
                switch Self.note(&tallies, id, from: "a", after: now) {
                case .admitted: return nil
                case .refused(let seconds): return (id, now + max(seconds, 5))
                }
            }
            now += 1
        }
        #expect(now <= 16 + 120, "all are in after \(now - 16) seconds")
    }

    @Test("a flood that goes on all day at the pace at which its network gets room lifts no more floors than one may")
    func pacedFlood() {
        var tallies = NetworkTallies(limits: .init(identifiers: 1000))
        var (admitted, lifting) = (0, 0)
        for number in 0..<24_000 {
            let verdict = Self.note(&tallies, "\(number)", from: "a", after: Int64(number) * 86_400 / 24_000)
            guard case .admitted(let lifts) = verdict else { continue }
            admitted += 1
            lifting += lifts ? 1 : 0
        }
        #expect(lifting == 1000, "one network adds so many to a floor, and no more")
        #expect(admitted > 20_000, "control: \(admitted) count towards values")
        // At that pace there is room all the time.
        #expect((0..<100).allSatisfy { Self.isAdmitted(&tallies, "late \($0)", at: 7, after: 86_399) })
    }

    @Test("a flood from every address of a network leaves something to each, and nothing of it reaches another network")
    func wholeNetwork() {
        var tallies = NetworkTallies(limits: .init())
        let taken = Self.flood(&tallies, of: 50_000, places: 255, over: 15)
        #expect(taken <= 10_050)
        var waited: Int64 = 15
        while !Self.isAdmitted(&tallies, "honest", at: 255, after: waited) { waited += 1 }
        #expect(waited <= 20, "the last address waits \(waited - 15) seconds")
        #expect(Self.note(&tallies, "other", from: "b", after: 15) == .admitted(liftsFloors: true))
    }

    @Test("a flood of events from one address leaves room for those of others")
    func eventFlood() {
        var tallies = NetworkTallies(limits: .init())
        var taken = 0
        for number in 0..<2000 {
            if case .admitted = Self.note(&tallies, "\(number % 9)", from: "a", events: 1000) { taken += 1 }
        }
        #expect((500...510).contains(taken), "\(taken) batches of 1,000 events")
        #expect(Self.note(&tallies, "honest", from: "a", at: 9, events: 1000) == .admitted(liftsFloors: true))
    }

    @Test("who claims to be in two networks counts in neither, and gets in only where both have room")
    func claims() {
        var tallies = NetworkTallies(limits: .init(identifiers: 2))
        func claim(_ identifier: String, _ networks: String...) -> NetworkTallies.Verdict {
            tallies.note(
                Self.keyed(identifier), from: Self.source("shared"), claiming: networks.map { Self.source($0) },
                in: Self.window, events: 1, lifting: 0, now: Self.start)
        }
        #expect(claim("1", "a", "forged 1") == .admitted(liftsFloors: false))
        #expect(claim("2", "a", "forged 2") == .admitted(liftsFloors: false))
        #expect(claim("3", "a", "forged 3") == .refused(retrySeconds: 1800), "however many it names")
        for number in 4..<6 { #expect(Self.note(&tallies, "\(number)", from: "a") == .admitted(liftsFloors: true)) }
        var fresh = NetworkTallies(limits: .init(identifiers: 2))
        for number in 0..<2 { _ = Self.note(&fresh, "\(number)", from: "a") }
        let verdict = fresh.note(
            Self.keyed("2"), from: Self.source("shared"), claiming: [Self.source("a"), Self.source("b")],
            in: Self.window, events: 1, lifting: 0, now: Self.start)
        #expect(verdict == .refused(retrySeconds: 1800), "its own network is full")
    }

    @Test("a clock that goes back takes nobody's room, and one that goes far ahead gives no more than there is")
    func clockSteps() {
        var tallies = NetworkTallies(limits: .init(identifiers: 10))
        for number in 0..<10 { #expect(Self.isAdmitted(&tallies, "\(number)", after: 1000)) }
        #expect(!Self.isAdmitted(&tallies, "back", after: -1000))
        for number in 10..<20 { #expect(Self.isAdmitted(&tallies, "\(number)", after: 1_000_000)) }
        #expect(!Self.isAdmitted(&tallies, "20", after: 1_000_000))
    }
}
