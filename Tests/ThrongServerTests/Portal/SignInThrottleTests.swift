import Testing

@testable import ThrongServer

@Suite("Nobody tries many tokens, and nobody keeps others out by trying")
struct SignInThrottleTests {
    private let here: [UInt8] = [198, 51, 100]

    /// How many of so many sign-ins are looked at, each of which fails.
    private func failures(
        _ throttle: inout SignInThrottle, _ count: Int, from network: (Int) -> [UInt8],
        at now: (Int) -> Double = { _ in 0 }
    ) -> Int {
        (0..<count).count { throttle.refuse("\($0)", from: network($0), at: now($0)) == nil }
    }

    @Test("of a hundred wrong tokens from one network ten are looked at, and one more in six seconds from then on")
    func oneNetwork() {
        var throttle = SignInThrottle()
        #expect(failures(&throttle, 100) { _ in here } == 10)
        #expect(throttle.refuse("x", from: here, at: 0) == 6)
        #expect(throttle.refuse("x", from: here, at: 6) == nil)
        #expect(throttle.refuse("x", from: here, at: 6) == 6)
        let aDay = failures(&throttle, 86_400, from: { _ in here }, at: { Double($0) + 6 })
        #expect((14_000...14_420).contains(aDay), "\(aDay) a day")
    }

    @Test("another network signs in meanwhile, and so does a token that has opened the pages before, from anywhere")
    func others() {
        var throttle = SignInThrottle()
        #expect(throttle.refuse("good", from: here, at: 0) == nil)
        throttle.succeed("good", from: here, at: 0)
        _ = failures(&throttle, 1000) { _ in here }
        #expect(throttle.refuse("other", from: [203, 0, 113], at: 0) == nil)
        for _ in 0..<100 {
            #expect(throttle.refuse("good", from: here, at: 0) == nil)
            throttle.succeed("good", from: here, at: 0)
        }
        #expect(throttle.refuse("new", from: here, at: 0) != nil, "control: somebody else from there waits")
    }

    @Test("a token whose public part somebody knows has its own bound, which lets its owner in again within seconds")
    func knownPart() {
        var throttle = SignInThrottle()
        throttle.succeed("good", from: here, at: 0)
        #expect((0..<1000).count { _ in throttle.refuse("good", from: [1, 2, 3], at: 1) == nil } == 10)
        #expect(throttle.refuse("good", from: here, at: 1) == 6)
        #expect(throttle.refuse("good", from: here, at: 8) == nil)
    }

    @Test("after somebody came in without a token, by a link, those without one still wait by their own networks alone")
    func noPart() {
        var throttle = SignInThrottle()
        #expect(throttle.refuse("", from: here, at: 0) == nil)
        throttle.succeed("", from: here, at: 0)
        #expect((0..<100).count { _ in throttle.refuse("", from: [1, 2, 3], at: 0) == nil } == 10)
        #expect(throttle.refuse("", from: here, at: 0) == nil, "the next link")
    }

    @Test("networks that go on failing leave room for those that come for the first time, and all together have an end")
    func everywhere() {
        var throttle = SignInThrottle()
        func network(_ number: Int) -> [UInt8] { [1, UInt8(number >> 8 & 255), UInt8(number & 255)] }
        #expect(failures(&throttle, 50) { network($0) } == 50)
        // The same fifty again and again fill the bucket of those that fail.
        #expect(failures(&throttle, 400) { network($0 % 50) } == 30)
        #expect(throttle.refuse("x", from: [9, 9, 9], at: 0) == nil, "somebody comes for the first time")
        let all = failures(&throttle, 10_000) { network($0 + 1000) }
        #expect(all < 100, "\(all) of 10,000 networks at once")
        #expect(throttle.refuse("x", from: [9, 9, 8], at: 1) == nil, "a second later")
    }

    @Test("where nobody knows networks, all are one; signing in well costs nothing, however often")
    func unknown() {
        var throttle = SignInThrottle()
        for _ in 0..<1000 {
            #expect(throttle.refuse("first", from: [], at: 0) == nil)
            throttle.succeed("first", from: [], at: 0)
        }
        #expect(failures(&throttle, 100) { _ in [] } == 10)
    }

    @Test("its memory does not grow with what comes")
    func memory() {
        var throttle = SignInThrottle()
        let before = size(of: throttle)
        for number in 0..<100_000 {
            let network = [UInt8(number >> 16), UInt8(number >> 8 & 255), UInt8(number & 255)]
            if throttle.refuse("\(number)", from: network, at: Double(number)) == nil {
                throttle.succeed("\(number)", from: network, at: Double(number))
            }
        }
        #expect(size(of: throttle) == before)
    }

    /// The sizes of its tables.
    private func size(of throttle: SignInThrottle) -> [Int] {
        Mirror(reflecting: throttle).children.map { Mirror(reflecting: $0.value).children.count }
    }
}
