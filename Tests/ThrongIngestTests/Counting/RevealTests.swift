import Testing
import ThrongPlan
import ThrongSystem
import ThrongWire

@testable import ThrongIngest

@Suite("A hash becomes a question once enough devices have sent it, and not before")
struct RevealTests {
    private let window = WindowID(app: "shop", purpose: "product", rotation: .longest, number: WindowNumber(20778))
    private let key = WindowKey.random()
    private let twenty = Threshold(devices: 20)

    private func device(_ number: Int) -> KeyedIdentifier {
        Array("device \(number)".utf8).withUnsafeBytes { key.keyed($0) }
    }

    private func hash(_ value: BucketLabel, of dimension: DimensionName = "query") -> KeyedIdentifier {
        key.keyed(RevealedKey(of: dimension, in: window).hash(value))
    }

    /// How many devices it takes for a value in this test's window.
    private func enough(_ value: BucketLabel) -> Int {
        Int(RevealThreshold.devices(for: hash(value), threshold: twenty))
    }

    @Test("nineteen devices are few, however often they send it; k and a hidden number are enough, and stay so")
    func threshold() {
        var candidates = RevealCandidates()
        let enough = enough("pie")
        #expect(enough >= 20)
        for round in 0..<5 {
            for number in 0..<enough - 1 {
                let outcome = candidates.note(
                    hash("pie"), by: device(number), of: "query", in: window, threshold: twenty)
                #expect(outcome == .few, "device \(number), round \(round)")
            }
        }
        #expect(!candidates.hasEnough(hash("pie"), of: "query", in: window, threshold: twenty))
        #expect(
            candidates.note(hash("pie"), by: device(enough), of: "query", in: window, threshold: twenty) == .enough)
        #expect(candidates.hasEnough(hash("pie"), of: "query", in: window, threshold: twenty))
        #expect(candidates.note(hash("pie"), by: device(3), of: "query", in: window, threshold: twenty) == .enough)
    }

    /// At which of their own invented devices somebody is asked for a value that others have sent, too.
    private func asked(others: Int, under key: WindowKey, isFixed: Bool) -> Int {
        var candidates = RevealCandidates()
        let pie = key.keyed(RevealedKey(of: "query", in: window).hash("pie"))
        var senders: Set<KeyedIdentifier> = []
        func isAsked(_ number: Int) -> Bool {
            let device = Array("device \(number)".utf8).withUnsafeBytes { key.keyed($0) }
            // The control: a house that asks at the k-th device.
            if isFixed {
                senders.insert(device)
                return senders.count >= 20
            }
            return candidates.note(pie, by: device, of: "query", in: window, threshold: twenty) == .enough
        }
        for number in 0..<others where isAsked(number) { return 0 }
        return (1...1_000).first { isAsked(1_000 + $0) } ?? .max
    }

    @Test("attack 35: where a hash is asked for at the k-th device, invented ones count all others exactly; here not")
    func invented() {
        let keys = (0..<300).map { _ in WindowKey.random() }
        for others in [0, 1, 7, 18] {
            // Who takes r for its likeliest value, as nobody can do better, is right as seldom as that value occurs.
            let guesses = keys.map { 20 + 10 - asked(others: others, under: $0, isFixed: false) }
            #expect(guesses.count { $0 == others } < keys.count / 5, "\(others)")
            #expect(Set(guesses).count > 10, "\(others)")
            #expect(
                20 - asked(others: others, under: keys[0], isFixed: true) == others, "the control must be seen to fail")
        }
    }

    @Test("attack 35: with the hidden number switched off, invented devices count all others exactly")
    func switchedOff() {
        for others in [0, 1, 7, 18] {
            let counted = Fault.with([.askAtThreshold]) {
                20 - asked(others: others, under: key, isFixed: false)
            }
            #expect(counted == others)
        }
    }

    @Test(
        "attack 35: that one device sent a value changes the chance of what is seen by a quarter at most, but for 2 %")
    func oneMore() {
        for k in [5, 10, 20, 50] {
            let threshold = Threshold(devices: Int64(k))
            let steps = 200_000
            var share = Array(repeating: 0.0, count: 20 * k)
            for step in 0..<steps {
                let extra = RevealThreshold.extra(
                    at: (Double(step) + 0.5) / Double(steps), threshold: threshold)
                share[Int(extra)] += 1 / Double(steps)
            }
            let spread = Double(max(1, k / 5))
            let allowed = (spread + 1) / spread
            // Being asked one device earlier or later: r and r + 1.
            for extra in 0..<2 * k {
                let step = 1 / Double(steps)
                #expect(share[extra] <= allowed * (share[extra + 1] + 2 * step), "k = \(k), r = \(extra)")
                #expect(share[extra + 1] <= allowed * (share[extra] + 2 * step), "k = \(k), r = \(extra)")
            }
            // Before r = 0 nothing is seen: only then is it certain that somebody else was there.
            #expect(share[0] < 0.03, "k = \(k)")
            // The price: k devices more than k are enough in nine of ten windows.
            #expect(share[...k].reduce(0, +) > 0.9 - (k == 5 ? 0.3 : 0), "k = \(k)")
        }
    }

    @Test("the same hash takes as many devices whenever it is sent under one key, as after a restart")
    func stable() {
        #expect(enough("pie") == enough("pie"))
        let all = (0..<200).map { enough(BucketLabel("pie \($0)")) }
        #expect(all.allSatisfy { $0 >= 20 })
        #expect(Set(all).count > 15)
    }

    @Test("devices of two windows, dimensions or values are never added up")
    func apart() {
        var candidates = RevealCandidates()
        let next = WindowID(app: "shop", purpose: "product", rotation: .longest, number: WindowNumber(20779))
        // The next one would be enough.
        for number in 0..<enough("pie") - 1 {
            _ = candidates.note(hash("pie"), by: device(number), of: "query", in: window, threshold: twenty)
        }
        #expect(candidates.note(hash("pie"), by: device(999), of: "query", in: next, threshold: twenty) == .few)
        #expect(candidates.note(hash("pie"), by: device(999), of: "word", in: window, threshold: twenty) == .few)
        #expect(candidates.note(hash("tart"), by: device(999), of: "query", in: window, threshold: twenty) == .few)
        #expect(!candidates.hasEnough(hash("pie"), of: "query", in: window, threshold: twenty))
    }

    @Test("a window that is over is forgotten")
    func closing() {
        var candidates = RevealCandidates()
        for number in 0..<enough("pie") {
            _ = candidates.note(hash("pie"), by: device(number), of: "query", in: window, threshold: twenty)
        }
        candidates.forgetWindows(overBy: window.over - 1)
        #expect(candidates.hasEnough(hash("pie"), of: "query", in: window, threshold: twenty))
        candidates.forgetWindows(overBy: window.over)
        #expect(!candidates.hasEnough(hash("pie"), of: "query", in: window, threshold: twenty))
    }

    @Test("what there is no room for is dropped, and what was there before goes on")
    func full() {
        var candidates = RevealCandidates()
        for number in 0..<UInt64(RevealCandidates.mostHashes) {
            let hash = KeyedIdentifier(high: number, low: 1)
            #expect(candidates.note(hash, by: device(0), of: "query", in: window, threshold: twenty) == .few)
        }
        #expect(candidates.note(hash("pie"), by: device(0), of: "query", in: window, threshold: twenty) == .full)
        let known = KeyedIdentifier(high: 7, low: 1)
        let enough = Int(RevealThreshold.devices(for: known, threshold: twenty))
        for number in 1..<enough {
            let outcome = candidates.note(known, by: device(number), of: "query", in: window, threshold: twenty)
            #expect(outcome == (number == enough - 1 ? .enough : .few))
        }
    }

    @Test("with an evaluator its output goes into the hash, which is then another one and written otherwise")
    func evaluated() throws {
        let text = "A-F-cGBLyr4ZiILAofJ6kkQed0Ik7ZxwLlHdFwOLECRi"
        let evaluator = try #require(EvaluatorKey(text: text.utf8))
        let key = RevealedKey(of: "query", in: window, evaluator: evaluator)
        let output = try #require(EvaluatedOutput(bytes: Array(0..<32)))
        // Python's hmac and hashlib.
        let hash = try #require(key.hash("apple pie", output: output))
        #expect(hash.description == "##5aa768a69168db6d418fe68a088f1c2f")
        #expect(RevealedHash(wire: hash.description.utf8) == hash && hash.isEvaluated)
        #expect(RevealedHash(wire: hash.description.utf8.dropFirst()) != hash)
        #expect(key.hash("apple pie", output: nil) == nil)
        // Without one an output is no part of it.
        let plain = RevealedKey(of: "query", in: window)
        #expect(plain.hash("apple pie", output: output) == plain.hash("apple pie"))
        #expect(RevealedHash(wire: "###5aa768a69168db6d418fe68a088f1c2f".utf8) == nil)
    }

    @Test("the hash of a value is the one that devices send: Python's hmac and hashlib say the same")
    func vector() {
        #expect(
            RevealedKey(of: "query", in: window).hash("apple pie").description == "#78c14968923689efac0e2ae773b3cdf9")
        #expect(
            RevealedKey(of: "word", in: window).hash("apple pie").description != "#78c14968923689efac0e2ae773b3cdf9")
    }
}
