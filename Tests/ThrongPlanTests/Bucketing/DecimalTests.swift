import Testing
import ThrongSystem

@testable import ThrongPlan
@testable import ThrongWire

@Suite("Numbers are read from bytes as they are from strings")
struct DecimalTests {
    private func decimal(_ text: String) -> Double? { text.withFieldValue { $0.numeric } }

    @Test("short decimals are read exactly")
    func exact() {
        var generator = SeededGenerator(seed: 21)
        for _ in 0..<20_000 {
            let mantissa = Int64.random(in: -999_999_999_999_999...999_999_999_999_999, using: &generator)
            let text = "\(mantissa)e\(Int.random(in: -22...22, using: &generator))"
            #expect(decimal(text) == Double(text), "\(text)")
        }
        for text in ["390", "-2.5", "+7", "0.1", ".5", "1.", "1e3", "1E-3", "007", "-0"] {
            #expect(decimal(text) == Double(text) ?? Double("0" + text) ?? Double(text + "0"), "\(text)")
        }
    }

    @Test("any double's own description reads back within one part in 10^14")
    func close() throws {
        var generator = SeededGenerator(seed: 22)
        for _ in 0..<20_000 {
            let number = Double(bitPattern: generator.next())
            guard number.isFinite, number.magnitude > 1e-290, number.magnitude < 1e290 else { continue }
            let read = try #require(decimal("\(number)"))
            #expect((read - number).magnitude <= number.magnitude * 1e-14, "\(number)")
        }
    }

    @Test(
        "anything else is no number",
        arguments: [
            "", " ", "1 ", " 1", "-", ".", "e5", "1e", "1e+", "1.2.3", "0x10", "nan", "inf", "1e999", "1,5", "--1", "١",
        ])
    func none(text: String) {
        #expect(decimal(text) == nil)
    }

    @Test("edges are written as short as they can be")
    func shortest() {
        #expect(
            [10, 0.5, -0.0, 1e6, 0.1, 1e-7, 123_456.5].map(\.shortestDecimal) == [
                "10", "0.5", "0", "1000000", "0.1", "1e-07", "123456.5",
            ])
    }
}
