import Foundation
import Testing
import ThrongNoise
import ThrongSystem

@Suite("Exact fractions")
struct RationalTests {
    @Test(
        "a text is read as exactly what it says",
        arguments: [
            ("0.5", "1/2"), ("1/2", "1/2"), ("6/4", "3/2"), ("10", "10"), ("-0.25", "-1/4"), ("0.10", "1/10"),
            ("0", "0"), ("-0", "0"), ("00.50", "1/2"), ("4/2", "2"),
        ])
    func textsAreRead(_ text: String, _ canonical: String) throws {
        #expect(try Rational(parsing: text).description == canonical)
    }

    @Test(
        "what could be read in two ways is refused",
        arguments: [
            "", "-", ".5", "5.", "1/", "/2", "1e3", " 1", "1 ", "+1", "1/-2", "--1", "1,5", "1/2/3", "½", "0x1",
        ])
    func otherTextsAreRefused(_ text: String) {
        #expect(throws: NoiseError.notANumber) { try Rational(parsing: text) }
    }

    @Test("what does not fit into 128 bits is an error, never a wrong number")
    func overflowIsAnError() throws {
        let most = try Rational(.max, over: 1)
        let least = try Rational(1, over: .max)
        #expect(throws: NoiseError.overflow) { try most.adding(Rational(1)) }
        #expect(throws: NoiseError.overflow) { try most.multiplied(by: Rational(2)) }
        #expect(throws: NoiseError.overflow) { try least.adding(Rational(1, over: .max - 1)) }
        #expect(throws: NoiseError.overflow) { try Rational(.min, over: 3) }
        #expect(throws: NoiseError.overflow) { try Rational(parsing: "170141183460469231731687303715884105728") }
        #expect(throws: NoiseError.overflow) { try Rational(parsing: "0." + String(repeating: "0", count: 39) + "1") }
        #expect(throws: NoiseError.zeroDenominator) { try Rational(1, over: 0) }
        #expect(throws: NoiseError.zeroDenominator) { try Rational(parsing: "1/0") }
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
            #expect(try left.subtracting(right).adding(right) == left)
            #expect(try left.multiplied(by: right) == Rational(parts[0] * parts[2], over: below))
            #expect(try (left < right) == (left.subtracting(right).numerator < 0))
            #expect(left.denominator > 0)
            let floor = try Rational(left.floor, over: 1)
            #expect(try floor <= left && left < floor.adding(Rational(1)))
        }
    }

    @Test("JSON holds a text, and thousands of thirds add up to a whole number")
    func codable() throws {
        let third = try Rational(1, over: 3)
        #expect(String(decoding: try JSONEncoder().encode([third]), as: UTF8.self) == #"["1\/3"]"#)
        #expect(try JSONDecoder().decode([Rational].self, from: Data(#"["0.5", "3/7"]"#.utf8)).last?.denominator == 7)
        var sum = Rational.zero
        for _ in 0..<3000 { sum = try sum.adding(third) }
        #expect(sum == Rational(1000))
    }
}
