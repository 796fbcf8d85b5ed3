/// A number modulo one of the two primes of P-256, in Montgomery's form.
protocol Residue: Sendable {
    static var modulus: Modulus { get }
    var residue: Limbs { get }

    /// - Parameter residue: in the form, below the modulus.
    init(residue: Limbs)
}

extension Residue {
    @inline(__always)
    static var zero: Self { Self(residue: .zero) }
    @inline(__always)
    static var one: Self { Self(residue: modulus.one) }

    /// A number of 384 bits, the highest byte first, reduced.
    init(wide bytes: some Collection<UInt8>) { self.init(residue: Self.modulus.enter(wide: bytes)) }

    /// - Parameter bytes: 32, the highest first; nil if they are a number from the modulus on.
    init?(canonical bytes: some Collection<UInt8>) {
        let number = Limbs(bigEndian: bytes)
        guard Self.modulus.canonical(number).isYes else { return nil }
        self.init(residue: Self.modulus.enter(number))
    }

    /// 32 bytes, the highest first.
    var bytes: [UInt8] { number.bigEndian }

    /// Itself, out of the form.
    var number: Limbs { Self.modulus.leave(residue) }

    /// Returns the power of an exponent that is public.
    func power(_ exponent: Limbs) -> Self { Self(residue: Self.modulus.power(residue, exponent)) }

    @inline(__always)
    static func + (left: Self, right: Self) -> Self { Self(residue: modulus.add(left.residue, right.residue)) }

    @inline(__always)
    static func - (left: Self, right: Self) -> Self { Self(residue: modulus.subtract(left.residue, right.residue)) }

    @inline(__always)
    static prefix func - (number: Self) -> Self { zero - number }
}
