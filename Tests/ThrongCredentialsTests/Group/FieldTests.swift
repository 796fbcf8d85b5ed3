import Testing

@testable import ThrongAttestation

@Suite("Arithmetic modulo P-256's prime and modulo its order")
struct FieldTests {
    /// Numbers of 256 bits at which carries go wrong first, and random ones.
    private static func numbers(_ modulus: Schoolbook) -> [[UInt8]] {
        let one = Schoolbook(1)
        var numbers = [Schoolbook(0), one, Schoolbook(2), modulus - one, modulus - Schoolbook(2)].map(\.bytes)
        var power = one
        for exponent in 1..<256 {
            power = power + power
            if exponent % 32 == 0 || exponent == 255 {
                numbers.append((power % modulus).bytes)
                numbers.append(((power - one) % modulus).bytes)
                numbers.append((modulus - power % modulus).bytes)
            }
        }
        numbers += (0..<24).map { _ in (Schoolbook(Bytes.random(32)) % modulus).bytes }
        return numbers
    }

    @Test("coordinates add, subtract, multiply and negate as at school")
    func field() throws {
        let numbers = Self.numbers(.p)
        for left in numbers {
            let (a, first) = (Schoolbook(left), try #require(FieldElement(canonical: left)))
            #expect(first.bytes == left)
            #expect((-first).bytes == ((Schoolbook.p - a) % .p).bytes)
            #expect(first.squared.bytes == (a * a % .p).bytes)
            #expect(first.tripled.bytes == (a * Schoolbook(3) % .p).bytes)
            for right in numbers {
                let (b, second) = (Schoolbook(right), try #require(FieldElement(canonical: right)))
                #expect((first + second).bytes == ((a + b) % .p).bytes)
                #expect((first - second).bytes == ((a + .p - b) % .p).bytes)
                #expect((first * second).bytes == (a * b % .p).bytes)
                #expect(first.equals(second).isYes == (left == right))
            }
        }
    }

    @Test("scalars add, subtract, multiply and negate as at school")
    func scalars() throws {
        let numbers = Self.numbers(.n)
        for left in numbers {
            let (a, first) = (Schoolbook(left), try #require(Scalar(canonical: left)))
            #expect(first.bytes == left)
            #expect((-first).bytes == ((Schoolbook.n - a) % .n).bytes)
            for right in numbers {
                let (b, second) = (Schoolbook(right), try #require(Scalar(canonical: right)))
                #expect((first + second).bytes == ((a + b) % .n).bytes)
                #expect((first - second).bytes == ((a + .n - b) % .n).bytes)
                #expect((first * second).bytes == (a * b % .n).bytes)
                #expect((first == second) == (left == right))
            }
        }
    }

    @Test("an inverse times its number is 1, and 0 has the inverse 0")
    func inverses() throws {
        for bytes in Self.numbers(.p).dropFirst() {
            let element = try #require(FieldElement(canonical: bytes))
            #expect((Schoolbook(element.inverse.bytes) * Schoolbook(bytes) % .p) == Schoolbook(1))
        }
        for bytes in Self.numbers(.n).dropFirst() {
            let scalar = try #require(Scalar(canonical: bytes))
            #expect((Schoolbook(scalar.inverse.bytes) * Schoolbook(bytes) % .n) == Schoolbook(1))
        }
        #expect(FieldElement.zero.inverse.isZero.isYes && Scalar.zero.inverse.isZero)
    }

    @Test("a square has a root, and a ratio without one has that of minus ten times it")
    func roots() throws {
        var squares = 0
        for _ in 0..<60 {
            let u = FieldElement(wide: Bytes.random(48))
            let v = FieldElement(wide: Bytes.random(48))
            #expect(u.squared.rootOfSquare.squared.equals(u.squared).isYes)
            let (isSquare, root) = FieldElement.rootOfRatio(u, v)
            let ten = FieldElement(Limbs(10, 0, 0, 0))
            let expected = isSquare.isYes ? u : -(ten * u)
            #expect((root.squared * v).equals(expected).isYes)
            // Minus ten is no square, so one of both has a root, and not both.
            #expect((u * v).rootOfSquare.squared.equals(u * v).isYes == isSquare.isYes)
            if isSquare.isYes { squares += 1 }
        }
        #expect((10...50).contains(squares))
    }

    @Test("384 bits are reduced as at school")
    func wide() {
        let ends = [[UInt8](repeating: 0, count: 48), [UInt8](repeating: 255, count: 48)]
        for bytes in ends + (0..<100).map({ _ in Bytes.random(48) }) {
            #expect(FieldElement(wide: bytes).bytes == (Schoolbook(bytes) % .p).bytes)
            #expect(Scalar(wide: bytes).bytes == (Schoolbook(bytes) % .n).bytes)
        }
    }

    @Test("a number from the modulus on is not read, and the one below it is")
    func canonical() {
        let one = Schoolbook(1)
        #expect(FieldElement(canonical: (Schoolbook.p - one).bytes) != nil)
        #expect(Scalar(canonical: (Schoolbook.n - one).bytes) != nil)
        let largest = [UInt8](repeating: 255, count: 32)
        for bytes in [Schoolbook.p.bytes, (Schoolbook.p + one).bytes, largest] {
            #expect(FieldElement(canonical: bytes) == nil)
        }
        for bytes in [Schoolbook.n.bytes, (Schoolbook.n + one).bytes, Schoolbook.p.bytes, largest] {
            #expect(Scalar(canonical: bytes) == nil)
        }
    }

    @Test("a scalar that is printed shows nothing of itself")
    func printing() {
        var generator = SystemRandomNumberGenerator()
        let scalar = Scalar.random(using: &generator)
        var dumped = ""
        dump(scalar, to: &dumped)
        #expect("\(scalar)" == "Scalar" && String(reflecting: scalar) == "Scalar")
        #expect(!dumped.contains { $0.isNumber && $0 != "0" })
    }
}
