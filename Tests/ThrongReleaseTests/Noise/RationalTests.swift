import Testing
import ThrongNoise
import ThrongSystem

@Suite("Exact fractions")
struct RationalTests {
    @Test("what does not fit into 128 bits is an error, never a wrong number")
    func overflowIsAnError() throws {
        let most = try Rational(.max, over: 1)
        let least = try Rational(1, over: .max)
        #expect(throws: NoiseError.overflow) { try most.adding(Rational(1)) }
        #expect(throws: NoiseError.overflow) { try most.multiplied(by: Rational(2)) }
        #expect(throws: NoiseError.overflow) { try least.adding(Rational(1, over: .max - 1)) }
        #expect(throws: NoiseError.overflow) { try Rational(.min, over: 3) }
        #expect(throws: NoiseError.zeroDenominator) { try Rational(1, over: 0) }
        #expect(throws: NoiseError.zeroDenominator) { try Rational(1).divided(by: .zero) }
        #expect(try most.multiplied(by: least) == Rational(1))
        #expect(least < most)
        #expect(try Rational(.max - 1, over: .max) < Rational(1))
    }

    @Test("sums, products and order agree with common denominators")
    func arithmeticIsExact() throws {
        var generator = SeededGenerator(seed: 9)
        for _ in 0..<2000 {
            let parts = (0..<4).map { _ in Int128(Int64(truncatingIfNeeded: generator.next()) >> 40) }
            guard parts[1] != 0, parts[3] != 0 else { continue }
            let (left, right) = try (Rational(parts[0], over: parts[1]), Rational(parts[2], over: parts[3]))
            let below = parts[1] * parts[3]
            #expect(try left.adding(right) == Rational(parts[0] * parts[3] + parts[2] * parts[1], over: below))
            #expect(try left.multiplied(by: right) == Rational(parts[0] * parts[2], over: below))
            let minus = try Rational(-1, over: 1)
            #expect(try (left < right) == (left.adding(right.multiplied(by: minus)).numerator < 0))
            #expect(left.denominator > 0)
            let floor = try Rational(left.floor, over: 1)
            #expect(try floor <= left && left < floor.adding(Rational(1)))
        }
    }

    @Test("thousands of thirds add up to a whole number, and a text is canonical")
    func thirds() throws {
        let third = try Rational(1, over: 3)
        #expect(try "\(third) \(Rational(-6, over: 4)) \(Rational(20, over: 2))" == "1/3 -3/2 10")
        var sum = Rational.zero
        for _ in 0..<3000 { sum = try sum.adding(third) }
        #expect(sum == Rational(1000))
    }
}
