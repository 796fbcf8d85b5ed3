import Testing
import ThrongPlan
import ThrongWire

@testable import ThrongCounting

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

    @Test("nineteen devices are few, however often they send it; the twentieth is enough")
    func threshold() {
        var candidates = RevealCandidates()
        for round in 0..<5 {
            for number in 0..<19 {
                let outcome = candidates.note(
                    hash("pie"), by: device(number), of: "query", in: window, threshold: twenty)
                #expect(outcome == .few, "device \(number), round \(round)")
            }
        }
        #expect(!candidates.hasEnough(hash("pie"), of: "query", in: window, threshold: twenty))
        #expect(candidates.note(hash("pie"), by: device(19), of: "query", in: window, threshold: twenty) == .enough)
        #expect(candidates.hasEnough(hash("pie"), of: "query", in: window, threshold: twenty))
        #expect(candidates.note(hash("pie"), by: device(3), of: "query", in: window, threshold: twenty) == .enough)
    }

    @Test(
        "attack 35, against which nothing helps yet: invented devices count a value's own ones exactly",
        arguments: [0, 1, 7, 18])
    func invented(others: Int) {
        var candidates = RevealCandidates()
        func note(_ number: Int) -> RevealCandidates.Outcome {
            candidates.note(hash("pie"), by: device(number), of: "query", in: window, threshold: twenty)
        }
        for number in 0..<others { #expect(note(number) == .few) }
        // The control: who invents nobody is told the same as before, however often they ask.
        for _ in 0..<50 { #expect(note(100) == .few) }
        var invented = 1
        while note(100 + invented) == .few { invented += 1 }
        #expect(20 - (invented + 1) == others, "the threat model says so, under values that devices hash")
    }

    @Test("devices of two windows, dimensions or values are never added up")
    func apart() {
        var candidates = RevealCandidates()
        let next = WindowID(app: "shop", purpose: "product", rotation: .longest, number: WindowNumber(20779))
        for number in 0..<19 {
            _ = candidates.note(hash("pie"), by: device(number), of: "query", in: window, threshold: twenty)
        }
        #expect(candidates.note(hash("pie"), by: device(19), of: "query", in: next, threshold: twenty) == .few)
        #expect(candidates.note(hash("pie"), by: device(19), of: "word", in: window, threshold: twenty) == .few)
        #expect(candidates.note(hash("tart"), by: device(19), of: "query", in: window, threshold: twenty) == .few)
        #expect(!candidates.hasEnough(hash("pie"), of: "query", in: window, threshold: twenty))
    }

    @Test("a window that is over is forgotten")
    func closing() {
        var candidates = RevealCandidates()
        for number in 0..<20 {
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
        for number in 1..<20 {
            let outcome = candidates.note(
                KeyedIdentifier(high: 7, low: 1), by: device(number), of: "query", in: window, threshold: twenty)
            #expect(outcome == (number == 19 ? .enough : .few))
        }
    }

    @Test("the hash of a value is the one that devices send: Python's hmac and hashlib say the same")
    func vector() {
        #expect(
            RevealedKey(of: "query", in: window).hash("apple pie").description == "#78c14968923689efac0e2ae773b3cdf9")
        #expect(
            RevealedKey(of: "word", in: window).hash("apple pie").description != "#78c14968923689efac0e2ae773b3cdf9")
    }
}
